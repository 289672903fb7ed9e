"""Patches: vectors on pieces of a graph, and working sets that follow them over its edges."""

import numpy as np
import pytest
from scipy import sparse

import jacobeig as je
from jacobeig import Status
from jacobeig.refinement._patches import grow_patches
from jacobeig.refinement._sparse_graph import SparseGraph

pytestmark = pytest.mark.compiled


def laplacian_of_grid(height, width):
    lines = [sparse.diags_array([np.ones(size - 1)], offsets=[1], shape=(size, size)) for size in (height, width)]
    half = sparse.kron(lines[0], sparse.eye_array(width)) + sparse.kron(sparse.eye_array(height), lines[1])
    weights = half + half.T
    return sparse.csr_array(sparse.diags_array(weights.sum(axis=1)) - weights)


def join_cliques(sizes, isolated=0):
    """Return the Laplacian of complete graphs side by side, and of nodes with no edge."""
    blocks = [sparse.coo_array(size * np.eye(size) - np.ones((size, size))) for size in sizes]
    return sparse.csr_array(sparse.block_diag([*blocks, sparse.coo_array((isolated, isolated))]))


def grow(L, p, size, weights=1.0):
    return grow_patches(SparseGraph(-L), np.full(p, weights), size, np.random.default_rng(0))


@pytest.mark.parametrize(("p", "size"), [(1, 30), (5, 30), (8, 200), (3, 1600), (10, 5000)])
def test_patches_are_orthonormal_on_disjoint_supports_of_the_size(p, size):
    U = grow(laplacian_of_grid(40, 50), p, size)
    assert U.shape == (2000, p)
    assert np.diff(U.indptr).max() <= size
    assert len(np.unique(U.indices)) == U.nnz
    np.testing.assert_allclose((U.T @ U).toarray(), np.eye(p), atol=1e-13)


def test_patches_are_at_least_as_smooth_as_discs():
    L = laplacian_of_grid(60, 60)
    U = grow(L, 6, 100)
    disc = 5.783 * np.pi / 100  # the first frequency of a round membrane, by its area
    assert (U.T @ (L @ U)).trace() < 6 * disc


def test_large_patches_grow_on_clusters_and_nearly_cover_the_graph():
    L = laplacian_of_grid(150, 160)
    U = grow(L, 4, 6000)
    assert U.nnz > 0.9 * 24_000
    assert (U.T @ (L @ U)).trace() < 4 * 5.783 * np.pi / 6000


@pytest.mark.parametrize("seed", range(20))
def test_there_is_a_patch_for_every_vector_where_each_has_a_node(seed):
    rng = np.random.default_rng(seed)
    half = sparse.triu(sparse.random_array((38, 38), density=0.05, rng=rng), k=1)
    weights = half + half.T
    L = sparse.csr_array(sparse.diags_array(weights.sum(axis=1)) - weights)
    for p in (30, 37, 38):
        U = grow(L, p, 12)
        assert U.shape == (38, p)
        np.testing.assert_allclose((U.T @ U).toarray(), np.eye(p), atol=1e-13)


def test_small_parts_and_isolated_nodes_are_found_first():
    L = join_cliques([300, 40, 30], isolated=2)
    U = grow(L, 4, 60)
    np.testing.assert_allclose((U.T @ (L @ U)).diagonal(), 0.0, atol=1e-12)


def test_both_ends_and_complex_matrices_have_patches():
    L = laplacian_of_grid(30, 30)
    above = sparse.triu(L, 1)
    L = sparse.csr_array(sparse.diags_array(L.diagonal()) + 1j * above - 1j * above.T)  # edges that turn by a quarter
    U = grow_patches(SparseGraph(sparse.csr_array(-L)), np.array([1.0, 1.0, -1.0]), 40, np.random.default_rng(0))
    np.testing.assert_allclose((U.conj().T @ U).toarray(), np.eye(3), atol=1e-13)
    quotients = (U.conj().T @ (L @ U)).diagonal().real
    assert quotients[2] > 4 > quotients[:2].max()


def test_surroundings_and_blocks_are_those_of_the_graph():
    L = laplacian_of_grid(7, 9)
    graph = SparseGraph(-L)
    nodes, steps = graph.spread(np.array([31]), 5)
    assert sorted(nodes) == [22, 30, 31, 32, 40]
    assert steps == 1
    np.testing.assert_array_equal(graph.take_block(nodes).S.toarray(), -L[nodes][:, nodes].toarray())
    assert graph.spread(np.array([0]), 99)[0].size == 63


@pytest.mark.parametrize("options", [{"max_nonzeros": 40}, {"density": 0.02}, {"density": 0.1}])
def test_refinement_over_the_edges_beats_the_chain_within_the_budget(options):
    L = laplacian_of_grid(45, 50)
    chain = je.sparse_eigsh(L, 5, which="SA", n_rotations=3000, **options)
    refined = je.sparse_eigsh(L, 5, which="SA", refine=True, **options)
    assert refined.vectors.nnz <= 5 * options.get("max_nonzeros", options.get("density", 0) * 2250)
    assert np.diff(refined.vectors.indptr).max() <= options.get("max_nonzeros", 2250)
    assert refined.eigenvalues.sum() < 0.85 * chain.eigenvalues.sum()
    assert je.metrics.orthonormality_error(refined.vectors) < 1e-12
    quotients = (refined.vectors.T @ (L @ refined.vectors)).diagonal()
    np.testing.assert_allclose(refined.eigenvalues, quotients, atol=1e-12)


def test_given_vectors_on_a_graph_are_never_made_worse():
    L = laplacian_of_grid(45, 50)
    good = je.sparse_eigsh(L, 5, which="SA", max_nonzeros=60, refine=True)
    again = je.refine(L, good, max_nonzeros=60)
    assert again.eigenvalues.sum() <= good.eigenvalues.sum() * (1 + 1e-12)
    assert again.status in (Status.REFINED, Status.ROUNDS)


def test_a_graph_of_many_nodes_is_refined_without_an_array_of_its_size(monkeypatch):
    L = laplacian_of_grid(300, 300)
    monkeypatch.setattr(sparse.csr_array, "toarray", _refuse_large(sparse.csr_array.toarray))
    monkeypatch.setattr(sparse.csc_array, "toarray", _refuse_large(sparse.csc_array.toarray))
    refined = je.sparse_eigsh(L, 8, which="SA", max_nonzeros=50, refine=True)
    assert refined.eigenvalues.sum() < 8 * 5.783 * np.pi / 50
    assert refined.method.refined_from == "patches"


def _refuse_large(toarray):
    def small_only(self, *arguments, **options):
        assert self.shape[0] < 90_000
        return toarray(self, *arguments, **options)

    return small_only
