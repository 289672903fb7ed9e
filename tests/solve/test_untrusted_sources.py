"""Sources of a user's own: nothing but their rows reaches compiled code."""

import numpy as np
import pytest
from scipy import sparse

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
