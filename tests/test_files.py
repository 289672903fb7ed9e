"""Files: every format, headers and separators found out, and a sentence for what cannot be read."""

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite, savemat

pd = pytest.importorskip("pandas")

import jacobeig as je  # noqa: E402  # after the check for the extra
from jacobeig.errors import FileFormatError, InvalidInputError, MissingExtraError  # noqa: E402  # likewise
from jacobeig.files import read_coordinates, read_graph, read_matrix, read_table  # noqa: E402  # likewise

VALUES = np.array([[1.5, 2.0, -3.25], [4.0, 5.5, 6.0], [0.1, 0.2, 0.3], [1e-7, 2e5, 3.0]])


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def lines_of(separator=",", header=None, rows=None, values=VALUES):
    lines = [] if header is None else [separator.join(header)]
    for t, row in enumerate(values):
        cells = [repr(float(value)) for value in row]
        lines.append(separator.join(cells if rows is None else [rows[t], *cells]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", " ", "   "])
@pytest.mark.parametrize("header", [None, ["a", "b", "c"]])
def test_separators_and_headers_are_found_out(tmp_path, separator, header):
    table = read_table(write(tmp_path / "x.csv", lines_of(separator, header)))
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.features == (None if header is None else tuple(header))
    assert table.rows is None


def test_numbers_are_read_to_the_last_bit(tmp_path):
    values = np.random.default_rng(0).standard_normal((40, 7)) * 10.0 ** np.arange(-12, 16, 4)
    np.testing.assert_array_equal(read_table(write(tmp_path / "x.csv", lines_of(values=values))).values, values)


@pytest.mark.parametrize("corner", ["", "sample"])
def test_a_first_column_of_text_names_the_rows(tmp_path, corner):
    names = ["NA", "nan", "ben", "eve"]  # which must not be taken for missing values
    table = read_table(write(tmp_path / "x.csv", lines_of(",", [corner, "a", "b", "c"], names)))
    assert table.rows.tolist() == names
    assert table.features == ("a", "b", "c")


def test_a_header_without_a_name_for_the_row_names_is_as_r_writes_it(tmp_path):
    text = '"a" "b" "c"\n' + lines_of(" ", None, [f'"s{t}"' for t in range(4)])
    table = read_table(write(tmp_path / "x.txt", text))
    assert table.features == ("a", "b", "c")
    assert table.rows.tolist() == ["s0", "s1", "s2", "s3"]


def test_what_pandas_writes_by_default_comes_back(tmp_path):
    pd.DataFrame(VALUES).to_csv(tmp_path / "with_index.csv")
    pd.DataFrame(VALUES).to_csv(tmp_path / "without.csv", index=False)
    with_index, without = read_table(tmp_path / "with_index.csv"), read_table(tmp_path / "without.csv")
    np.testing.assert_array_equal(with_index.values, VALUES)
    np.testing.assert_array_equal(without.values, VALUES)
    assert with_index.features == without.features == ("0", "1", "2")
    assert with_index.rows.tolist() == ["0", "1", "2", "3"]


def test_a_header_can_be_asked_for_or_denied(tmp_path):
    path = write(tmp_path / "x.csv", "2001,2002\n1.5,2.5\n3.5,4.5\n")
    assert read_table(path).values.shape == (3, 2)
    years = read_table(path, header=True)
    assert years.features == ("2001", "2002")
    assert years.values.shape == (2, 2)
    with pytest.raises(InvalidInputError, match="'1' holds 'a' in row 1"):
        read_table(write(tmp_path / "y.csv", "a,b\n1,2\n3,4\n"), header=False)


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_packed_text_is_unpacked_whatever_its_ending_says(tmp_path, ending, pack):
    for name in (f"x.csv.{ending}", "x.csv"):
        (tmp_path / name).write_bytes(pack(lines_of().encode()))
        np.testing.assert_array_equal(read_table(tmp_path / name).values, VALUES)


def test_packed_text_that_was_cut_is_said_to_be_damaged(tmp_path):
    noise = np.random.default_rng(0).standard_normal((300, 3))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(lines_of(values=noise).encode())[:-40])
    with pytest.raises(FileFormatError, match=r"x\.csv\.gz is damaged: it cannot be unpacked"):
        read_table(tmp_path / "x.csv.gz")


def test_comments_and_blank_lines_before_the_table_are_skipped(tmp_path):
    text = "# made by hand\n\n% twice\n" + lines_of(",", ["C#1", "b", "c"])
    table = read_table(write(tmp_path / "x.csv", text))
    assert table.features == ("C#1", "b", "c")
    np.testing.assert_array_equal(table.values, VALUES)


def test_encodings_and_decimal_commas_are_found_out_and_told(tmp_path):
    bom = read_table(write(tmp_path / "bom.csv", lines_of(",", ["a", "b", "c"]), "utf-8-sig"))
    assert bom.features == ("a", "b", "c")
    latin = read_table(write(tmp_path / "latin.csv", lines_of(",", ["größe", "b", "c"]), "latin-1"))
    assert latin.features == ("größe", "b", "c")
    assert any("Latin-1" in note for note in latin.notes)
    wide = read_table(write(tmp_path / "wide.csv", lines_of(",", ["größe", "b", "c"]), "utf-16"))
    assert wide.features == ("größe", "b", "c")
    comma = read_table(write(tmp_path / "comma.csv", "a;b\n1,5;2,25\n3,0;4,5\n"))
    np.testing.assert_array_equal(comma.values, [[1.5, 2.25], [3.0, 4.5]])
    assert any("decimal commas" in note for note in comma.notes)


def test_line_ends_of_every_system_are_understood(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        table = read_table(write(tmp_path / "x.csv", lines_of(",", ["a", "b", "c"]).replace("\n", end)))
        np.testing.assert_array_equal(table.values, VALUES)


def test_a_separator_at_the_end_of_each_line_makes_no_column(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "a,b,\n1,2,\n3,4,\n"))
    assert table.features == ("a", "b")


def test_names_that_come_twice_are_numbered(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "g,g,g.2,\n1,2,3,4\n5,6,7,8\n"))
    assert len(set(table.features)) == 4
    assert table.features[0] == "g"
    assert "numbered: 'g'" in table.notes[0]


def test_text_needs_to_be_a_label_or_dropped(tmp_path):
    path = write(tmp_path / "x.csv", "length,kind,width\n1,red,2\n3,blue,4\n")
    with pytest.raises(
        InvalidInputError, match=r"'kind' holds text \('red' in row 1\): keep .* label='kind'.*drop='kind'"
    ):
        read_table(path)
    labelled, dropped = read_table(path, label="kind"), read_table(path, drop=["kind"])
    assert labelled.labels.tolist() == ["red", "blue"]
    assert labelled.features == dropped.features == ("length", "width")
    assert dropped.labels is None


def test_a_first_column_of_text_may_be_the_label(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "kind,a\nred,1\nblue,2\n"), label="kind")
    assert table.rows is None
    assert table.labels.tolist() == ["red", "blue"]


def test_a_stray_cell_is_named_with_its_row(tmp_path):
    path = write(tmp_path / "x.csv", "s,a,b\nanna,1,2\nben,3,oops\neve,5,6\n")
    with pytest.raises(InvalidInputError, match=r"'b' holds 'oops' in row 2 \('ben'\), which is not a number"):
        read_table(path)


def test_missing_values_are_named_with_row_and_column(tmp_path):
    path = write(tmp_path / "x.csv", "s,a,b\nanna,1,2\nben,3,\neve,NA,6\n")
    with pytest.raises(
        InvalidInputError, match=r"row 2 \('ben'\) has no value in column 'b' \(2 such values in 2 rows and 2 columns\)"
    ):
        read_table(path)
    with pytest.raises(InvalidInputError, match="row 1 has the value inf in column 2"):
        read_table(write(tmp_path / "y.csv", "1,inf\n3,4\n"))


def test_a_column_that_is_not_there_is_answered_with_one_that_is(tmp_path):
    path = write(tmp_path / "x.csv", "length,kind\n1,red\n2,blue\n")
    with pytest.raises(
        InvalidInputError, match=r"label is 'kinds', but there is no such column: did you mean 'kind'\?"
    ):
        read_table(path, label="kinds")
    with pytest.raises(InvalidInputError, match=r"drop is 'zzz'.*there are 'length', 'kind'"):
        read_table(path, drop=["zzz"])
    unnamed = write(tmp_path / "y.csv", "1,red\n2,blue\n")
    assert read_table(unnamed, label="2").labels.tolist() == ["red", "blue"]


def test_an_unnamed_column_that_counts_rows_is_taken_as_names_and_that_is_told(tmp_path):
    path = write(tmp_path / "x.csv", ",a,b\n0,5.5,1\n1,1,2.5\n")
    for content in (read_table(path), read_matrix(path)):
        assert content.values.shape == (2, 2)
        [note] = content.notes
        assert note.startswith("The first column has no name and only counts the rows")
    assert read_table(write(tmp_path / "y.csv", ",a,b\nanna,5.5,1\nben,1,2.5\n")).notes == ()


def test_only_names_that_are_alike_are_proposed(tmp_path):
    path = write(tmp_path / "x.csv", "petal width,alcohol\n1,2\n3,5\n")
    with pytest.raises(InvalidInputError, match=r"did you mean 'petal width'\?"):
        read_table(path, drop=["petal_width"])
    with pytest.raises(InvalidInputError, match=r"there are 'petal width', 'alcohol'"):
        read_table(path, drop=["colour"])


def test_a_column_that_counts_rows_is_pointed_out(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "id,a\n1,5.5\n2,6.5\n3,1.5\n"))
    assert "only counts the rows: leave it out with drop='id'" in table.notes[0]


def test_rows_of_other_lengths_are_answered_with_the_line(tmp_path):
    with pytest.raises(FileFormatError, match="line 3 has 4 values, those before it 3"):
        read_table(write(tmp_path / "x.csv", "a,b,c\n1,2,3\n1,2,3,4\n"))
    with pytest.raises(FileFormatError, match="3 names in its header, but 2 values"):
        read_table(write(tmp_path / "y.csv", "a,b,c\n1,2\n3,4\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n  \n", "is empty"),
        (b"a,b,c\n", "header but no rows"),
        (bytes(range(256)) * 20, "is not text"),
        (b"just some words\nand more of them\n", "holds text|no column of numbers"),
        (b"word\nother\n", "no column of numbers"),
    ],
)
def test_text_that_is_no_table_is_refused(tmp_path, content, message):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises((FileFormatError, InvalidInputError), match=message):
        read_table(tmp_path / "x.csv")


def test_standard_input_is_text(monkeypatch):
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(lines_of(",", ["a", "b", "c"]).encode())))
    )
    table = read_table("-")
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.features == ("a", "b", "c")


def test_features_in_rows_are_transposed_with_their_names(tmp_path):
    path = write(tmp_path / "x.csv", lines_of(",", ["gene", "anna", "ben", "eve"], ["g1", "g2", "g3", "g4"]))
    table = read_table(path, transpose=True)
    np.testing.assert_array_equal(table.values, VALUES.T)
    assert table.features == ("g1", "g2", "g3", "g4")
    assert table.rows.tolist() == ["anna", "ben", "eve"]
    with pytest.raises(InvalidInputError, match="leave one of the two out"):
        read_table(path, transpose=True, label="ben")


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


def test_a_matrix_has_the_names_of_its_columns_or_rows(tmp_path):
    text = ",a,b\na,1,0.5\nb,0.5,2\n"
    for variant in (text, "a,b\n1,0.5\n0.5,2\n", "a,1,0.5\nb,0.5,2\n"):
        matrix = read_matrix(write(tmp_path / "x.csv", variant))
        assert matrix.names == ("a", "b")
        np.testing.assert_array_equal(matrix.values, [[1.0, 0.5], [0.5, 2.0]])
    with pytest.raises(InvalidInputError, match="row 1 is called 'b', but column 1 'a'"):
        read_matrix(write(tmp_path / "x.csv", ",a,b\nb,1,0.5\na,0.5,2\n"))


def test_a_matrix_is_square(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    with pytest.raises(InvalidInputError, match=r"4 rows and 3 columns.*`jacobeig pca`"):
        read_matrix(tmp_path / "x.npy")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_matrix_can_be_made_symmetric(tmp_path, kind):
    values = kind(np.array([[1.0, 2.0], [0.0, 3.0 + 1j]]))
    savemat(tmp_path / "x.mat", {"S": values})
    mean = read_matrix(tmp_path / "x.mat", symmetrize=True).values
    mean = mean.toarray() if sparse.issparse(mean) else mean
    np.testing.assert_array_equal(mean, [[1.0, 1.0], [1.0, 3.0]])


def test_edges_between_names_are_numbered_as_they_appear(tmp_path):
    for text in ("zoe,anna\nanna,ben\n", "from,to\nzoe,anna\nanna,ben\n", "# edges\nzoe anna\nanna ben\n"):
        graph = read_graph(write(tmp_path / "x.csv", text))
        assert graph.nodes.tolist() == ["zoe", "anna", "ben"]
        np.testing.assert_array_equal(graph.edges, [[0, 1, 1], [1, 2, 1]])


def test_edges_between_numbers_keep_the_numbers(tmp_path):
    graph = read_graph(write(tmp_path / "x.edges", "7 3 0.5\n3 1 2\n"))
    assert graph.nodes.tolist() == [1, 3, 7]
    np.testing.assert_array_equal(graph.edges, [[2, 1, 0.5], [1, 0, 2.0]])
    np.save(tmp_path / "x.npy", np.array([[7, 3], [3, 1], [1, 7]]))
    assert read_graph(tmp_path / "x.npy").nodes.tolist() == [1, 3, 7]


def test_a_square_matrix_is_a_graph_of_weights(tmp_path):
    named = read_graph(write(tmp_path / "x.csv", ",a,b\na,0,1\nb,1,0\n"))
    assert named.nodes.tolist() == ["a", "b"]
    assert named.edges is None
    np.testing.assert_array_equal(named.weights, [[0, 1], [1, 0]])
    mmwrite(tmp_path / "x.mtx", sparse.coo_array(([1.0], ([0], [3])), shape=(4, 4)))
    assert read_graph(tmp_path / "x.mtx").nodes.tolist() == [0, 1, 2, 3]
    assert read_graph(tmp_path / "x.mtx", symmetrize=True).weights[3, 0] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c,d\n1,2,3,4\n5,6,7,8\n", "4 columns of numbers and 2 rows; a list of edges has 2 or 3 columns"),
        ("anna,ben,x\nben,eve,y\n", "holds text"),
        ("anna,ben,1\nben,eve,\n", "row 2 has no value in column '3'"),
        ("1.5,2\n3,4\n5,6\n", "row 1 has 1.5 in column '1'; nodes are called by whole numbers"),
        ("from,to\nanna,ben\nben,\n", "row 2 has no node in column 'to'"),
    ],
)
def test_edges_that_are_none_are_refused(tmp_path, text, message):
    with pytest.raises(InvalidInputError, match=message):
        read_graph(write(tmp_path / "x.csv", text))


def test_coordinates_are_put_in_the_order_of_the_nodes(tmp_path):
    nodes = np.array([1, 3])
    named = read_coordinates(write(tmp_path / "x.csv", "node,x,y\n3,1,2\n1,5,6\n9,0,0\n"), nodes)
    np.testing.assert_array_equal(named, [[5, 6], [1, 2]])
    np.save(tmp_path / "x.npy", named)
    np.testing.assert_array_equal(read_coordinates(tmp_path / "x.npy", nodes), named)
    with pytest.raises(InvalidInputError, match="does not say where 1 nodes lie: '4'"):
        read_coordinates(tmp_path / "x.csv", np.array([1, 4]))
    with pytest.raises(InvalidInputError, match="2 rows, but the graph has 3 nodes"):
        read_coordinates(tmp_path / "x.npy", np.arange(3))
