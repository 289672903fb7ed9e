import itertools

import numpy as np
import pytest

from jacobeig._types import Floats
from jacobeig.comparison.baselines import BaselineResult, OptimalityProof, bb


def certified(S: Floats, p: int, k: int, **options: float) -> tuple[BaselineResult, OptimalityProof]:
    result = bb(S, p, k, **options)  # type: ignore[arg-type]  # options of several types
    assert result.certificate is not None
    return result, result.certificate


def test_every_cardinality_of_pitprops_is_certified(pitprops, cardinality_and_optimum):
    k, optimum = cardinality_and_optimum
    result, certificate = certified(pitprops, 1, k)
    assert certificate.optimal
    assert result.eigenvalues[0] == pytest.approx(optimum, abs=1e-6)
    assert certificate.upper_bound[0] == pytest.approx(optimum, rel=2e-6)


def test_four_components_of_pitprops_have_the_known_bounds_and_supports(pitprops):
    result, certificate = certified(pitprops, 4, 5)
    np.testing.assert_allclose(certificate.upper_bound, [3.4062, 2.1578, 1.9064, 1.2358], atol=1e-4)
    supports = [set((np.flatnonzero(x) + 1).tolist()) for x in result.vectors.toarray().T]
    assert supports == [{1, 2, 7, 9, 10}, {3, 4, 6, 10, 12}, {5, 6, 7, 12, 13}, {3, 5, 8, 11, 12}]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("definite", [True, False])
def test_it_agrees_with_enumeration(seed, definite):
    X = np.random.default_rng(seed).standard_normal((11, 11))
    S = X.T @ X if definite else X + X.T
    for k in (1, 3, 6, 10):
        best = max(np.linalg.eigvalsh(S[np.ix_(T, T)])[-1] for T in itertools.combinations(range(11), k))
        result, certificate = certified(S, 1, k, tol=1e-9)
        assert certificate.optimal
        assert result.eigenvalues[0] == pytest.approx(best, rel=1e-8)


def test_out_of_time_it_returns_its_incumbent_and_an_honest_gap():
    X = np.random.default_rng(0).standard_normal((60, 60))
    result, certificate = certified(X.T @ X, 1, 15, time_limit=1e-3)
    assert not certificate.optimal
    assert certificate.upper_bound[0] > result.eigenvalues[0] > 0
    assert certificate.gap[0] == pytest.approx(1 - result.eigenvalues[0] / certificate.upper_bound[0])
    assert "0 of 1 components proved optimal" in result.status


def test_going_deep_with_many_open_nodes_keeps_the_proof(monkeypatch, pitprops, optima):
    monkeypatch.setattr("jacobeig.comparison.baselines._bb.MANY_NODES", 2)
    for k in (3, 4, 5):
        result, certificate = certified(pitprops, 1, k)
        assert certificate.optimal
        assert result.eigenvalues[0] == pytest.approx(optima[k], abs=1e-6)
