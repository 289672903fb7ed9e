import itertools
from collections.abc import Iterable

import numpy as np
import pytest

from jacobeig._types import Floats
from jacobeig.comparison.baselines import lr
from jacobeig.comparison.baselines._lr import factor_low_rank, find_exact_support, sample_supports

PUBLISHED = {
    (2, 3): 2.09849,
    (2, 4): 2.66200,
    (2, 5): 3.19836,
    (2, 8): 4.03095,
    (3, 3): 2.33552,
    (3, 4): 2.83314,
    (3, 5): 3.30518,
    (3, 8): 4.04482,
}


def squared_norm(H: Floats, support: Iterable[int]) -> float:
    return float(np.linalg.norm(H[list(support)], 2)) ** 2


@pytest.mark.parametrize(("rank", "k"), PUBLISHED)
def test_the_low_rank_optimum_of_pitprops_is_exact(pitprops, rank, k):
    H = factor_low_rank(pitprops, rank)
    assert squared_norm(H, find_exact_support(H, k)) == pytest.approx(PUBLISHED[rank, k], abs=1e-5)


@pytest.mark.parametrize(("k", "value"), [(3, 2.3294), (4, 2.8827), (5, 3.4062), (8, 4.0686)])
def test_rank_two_supports_have_the_known_values_on_the_full_matrix(pitprops, k, value):
    assert lr(pitprops, 1, k).eigenvalues[0] == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("k", [3, 4, 5, 8])
def test_rank_three_reaches_the_global_optimum(pitprops, optima, k):
    assert lr(pitprops, 1, k, rank=3).eigenvalues[0] == pytest.approx(optima[k], abs=1e-6)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("k", range(1, 9))
def test_the_exact_search_agrees_with_enumeration(rank, k):
    H = np.random.default_rng(k).standard_normal((8, rank))
    best = max(squared_norm(H, T) for T in itertools.combinations(range(8), k))
    assert squared_norm(H, find_exact_support(H, k)) == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize("rank", [2, 3])
def test_the_exact_search_survives_equal_and_zero_rows(rank):
    H = np.random.default_rng(3).integers(-1, 2, (7, rank)).astype(float)
    H[3] = H[2]
    H[5] = 0.0
    for k in range(1, 7):
        best = max(squared_norm(H, T) for T in itertools.combinations(range(7), k))
        assert squared_norm(H, find_exact_support(H, k)) == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize("k", [3, 5, 8])
def test_sampling_finds_what_the_exact_search_finds(pitprops, k):
    H = factor_low_rank(pitprops, 3)
    supports = sample_supports(H, k, 2000, np.random.default_rng(0))
    best = max(squared_norm(H, support) for support in supports)
    assert best == pytest.approx(squared_norm(H, find_exact_support(H, k)), rel=1e-10)


def test_a_large_rank_is_sampled_and_says_so(covariance):
    assert "random directions" in lr(covariance, 1, 5, rank=6, n_samples=200).status
    assert "optimal for the rank-2" in lr(covariance, 1, 5).status
