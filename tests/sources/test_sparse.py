"""Scipy sparse arrays and matrices as row sources."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources import SparseRows, as_source

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


def laplacian(n=12, dtype=np.float64):
    chain = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tolil()
    chain[0, n - 1] = chain[n - 1, 0] = 0.25
    return chain.tocsr().astype(dtype)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("legacy", [False, True])
def test_every_format_gives_the_same_rows_diagonal_and_bound(kind, legacy):
    expected = laplacian()
    matrix = (sparse.csr_matrix(expected) if legacy else expected).asformat(kind)
    source = as_source(matrix)
    assert isinstance(source, SparseRows)
    rows = source.rows(np.array([11, 3]))
    assert rows.flags.c_contiguous
    np.testing.assert_array_equal(rows, expected.toarray()[[11, 3]])
    np.testing.assert_array_equal(source.diagonal(), np.full(12, 2.0))
    assert source.norm_bound() == np.abs(expected.toarray()).sum(axis=1).max()
    assert source.check() == 2.0


@pytest.mark.parametrize(
    ("given_dtype", "expected"),
    [(np.int32, np.float64), (bool, np.float64), (np.float32, np.float32), (np.complex64, np.complex64)],
)
def test_dtypes_follow_the_dense_rule(given_dtype, expected):
    source = SparseRows(sparse.eye_array(3).astype(given_dtype))
    assert source.dtype == source.csr.dtype == source.rows(np.array([1])).dtype == expected
    assert source.diagonal().dtype == np.finfo(expected).dtype


def test_a_canonical_matrix_is_shared_and_another_is_left_unchanged():
    matrix = laplacian()
    assert np.shares_memory(SparseRows(matrix).csr.data, matrix.data)
    messy = sparse.csr_array((np.array([1.0, 2.0, 0.0]), np.array([0, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    source = SparseRows(messy)
    assert messy.nnz == 3
    assert source.csr.nnz == 1
    np.testing.assert_array_equal(source.rows(np.arange(2)), [[3.0, 0.0], [0.0, 0.0]])


def test_duplicates_that_are_symmetric_only_once_summed_are_accepted():
    matrix = sparse.coo_array((np.array([1.0, 2.0, 3.0]), (np.array([0, 0, 1]), np.array([1, 1, 0]))), shape=(2, 2))
    assert SparseRows(matrix).check() == 3.0


@given(n=st.integers(2, 40), row=st.integers(0, 39), column=st.integers(0, 39), empty=st.booleans())
def test_check_says_where_a_sparse_matrix_is_not_symmetric(n, row, column, empty):
    row, column = row % n, column % n
    if row == column:
        column = (row + 1) % n
    matrix = sparse.lil_array((n, n)) if empty else sparse.eye_array(n).tolil()
    matrix[row, column] = 5.0
    with pytest.raises(InvalidInputError, match=rf"\(({row}, {column}|{column}, {row})\).*differ by 5.*S\.T"):
        as_source(matrix)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_check_says_where_a_stored_entry_is_not_finite(value):
    matrix = laplacian()
    matrix[7, 8] = value
    with pytest.raises(InvalidInputError, match=rf"entry \(7, 8\) is {value}"):
        as_source(matrix)


def test_a_complex_sparse_matrix_must_be_hermitian():
    off = np.array([[0, 1j], [-1j, 0]])
    assert SparseRows(sparse.csr_array(off)).check() == 1.0
    with pytest.raises(InvalidInputError, match="Hermitian"):
        SparseRows(sparse.csr_array(off + off.T + 1j)).check()


def test_rounding_is_not_taken_for_asymmetry():
    matrix = laplacian()
    matrix[3, 4] *= 1 + 1e-15
    assert SparseRows(matrix).check() == 2.0


def test_repr_says_how_many_entries_are_stored():
    assert repr(SparseRows(sparse.eye_array(3))) == "SparseRows(shape=(3, 3), dtype=float64, stored=3)"


def test_a_matrix_without_stored_entries_is_the_zero_matrix():
    source = as_source(sparse.csr_array((4, 4)))
    assert source.norm_bound() == 0.0
    np.testing.assert_array_equal(source.rows(np.array([2])), np.zeros((1, 4)))


@pytest.mark.parametrize("shape", [(2, 3), (0, 0)])
def test_a_shape_that_cannot_be_used_is_refused(shape):
    with pytest.raises(InvalidInputError, match=r"square|empty"):
        as_source(sparse.csr_array(shape))


def test_entries_that_are_not_numbers_are_refused():
    matrix = sparse.eye_array(2).tocsr()
    matrix.data = matrix.data.astype(object)
    with pytest.raises(InvalidTypeError, match="does not hold numbers"):
        as_source(matrix)
