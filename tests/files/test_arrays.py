"""Files of arrays: every format comes back, and what is damaged or no table is refused."""

import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite, savemat
from tables import VALUES, write

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, MissingExtraError
from jacobeig.files import read_table

pd = pytest.importorskip("pandas")


def save_npz(path):
    np.savez(path, X=VALUES, y=np.arange(4))


def save_hdf5(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file["group/X"] = VALUES
        file["y"] = np.arange(4)


WRITERS = {
    "x.npy": lambda path: np.save(path, VALUES),
    "x.npz": save_npz,
    "x.mtx": lambda path: mmwrite(path, VALUES),
    "sparse.mtx": lambda path: mmwrite(path, sparse.csr_array(VALUES)),
    "sparse.npz": lambda path: sparse.save_npz(path, sparse.csc_array(VALUES)),
    "coo.npz": lambda path: sparse.save_npz(path, sparse.coo_array(VALUES)),
    "x.mat": lambda path: savemat(path, {"X": VALUES}),
    "sparse.mat": lambda path: savemat(path, {"X": sparse.csc_array(VALUES), "name": "digits"}),
    "x.h5": save_hdf5,
    "x.parquet": lambda path: pd.DataFrame(VALUES, columns=["a", "b", "c"]).to_parquet(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_arrays_come_back_from_every_format(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    WRITERS[name](tmp_path / name)
    table = read_table(tmp_path / name)
    assert sparse.issparse(table.values) == name.startswith(("sparse", "coo"))
    values = table.values.toarray() if sparse.issparse(table.values) else table.values
    np.testing.assert_array_equal(values, VALUES)


@pytest.mark.parametrize("name", sorted({name.rpartition(".")[2] for name in WRITERS} - {"csv"}))
def test_rubbish_is_refused_in_every_format(tmp_path, name):
    for module in ("h5py", "pyarrow"):
        pytest.importorskip(module)
    for content in (b"", b"rubbish", bytes(range(256)) * 30):
        path = tmp_path / f"x.{name}"
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=r"is empty|is not a|damaged|single array"):
            read_table(path)


def test_files_that_were_cut_are_refused(tmp_path):
    for name in ("x.npy", "x.npz", "x.mat", "x.h5", "x.parquet", "sparse.npz"):
        WRITERS[name](tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(FileFormatError, match="damaged"):
            read_table(tmp_path / name)


def test_parquet_keeps_names_index_labels_and_nullable_numbers(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"a": pd.array([1, 2], "Int64"), "kind": ["red", "blue"], "b": [True, False]}, index=["anna", "ben"]
    )
    frame.to_parquet(tmp_path / "x.parquet")
    table = read_table(tmp_path / "x.parquet", label="kind")
    assert table.rows.tolist() == ["anna", "ben"]
    assert table.features == ("a", "b")
    np.testing.assert_array_equal(table.values, [[1.0, 1.0], [2.0, 0.0]])


def test_several_arrays_are_listed_and_chosen_by_key(tmp_path):
    np.savez(tmp_path / "x.npz", train=VALUES, test=VALUES[:2], names=np.array(["a", "b"]))
    with pytest.raises(InvalidInputError, match=r"'train' \(4 x 3\), 'test' \(2 x 3\), 'names' \(not numbers\)"):
        read_table(tmp_path / "x.npz")
    assert read_table(tmp_path / "x.npz", key="test").values.shape == (2, 3)
    with pytest.raises(InvalidInputError, match=r"key is 'valid', but .* holds 'train'"):
        read_table(tmp_path / "x.npz", key="valid")
    with pytest.raises(InvalidInputError, match="holds no numbers"):
        read_table(tmp_path / "x.npz", key="names")
    np.save(tmp_path / "x.npy", VALUES)
    with pytest.raises(InvalidInputError, match="single array"):
        read_table(tmp_path / "x.npy", key="a")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,5\n")
    with pytest.raises(InvalidInputError, match=r"key is 'a', but .*x.csv holds a single array.*leave key out"):
        read_table(tmp_path / "x.csv", key="a")


def test_hdf5_keys_are_paths(tmp_path):
    save_hdf5(tmp_path / "x.h5")
    assert read_table(tmp_path / "x.h5", key="/group/X").values.shape == (4, 3)


def test_matlab_files_of_version_7_3_are_read_by_columns(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "x.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = VALUES.T
    with open(path, "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    np.testing.assert_array_equal(read_table(path).values, VALUES)


def test_arrays_that_are_no_tables_are_refused(tmp_path):
    np.save(tmp_path / "vector.npy", np.arange(3.0))
    np.save(tmp_path / "objects.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    np.save(tmp_path / "words.npy", np.array([["a", "b"]]))
    np.save(tmp_path / "complex.npy", np.array([[1j, 2.0]]))
    for name, message in {
        "vector": "two dimensions are needed",
        "objects": "Python objects",
        "words": "not numbers",
        "complex": "the data are complex",
    }.items():
        with pytest.raises((InvalidInputError, FileFormatError), match=message):
            read_table(tmp_path / f"{name}.npy")


def test_values_that_are_not_finite_are_found_in_sparse_and_dense_arrays(tmp_path):
    values = VALUES.copy()
    values[2, 1] = np.nan
    np.save(tmp_path / "x.npy", values)
    sparse.save_npz(tmp_path / "x.npz", sparse.csr_array(values))
    for name in ("x.npy", "x.npz"):
        with pytest.raises(InvalidInputError, match="row 3 has no value in column 2"):
            read_table(tmp_path / name)


def test_a_model_is_not_data(tmp_path):
    je.sparse_eigsh(np.diag([1.0, 2.0]), 1).save(tmp_path / "model.npz")
    with pytest.raises(FileFormatError, match="is a model that jacobeig wrote, not data"):
        read_table(tmp_path / "model.npz")


def test_unknown_endings_are_answered_with_the_known_ones(tmp_path):
    path = write(tmp_path / "x.xlsx", "rubbish")
    with pytest.raises(FileFormatError, match=r"known are \.csv .*save as csv"):
        read_table(path)
    with pytest.raises(FileFormatError, match="only text may be"):
        read_table(write(tmp_path / "x.npy.gz", "rubbish"))


def test_paths_that_cannot_be_opened_keep_their_own_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(IsADirectoryError):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("pandas", "x.csv", "cli"), ("h5py", "x.h5", "files"), ("pyarrow", "x.parquet", "files")],
)
def test_a_missing_library_is_answered_with_what_to_install(tmp_path, monkeypatch, module, name, extra):
    write(tmp_path / name, "1,2\n3,4\n")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"{module} is not installed.*jacobeig\[{extra}\]"):
        read_table(tmp_path / name)
