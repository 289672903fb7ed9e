"""Smooth vectors on large graphs by way of clusters of their nodes."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import jacobeig as je
from jacobeig.refinement import _edge_set, _levels
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._levels import climb_levels, plan_levels
from jacobeig.refinement._search import Aim
from jacobeig.refinement._sparse_graph import SparseGraph

pytestmark = pytest.mark.compiled


@pytest.fixture
def few_clusters(monkeypatch):
    """Let graphs of a thousand nodes count as large."""
    monkeypatch.setattr(_levels, "CLUSTERS", 120)
    monkeypatch.setattr(_levels, "EACH", 20)


def laplacian_of_grid(height, width, weights=None):
    nodes = np.arange(height * width).reshape(height, width)
    i = np.concatenate([nodes[:, :-1].ravel(), nodes[:-1].ravel()])
    j = np.concatenate([nodes[:, 1:].ravel(), nodes[1:].ravel()])
    weights = np.ones(len(i)) if weights is None else weights(len(i))
    half = sparse.coo_array((weights, (i, j)), shape=(nodes.size, nodes.size))
    return to_laplacian(half)


def to_laplacian(half):
    adjacency = sparse.csr_array(half + half.T)
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def make_aim(p, total, weights=1.0):
    budget = NonzeroBudget(total=total, per_column=10**9)
    rng = np.random.default_rng(0)
    return Aim(
        weights=np.full(p, weights), budget=budget, clock=Clock(), rng=rng, orthonormal=True, effort="quick"
    )  # fmt: skip


def check(L, result, p, density):
    U = result.vectors
    assert result.method.refined_from == "clusters"
    assert U.nnz <= density * L.shape[0] * p
    assert je.metrics.orthonormality_error(U) < 1e-12
    np.testing.assert_allclose((U.T @ (L @ U)).diagonal(), result.eigenvalues, atol=1e-12)


@pytest.mark.usefixtures("few_clusters")
def test_modes_on_clusters_lead_to_smooth_modes_on_nodes():
    L = laplacian_of_grid(36, 40)
    result = je.sparse_eigsh(L, 5, which="SA", density=0.4, refine=True)
    check(L, result, 5, 0.4)
    assert result.eigenvalues.sum() < 1.3 * np.linalg.eigvalsh(L.toarray())[:5].sum()


@pytest.mark.usefixtures("few_clusters")
def test_the_same_graph_has_the_same_modes_to_the_bit():
    L = laplacian_of_grid(36, 40, np.random.default_rng(0).random)
    first, second = (je.sparse_eigsh(L, 4, which="SA", density=0.3, refine=True) for _ in range(2))
    check(L, first, 4, 0.3)
    assert first.vectors.data.tobytes() == second.vectors.data.tobytes()


@pytest.mark.usefixtures("few_clusters")
def test_limits_on_each_mode_are_kept_on_every_level():
    L = laplacian_of_grid(36, 40)
    result = je.sparse_eigsh(L, 5, which="SA", density=0.4, max_nonzeros=500, refine=True)
    check(L, result, 5, 0.4)
    assert np.diff(result.vectors.indptr).max() <= 500


@pytest.mark.usefixtures("few_clusters")
def test_parts_of_a_graph_and_isolated_nodes_have_modes_of_frequency_zero():
    parts = [laplacian_of_grid(30, 40), laplacian_of_grid(5, 4), sparse.csr_array((2, 2))]
    L = sparse.csr_array(sparse.block_diag(parts))
    result = je.sparse_eigsh(L, 4, which="SA", density=0.5, refine=True)
    check(L, result, 4, 0.5)
    np.testing.assert_allclose(result.eigenvalues[:3], 0.0, atol=1e-12)


@pytest.mark.usefixtures("few_clusters")
def test_many_small_parts_are_left_to_patches(monkeypatch):
    monkeypatch.setattr(_levels, "MOST_CLUSTERS", 200)
    pairs = sparse.coo_array((np.ones(1000), (np.arange(0, 2000, 2), np.arange(1, 2000, 2))), shape=(2000, 2000))
    result = je.sparse_eigsh(to_laplacian(pairs), 4, which="SA", density=0.3, refine=True)
    assert result.method.refined_from != "clusters"
    np.testing.assert_allclose(result.eigenvalues, 0.0, atol=1e-12)


@pytest.mark.usefixtures("few_clusters")
def test_vectors_given_are_never_made_worse_by_clusters():
    L = laplacian_of_grid(36, 40)
    good = je.sparse_eigsh(L, 4, which="SA", density=0.4, refine=True)
    better = je.refine(L, good, which="SA")
    assert better.eigenvalues.sum() <= good.eigenvalues.sum() * (1 + 1e-12)


def test_a_climb_over_clusters_takes_no_more_memory_than_is_foreseen(monkeypatch):
    p, L, peaks = 32, laplacian_of_grid(150, 130), []

    def climb(*parts):
        tracemalloc.start()
        try:
            return climb_levels(*parts)
        finally:
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()

    monkeypatch.setattr(_edge_set, "climb_levels", climb)
    result = je.sparse_eigsh(L, p, which="SA", density=3 / p, refine=True)
    check(L, result, p, 3 / p)
    assert peaks[0] < _edge_set.ENTRY * p * L.shape[0] + _edge_set.NONZERO * 3 * L.shape[0]


def test_clusters_are_for_the_smooth_end_of_large_graphs():
    L = laplacian_of_grid(120, 100)
    large = make_aim(10, 36_000)
    assert plan_levels(-L, large) == _levels.CLUSTERS
    assert plan_levels(L, large) == 0  # the rough end
    assert plan_levels(-L, make_aim(10, 36_000, weights=-1.0)) == 0
    assert plan_levels(-L, make_aim(10, 1000)) == 0  # modes of a hundred nodes
    assert plan_levels(-laplacian_of_grid(30, 30), make_aim(10, 2700)) == 0
    assert plan_levels((-1j * L).tocsr(), large) == 0


def test_coarser_graphs_keep_norms_quotients_and_the_constant_vector():
    L = laplacian_of_grid(20, 30)
    graph = SparseGraph(-L)
    coarse, lift = graph.coarsen(6.0, np.random.default_rng(0))
    assert 50 < coarse.n < 200
    np.testing.assert_allclose((lift.T @ lift).toarray(), np.eye(coarse.n), atol=1e-14)
    np.testing.assert_allclose(lift @ coarse.masses, 1.0)
    np.testing.assert_allclose(coarse.S @ coarse.masses, 0.0, atol=1e-12)
    assert coarse.top == pytest.approx(0.0, abs=1e-12)  # the bound is still sharp
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((coarse.n, 3)))[0]
    np.testing.assert_allclose((lift @ V).T @ (-L @ (lift @ V)), V.T @ (coarse.S @ V), atol=1e-13)
