import numpy as np
import pytest

from jacobeig.comparison.baselines import bmw
from jacobeig.errors import InvalidInputError


@pytest.mark.parametrize(("p", "s", "optimum"), [(2, 3, 4.6788), (2, 5, 5.7104), (3, 4, 7.2501), (4, 3, 8.3327)])
def test_the_disjoint_optima_of_pitprops_are_reached(pitprops, p, s, optimum):
    result = bmw(pitprops, p, s)
    assert result.eigenvalues.sum() == pytest.approx(optimum, abs=1e-4)


def test_components_are_orthonormal_and_disjoint(covariance):
    V = bmw(covariance, 5, 6).vectors.toarray()
    assert np.count_nonzero(V, axis=1).max() == 1
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-14)


def test_more_nonzeros_than_features_are_refused_with_the_largest_possible_number(covariance):
    with pytest.raises(InvalidInputError, match="at most 7 nonzeros"):
        bmw(covariance, 4, 8)
