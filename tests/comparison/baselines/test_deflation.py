import numpy as np
import pytest

from jacobeig.comparison.baselines import bb
from jacobeig.comparison.baselines.deflation import DEFLATIONS

# Share of the variance of pitprops, adjusted and by projection, for six exact components of k nonzeros.
PUBLISHED = {
    (4, "hotelling"): (64.4, 77.0),
    (4, "projection"): (74.2, 81.2),
    (4, "schur"): (75.1, 79.8),
    (4, "orthogonalised_hotelling"): (58.8, 71.4),
    (4, "orthogonalised_projection"): (74.2, 81.3),
    (5, "hotelling"): (70.5, 81.5),
    (5, "projection"): (76.0, 82.6),
    (5, "schur"): (78.3, 81.8),
    (5, "orthogonalised_hotelling"): (66.9, 82.2),
    (5, "orthogonalised_projection"): (76.1, 82.6),
}


@pytest.mark.parametrize(("k", "name"), PUBLISHED)
def test_six_components_of_pitprops_explain_the_known_variance(pitprops, k, name):
    V = bb(pitprops, 6, k, deflation=name).vectors.toarray()
    Q = np.linalg.qr(V)[0]
    R = np.linalg.qr(np.linalg.cholesky(pitprops).T @ V)[1]
    adjusted, projected = 100 * np.sum(R.diagonal() ** 2) / 13, 100 * np.trace(Q.T @ pitprops @ Q) / 13
    assert (adjusted, projected) == pytest.approx(PUBLISHED[k, name], abs=0.06)


@pytest.mark.parametrize("name", ["projection", "schur", "orthogonalised_projection"])
def test_projections_keep_semidefiniteness_and_make_the_component_null(covariance, name):
    found = np.linalg.qr(np.random.default_rng(0).standard_normal((30, 1)))[0]
    deflated = DEFLATIONS[name](covariance, found)
    np.testing.assert_allclose(deflated @ found, 0.0, atol=1e-11)
    assert np.linalg.eigvalsh(deflated)[0] > -1e-10


def test_hotelling_can_leave_an_indefinite_matrix(covariance):
    deflated = DEFLATIONS["hotelling"](covariance, np.eye(30, 1))
    assert np.linalg.eigvalsh(deflated)[0] < -1.0


@pytest.mark.parametrize("name", DEFLATIONS)
def test_a_component_found_twice_or_of_no_variance_does_no_harm(name):
    S = np.diag([2.0, 1.0, 0.0])
    found = np.eye(3)[:, [2, 2]]
    np.testing.assert_allclose(DEFLATIONS[name](S, found), S)
