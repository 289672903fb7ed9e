"""Linear operators as row sources."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources import OperatorRows, as_source


def hermitian(n, dtype=np.float64):
    rng = np.random.default_rng(1)
    a = rng.standard_normal((n, n)).astype(dtype)
    if a.dtype.kind == "c":
        a.imag = rng.standard_normal((n, n))
    return a + a.conj().T


class Duck:
    """An operator of another library: no base class, chosen methods only."""

    def __init__(self, matrix, *methods, dtype="own"):
        self.shape = matrix.shape
        if dtype == "own":
            self.dtype = matrix.dtype
        for method in methods:
            setattr(self, method, lambda x: matrix @ x)


class Matmul:
    def __init__(self, matrix):
        self.matrix, self.shape, self.dtype = matrix, matrix.shape, matrix.dtype

    def __matmul__(self, x):
        return self.matrix @ x


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize(
    "wrap",
    [
        aslinearoperator,
        Matmul,
        lambda a: aslinearoperator(sparse.csr_array(a)),
        lambda a: Duck(a, "matvec"),
        lambda a: Duck(a, "matmat"),
        lambda a: LinearOperator(a.shape, matvec=lambda x: a @ x, dtype=a.dtype),
    ],
)
def test_rows_and_diagonal_are_those_of_the_matrix(dtype, wrap):
    matrix = hermitian(9, dtype)
    source = as_source(wrap(matrix))
    assert isinstance(source, OperatorRows)
    assert source.dtype == dtype
    rows = source.rows(np.array([7, 0, 7]))
    assert rows.dtype == dtype
    assert rows.flags.c_contiguous
    np.testing.assert_allclose(rows, matrix[[7, 0, 7]], rtol=1e-6)
    np.testing.assert_allclose(source.diagonal(), np.diag(matrix).real, rtol=1e-6)
    assert source.diagonal().dtype == np.finfo(dtype).dtype


def test_the_diagonal_is_computed_once_and_in_blocks(monkeypatch):
    monkeypatch.setattr("jacobeig.sources._operator.BLOCK_ENTRIES", 40)
    matrix, calls = hermitian(10), []

    def matmat(x):
        calls.append(x.shape[1])
        return matrix @ x

    source = OperatorRows(LinearOperator((10, 10), matvec=lambda x: matrix @ x, matmat=matmat, dtype=float))
    np.testing.assert_allclose(source.diagonal(), np.diag(matrix))
    source.diagonal()[...] = 0
    np.testing.assert_allclose(source.diagonal(), np.diag(matrix))
    assert calls == [4, 4, 2]


def test_a_given_diagonal_or_the_operators_own_saves_the_products():
    def never(x):
        raise AssertionError("a product was made")

    operator = LinearOperator((3, 3), matvec=never, dtype=float)
    np.testing.assert_array_equal(OperatorRows(operator, diagonal=[1, 2, 3]).diagonal(), [1.0, 2.0, 3.0])
    operator.diagonal = lambda: np.array([4.0, 5.0, 6.0])
    np.testing.assert_array_equal(OperatorRows(operator).diagonal(), [4.0, 5.0, 6.0])


def test_a_given_diagonal_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidInputError, match=r"diagonal.*\(2,\); expected \(3,\)"):
        OperatorRows(aslinearoperator(np.eye(3)), diagonal=[1, 2])


def test_a_dtype_that_is_not_declared_is_found_by_a_product():
    assert OperatorRows(Duck(np.eye(3, dtype=complex), "matvec", dtype=None)).dtype == np.complex128
    assert OperatorRows(Duck(np.eye(3, dtype=int), "matmat")).dtype == np.float64


def test_an_operator_that_lies_about_its_shape_is_found_out():
    longer = Duck(np.ones((4, 4)), "matmat")
    longer.shape = (3, 3)
    with pytest.raises(InvalidInputError, match=r"Duck declares shape \(3, 3\) but fails on vectors of length 3"):
        as_source(longer)
    shorter = Duck(np.ones((2, 3)), "matmat")
    shorter.shape = (3, 3)
    with pytest.raises(InvalidInputError, match=r"shape \(3, 8\) has shape \(2, 8\)"):
        as_source(shorter, check=False).rows(np.zeros(8, dtype=np.int64))


def test_an_operator_that_lies_about_its_dtype_is_found_out():
    operator = LinearOperator((3, 3), matvec=lambda x: 1j * x, dtype=float)
    with pytest.raises(InvalidTypeError, match=r"declares dtype float64, but its products are complex128"):
        as_source(operator)


@pytest.mark.parametrize(
    ("matrix", "problem"),
    [
        (np.triu(np.ones((5, 5))), "symmetric"),
        (1j * np.eye(3), "Hermitian"),
        (np.diag([1.0, np.nan]), "not finite"),
    ],
)
def test_an_operator_that_is_not_symmetric_or_finite_is_refused(matrix, problem):
    with pytest.raises(InvalidInputError, match=problem):
        as_source(aslinearoperator(matrix))


def test_an_operator_that_is_not_square_is_refused():
    with pytest.raises(InvalidInputError, match=r"square.*\(2, 3\)"):
        as_source(aslinearoperator(np.ones((2, 3))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("n", [1, 2, 5, 60, 400])
def test_norm_bound_covers_the_spectrum_and_is_not_far_above_it(n, dtype):
    matrix = hermitian(n, dtype)
    largest = np.abs(np.linalg.eigvalsh(matrix)).max()
    bound = OperatorRows(aslinearoperator(matrix)).norm_bound()
    assert largest <= bound * (1 + 1e-5)
    assert bound <= 2 * largest


@pytest.mark.parametrize("matrix", [np.eye(6), np.zeros((6, 6)), np.diag([1.0, 1, -3, -3])])
def test_norm_bound_stops_at_an_invariant_subspace(matrix):
    bound = OperatorRows(aslinearoperator(matrix)).norm_bound()
    assert bound == pytest.approx(np.abs(matrix).max(), rel=1e-8)


def test_repr_names_the_operator():
    assert repr(OperatorRows(Matmul(np.eye(2)))) == "OperatorRows(Matmul, shape=(2, 2), dtype=float64)"
