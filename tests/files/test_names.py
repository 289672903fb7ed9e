"""Names and labels that stand beside a matrix: in the same npz file, in files beside it, in a file of their own."""

import gzip
import re

import numpy as np
import pytest
from corpus import SPARSE
from scipy import sparse
from scipy.io import mmwrite
from tables import VALUES

pytest.importorskip("pandas")

from jacobeig.errors import FileFormatError, InvalidInputError
from jacobeig.files import read_graph, read_matrix, read_table

GENES, CELLS = [f"g{t}" for t in range(8)], [f"c{t}" for t in range(10)]


@pytest.mark.parametrize("name", ["vocab", "feature_names", "columns"])
def test_npz_files_give_names_and_labels(tmp_path, name):
    np.savez(tmp_path / "x.npz", X=VALUES, y=[0, 1, 1, 0], index=["r", "s", "t", "u"], **{name: ["a", "b", "c"]})
    table = read_table(tmp_path / "x.npz")
    assert table.features == ("a", "b", "c")
    assert table.rows.tolist() == ["r", "s", "t", "u"]
    assert table.labels.tolist() == ["0", "1", "1", "0"]
    assert table.label_name == "y"
    assert table.notes == (
        f"The file gives the columns' names from '{name}', the rows' names from 'index', the labels from 'y'.",
    )
    assert read_table(tmp_path / "x.npz", drop=["b"]).features == ("a", "c")
    with pytest.raises(InvalidInputError, match=r"drop is 'bb'.*there are 'a', 'b', 'c'"):
        read_table(tmp_path / "x.npz", drop=["bb"])


def test_names_of_another_length_or_type_are_left_alone(tmp_path):
    np.savez(tmp_path / "x.npz", X=VALUES, vocab=["a", "b"], y=[0.5, 0.1, 0.2, 0.3], features=[1, 2, 3])
    table = read_table(tmp_path / "x.npz")
    assert table.features is None
    assert table.labels is None
    assert read_table(tmp_path / "x.npz", label="y").labels.tolist() == ["0.5", "0.1", "0.2", "0.3"]
    with pytest.raises(InvalidInputError, match="label is 'kind'"):
        read_table(tmp_path / "x.npz", label="kind")


def test_names_that_are_pickled_are_not_read_and_that_is_told(tmp_path):
    np.savez(tmp_path / "x.npz", X=VALUES, vocab=np.array(["a", "b", "c"], dtype=object))
    table = read_table(tmp_path / "x.npz")
    assert table.features is None
    assert table.notes == ("'vocab' holds Python objects and was left out: save it as an array of strings.",)


def test_sparse_parts_saved_by_hand_with_their_words_are_one_matrix(tmp_path):
    for matrix in (SPARSE, SPARSE.tocsc()):
        parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}
        np.savez(tmp_path / "x.npz", **parts, vocab=GENES)
        table = read_table(tmp_path / "x.npz")
        np.testing.assert_array_equal(table.values.toarray(), SPARSE.toarray())
        assert table.features == tuple(GENES)


def test_labels_of_a_file_are_no_obstacle_to_transposing(tmp_path):
    np.savez(tmp_path / "x.npz", X=VALUES, y=[0, 1, 1, 0], vocab=["a", "b", "c"])
    table = read_table(tmp_path / "x.npz", transpose=True)
    assert table.rows.tolist() == ["a", "b", "c"]
    assert table.labels is None
    with pytest.raises(InvalidInputError, match="leave one of the two out"):
        read_table(tmp_path / "x.npz", transpose=True, label="y")


def test_a_label_where_nothing_has_a_name_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    with pytest.raises(InvalidInputError, match="label is 'kind', but the file names no columns"):
        read_table(tmp_path / "x.npy", label="kind")


def test_names_of_an_array_name_a_matrix_and_nodes(tmp_path):
    np.savez(tmp_path / "x.npz", S=np.eye(3), columns=["a", "b", "c"])
    assert read_matrix(tmp_path / "x.npz").names == ("a", "b", "c")
    assert read_graph(tmp_path / "x.npz").nodes.tolist() == ["a", "b", "c"]


def test_the_files_of_a_single_cell_experiment_belong_together(tmp_path):
    mmwrite(tmp_path / "matrix.mtx", SPARSE.T)  # genes in rows, as is the custom
    genes = "".join(f"ENSG{t}\t{gene}\tGene Expression\n" for t, gene in enumerate(GENES))
    (tmp_path / "features.tsv.gz").write_bytes(gzip.compress(genes.encode()))
    (tmp_path / "barcodes.tsv").write_text("\n".join(CELLS) + "\n")
    table = read_table(tmp_path / "matrix.mtx", transpose=True)
    assert table.features == tuple(GENES)
    assert table.rows.tolist() == CELLS
    np.testing.assert_array_equal(table.values.toarray(), SPARSE.toarray())
    assert "from features.tsv.gz" in table.notes[0]


@pytest.mark.parametrize("stem", ["study", "GSM1_matrix"])
def test_files_beside_a_matrix_are_found_by_its_name(tmp_path, stem):
    mmwrite(tmp_path / f"{stem}.mtx", SPARSE)
    (tmp_path / f"{stem}_colnames.txt").write_text("\n".join(GENES))
    (tmp_path / f"{stem}_rownames.txt").write_text("\n".join(CELLS))
    table = read_table(tmp_path / f"{stem}.mtx")
    assert table.features == tuple(GENES)
    assert table.rows.tolist() == CELLS


def test_files_beside_a_matrix_that_do_not_fit_are_left_alone(tmp_path):
    mmwrite(tmp_path / "x.mtx", SPARSE)
    (tmp_path / "genes.tsv").write_text("one\ntwo\n")
    (tmp_path / "barcodes.tsv").write_bytes(b"\0" * 10)
    table = read_table(tmp_path / "x.mtx")
    assert table.features is None
    assert table.rows is None


@pytest.mark.parametrize("text", ["a\nb\nc\n", "name\na\nb\nc\n", "a\tx\nb\ty\nc\tz\n", '"a"\r\n"b"\r\n"c"\r\n'])
def test_a_file_of_names_names_the_features(tmp_path, text):
    np.save(tmp_path / "x.npy", VALUES)
    (tmp_path / "names.txt").write_text(text, newline="")
    assert read_table(tmp_path / "x.npy", names=tmp_path / "names.txt").features == ("a", "b", "c")


def test_a_file_of_names_names_what_are_features_after_transposing(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    (tmp_path / "names.txt").write_text("a\nb\na\nd\n")
    table = read_table(tmp_path / "x.npy", names=tmp_path / "names.txt", transpose=True)
    assert table.features == ("a", "b", "a.2", "d")
    assert "numbered: 'a'" in table.notes[0]


def test_a_file_of_names_that_does_not_fit_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    (tmp_path / "names.txt").write_text("a\nb\n")
    with pytest.raises(InvalidInputError, match=r"names is .*names\.txt, which has 2 lines for 3 features"):
        read_table(tmp_path / "x.npy", names=tmp_path / "names.txt")
    (tmp_path / "names.txt").write_bytes(b"a\0b")
    with pytest.raises(FileFormatError, match="names are lines of text"):
        read_table(tmp_path / "x.npy", names=tmp_path / "names.txt")


def test_a_file_of_names_that_is_not_there_is_named_itself(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    for missing in (tmp_path / "nothing.txt", tmp_path):
        with pytest.raises(InvalidInputError, match=rf"names is {re.escape(str(missing))}, which is not a file"):
            read_table(tmp_path / "x.npy", names=missing)


def test_a_file_of_names_names_the_rows_of_a_matrix_and_numbered_nodes(tmp_path):
    mmwrite(tmp_path / "x.mtx", sparse.csr_array(np.ones((3, 3)) - np.eye(3)))
    (tmp_path / "edges.csv").write_text("from,to\n7,3\n3,5\n")
    (tmp_path / "names.txt").write_text("a\nb\nc\n")
    names = tmp_path / "names.txt"
    assert read_matrix(tmp_path / "x.mtx", names=names).names == ("a", "b", "c")
    assert read_graph(tmp_path / "x.mtx", names=names).nodes.tolist() == ["a", "b", "c"]
    numbered = read_graph(tmp_path / "edges.csv", names=names)
    assert [numbered.nodes[int(end)] for end in numbered.edges[0, :2]] == ["c", "a"]
    (tmp_path / "names.txt").write_text("a\n")
    with pytest.raises(InvalidInputError, match="which has 1 line for 3 nodes"):
        read_graph(tmp_path / "x.mtx", names=names)
    (tmp_path / "edges.csv").write_text("from,to\nanna,ben\nben,eve\n")
    with pytest.raises(InvalidInputError, match="the file names its nodes itself, as 'anna': leave it out"):
        read_graph(tmp_path / "edges.csv", names=names)


def test_diagonals_and_blocks_are_sparse_formats_too(tmp_path):
    for form in ("dia", "bsr"):
        sparse.save_npz(tmp_path / "x.npz", getattr(SPARSE, f"to{form}")())
        np.testing.assert_array_equal(read_table(tmp_path / "x.npz").values.toarray(), SPARSE.toarray())
