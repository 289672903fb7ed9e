"""Working sets: what they read, what they find, and when they are complete."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import jacobeig as je
from jacobeig import Status
from jacobeig.errors import InvalidInputError
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._search import Aim
from jacobeig.refinement._source_view import SourceView
from jacobeig.refinement._working_set import WorkingSet
from jacobeig.sources import GramRows, as_source

pytestmark = pytest.mark.compiled
N, P = 1500, 5


@pytest.fixture(scope="module")
def samples():
    """Few samples of many features, of which some groups vary together."""
    rng = np.random.default_rng(0)
    loadings = np.zeros((12, N))
    for row in loadings:
        row[rng.choice(N, 60, replace=False)] = rng.standard_normal(60)
    return rng.standard_normal((50, 12)) @ loadings + 0.5 * rng.standard_normal((50, N))


@pytest.fixture(scope="module")
def chain(samples):
    return je.sparse_eigsh(GramRows(samples, form=False), P, max_nonzeros=20)


def captured(X, vectors):
    Q = np.linalg.qr(vectors.toarray())[0]
    return np.sum(((X - X.mean(axis=0)) @ Q) ** 2) / (len(X) - 1)


@pytest.mark.parametrize("orthonormal", [True, False])
def test_vectors_beyond_a_thousand_features_are_refined_in_few_passes(samples, chain, orthonormal):
    source = GramRows(samples, form=False)
    refined = je.refine(source, chain, max_nonzeros=20, orthonormal=orthonormal)
    assert captured(samples, refined.vectors) > 1.01 * captured(samples, chain.vectors)
    assert np.diff(refined.vectors.indptr).max() <= 20
    assert refined.passes <= 12
    if orthonormal:
        assert je.metrics.orthonormality_error(refined.vectors) < 1e-12


def test_chain_and_refinement_together_take_at_most_twelve_passes(samples, chain):
    refined = je.sparse_eigsh(GramRows(samples, form=False), P, max_nonzeros=20, refine=True)
    assert refined.passes <= 12
    assert captured(samples, refined.vectors) > captured(samples, chain.vectors)


def test_every_kind_of_source_leads_to_the_same_variance(samples, chain):
    S = np.cov(samples, rowvar=False)
    kinds = [S, aslinearoperator(S), GramRows(samples, form=False), GramRows(sparse.csr_array(samples), form=False)]
    values = [je.refine(kind, chain, max_nonzeros=20).eigenvalues.sum() for kind in kinds]
    np.testing.assert_allclose(values, values[0], rtol=1e-3)
    assert min(values) > chain.eigenvalues.sum()


def open_set(S, *, orthonormal=True, total=60):
    view = SourceView(source=as_source(S), factor=1.0)
    budget = NonzeroBudget(total=total, per_column=len(S))
    rng = np.random.default_rng(0)
    aim = Aim(weights=np.ones(3), budget=budget, clock=Clock(), rng=rng, orthonormal=orthonormal, effort="quick")
    return WorkingSet(view, aim)


@pytest.mark.parametrize("orthonormal", [True, False])
def test_what_a_coordinate_outside_gains_is_exact(orthonormal):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 30))
    S, rows = A @ A.T, np.arange(12)
    V = rng.standard_normal((12, 3)) * (rng.random((12, 3)) < 0.7)
    V = np.linalg.qr(rng.standard_normal((12, 3)))[0] if orthonormal else V / np.linalg.norm(V, axis=0)
    gains = open_set(S, orthonormal=orthonormal)._rate_outside(rows, V)
    U = np.zeros((30, 3))
    U[rows] = V
    before = je.metrics.captured_variance(S, U)
    for i in (12, 20, 29):
        best = -np.inf
        for c in range(3):
            trials = np.repeat(U[:, [c]], 19999, axis=1)
            trials[i] = np.tan(np.linspace(-np.pi / 2, np.pi / 2, 20001)[1:-1])
            q = np.linalg.qr(np.delete(U, c, axis=1))[0]
            rest = trials - q @ (q.T @ trials)
            quotients = np.sum(rest * (S @ rest), axis=0) / np.sum(rest * rest, axis=0)
            best = max(best, float(np.sum(q * (S @ q)) + quotients.max()))
            if c == 0 and i > 12:
                break
        if i == 12:
            assert gains[i] == pytest.approx(best - before, rel=1e-5)
        else:
            assert gains[i] >= best - before - 1e-6 * before
    assert np.isneginf(gains[rows]).all()


def test_a_set_is_complete_when_no_coordinate_outside_pays():
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    S = 0.01 * np.eye(1200)
    S[:12, :12] += blocks
    result = je.sparse_eigsh(S, 3, max_nonzeros=4, refine=True)
    assert result.status is Status.REFINED
    np.testing.assert_allclose(result.eigenvalues, 4.01)


@pytest.mark.parametrize("n", [60, 1100])
def test_a_matrix_that_is_refined_whole_stays_as_it_is(n):
    S = je.datasets.random_covariance(n, rng=0)
    before = S.copy()
    je.sparse_eigsh(S, 2, density=0.6, refine=True)
    np.testing.assert_array_equal(S, before)


def test_a_set_that_does_not_fit_in_memory_shrinks_and_says_so(samples, chain, monkeypatch):
    monkeypatch.setattr("jacobeig.refinement._working_set.available_memory", lambda: 200 * 200 * 64)
    refined = je.refine(GramRows(samples, form=False), chain, max_nonzeros=20)
    assert refined.status is Status.SHRUNK
    assert captured(samples, refined.vectors) >= captured(samples, chain.vectors) * (1 - 1e-12)


@pytest.mark.parametrize("which", ["LA", "SA", "BE"])
def test_targets_and_both_ends_are_kept(which):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((60, 60))
    S = A + A.T
    chain = je.sparse_eigsh(S, 4, which=which, target="log", density=0.2)
    refined = je.refine(S, chain)
    weights = chain.target
    assert refined.method.target == "log"
    assert sorted(refined.target) == sorted(weights)
    assert refined.eigenvalues @ refined.target >= chain.eigenvalues @ weights
    assert je.metrics.orthonormality_error(refined.vectors) < 1e-12


@pytest.mark.parametrize("which", ["LA", "SA", "BE"])
def test_hermitian_matrices_are_refined(which):
    rng = np.random.default_rng(4)
    A = rng.standard_normal((60, 60)) + 1j * rng.standard_normal((60, 60))
    S = A @ A.conj().T
    chain = je.sparse_eigsh(S, 4, which=which, density=0.2)
    refined = je.refine(S, chain)
    assert refined.vectors.dtype == np.complex128
    assert refined.eigenvalues @ refined.target >= chain.eigenvalues @ chain.target - 1e-9
    assert refined.vectors.nnz <= chain.vectors.nnz
    assert je.metrics.orthonormality_error(refined.vectors) < 1e-12


def test_repeated_eigenvalues_are_refined():
    n = 24
    star = np.zeros((n, n))
    star[0, 1:] = star[1:, 0] = -1.0
    np.fill_diagonal(star, -star.sum(axis=1))
    equal = np.full((n, n), 0.5) + 0.5 * np.eye(n)
    X = np.random.default_rng(0).standard_normal((10, n))
    X[:, n // 2 :] = X[:, : n // 2]
    for S in (star, equal, np.cov(X, rowvar=False), np.eye(n)):
        for which in ("LA", "SA"):
            result = je.sparse_eigsh(S, 6, which=which, density=0.2, refine="best")
            assert je.metrics.orthonormality_error(result.vectors) < 1e-12


def test_a_source_that_fails_half_way_is_answered_with_its_own_error(samples, chain):
    class Failing(GramRows):
        def block(self, indices):
            raise OSError("the disk went away")

    with pytest.raises(OSError, match="the disk went away"):
        je.refine(Failing(samples, form=False), chain)


def test_an_operator_that_is_not_symmetric_is_refused(chain):
    upper = np.triu(np.random.default_rng(0).standard_normal((N, N)))
    with pytest.raises(InvalidInputError, match="symmetric"):
        je.refine(aslinearoperator(upper), chain)


@pytest.mark.slow
def test_refinement_on_sets_captures_more_than_the_chain_of_the_whole_where_factors_differ_in_strength():
    rng, n = np.random.default_rng(0), 6000
    loadings = rng.standard_normal((20, n)) * (rng.random((20, n)) < 0.1) * np.geomspace(5, 1, 20)[:, None]
    source = GramRows(rng.standard_normal((200, 20)) @ loadings + rng.standard_normal((200, n)))
    chain = je.sparse_eigsh(source, 10, max_nonzeros=100)
    refined = je.sparse_eigsh(source, 10, max_nonzeros=100, refine=True)
    assert refined.eigenvalues.sum() > chain.eigenvalues.sum()
