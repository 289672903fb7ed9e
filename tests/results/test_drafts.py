"""Files are replaced whole or not at all, also after a run was killed."""

import os
import subprocess
import sys

import pytest

from jacobeig.results.drafts import replace_file, replace_files

NAMES = ("a", "b", "c")


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text)


@pytest.fixture
def gone():
    """The number of a process that has ended."""
    return int(
        subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True).stdout
    )


def test_new_files_take_the_place_of_old_ones_and_others_stay(tmp_path):
    write(tmp_path, a="old", b="old", mine="kept")
    with replace_files(tmp_path, NAMES) as draft:
        write(draft, a="new", c="new")
        assert contents(tmp_path / draft.name) == {"a": "new", "c": "new"}
        assert (tmp_path / "a").read_text() == "old"
    assert contents(tmp_path) == {"a": "new", "c": "new", "mine": "kept"}


def test_a_failure_leaves_everything_as_it_was(tmp_path):
    write(tmp_path, a="old")
    with pytest.raises(TypeError), replace_files(tmp_path, NAMES) as draft:
        write(draft, a="new", b="new", c=None)
    assert contents(tmp_path) == {"a": "old"}
    with pytest.raises(RuntimeError), replace_files(tmp_path / "new", NAMES):
        raise RuntimeError
    assert contents(tmp_path) == {"a": "old"}


@pytest.mark.parametrize("step", range(7))
def test_a_run_killed_while_files_move_is_undone_by_the_next(tmp_path, step):
    """A new process stops for good at some rename; the next run, which fails too, brings the old files back."""
    write(tmp_path, a="old", b="old")
    code = f"""
import os
from pathlib import Path
from jacobeig.results.drafts import replace_files
real, calls = os.replace, []
def stop(source, target):
    if len(calls) == {step}:
        os._exit(9)
    calls.append(source)
    real(source, target)
os.replace = stop
with replace_files(Path({str(tmp_path)!r}), {NAMES!r}) as draft:
    (draft / "a").write_text("new")
    (draft / "c").write_text("new")
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with pytest.raises(RuntimeError), replace_files(tmp_path, NAMES):
        raise RuntimeError
    assert contents(tmp_path) == ({"a": "old", "b": "old"} if killed else {"a": "new", "c": "new"})


def test_drafts_of_a_process_that_runs_are_left_alone(tmp_path, gone):
    write(tmp_path, **{f".draft-{os.getpid()}-01234567.a": "mine", f".draft-{gone}-01234567.a": "left",
                       f".draft-{gone}-01234567.other": "of another file", ".draft-notes": "the user's"})  # fmt: skip
    with replace_file(tmp_path / "a") as draft:
        draft.write_text("new")
    assert sorted(contents(tmp_path).values()) == ["mine", "new", "of another file", "the user's"]


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(OSError, match="full") as raised, replace_file(tmp_path / "a"):
        raise OSError(28, "full")
    assert raised.value.filename == str(tmp_path / "a")
    with pytest.raises(FileNotFoundError) as raised, replace_files(tmp_path, NAMES) as draft:
        (draft / "a").read_text()
    assert raised.value.filename == str(tmp_path / "a")
