import numpy as np
import pytest

from jacobeig.comparison.baselines import gpower
from jacobeig.errors import InvalidInputError


@pytest.mark.parametrize("k", [2, 3, 5, 6, 7, 9, 11, 12])
def test_l0_reaches_the_optimum_of_pitprops_where_the_cardinality_exists(pitprops, optima, k):
    result = gpower(pitprops, 1, k)
    assert result.vectors.nnz == k
    assert result.eigenvalues[0] == pytest.approx(optima[k], abs=1e-6)


@pytest.mark.parametrize(("k", "refitted"), [(5, 3.4062), (9, 4.1159)])
def test_l1_reaches_the_known_refitted_values(pitprops, k, refitted):
    assert gpower(pitprops, 1, k, penalty="l1").eigenvalues[0] == pytest.approx(refitted, abs=1e-4)


def test_a_cardinality_that_no_penalty_gives_is_reported(covariance):
    # Two equal features enter together, so that exactly two nonzeros never occur.
    S = np.diag([1.0, 2.0, 3.0]) + 0.5
    S[0, 0] = S[1, 1]
    result = gpower(S, 1, 2)
    assert result.vectors.nnz == 1
    assert "fewer nonzeros" in result.status


def test_an_indefinite_matrix_is_refused_with_its_least_eigenvalue(covariance):
    with pytest.raises(InvalidInputError, match="gpower needs a positive semidefinite matrix"):
        gpower(covariance - 50.0 * np.eye(30), 1, 3)
