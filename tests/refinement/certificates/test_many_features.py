"""Data of many features and few samples: bounded by their samples, without a matrix of features by features."""

import numpy as np
import pytest
from enumeration import best_captured

import jacobeig as je
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.certificates import _problem, _search
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.refinement.certificates._samples import bound_samples, prove_by_samples
from jacobeig.refinement.certificates._settle import settle_union

P, DENSITY = 3, 0.01


def draw_samples(m=20, n=1600):
    rng = np.random.default_rng(0)
    loadings = rng.standard_normal((4, n)) * (rng.random((4, n)) < 0.1)
    return (rng.standard_normal((m, 4)) @ loadings + 0.2 * rng.standard_normal((m, n))) * rng.lognormal(size=n)


@pytest.fixture(scope="module")
def samples():
    return draw_samples()


@pytest.fixture(scope="module")
def certificate(samples):
    source = je.sources.GramRows(samples)
    return je.certify(source, je.sparse_eigsh(source, P, density=DENSITY), density=DENSITY)


def test_the_bound_is_between_ours_and_the_best_without_a_decomposition(samples, certificate):
    variances = np.linalg.svd((samples - samples.mean(axis=0)) / np.sqrt(len(samples) - 1), compute_uv=False) ** 2
    largest = np.sort(samples.var(axis=0, ddof=1))[-certificate.budgets.total_nonzeros :]
    assert certificate.kind == "union"
    assert certificate.captured <= certificate.bound < min(variances[:P].sum(), largest.sum())
    assert "of what any 3 orthonormal vectors with at most 48 nonzeros in all could" in certificate.claim


def test_it_is_verified_by_the_samples_or_the_matrix_and_refuses_others(samples, certificate, tmp_path):
    certificate.save(tmp_path / "wide.npz")
    for found in (certificate, je.Certificate.load(tmp_path / "wide.npz")):
        assert found.verify(je.sources.GramRows(samples)) == pytest.approx(found.bound, rel=1e-9)
    assert certificate.verify(np.cov(samples, rowvar=False)) == pytest.approx(certificate.bound, rel=1e-6)
    with pytest.raises(InvalidInputError, match="is not the 1600 x 1600 one"):
        certificate.verify(je.sources.GramRows(samples, scale=True))


@pytest.mark.parametrize("time_limit", [1e-6, None])
def test_a_short_time_leaves_the_largest_variances(samples, certificate, time_limit):
    found = je.certify(je.sources.GramRows(samples), n_components=P, density=DENSITY, time_limit=time_limit)
    limit = np.sort(samples.var(axis=0, ddof=1))[-48:].sum()
    assert found.bound == pytest.approx(limit if time_limit else certificate.bound, rel=1e-9)


def test_models_and_fronts_of_many_features_are_certified(samples):
    model = je.JacobiPCA(P, max_nonzeros=8, scale=True).fit(samples.astype(np.float32))
    assert model.certify(samples.astype(np.float32)).share > 0.5
    sparse, dense = je.certify_front(je.sources.GramRows(samples), n_components=P, densities=[0.005, 0.01])
    assert sparse.bound < dense.bound
    results = [je.sparse_eigsh(je.sources.GramRows(samples), P, density=density) for density in (0.005, 0.01)]
    assert all(c.captured < c.bound for c in je.certify_front(je.sources.GramRows(samples), results))


@pytest.mark.parametrize("seed", range(40))
def test_samples_never_prove_too_little(seed):
    rng = np.random.default_rng(seed)
    m, n, p = int(rng.integers(1, 6)), int(rng.integers(2, 7)), int(rng.integers(1, 3))
    Y = np.round(rng.standard_normal((m, n)) * rng.choice([1.0, 3.0])) * rng.choice([1e-70, 1.0, 1e70])
    sizes = rng.integers(1, n + 1, size=p)
    total = int(sizes.sum()) if rng.random() < 0.5 else None
    budgets = Budgets(n_components=p, max_nonzeros=int(sizes.max()), total_nonzeros=total)
    found, S = bound_samples(Y, budgets).multipliers if Y.any() else settle_union(Y.T @ Y, budgets).multipliers, Y.T @ Y
    size = max(float(np.trace(S)), 1e-300)
    proved = prove_by_samples(Y, budgets, found.nu, found.s, found.mu)
    assert best_captured(S, sizes) <= proved + 1e-14 * size
    assert proved <= settle_union(S, budgets).bound + 1e-9 * size
    whatever = prove_by_samples(Y, budgets, size * rng.random(), size * rng.standard_normal(n), size * rng.random())
    assert best_captured(S, sizes) <= whatever + 1e-14 * size


def test_a_large_matrix_without_samples_is_decomposed_once(monkeypatch):
    S = je.datasets.random_covariance(30, rng=0)
    monkeypatch.setattr(_search, "MOST_SPLIT", 20)
    monkeypatch.setattr(_problem, "MOST_SPLIT", 20)
    for options in ({"max_nonzeros": 3}, {"density": 0.1}, {"max_nonzeros": 3, "which": "SA"}):
        certificate = je.certify(S, n_components=2, **options)
        assert certificate.kind == "union"
        assert certificate.verify(S) == pytest.approx(certificate.bound, rel=1e-9)
    fan = np.linalg.eigvalsh(S)[-2:].sum()
    assert je.certify(S, n_components=2, max_nonzeros=3).bound < fan
    assert je.certify_front(S, n_components=2, densities=[0.1])[0].bound < fan
