"""Plain files with a kind and a version."""

import os

import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidTypeError
from jacobeig.results.archive import FORMAT_VERSION, read_archive, write_archive
from jacobeig.results.atomic_files import replace_file


def test_arrays_and_facts_come_back(tmp_path):
    arrays = {"a": np.arange(3), "b": np.array([[1j]])}
    write_archive(tmp_path / "x", "Thing", arrays, colour="green", parts=[1, 2])
    kind, read, facts = read_archive(tmp_path / "x", "Other", "Thing")
    assert kind == "Thing"
    assert facts == {"colour": "green", "parts": [1, 2]}
    assert {name: array.tolist() for name, array in read.items()} == {"a": [0, 1, 2], "b": [[1j]]}
    assert FORMAT_VERSION == 1


def test_another_kind_is_refused_with_what_was_expected(tmp_path):
    write_archive(tmp_path / "x", "Thing", {})
    with pytest.raises(FileFormatError, match="holds a Thing; expected One or Two"):
        read_archive(tmp_path / "x", "One", "Two")


def test_objects_are_not_written(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle"):
        write_archive(tmp_path / "x", "Thing", {"a": np.array([object()])})
    assert list(tmp_path.iterdir()) == []


def test_paths_that_cannot_be_read_keep_their_own_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "nothing", "Thing")
    with pytest.raises(IsADirectoryError):
        read_archive(tmp_path, "Thing")


def test_a_file_is_replaced_in_one_step_or_not_at_all(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with replace_file(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
        assert draft.suffix == ".csv"
    assert path.read_text() == "new"
    with pytest.raises(FileNotFoundError), replace_file(path) as draft:
        draft.rename(tmp_path / "gone" / "draft")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_holds_nothing_but_what_it_was_given(tmp_path):
    """NumPy before 2.1 took savez's allow_pickle for the name of an array, so no checkpoint could be read."""
    write_archive(tmp_path / "x", "Thing", {"a": np.arange(3)})
    with np.load(tmp_path / "x") as file:
        assert sorted(file.files) == ["a", "jacobeig"]


@pytest.mark.parametrize("path", [True, 1, None, 1.5, b"x.npz", ["x.npz"]])
def test_what_is_no_path_is_refused_and_no_open_file_is_closed(path):
    result = je.sparse_eigsh(np.diag([1.0, 2.0, 3.0]), 1)
    for call in (je.load, je.JacobiPCA.load, je.GraphFourier.load, result.save):
        with pytest.raises(InvalidTypeError, match="give the name of a file"):
            call(path)
    os.fstat(1)
