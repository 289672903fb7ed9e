"""Sums of exact frequencies, to compare with."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from jacobeig.estimators.graph import exact
from jacobeig.estimators.graph.exact import sum_exact_frequencies


def laplacian_of_grid(height, width):
    nodes = np.arange(height * width).reshape(height, width)
    i = np.concatenate([nodes[:, :-1].ravel(), nodes[:-1].ravel()])
    j = np.concatenate([nodes[:, 1:].ravel(), nodes[1:].ravel()])
    return to_laplacian(i, j, nodes.size)


def to_laplacian(i, j, n):
    half = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    adjacency = sparse.csr_array(half + half.T)
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def make_model(L, p=6, which="SA", frequency=0.01, kind="combinatorial"):
    """Return what the sum is asked of, without the time that a fit takes."""
    return SimpleNamespace(
        laplacian_=L,
        laplacian=kind,
        n_components_=p,
        frequencies_=np.full(p, frequency),
        decomposition_=SimpleNamespace(method=SimpleNamespace(which=which)),
    )


@pytest.mark.parametrize("frequency", [0.0, 1e-4, 1.0])
def test_large_graphs_have_the_sum_of_all_their_smooth_modes_repeated_ones_included(monkeypatch, frequency):
    parts = sparse.block_diag([laplacian_of_grid(18, 18), laplacian_of_grid(18, 18), sparse.csr_array((1, 1))])
    model = make_model(sparse.csr_array(parts), frequency=frequency)
    monkeypatch.setattr(exact, "TINY_GRAPH", 1000)
    known = sum_exact_frequencies(model)
    monkeypatch.setattr(exact, "TINY_GRAPH", 100)
    assert sum_exact_frequencies(model) == pytest.approx(known, rel=1e-6)


def test_graphs_whose_factors_would_fill_and_other_modes_have_no_sum(monkeypatch):
    monkeypatch.setattr(exact, "TINY_GRAPH", 100)
    monkeypatch.setattr(exact, "SMALL_GRAPH", 100)
    grid = laplacian_of_grid(15, 20)
    assert sum_exact_frequencies(make_model(grid)) is not None
    assert sum_exact_frequencies(make_model(grid, which="LA")) is None
    assert sum_exact_frequencies(make_model(grid, kind="ready")) is None  # may have negative eigenvalues
    assert sum_exact_frequencies(SimpleNamespace()) is None  # loaded
    monkeypatch.setattr(exact, "MOST_OPERATIONS", 300 * 60**2)
    assert sum_exact_frequencies(make_model(grid)) is not None
    shortcuts = to_laplacian(*np.random.default_rng(0).integers(300, size=(2, 900)), 300)
    assert sum_exact_frequencies(make_model(shortcuts)) is None
