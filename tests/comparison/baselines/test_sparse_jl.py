import numpy as np
import pytest

from jacobeig.comparison.baselines import sparse_jl, sparse_jl_matrix
from jacobeig.errors import InvalidInputError


def test_columns_have_the_same_number_of_entries_and_rows_nearly_so():
    M = sparse_jl_matrix(30, 256, 3, rng=0)
    assert (np.count_nonzero(M, axis=0) == 3).all()
    assert np.ptp(np.count_nonzero(M, axis=1)) <= 1
    np.testing.assert_allclose(np.abs(M[M != 0]), 1 / np.sqrt(3))
    assert np.count_nonzero(M) / M.size == pytest.approx(0.10)


def test_squared_lengths_are_kept_on_average_with_the_known_spread():
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(1500):
        x = rng.standard_normal(100)
        ratios.append(np.sum((sparse_jl_matrix(30, 100, 3, rng=rng) @ x) ** 2) / np.sum(x**2))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.03)
    assert np.std(ratios) == pytest.approx(0.254, abs=0.02)


def test_no_component_passes_the_budget(covariance):
    for budget in (6, 7, 12, 13, 30):
        result = sparse_jl(covariance, 5, budget, rng=0)
        assert np.diff(result.vectors.indptr).max() <= budget
        assert (np.count_nonzero(result.vectors.toarray(), axis=1) == budget * 5 // 30).all()


def test_a_budget_that_cannot_use_every_feature_is_refused(covariance):
    with pytest.raises(InvalidInputError, match="at least n / n_components, here 6"):
        sparse_jl(covariance, 5, 5)
