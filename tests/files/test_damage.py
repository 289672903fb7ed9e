"""Files that once crashed, hung or ended in a traceback, and their kin: each is answered with one sentence."""

import struct
import zipfile
from itertools import product

import numpy as np
import pytest
from corpus import SPARSE
from scipy import sparse
from scipy.io import loadmat, mmread, mmwrite, savemat
from tables import VALUES

pd = pytest.importorskip("pandas")

import jacobeig as je  # noqa: E402  # after the check for the extra
from jacobeig.errors import FileFormatError, InvalidInputError, JacobeigError, TooLargeError  # noqa: E402  # after the check for the extra
from jacobeig.files import read_coordinates, read_graph, read_matrix, read_table  # noqa: E402  # after the check for the extra

FORMS = {"dense": np.asarray, "sparse": sparse.coo_array}


def save_parts(path, form, **changed):
    matrix = getattr(SPARSE, f"to{form}")()
    names = {"coo": ("data", "row", "col"), "dia": ("data", "offsets")}.get(form, ("data", "indices", "indptr"))
    parts = {name: getattr(matrix, name).copy() for name in names} | {"shape": np.array(SPARSE.shape)}
    np.savez(path, format=form.encode(), **(parts | changed))


def to_dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def spoil(array, at, value):
    array = array.copy()
    array[at] = value
    return array


@pytest.mark.parametrize(
    ("form", "changed"),
    [
        ("csr", {"indices": spoil(SPARSE.indices, 3, 8)}),
        ("csr", {"indices": spoil(SPARSE.indices, 0, -1)}),
        ("csr", {"indices": SPARSE.indices.astype(float)}),
        ("csr", {"indices": SPARSE.indices[:-1]}),
        ("csr", {"indptr": spoil(SPARSE.indptr, 2, 10**9)}),
        ("csr", {"indptr": spoil(SPARSE.indptr, -1, 10**9)}),
        ("csr", {"indptr": SPARSE.indptr[:-1]}),
        ("csr", {"indptr": np.array([], dtype=np.int32)}),
        ("csr", {"data": np.array([]), "indices": SPARSE.indices[:0], "indptr": spoil(np.zeros(11, int), 4, 7)}),
        ("csr", {"data": np.array(["a"] * SPARSE.nnz)}),
        ("csr", {"shape": np.array([10])}),
        ("csr", {"shape": np.array([-10, 8])}),
        ("csc", {"indices": spoil(SPARSE.tocsc().indices, 0, 10)}),
        ("coo", {"row": spoil(SPARSE.tocoo().row, 0, 10)}),
        ("coo", {"col": SPARSE.tocoo().col[1:]}),
        ("bsr", {"indices": spoil(SPARSE.tobsr().indices, 0, 10**6)}),
        ("bsr", {"data": SPARSE.data}),
        ("dia", {"offsets": spoil(SPARSE.todia().offsets.astype(int), 0, 10**12)}),
        ("dia", {"offsets": SPARSE.todia().offsets[1:]}),
    ],
)
def test_sparse_parts_that_fit_no_matrix_are_refused(tmp_path, form, changed):
    save_parts(tmp_path / "x.npz", form, **changed)
    with pytest.raises(FileFormatError, match=r"x\.npz is not an npz file, or it is damaged \("):
        read_table(tmp_path / "x.npz")


@pytest.mark.parametrize("shape", [(10**15, 8), (10, 10**15)])
def test_sparse_matrices_of_empty_rows_are_not_believed(tmp_path, shape):
    save_parts(tmp_path / "x.npz", "coo", shape=np.array(shape))
    with pytest.raises(TooLargeError, match="mostly empty rows"):
        read_table(tmp_path / "x.npz")
    (tmp_path / "x.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n{shape[0]} {shape[1]} 1\n1 1 1\n")
    with pytest.raises(TooLargeError, match="mostly empty rows"):
        read_table(tmp_path / "x.mtx")


def test_entries_that_come_twice_are_added(tmp_path):
    np.savez(tmp_path / "x.npz", format=b"coo", shape=[2, 2], data=[1.0, 2.0, 4.0], row=[0, 0, 1], col=[1, 1, 0])
    np.testing.assert_array_equal(read_table(tmp_path / "x.npz").values.toarray(), [[0, 3], [4, 0]])


def make_npy(header):
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + b"\0" * 64


@pytest.mark.parametrize("shape", ["(1000000000, 1000000000)", "(-1, 8)", "(3, 8)"])
def test_npy_headers_that_declare_more_than_there_is_are_refused_before_memory_is_taken(tmp_path, shape):
    content = make_npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}")
    (tmp_path / "x.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("X.npy", content)
    for name in ("x.npy", "x.npz"):
        with pytest.raises(FileFormatError, match="declares an array of shape"):
            read_table(tmp_path / name)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(b"\n1 ", b"\n\0 ", 1),
        lambda text: text + b"\0" * 1000,
        lambda text: text.replace(b"coordinate", b"coordinates"),
        lambda text: text.replace(b"10 8 26", b"10 8 99999999999"),
        lambda text: text.replace(b"10 8 26", b"10 8"),
        lambda text: text.replace(b"10 8 26", b"10 -8 26"),
        lambda text: text.replace(b"10 8 26", b"4 4 26"),
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(b"real", b"comp\xff"),
    ],
)
def test_matrix_market_files_are_scanned_before_they_are_parsed(tmp_path, damage):
    mmwrite(tmp_path / "x.mtx", SPARSE)
    sound = (tmp_path / "x.mtx").read_bytes()
    assert b"10 8 26" in sound
    (tmp_path / "x.mtx").write_bytes(damage(sound))
    with pytest.raises(FileFormatError, match=r"x\.mtx is not a Matrix Market file, or it is damaged"):
        read_table(tmp_path / "x.mtx")


@pytest.mark.parametrize("form", ["array", "coordinate"])
@pytest.mark.parametrize(
    ("symmetry", "rows", "columns"), [("general", 0, 3), ("general", 3, 0), ("symmetric", 3, 2), ("hermitian", 2, 3)]
)
def test_matrix_market_sizes_that_the_parser_does_not_check_are_refused(tmp_path, form, symmetry, rows, columns):
    sizes = f"{rows} {columns}" + (" 2" if form == "coordinate" else "")
    body = "1 1 1\n2 1 1\n" if form == "coordinate" else "1\n" * 6
    (tmp_path / "x.mtx").write_text(f"%%MatrixMarket matrix {form} real {symmetry}\n{sizes}\n{body}")
    with pytest.raises(FileFormatError, match=f"declares a {symmetry} matrix of {rows} x {columns}"):
        read_table(tmp_path / "x.mtx")


@pytest.mark.parametrize("index", ["0", "-1", "11", "1.5", "nan", "inf", "4294967297", "99999999999999999999"])
def test_matrix_market_indices_out_of_range_are_refused(tmp_path, index):
    (tmp_path / "x.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n10 8 1\n{index} 1 1\n")
    with pytest.raises(FileFormatError, match=r"x\.mtx is not a Matrix Market file, or it is damaged"):
        read_table(tmp_path / "x.mtx")


@pytest.mark.parametrize(
    ("form", "field", "symmetry"),
    [
        *product(FORMS, ["real", "integer", "complex"], ["general", "symmetric", "skew-symmetric", "hermitian"]),
        *product(["sparse"], ["pattern"], ["general", "symmetric"]),
    ],
)
@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`:DeprecationWarning")  # of SciPy 1.18, not ours
def test_matrix_market_files_are_read_as_scipy_reads_them(tmp_path, form, field, symmetry):
    values = np.arange(25).reshape(5, 5) * 7 % 11 * (1 + 2j if field == "complex" else 1)
    mirrored = {"symmetric": values.T, "skew-symmetric": -values.T, "hermitian": values.conj().T}.get(
        symmetry, 0 * values
    )
    mmwrite(tmp_path / "x.mtx", FORMS[form](values + mirrored), field=field, symmetry=symmetry)
    got, expected = read_matrix(tmp_path / "x.mtx").values, mmread(tmp_path / "x.mtx")
    assert sparse.issparse(got) == sparse.issparse(expected)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(to_dense(got), to_dense(expected))


@pytest.mark.parametrize("options", [{"do_compression": True}, {}, {"format": "4"}], ids=["packed", "plain", "old"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "i2", "c16"])
@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`:DeprecationWarning")  # of SciPy 1.18, not ours
def test_matlab_files_are_read_as_scipy_reads_them(tmp_path, options, dtype):
    values = (np.arange(600).reshape(30, 20) * 7 % 101).astype(dtype)
    sparse_dtype = dtype if dtype in ("f8", "c16") else "f8"
    variables = {
        "dense": values,
        "thin": sparse.csc_array(values.astype(sparse_dtype) * (values > 50)),
        "title": "text",
    }
    savemat(tmp_path / "x.mat", variables, **options)
    expected = loadmat(tmp_path / "x.mat")
    for name, reader in (("dense", read_table), ("thin", read_table)):
        if dtype == "c16":
            reader = read_matrix  # which takes complex ones, if they are square
            savemat(tmp_path / "x.mat", {k: v if k == "title" else v[:20] for k, v in variables.items()}, **options)
            expected = loadmat(tmp_path / "x.mat")
        got = reader(tmp_path / "x.mat", key=name).values
        assert sparse.issparse(got) == sparse.issparse(expected[name])
        np.testing.assert_array_equal(to_dense(got), to_dense(expected[name]))


def test_matlab_files_of_another_byte_order_are_read(tmp_path):
    numbers = VALUES.T.astype(">f8").tobytes()
    parts = [(6, struct.pack(">2I", 6, 0)), (5, struct.pack(">2i", 4, 3)), (1, b"X" + b"\0" * 7), (9, numbers)]
    sizes = [len(content) if kind != 1 else 1 for kind, content in parts]
    body = b"".join(struct.pack(">2I", k, size) + c for (k, c), size in zip(parts, sizes, strict=True))
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    (tmp_path / "x.mat").write_bytes(header + struct.pack(">2I", 14, len(body)) + body)
    np.testing.assert_array_equal(read_table(tmp_path / "x.mat").values, VALUES)


def test_complex_coordinates_are_refused(tmp_path):
    savemat(tmp_path / "x.mat", {"X": VALUES[:, :2] + 1j})
    with pytest.raises(InvalidInputError, match="the data are complex"):
        read_coordinates(tmp_path / "x.mat", np.arange(4))
    np.save(tmp_path / "x.npy", VALUES[:, :2] + 1j)
    with pytest.raises(InvalidInputError, match="the edges are complex"):
        read_graph(tmp_path / "x.npy")


@pytest.mark.parametrize("size", [10, 400_000])
def test_zero_bytes_are_no_text_wherever_they_stand(tmp_path, size):
    (tmp_path / "x.csv").write_bytes(b"a,b\n" + b"1,2\n" * (size // 4) + b"3,\0\n5,6\n")
    with pytest.raises(FileFormatError, match="is not text"):
        read_table(tmp_path / "x.csv")


def test_columns_of_dates_in_parquet_are_text(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.0, 2.0], "when": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InvalidInputError, match=r"'when' holds text \('2020-01-01"):
        read_table(tmp_path / "x.parquet")
    frame.set_index("when").to_parquet(tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet").rows[0].startswith("2020-01-01")


def read_or_answer(path):
    """Return what a file is answered with; any error but ours goes on."""
    try:
        return str(read_table(path).values.shape)
    except JacobeigError as error:
        return str(error)


def test_damaged_metadata_of_parquet_is_answered(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}).to_parquet(tmp_path / "x.parquet")
    sound = (tmp_path / "x.parquet").read_bytes()
    for old, new in (
        (b'"index_columns"', b'"index_column\xff"'),
        (b'"columns"', b'"column\xff"'),
        (b"pandas", b"pan\0as"),
    ):
        assert old in sound
        (tmp_path / "x.parquet").write_bytes(sound.replace(old, new, 1))
        assert "\n" not in read_or_answer(tmp_path / "x.parquet")


def rewrite(path, **changed):
    """Put other arrays, or bytes, into a model file."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files} | changed
    with zipfile.ZipFile(path, "w") as packed:
        for name, array in arrays.items():
            if isinstance(array, bytes):
                packed.writestr(name, array)
            else:
                with packed.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, np.asarray(array))


@pytest.mark.parametrize(
    "changed",
    [
        {"gains": np.array(1.0)},
        {"nonzeros": b"rubbish"},
        {"data": np.array([]), "indices": np.array([], int), "indptr": np.array([0, 5, 0])},
        {"shape": np.array([4])},
        {"shape": np.array(4)},
    ],
)
def test_model_files_with_parts_that_do_not_fit_are_refused(tmp_path, changed):
    je.sparse_eigsh(np.diag([1.0, 2.0, 3.0, 4.0]) + 0.5, 2).save(tmp_path / "x.npz")
    if "nonzeros" in changed:
        with np.load(tmp_path / "x.npz") as archive:
            arrays = {name: archive[name] for name in archive.files if name != "nonzeros"}
        np.savez(tmp_path / "x.npz", **arrays)
    rewrite(tmp_path / "x.npz", **changed)
    with pytest.raises(FileFormatError, match="damaged"):
        je.load(tmp_path / "x.npz")
