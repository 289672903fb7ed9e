import numpy as np
import pytest

from jacobeig.comparison.baselines import tpower


@pytest.mark.parametrize("start", ["best", "diagonal"])
def test_from_the_first_feature_it_is_optimal_for_every_cardinality_of_pitprops(
    pitprops, cardinality_and_optimum, start
):
    k, optimum = cardinality_and_optimum
    assert tpower(pitprops, 1, k, start=start).eigenvalues[0] == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize(("k", "stuck", "repaired"), [(3, 2.3294, 2.475331), (4, 2.8827, 2.937479)])
def test_from_the_eigenvector_it_gets_stuck_and_swaps_repair_it(pitprops, k, stuck, repaired):
    plain = tpower(pitprops, 1, k, start="eigenvector")
    assert plain.eigenvalues[0] == pytest.approx(stuck, abs=1e-4)
    swapped = tpower(pitprops, 1, k, start="eigenvector", swaps=True)
    assert swapped.eigenvalues[0] == pytest.approx(repaired, abs=1e-6)


def test_an_indefinite_matrix_gives_the_support_of_its_shifted_twin(covariance):
    shifted = covariance - 20.0 * np.eye(30)
    a, b = tpower(covariance, 1, 6), tpower(shifted, 1, 6)
    assert a.eigenvalues[0] == pytest.approx(b.eigenvalues[0] + 20.0)
    np.testing.assert_array_equal(a.vectors.indices, b.vectors.indices)
