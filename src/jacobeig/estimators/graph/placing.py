"""Where the nodes of a graph are drawn if nobody says it: so that paths are about as long on the page as in the graph.

References
----------
U. Brandes and C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph Drawing 2006
(the start: distances to a few nodes, and the two directions in which they differ most).

E. R. Gansner, Y. Koren and S. North, "Graph drawing by stress majorization", Graph Drawing 2004 (each node then moves
to where most others want it, those nearby first).
"""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from jacobeig._types import Floats, IntArray

__all__ = ["MOST_PLACED", "place_nodes"]

MOST_PLACED = 2000  # nodes: their distances take some seconds
PIVOTS = 50
# Rounds of moving all nodes: a drawing of 77 nodes hardly changes after 60, and of 1,600 a round takes 0.1 s.
ROUNDS, ROUNDS_IF_MANY, MANY = 100, 30, 500
APART = 2.0  # edges more than the longest path, between parts that are not connected


def place_nodes(edges: IntArray, n: int) -> Floats:
    """Return x and y of each node (n, 2), always the same for the same edges; a path is a line."""
    ends = edges.astype(np.int32).T  # the indices that the paths of SciPy before 1.13 take
    graph = sparse.coo_array((np.ones(len(edges)), (ends[0], ends[1])), shape=(n, n)).tocsr()
    distances = csgraph.shortest_path(graph, directed=False, unweighted=True)
    connected = np.isfinite(distances)
    distances[~connected] = distances[connected].max() + APART
    places = _scale_distances(distances[:, _choose_pivots(distances)])
    # Nodes with the same neighbours would lie on each other for ever.
    places += 1e-2 * np.random.default_rng(0).standard_normal(places.shape)
    weights = np.divide(1.0, distances**2, out=np.zeros_like(distances), where=distances > 0.0)
    for _ in range(ROUNDS if n <= MANY else ROUNDS_IF_MANY):
        places = _move_all(places, weights, weights * distances)
    return np.asarray(places - places.mean(axis=0), np.float64)


def _choose_pivots(distances: Floats) -> IntArray:
    """Return nodes that are far from each other, the first of them at the rim."""
    pivots = [int(distances[0].argmax())]
    nearest = distances[pivots[0]].copy()
    while len(pivots) < min(PIVOTS, len(distances)):
        pivots.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances[pivots[-1]])
    return np.array(pivots)


def _scale_distances(to_pivots: Floats) -> Floats:
    """Return two directions that tell most of the distances, in units of an edge."""
    squares = -0.5 * to_pivots**2
    squares -= squares.mean(axis=0)
    squares -= squares.mean(axis=1, keepdims=True)
    left, values, _ = np.linalg.svd(squares, full_matrices=False)
    found = left[:, :2] * np.sqrt(values[:2] * np.sqrt(len(to_pivots) / to_pivots.shape[1]))
    return np.pad(found, ((0, 0), (0, 2 - found.shape[1])))


def _move_all(places: Floats, weights: Floats, lengths: Floats) -> Floats:
    """Return each node at the mean of where the others want it; `lengths` are the weights times the distances."""
    apart = np.hypot(*(np.subtract.outer(axis, axis) for axis in places.T))
    pull = lengths / np.maximum(apart, 1e-9)
    moved = weights @ places + pull.sum(axis=1, keepdims=True) * places - pull @ places
    return np.asarray(moved / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300))
