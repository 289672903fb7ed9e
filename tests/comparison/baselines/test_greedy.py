import numpy as np
import pytest

from jacobeig._kernels.greedy import find_addition
from jacobeig.comparison.baselines import greedy


@pytest.mark.parametrize("rule", ["forward", "path"])
def test_both_rules_are_optimal_on_pitprops(pitprops, cardinality_and_optimum, rule):
    k, optimum = cardinality_and_optimum
    assert greedy(pitprops, 1, k, rule=rule).eigenvalues[0] == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("size", [1, 4, 12])
def test_the_secular_equation_gives_the_bordered_eigenvalue(covariance, size):
    support = np.arange(size)
    values, V = np.linalg.eigh(covariance[:size, :size])
    inside = np.arange(30) < size
    j, value = find_addition(values, (covariance[:, support] @ V) ** 2, covariance.diagonal().copy(), inside)
    bordered = {i: np.linalg.eigvalsh(covariance[np.ix_([*support, i], [*support, i])])[-1] for i in range(size, 30)}
    assert j == max(bordered, key=lambda i: float(bordered[i]))
    assert value == pytest.approx(bordered[j], rel=1e-12)


def test_a_feature_without_coupling_counts_with_its_own_variance():
    values, couplings = np.array([1.0, 2.0]), np.zeros((4, 2))
    assert find_addition(values, couplings, np.array([0.0, 0.0, 1.5, 3.0]), np.array([True, True, False, False])) == (
        3,
        3.0,
    )


def test_one_poor_seed_is_repaired_by_more(pitprops):
    # All diagonal entries are 1, so that the order of the features decides where a single seed begins.
    S = pitprops[::-1, ::-1]
    assert greedy(S, 1, 2, n_seeds=1).eigenvalues[0] == pytest.approx(1.954)
