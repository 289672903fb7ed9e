"""Parts of a graph that no edge joins are problems of their own: none spoils what is found on the others."""

import numpy as np
import pytest
from scipy import sparse

import jacobeig as je
from jacobeig.refinement._parts import find_by_parts, rotate_by_parts, split_parts
from jacobeig.refinement.spectrum import leading_eigenvectors, varimax

pytestmark = pytest.mark.compiled


def laplacian(graph):
    adjacency = sparse.csr_array(graph + graph.T)
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def path(n):
    return laplacian(sparse.diags_array(np.ones(n - 1), offsets=1))


def grid(side):
    one = path(side)
    return sparse.csr_array(sparse.kronsum(one, one, format="csr"))


def star(n):
    return laplacian(sparse.coo_array((np.ones(n - 1), (np.zeros(n - 1, int), np.arange(1, n))), shape=(n, n)))


def tree(n):
    i = np.arange(1, n)
    return laplacian(sparse.coo_array((np.ones(n - 1), (np.random.default_rng(0).integers(0, i), i)), shape=(n, n)))


def complete(n):
    return sparse.csr_array(n * np.eye(n) - 1.0)


def isolated(count):
    return sparse.csr_array((count, count))


def join(*parts):
    return sparse.csr_array(sparse.block_diag(parts, format="csr"))


def smoothness(L, p=8, **options):
    """Return the sum of the exact frequencies over ours."""
    fourier = je.GraphFourier(p, laplacian="ready", **options).fit(L)
    assert je.metrics.orthonormality_error(fourier.modes_) < 1e-12
    exact = np.linalg.eigvalsh(L.toarray())[:p].sum()
    reached = fourier.frequencies_.sum()
    return 1.0 if reached < 1e-9 else exact / reached


def test_parts_are_split_and_cover_every_row():
    parts = split_parts(join(path(5), isolated(2), complete(3)))
    assert sorted(len(rows) for rows in parts) == [1, 1, 3, 5]
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(10))


@pytest.mark.parametrize("parts", [(grid(20), path(2)), (grid(16), grid(16), isolated(3)), (grid(20),) * 4])
def test_repeated_leading_eigenvalues_are_all_found(parts):
    S = join(*(8 * sparse.eye_array(part.shape[0]) - part for part in parts))
    V = leading_eigenvectors(S, 12)
    np.testing.assert_allclose(V.T @ V, np.eye(12), atol=1e-10)
    np.testing.assert_allclose(np.sum(V * (S @ V), axis=0), np.linalg.eigvalsh(S.toarray())[::-1][:12], atol=1e-6)


def test_only_as_many_parts_are_solved_as_can_matter():
    solved = []

    def find(block, count):
        solved.append(block.shape[0])
        return np.linalg.eigh(block.toarray())[1][:, ::-1][:, :count]

    S = join(*[-path(3)] * 6, -grid(10))
    V = find_by_parts(S, split_parts(S), 4, find)
    assert solved == [3] * 4  # each gives a vector that no other part can beat
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-12)


def test_columns_are_rotated_with_those_of_their_own_part():
    S = join(5 * sparse.eye_array(49) - grid(7), sparse.eye_array(4) * 5 - path(4))
    V = leading_eigenvectors(S, 9)
    R = rotate_by_parts(V, split_parts(S), varimax)
    np.testing.assert_allclose(R @ R.T, V @ V.T, atol=1e-10)
    assert not (R[:49].any(axis=0) & R[49:].any(axis=0)).any()
    assert np.abs(R[:49]).max(axis=0)[R[:49].any(axis=0)].min() > 1.01 / 7  # none is constant any more


@pytest.mark.parametrize(
    "more",
    [(path(2),), (isolated(3),), (grid(10), path(3)), (complete(5), star(6), isolated(1))],
    ids=["pair", "isolated", "smaller", "mixed"],
)
@pytest.mark.parametrize("large", [grid(20), path(500)], ids=["grid", "path"])
def test_a_small_part_does_not_spoil_what_is_found_on_a_large_one(large, more):
    assert smoothness(join(large, *more)) > 0.8


@pytest.mark.parametrize("graph", [tree(600), star(300), complete(60), join(*[grid(9)] * 10)])
def test_trees_stars_complete_graphs_and_many_equal_parts_are_smooth(graph):
    assert smoothness(graph) > 0.95


def test_where_there_are_as_many_small_parts_as_modes_each_mode_is_one():
    fourier = je.GraphFourier(6, laplacian="ready").fit(join(grid(24), isolated(9)))
    np.testing.assert_allclose(fourier.frequencies_, 0.0, atol=1e-12)
