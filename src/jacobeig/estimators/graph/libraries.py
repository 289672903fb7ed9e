"""Graphs of every library and form, as networkx, pygsp, matrices and lists of edges, in one standard form."""

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import check_finite, name_type
from jacobeig.errors import InvalidInputError, InvalidTypeError, Mention
from jacobeig.sources.sparse import canonical_csr

__all__ = ["Graph", "as_graph", "is_matrix", "read_laplacian"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Graph:
    """A graph in standard form.

    Attributes
    ----------
    weights : csr_array (n, n)
        The weight of the edge from node i to node j at (i, j).
    nodes : ndarray (n,)
        What the user calls the nodes, in the order of the rows.
    directed : bool
        Whether its edges have directions.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig import GraphFourier
    >>> from jacobeig.estimators.graph import Graph
    >>> friends = Graph.of_edges([(0, 1), (1, 2)], np.array(["Ada", "Bob", "Eve"]))
    >>> GraphFourier(1).fit(friends).nodes_.tolist()
    ['Ada', 'Bob', 'Eve']
    """

    weights: Any
    nodes: NDArray[Any]
    directed: bool

    @classmethod
    def of_edges(cls, edges: Any, nodes: NDArray[Any], *, directed: bool = False) -> "Graph":
        """Make it of edges (m, 2) or (m, 3): from, to (positions in `nodes`) and weight; each node has an edge."""
        return cls(weights=_from_edges(np.asarray(edges), directed=directed), nodes=nodes, directed=directed)

    @classmethod
    def of_weights(cls, weights: Any, nodes: NDArray[Any], *, directed: bool = False) -> "Graph":
        """Make it of a matrix (n, n), dense or sparse: the weight of the edge from row to column."""
        return cls(weights=_check_matrix(weights), nodes=nodes, directed=directed)


def as_graph(graph: Any, *, directed: bool | None = None) -> Graph:
    """Return any kind of graph in standard form; undirected unless it or `directed` says otherwise."""
    if isinstance(graph, Graph):
        return graph
    says = getattr(graph, "is_directed", None)
    if directed is None:
        directed = bool(says()) if callable(says) else False
    nodes = None
    if _is_networkx(graph):
        weights, nodes = _from_networkx(graph)
    elif _is_pygsp(graph):
        weights = _check_matrix(graph.W)
    elif _is_edge_list(graph):
        weights = _from_edges(graph, directed=directed)
    elif is_matrix(graph):
        weights = _check_matrix(graph)
    else:
        raise InvalidTypeError(
            f"graph is {name_type(graph)}; accepted are adjacency matrices (scipy sparse, arrays, data frames), "
            "networkx graphs, pygsp graphs, and edge lists."
        )
    return Graph(weights=weights, nodes=np.arange(weights.shape[0]) if nodes is None else nodes, directed=directed)


def is_matrix(graph: Any) -> bool:
    """Whether `graph` is a matrix of numbers, dense or sparse, and no list of edges."""
    arrays = sparse.issparse(graph) or hasattr(graph, "__array__") or isinstance(graph, (list, tuple))
    return arrays and not _is_edge_list(graph)


def _is_networkx(graph: Any) -> bool:
    """Whether `graph` is a networkx graph, without importing networkx."""
    return all(hasattr(graph, name) for name in ("nodes", "adjacency", "is_directed"))


def _is_pygsp(graph: Any) -> bool:
    """Whether `graph` has weights W and N nodes, as pygsp's graphs do."""
    return hasattr(graph, "W") and hasattr(graph, "N") and not hasattr(graph, "__array__")


def _is_edge_list(graph: Any) -> bool:
    """Whether `graph` lists edges: a list of rows of 2 or 3, or an array of 2 or 3 columns that is not square."""
    if isinstance(graph, (list, tuple)):
        return {np.size(row) for row in graph} <= {2, 3}
    shape: tuple[int, ...] = getattr(graph, "shape", ())
    return not sparse.issparse(graph) and len(shape) == 2 and shape[1] in (2, 3) and shape[0] != shape[1]


def read_laplacian(graph: Any) -> Any:
    """Return a matrix that is a Laplacian already; the solver checks that it is symmetric or Hermitian."""
    if _is_networkx(graph) or _is_edge_list(graph) or isinstance(graph, Graph):
        raise InvalidInputError(
            f"is 'ready', but graph is {name_type(graph)}",
            argument="laplacian",
            advice="give a matrix, or another " + Mention("laplacian") + ".",
        )
    return _check_matrix(graph.L if _is_pygsp(graph) else graph)


def _check_matrix(matrix: Any) -> Any:
    """Return a square matrix of finite numbers in canonical CSR form, or raise."""
    matrix = matrix if sparse.issparse(matrix) else np.asarray(matrix)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidInputError(
            f"graph has shape {tuple(matrix.shape)}; an adjacency matrix is square, an edge list has 2 or 3 columns."
        )
    if matrix.shape[0] < 2:
        raise InvalidInputError(f"graph has {matrix.shape[0]} nodes; it needs at least two.")
    csr = canonical_csr(matrix, "graph")
    check_finite("graph", csr)
    return csr


def _from_networkx(graph: Any) -> tuple[Any, NDArray[Any]]:
    import networkx as nx

    names = list(graph.nodes)
    if len(names) < 2:
        raise InvalidInputError(f"graph has {len(names)} nodes; it needs at least two.")
    nodes = np.empty(len(names), dtype=object)
    nodes[:] = names
    if {type(name) for name in names} in ({int}, {str}):
        nodes = np.array(names)
    for first, second, weight in graph.edges(data="weight", default=1):
        if not isinstance(weight, numbers.Number):
            raise InvalidInputError(
                f"has the weight {weight!r} on the edge from {first!r} to {second!r}",
                argument="graph",
                advice="give numbers as weights.",
            )
    return _check_matrix(nx.to_scipy_sparse_array(graph, nodelist=names)), nodes


def _from_edges(listed: Any, *, directed: bool) -> Any:
    """Return the weights of listed edges; one listed twice, in either direction if undirected, counts twice."""
    if isinstance(listed, (list, tuple)) and len({np.size(row) for row in listed}) != 1:
        raise InvalidInputError("graph is a list that is empty, or mixes edges with and without weights.")
    edges = np.asarray(listed)
    if edges.ndim != 2 or edges.shape[1] not in (2, 3) or edges.dtype.kind not in "iuf":
        raise InvalidInputError(
            f"graph is a list of shape {edges.shape} and dtype {edges.dtype}; an edge list has rows (from, to) or "
            "(from, to, weight) of numbers; nodes that have names come in a networkx graph."
        )
    check_finite("graph", edges)
    ends, weights = edges[:, :2], edges[:, 2] if edges.shape[1] == 3 else np.ones(len(edges))
    if not np.all((ends >= 0) & (ends == np.floor(ends))):
        raise InvalidInputError("graph is an edge list, so its first two columns must be node numbers 0, 1, 2, ...")
    first, second = ends.astype(np.int64).T
    n = int(ends.max()) + 1
    one_way = _check_matrix(sparse.coo_array((weights, (first, second)), shape=(n, n)))
    return one_way if directed else (one_way + one_way.T).tocsr()
