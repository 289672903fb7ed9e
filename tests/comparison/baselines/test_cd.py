import itertools

import numpy as np
import pytest

from jacobeig.comparison.baselines import cd


@pytest.mark.parametrize("rule", ["pcw", "gcw"])
def test_from_the_thresholded_eigenvector_swaps_are_optimal_on_pitprops(pitprops, cardinality_and_optimum, rule):
    k, optimum = cardinality_and_optimum
    assert cd(pitprops, 1, k, rule=rule).eigenvalues[0] == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("rule", ["pcw", "gcw"])
def test_no_swap_with_the_values_kept_improves_the_result(covariance, rule):
    x = cd(covariance, 1, 5, rule=rule).vectors.toarray()[:, 0]
    value = x @ covariance @ x
    inside, outside = np.flatnonzero(x), np.flatnonzero(x == 0)
    for i, j, sign in itertools.product(inside, outside, (1.0, -1.0)):
        y = x.copy()
        y[i], y[j] = 0.0, sign * x[i]
        assert y @ covariance @ y <= value * (1 + 1e-9)


def test_more_starts_never_give_less(covariance):
    one, many = cd(covariance, 1, 4), cd(covariance, 1, 4, n_starts=10, rng=1)
    assert many.eigenvalues[0] >= one.eigenvalues[0]
