"""Components that need not be orthogonal: their order, and components that depend on each other."""

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("sklearn")

from jacobeig import JacobiPCA
from jacobeig.estimators.pca._latent import Latent, rank_by_addition


def explain_in_turn(S, vectors):
    """What each column explains beyond those before it, by projection."""
    totals = [0.0]
    for t in range(1, vectors.shape[1] + 1):
        Q = np.linalg.qr(vectors[:, :t])[0]
        totals.append(np.trace(Q.T @ S @ Q))
    return np.diff(totals)


@pytest.mark.parametrize("seed", range(6))
def test_each_component_adds_the_most_to_those_before_it(seed):
    X = np.random.default_rng(seed).standard_normal((25, 12)) @ np.diag(np.linspace(1.0, 4.0, 12))
    model = JacobiPCA(4, density=0.3, orthonormal=False).fit(X)
    S, V = np.cov(X, rowvar=False), model.components_.T
    np.testing.assert_allclose(model.explained_variance_, explain_in_turn(S, V), rtol=1e-10)
    for t in range(4):
        others = [explain_in_turn(S, np.column_stack([V[:, :t], V[:, s]]))[-1] for s in range(t, 4)]
        assert others[0] == pytest.approx(max(others))
    np.testing.assert_array_equal(np.abs(model.decomposition_.vectors.toarray()), np.abs(V))


def test_a_component_that_depends_on_others_adds_nothing_and_comes_last():
    S = np.diag([4.0, 2.0, 1.0])
    vectors = sparse.csc_array(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]) / [1.0, 1.0, np.sqrt(2)])
    assert rank_by_addition(S, vectors).tolist() == [0, 1, 2]
    latent = Latent.of(S, vectors)
    np.testing.assert_allclose(latent.covariance.diagonal(), [4.0, 2.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("refine", [True, "best"])
def test_fewer_directions_than_components_are_no_trouble(refine):
    x = np.random.default_rng(0).standard_normal((20, 1))
    X = x @ np.ones((1, 6))
    model = JacobiPCA(3, density=0.5, orthonormal=False, refine=refine).fit(X)
    assert np.isfinite(model.transform(X)).all()
    assert model.total_explained_variance_ratio_ <= 1.0
    np.testing.assert_allclose(model.total_explained_variance_ratio_, model.explained_variance_ratio_.sum())
