"""The Laplacian of a graph: combinatorial, normalised, or of directed edges."""

from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import check_choice, largest_absolute, require_room, symmetry_tolerance
from jacobeig.errors import InvalidInputError, Mention
from jacobeig.estimators.graph.libraries import as_graph, read_laplacian

__all__ = ["LAPLACIANS", "laplacian_of"]

LAPLACIANS = ("combinatorial", "normalized", "ready")


def laplacian_of(graph: Any, kind: str = "combinatorial", *, directed: bool | None = None, charge: float = 0.25) -> Any:
    """Return the Laplacian of a graph.

    Parameters
    ----------
    graph : scipy sparse array, square array, data frame, networkx graph, pygsp graph, or edge list
        See `jacobeig.GraphFourier.fit`.
    kind : {"combinatorial", "normalized", "ready"}, default "combinatorial"
        D - W, or I - D^(-1/2) W D^(-1/2) (zero in the row of an isolated node), or the matrix itself.
    directed : bool, optional
        Whether edges have directions; by default as the graph says, and undirected if it does not.
    charge : float, default 0.25
        Of the magnetic Laplacian of a directed graph: an edge that goes one way turns the phase by 2 pi `charge`.

    Returns
    -------
    csr_array (n, n)
        Symmetric, or Hermitian if the graph is directed. Self-loops do not count.

    References
    ----------
    M. Fanuel, C. M. Alaíz, Á. Fernández and J. A. K. Suykens, "Magnetic eigenmaps for the visualization of directed
    networks", Applied and Computational Harmonic Analysis 44, 2018 (the magnetic Laplacian).

    Examples
    --------
    >>> from jacobeig.estimators.graph import laplacian_of
    >>> laplacian_of([(0, 1), (1, 2)]).toarray()
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    check_choice("laplacian", kind, LAPLACIANS)
    if kind == "ready":
        return read_laplacian(graph)
    standard = as_graph(graph, directed=directed)
    weights = _check_weights(standard.weights)
    if standard.directed:
        weights = _turn_by_direction(weights, charge)
    else:
        _check_symmetric(weights)
    degrees = np.asarray(abs(weights).sum(axis=1)).ravel()
    if kind == "combinatorial":
        return (sparse.diags_array(degrees) - weights).tocsr()
    roots = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
    inverse = sparse.diags_array(roots)
    return (sparse.diags_array((degrees > 0).astype(degrees.dtype)) - inverse @ weights @ inverse).tocsr()


def _check_weights(weights: Any) -> Any:
    """Return the weights without self-loops, or raise for weights that no Laplacian has."""
    if weights.dtype.kind == "c":
        raise InvalidInputError(
            "Complex data not supported: weights are real. Use laplacian='ready' for a Hermitian matrix, "
            + Mention("directed", True)
            + " for edges with directions."
        )
    if weights.nnz and weights.data.min() < 0:
        raise InvalidInputError(
            f"Negative values in data passed to GraphFourier: the least weight is {weights.data.min():g}; frequencies "
            "need weights of at least 0. Take their absolute values, or pass a signed Laplacian of your own with "
            + Mention("signed", text="laplacian='ready'")
            + "."
        )
    require_room("graph", weights.dtype, largest_absolute(weights.data), weights.shape[0])
    loops = weights.diagonal()
    # A loop does not tell a node from its neighbours, so it has no part in how fast a signal varies.
    return (weights - sparse.diags_array(loops)).tocsr() if loops.any() else weights


def _check_symmetric(weights: Any) -> None:
    difference = abs(weights - weights.T)
    if difference.nnz and difference.data.max() > symmetry_tolerance(weights.dtype, largest_absolute(weights.data)):
        raise InvalidInputError(
            f"is not symmetric (weights differ by up to {difference.data.max():.3g}):",
            argument="graph",
            advice="use "
            + Mention("directed", True)
            + " if its edges have directions, or "
            + Mention("symmetrize", True, text="(W + W.T) / 2")
            + " if they do not."
            + (" A 3 x 3 array is an adjacency matrix: give three weighted edges as a list." * (weights.shape[0] == 3)),
        )


def _turn_by_direction(weights: Any, charge: float) -> Any:
    """Return the Hermitian weights of a directed graph: how strong an edge is, turned by where it goes.

    An edge that goes one way only turns by 2 pi `charge`, whatever its weight; one that goes both ways equally, not.
    """
    mean = ((weights + weights.T) / 2).tocoo()
    net = (weights - weights.T).tocsr()[mean.row, mean.col]
    turns = charge * np.asarray(net).ravel() / (2 * mean.data)
    turned = mean.data * np.exp(2j * np.pi * turns)
    dtype = np.result_type(weights.dtype, np.complex64)
    return sparse.csr_array((turned.astype(dtype), (mean.row, mean.col)), shape=weights.shape)
