"""Modes of a graph, drawn on its nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import check_count, check_places, locate_entries
from jacobeig._types import FloatArray, IntArray
from jacobeig.errors import InvalidInputError
from jacobeig.plotting._vectors import read_columns
from jacobeig.plotting.axes import DIVERGING, Axes, draws, get_axes

GAP = 1.15  # from one drawing of the graph to the next, in widths of it


@draws
def plot_graph_modes(
    vectors: Any,
    coordinates: Any = None,
    graph: Any = None,
    *,
    n_columns: int = 4,
    node_size: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw modes on the nodes of their graph, side by side; blue and red are the signs, small grey dots exact zeros.

    Parameters
    ----------
    vectors : EigenResult, fitted GraphFourier, array_like or sparse array
        One mode, or several, one per column.
    coordinates : array_like (n, 2) or mapping of node to (x, y), optional
        Where the nodes are; by default the attribute "pos" of the nodes of a networkx graph, or where the lengths of
        its paths put at most 2,000 of them.
    graph : networkx graph, array_like or sparse array (n, n), or array_like (m, 2), optional
        A graph, its adjacency matrix, or the edges as pairs of node numbers. Without it and coordinates, a
        `GraphFourier` that was fitted here draws its own; with coordinates no edges are drawn.
    n_columns : int, default 4
        Drawings in a row.
    node_size : float, optional
        Area of a node in square points; smaller for larger graphs by default.
    %(ax)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.plotting import plot_graph_modes
    >>> ax = plot_graph_modes([0.7, -0.7, 0.0], [[0, 0], [1, 0], [0.5, 1]], [(0, 1), (1, 2)])
    >>> len(ax.collections)  # edges, nodes where the mode is zero, nodes where it is not
    3
    """
    columns = read_columns(vectors)
    n, p = columns.shape
    if hasattr(graph, "adjacency"):  # networkx
        coordinates, graph = _read_networkx(graph, coordinates)
    elif graph is None and coordinates is None:
        graph = getattr(vectors, "laplacian_", None)
    edges = _list_edges(graph, n)
    if coordinates is None and graph is not None:
        coordinates = _place(edges, n)
    places = _scale_places(_order_places(coordinates, getattr(vectors, "nodes_", None)), n)
    n_columns = min(check_count("n_columns", n_columns, 1), p)
    n_rows = -(-p // n_columns)
    ax = get_axes(ax, (2.2 * n_columns + 0.2, 2.2 * n_rows + 0.2))
    size = float(np.clip(2500.0 / n, 3.0, 40.0)) if node_size is None else float(node_size)
    offsets = [GAP * np.array([t % n_columns, -(t // n_columns)]) for t in range(p)]
    _draw_edges(ax, np.concatenate([places + offset for offset in offsets]), edges, n, p)
    for vector, offset in zip(columns.T, offsets, strict=True):
        _draw_nodes(ax, places + offset, vector / (np.abs(vector).max() or 1.0), size)
    ax.set_aspect("equal")
    ax.margins(0.03)
    ax.set_axis_off()
    return ax


def _read_networkx(graph: Any, coordinates: Any) -> tuple[Any, Any]:
    """Return where the nodes of a networkx graph are, by node in its order, and its adjacency matrix."""
    import networkx as nx

    if coordinates is None:
        known = nx.get_node_attributes(graph, "pos")
        coordinates = known if len(known) == len(graph) else None
    if hasattr(coordinates, "keys"):
        coordinates = {node: coordinates[node] for node in graph}
    return coordinates, nx.to_scipy_sparse_array(graph, weight=None)


def _place(edges: IntArray, n: int) -> FloatArray:
    from jacobeig.estimators.graph.placing import MOST_PLACED, place_nodes

    if n > MOST_PLACED:
        raise InvalidInputError(f"coordinates is None, but {n:,} nodes are too many to find places for; give them.")
    return place_nodes(edges, n)


def _order_places(coordinates: Any, nodes: Any) -> Any:
    """Return the places of a mapping in the order of the nodes that a model knows, or in its own."""
    if not hasattr(coordinates, "keys"):
        return coordinates
    order = coordinates if nodes is None or any(node not in coordinates for node in nodes) else nodes
    return [coordinates[node] for node in order]


def _scale_places(coordinates: Any, n: int) -> FloatArray:
    """Return the places moved and scaled into the unit square."""
    places = check_places(coordinates, n)
    low = places.min(axis=0)
    unit: FloatArray = (places - low) / (np.ptp(places, axis=0).max() or 1.0)
    return unit


def _list_edges(graph: Any, n: int) -> IntArray:
    """Return the edges (m, 2) of an adjacency matrix or a list of pairs, each once."""
    if graph is None:
        return np.zeros((0, 2), dtype=np.int64)
    given: Any = graph if sparse.issparse(graph) else np.asarray(graph)
    if given.shape == (n, n):
        both = sparse.coo_array(given)
        both.eliminate_zeros()
        listed = np.column_stack(locate_entries(both))
    elif given.ndim == 2 and given.shape[1] == 2 and not sparse.issparse(given):
        listed = given
    else:
        raise InvalidInputError(
            f"graph has shape {given.shape}; give the ({n}, {n}) adjacency matrix or edges of shape (m, 2)."
        )
    if listed.size and (listed.dtype.kind not in "iu" or listed.min() < 0 or listed.max() >= n):
        raise InvalidInputError(f"graph has edges with nodes other than the whole numbers 0 to {n - 1}.")
    pairs = np.unique(np.sort(listed.reshape(-1, 2).astype(np.int64), axis=1), axis=0)
    kept: IntArray = pairs[pairs[:, 0] != pairs[:, 1]]
    return kept


def _draw_edges(ax: Axes, places: FloatArray, edges: IntArray, n: int, p: int) -> None:
    from matplotlib.collections import LineCollection

    segments = np.concatenate([places[edges + n * t] for t in range(p)])
    lines = LineCollection(list(segments), colors="0.82", linewidths=0.4, zorder=1)
    lines.set_rasterized(len(segments) > 5000)
    ax.add_collection(lines)


def _draw_nodes(ax: Axes, places: FloatArray, values: FloatArray, size: float) -> None:
    zero = values == 0.0
    ax.scatter(places[zero, 0], places[zero, 1], s=size / 4, color="0.7", linewidths=0, zorder=2)
    shown = np.flatnonzero(~zero)
    shown = shown[np.argsort(np.abs(values[shown]), kind="stable")]  # the largest on top
    ax.scatter(
        places[shown, 0], places[shown, 1], c=values[shown], s=size, cmap=DIVERGING, vmin=-1.0, vmax=1.0,
        edgecolors="0.35", linewidths=0.3, zorder=3,
    )  # fmt: skip
