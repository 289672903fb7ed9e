"""Missing values: refused with what to do, filled in, or left out with their rows."""

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("pandas")

from jacobeig.errors import InvalidInputError
from jacobeig.files import read_table

TEXT = "name,a,b,kind\nr,1,2,x\ns,,4,y\nt,3,,y\nu,8,0,x\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_they_are_refused_with_the_argument_that_fills_them(path):
    with pytest.raises(InvalidInputError, match=r"row 2 \('s'\) has no value.*impute='mean'.*impute='drop'.*drop='a'"):
        read_table(path, label="kind")


@pytest.mark.parametrize(("impute", "a", "b"), [("mean", 4.0, 2.0), ("median", 3.0, 2.0)])
def test_they_are_filled_by_column(path, impute, a, b):
    table = read_table(path, label="kind", impute=impute)
    np.testing.assert_array_equal(table.values, [[1, 2], [a, 4], [3, b], [8, 0]])
    assert table.notes == (f"2 missing values in 2 columns were filled with the {impute} of their column.",)


def test_they_are_filled_by_feature_where_features_are_rows(path):
    table = read_table(path, drop=["kind"], transpose=True, impute="mean")
    np.testing.assert_array_equal(table.values, [[1, 4, 3, 8], [2, 4, 3, 0]])


def test_rows_that_lack_a_value_are_left_out_with_their_names_and_labels(path):
    table = read_table(path, label="kind", impute="drop")
    np.testing.assert_array_equal(table.values, [[1, 2], [8, 0]])
    assert (table.rows.tolist(), table.labels.tolist()) == (["r", "u"], ["x", "x"])
    assert table.notes == ("2 of 4 rows lack a value and were left out.",)


@pytest.mark.parametrize("impute", ["mean", "median", "drop"])
def test_sparse_and_dense_arrays_are_filled_alike_and_stay_what_they_are(tmp_path, impute):
    dense = np.array([[0.0, 1.0, np.nan], [2.0, 0.0, 4.0], [np.nan, 0.0, 6.0], [1.0, 0.0, 0.0]])
    np.save(tmp_path / "x.npy", dense)
    sparse.save_npz(tmp_path / "x.npz", sparse.csr_array(dense))
    expected, table = (read_table(tmp_path / name, impute=impute) for name in ("x.npy", "x.npz"))
    assert sparse.issparse(table.values)
    np.testing.assert_array_equal(table.values.toarray(), expected.values)
    assert np.isfinite(expected.values).all()


@pytest.mark.parametrize(
    ("text", "impute", "words"),
    [
        ("a,b\n1,\n2,\n", "mean", "column 'b' has no value at all, so it has no mean.*drop='b'"),
        ("a,b\n1,\n,2\n", "drop", "every row lacks a value: fill them with impute='mean'"),
        ("a,b\n1,inf\n,2\n", "mean", "has the value inf in column 'b'"),
        ("a,b\n1,2\n,2\n", "mode", "impute is 'mode'; give one of 'mean', 'median', 'drop'"),
    ],
)
def test_what_cannot_be_filled_is_named(tmp_path, text, impute, words):
    (tmp_path / "x.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=words):
        read_table(tmp_path / "x.csv", impute=impute)
