"""Sources of a user's own: nothing but their rows reaches compiled code."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

import jacobeig as je
from jacobeig.errors import InvalidInputError, JacobeigError
from jacobeig.sources import DenseRows, SparseRows

S = je.datasets.random_covariance(30, rng=0)


class Own:
    """A source that follows the protocol, with whatever else a test gives it."""

    def __init__(self, **extras):
        self.shape, self.dtype = S.shape, S.dtype
        for name, extra in extras.items():
            setattr(self, name, extra)

    def diagonal(self):
        return S.diagonal()

    def rows(self, indices):
        return S[indices]


@pytest.mark.parametrize(
    "extras",
    [
        {"direct": np.eye(2)},
        {"direct": np.eye(30)},
        {"direct": np.eye(30, dtype=np.float32)},
        {"direct": np.asfortranarray(S)},
        {"direct": "S"},
        {"largest": 1e-300},
        {"largest": np.nan},
        {"largest": "one"},
        {"csr": sparse.csr_array(np.eye(2))},
    ],
)
@pytest.mark.parametrize("solve", [je.sparse_eigsh, je.block_eigsh])
def test_attributes_outside_the_protocol_are_not_looked_at(extras, solve):
    plain, dressed = solve(Own(), 3), solve(Own(**extras), 3)
    np.testing.assert_array_equal(dressed.vectors.toarray(), plain.vectors.toarray())
    assert dressed.n_rotations == plain.n_rotations


def test_a_subclass_with_rows_of_its_own_is_asked_for_them():
    class Doubled(DenseRows):
        def rows(self, indices):
            return 2 * super().rows(indices)

        def diagonal(self):
            return 2 * super().diagonal()

    result = je.sparse_eigsh(Doubled(S), 3, n_rotations=40)
    np.testing.assert_allclose(result.eigenvalues, 2 * je.sparse_eigsh(S, 3, n_rotations=40).eigenvalues)


def test_a_sparse_source_whose_matrix_was_exchanged_is_refused():
    n = 3000
    source = SparseRows(sparse.diags_array(np.arange(1.0, n + 1)).tocsr())
    source.check = lambda: 1.0
    source.csr.indices[7] = 10**6
    with pytest.raises(InvalidInputError, match="csr"):
        je.sparse_eigsh(source, 3, start="natural")


@pytest.mark.parametrize("bound", [np.nan, np.inf, -1.0, "a", None, 10**400])
@pytest.mark.parametrize("options", [{"target": "adaptive"}, {"which": "SA", "start": "cholesky"}])
def test_a_bound_that_is_none_is_refused(bound, options):
    with pytest.raises(JacobeigError, match="norm_bound"):
        je.sparse_eigsh(Own(norm_bound=lambda: bound), 3, **options)


@pytest.mark.parametrize("batch", [0, -3, "a", 2.5, None])
def test_a_batch_that_is_no_number_of_rows_is_refused(batch):
    with pytest.raises(JacobeigError, match="batch"):
        je.sparse_eigsh(Own(batch=batch), 3)


class Lying(Own):
    """A source whose diagonal or rows are not those of a symmetric matrix."""

    def __init__(self, *, diagonal=S.diagonal(), matrix=S):  # noqa: B008  # never changed
        super().__init__()
        self._diagonal, self._matrix = diagonal, matrix

    def diagonal(self):
        return self._diagonal

    def rows(self, indices):
        return self._matrix[indices]


CALLS = [
    lambda source: je.sparse_eigsh(source, 3, n_rotations=50),
    lambda source: je.sparse_eigsh(source, 3, density=0.2, refine=True),
    lambda source: je.block_eigsh(source, 3, 5),
    lambda source: je.refine(source, np.eye(30)[:, :3]),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_diagonal_that_is_not_that_of_the_rows_is_found(call):
    with pytest.raises(InvalidInputError, match=r"Lying.diagonal\(\) has .* at \d+, but its row there"):
        call(Lying(diagonal=S.diagonal() + 0.5))


@pytest.mark.parametrize("call", CALLS)
def test_rows_that_are_not_symmetric_are_found(call):
    with pytest.raises(InvalidInputError, match="Lying is not symmetric or Hermitian: its entries"):
        call(Lying(matrix=np.triu(S)))


def test_a_wrong_entry_of_the_diagonal_is_found_when_its_row_is_read():
    diagonal = S.diagonal().copy()
    diagonal[diagonal.argmax()] *= 2
    with pytest.raises(InvalidInputError, match=r"Lying.diagonal\(\) has"):
        je.sparse_eigsh(Lying(diagonal=diagonal), 3, n_rotations=5)


def test_operators_and_memory_maps_are_asked_too(tmp_path):
    class Operator(LinearOperator):
        def _matmat(self, V):
            return S @ V

        def diagonal(self):
            return np.ones(30)

    with pytest.raises(InvalidInputError, match=r"diagonal\(\) has 1 at"):
        je.sparse_eigsh(Operator(S.dtype, S.shape), 3)
    np.save(tmp_path / "S.npy", np.triu(S))
    with pytest.raises(InvalidInputError, match="not symmetric"):
        je.sparse_eigsh(np.load(tmp_path / "S.npy", mmap_mode="r"), 3)
