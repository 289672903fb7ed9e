import numpy as np
import pytest

from jacobeig.comparison.baselines import classic_jacobi


def test_without_a_budget_it_finds_all_eigenvalues(covariance):
    result = classic_jacobi(covariance, 30, 30)
    w = np.linalg.eigvalsh(covariance)[::-1]
    np.testing.assert_allclose(result.eigenvalues, w, atol=1e-12 * w[0])


@pytest.mark.parametrize("budget", [1, 2, 5, 12])
def test_vectors_are_orthonormal_and_within_the_budget(covariance, budget):
    V = classic_jacobi(covariance, 6, budget).vectors
    assert np.diff(V.indptr).max() <= budget
    np.testing.assert_allclose((V.T @ V).toarray(), np.eye(6), atol=1e-13)


def test_the_first_rotation_is_the_largest_correlation_of_pitprops(pitprops):
    result = classic_jacobi(pitprops, 1, 13, n_rotations=1)
    assert result.vectors.indices.tolist() == [0, 1]
    assert result.eigenvalues[0] == pytest.approx(1.954)
    assert "the limit" in result.status


def test_with_one_nonzero_nothing_is_rotated(covariance):
    result = classic_jacobi(covariance, 3, 1)
    np.testing.assert_allclose(result.eigenvalues, np.sort(covariance.diagonal())[::-1][:3])
    assert "after 0 rotations" in result.status
