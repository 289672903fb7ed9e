"""The one door: anything in, a row source out."""

import subprocess
import sys

import numpy as np
import pytest

from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources import DenseRows, as_source


@pytest.mark.parametrize("matrix", [np.eye(3), [[1, 0], [0, 1]], ((1.0,),), np.eye(2).view(np.matrix)])
def test_arrays_and_nested_lists_become_dense_rows(matrix):
    assert isinstance(as_source(matrix), DenseRows)


def test_a_matrix_in_memory_is_checked_unless_told_otherwise():
    matrix = np.array([[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(InvalidInputError, match="symmetric"):
        as_source(matrix)
    assert isinstance(as_source(matrix, check=False), DenseRows)


def test_a_memory_map_is_not_read_through(tmp_path):
    np.save(tmp_path / "s.npy", np.array([[0.0, np.nan], [0.0, 0.0]]))
    source = as_source(np.load(tmp_path / "s.npy", mmap_mode="r"))
    assert isinstance(source, DenseRows)
    assert source.on_disk


@pytest.mark.parametrize("matrix", [None, 3 + 1j, "matrix.npy", {"a": 1}, object()])
def test_anything_else_is_refused_with_a_list_of_what_is_accepted(matrix):
    with pytest.raises(InvalidTypeError, match=rf"{type(matrix).__name__}; accepted are dense.*rows\(indices\)"):
        as_source(matrix)


def test_importing_the_sources_imports_no_heavy_package():
    code = (
        "import sys, jacobeig.sources; "
        "print([m for m in ('numba', 'sklearn', 'dask', 'distributed', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
