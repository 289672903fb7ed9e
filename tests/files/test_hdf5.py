"""HDF5: sparse matrices of AnnData and MATLAB 7.3, names and labels, and the child process that reads them."""

import struct
import sys

import numpy as np
import pytest
from scipy import sparse

h5py = pytest.importorskip("h5py")
pytest.importorskip("pandas")

from corpus import SPARSE, mark_matlab, write_anndata, write_matlab_sparse  # noqa: E402  # after the checks
from tables import VALUES  # noqa: E402  # likewise

from jacobeig.errors import FileFormatError, InvalidInputError, TooLargeError  # noqa: E402  # likewise
from jacobeig.files import _hdf5, read_matrix, read_table  # noqa: E402  # likewise


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_the_sparse_x_of_anndata_is_read_with_names_and_labels(tmp_path, form):
    write_anndata(tmp_path / "x.h5ad", SPARSE, form)
    table = read_table(tmp_path / "x.h5ad", label="kind")
    assert sparse.issparse(table.values)
    np.testing.assert_array_equal(table.values.toarray(), SPARSE.toarray())
    assert table.features == tuple(f"gene{t}" for t in range(8))
    assert table.rows.tolist() == [f"cell{t}" for t in range(10)]
    assert table.labels.tolist() == ["B", "T"] * 5
    assert table.label_name == "kind"


def test_another_matrix_of_anndata_is_chosen_by_key(tmp_path):
    write_anndata(tmp_path / "x.h5ad", SPARSE, "csr")
    table = read_table(tmp_path / "x.h5ad", key="obsm/X_pca")
    np.testing.assert_array_equal(table.values, SPARSE.toarray()[:, :2])
    assert table.features is None
    assert table.rows[0] == "cell0"
    with pytest.raises(InvalidInputError, match=r"'X' \(10 x 8\), 'obsm/X_pca' \(10 x 2\)"):
        read_table(tmp_path / "x.h5ad", key="raw")
    with pytest.raises(InvalidInputError, match=r"label is 'kinds'.*did you mean 'kind'\?"):
        read_table(tmp_path / "x.h5ad", label="kinds")


@pytest.mark.parametrize("X", [SPARSE, sparse.csr_array((5, 4))], ids=["some", "none"])
def test_the_sparse_variable_of_matlab_73_is_read(tmp_path, X):
    with h5py.File(tmp_path / "x.mat", "w", userblock_size=512) as file:
        write_matlab_sparse(file, "X", X)
        if X.nnz == 0:  # MATLAB leaves these out
            del file["X/data"], file["X/ir"]
        file["title"] = np.array([[65, 66], [66, 65]], dtype="u2")
        file["title"].attrs["MATLAB_class"] = b"char"
    mark_matlab(tmp_path / "x.mat")
    np.testing.assert_array_equal(read_table(tmp_path / "x.mat").values.toarray(), X.toarray())


def test_several_variables_of_matlab_73_are_listed_by_their_own_shapes(tmp_path):
    with h5py.File(tmp_path / "x.mat", "w", userblock_size=512) as file:
        write_matlab_sparse(file, "X", SPARSE)
        file["Y"] = VALUES.T
    mark_matlab(tmp_path / "x.mat")
    with pytest.raises(InvalidInputError, match=r"'X' \(10 x 8\), 'Y' \(4 x 3\)"):
        read_table(tmp_path / "x.mat")
    np.testing.assert_array_equal(read_table(tmp_path / "x.mat", key="Y").values, VALUES)


def test_matlab_73_is_read_without_the_header_that_other_programs_leave_out(tmp_path):
    with h5py.File(tmp_path / "x.mat", "w") as file:
        write_matlab_sparse(file, "X", SPARSE)
    np.testing.assert_array_equal(read_table(tmp_path / "x.mat").values.toarray(), SPARSE.toarray())


@pytest.mark.parametrize("chunks", [None, (1, 300), (700, 1), (64, 64)])
def test_blocks_come_back_in_order_whatever_the_chunks(tmp_path, monkeypatch, chunks):
    values = np.random.default_rng(0).standard_normal((700, 300))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("X", data=values, chunks=chunks)
    np.testing.assert_array_equal(read_table(tmp_path / "x.h5").values, values)


@pytest.mark.parametrize(
    ("part", "at", "value"), [("indices", 3, 8), ("indices", 0, -1), ("indptr", 2, 10**9), ("indptr", 0, 1)]
)
def test_indices_that_point_outside_are_refused(tmp_path, part, at, value):
    write_anndata(tmp_path / "x.h5ad", SPARSE, "csr")
    with h5py.File(tmp_path / "x.h5ad", "r+") as file:
        file["X"][part][at] = value
    with pytest.raises(FileFormatError, match=r"x\.h5ad is not an HDF5 file, or it is damaged \(the"):
        read_table(tmp_path / "x.h5ad")


def test_a_library_that_crashes_is_answered_with_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "child.py").write_text("import os; os.abort()")
    monkeypatch.setattr(_hdf5._hdf5_child, "__file__", str(tmp_path / "child.py"))
    (tmp_path / "x.h5").write_bytes(b"anything")
    with pytest.raises(FileFormatError, match=r"x\.h5 is damaged: it makes the HDF5 library crash\."):
        read_table(tmp_path / "x.h5")


def test_a_library_that_hangs_is_answered_with_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "child.py").write_text("import time; time.sleep(1000)")
    monkeypatch.setattr(_hdf5._hdf5_child, "__file__", str(tmp_path / "child.py"))
    monkeypatch.setattr(_hdf5, "TIME_LIMIT", 0.2)
    (tmp_path / "x.h5").write_bytes(b"anything")
    with pytest.raises(FileFormatError, match=r"x\.h5 is damaged: it takes too long to read\."):
        read_matrix(tmp_path / "x.h5")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these systems do not limit the memory of a process")
def test_a_library_that_takes_too_much_memory_is_answered_with_a_sentence(tmp_path, monkeypatch):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["X"] = np.ones((4000, 4000))
    monkeypatch.setattr(_hdf5, "BASE_MEMORY", 1 << 20)
    with pytest.raises(FileFormatError, match="damaged"):
        read_table(tmp_path / "x.h5")


def test_entries_that_were_never_written_are_not_believed(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("X", shape=(10**6, 10**6), dtype="f8", chunks=(1000, 1000))
    with pytest.raises(TooLargeError, match="declares a matrix of 8,000,000,000,000, most of which was never written"):
        read_table(tmp_path / "x.h5")


def test_a_shape_of_empty_rows_is_not_believed(tmp_path):
    write_anndata(tmp_path / "x.h5ad", SPARSE, "csr")
    with h5py.File(tmp_path / "x.h5ad", "r+") as file:
        file["X"].attrs["shape"] = (10**12, 8)
    with pytest.raises(TooLargeError, match="mostly empty rows"):
        read_table(tmp_path / "x.h5ad")


def test_data_kept_in_another_file_are_not_read(tmp_path):
    (tmp_path / "secret.bin").write_bytes(struct.pack("<4d", 1.0, 2.0, 3.0, 4.0))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("X", shape=(2, 2), dtype="f8", external=[(str(tmp_path / "secret.bin"), 0, 32)])
    with pytest.raises(InvalidInputError, match="holds no matrix of numbers"):
        read_table(tmp_path / "x.h5")
