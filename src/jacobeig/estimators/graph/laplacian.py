"""Any kind of graph in, its Laplacian out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import check_choice, check_finite, largest_absolute, symmetry_tolerance
from jacobeig._docs import share_docs
from jacobeig.errors import InvalidInputError, InvalidTypeError, Mention
from jacobeig.sources.sparse import canonical_csr

__all__ = ["LAPLACIANS", "Graph", "as_graph", "is_edge_list", "is_networkx", "is_pygsp", "laplacian_of"]

LAPLACIANS = ("combinatorial", "normalized", "ready")
share_nodes = share_docs(
    nodes="""
nodes : ndarray (n,)
    What the user calls the nodes.
directed : bool, default False
    Whether edges have directions.

Returns
-------
Graph
    In standard form.
"""
)


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
    @share_nodes
    def of_edges(cls, edges: Any, nodes: NDArray[Any], *, directed: bool = False) -> "Graph":
        """Make it of listed edges between named nodes.

        Parameters
        ----------
        edges : array_like (m, 2) or (m, 3)
            From, to (positions in `nodes`) and weight; each node has an edge.
        %(nodes)s

        Examples
        --------
        >>> import numpy as np
        >>> from jacobeig.estimators.graph import Graph
        >>> Graph.of_edges([(0, 1)], np.array(["anna", "ben"])).weights.toarray()
        array([[0., 1.],
               [1., 0.]])
        """
        return cls(weights=_from_edges(np.asarray(edges), directed=directed), nodes=nodes, directed=directed)

    @classmethod
    @share_nodes
    def of_weights(cls, weights: Any, nodes: NDArray[Any], *, directed: bool = False) -> "Graph":
        """Make it of a matrix of weights between named nodes.

        Parameters
        ----------
        weights : array_like or sparse array (n, n)
            The weight of the edge from row to column.
        %(nodes)s

        Examples
        --------
        >>> import numpy as np
        >>> from jacobeig.estimators.graph import Graph
        >>> Graph.of_weights([[0, 2], [2, 0]], np.array(["anna", "ben"])).nodes.tolist()
        ['anna', 'ben']
        """
        return cls(weights=check_matrix(weights), nodes=nodes, directed=directed)


def as_graph(graph: Any, *, directed: bool | None = None) -> Graph:
    """Return any kind of graph in standard form; undirected unless it or `directed` says otherwise."""
    if isinstance(graph, Graph):
        return graph
    says = getattr(graph, "is_directed", None)
    if directed is None:
        directed = bool(says()) if callable(says) else False
    nodes = None
    if is_networkx(graph):
        weights, nodes = _from_networkx(graph)
    elif is_pygsp(graph):
        weights = check_matrix(graph.W)
    elif is_edge_list(graph):
        weights = _from_edges(graph, directed=directed)
    elif sparse.issparse(graph) or hasattr(graph, "__array__") or isinstance(graph, (list, tuple)):
        weights = check_matrix(graph)
    else:
        raise InvalidTypeError(
            f"graph is a {type(graph).__name__}; accepted are adjacency matrices (scipy sparse, arrays, data frames), "
            "networkx graphs, pygsp graphs, and edge lists."
        )
    return Graph(weights=weights, nodes=np.arange(weights.shape[0]) if nodes is None else nodes, directed=directed)


def is_networkx(graph: Any) -> bool:
    """Whether `graph` is a networkx graph; told without importing networkx."""
    return all(hasattr(graph, name) for name in ("nodes", "adjacency", "is_directed"))


def is_pygsp(graph: Any) -> bool:
    """Whether `graph` has weights W and N nodes, as pygsp's graphs do."""
    return hasattr(graph, "W") and hasattr(graph, "N") and not hasattr(graph, "__array__")


def is_edge_list(graph: Any) -> bool:
    """Whether `graph` lists edges: a list of rows of 2 or 3, or an array of 2 or 3 columns that is not square."""
    if isinstance(graph, (list, tuple)):
        return {np.size(row) for row in graph} <= {2, 3}
    shape: tuple[int, ...] = getattr(graph, "shape", ())
    return not sparse.issparse(graph) and len(shape) == 2 and shape[1] in (2, 3) and shape[0] != shape[1]


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
        return _read_ready(graph)
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


def _read_ready(graph: Any) -> Any:
    """Return a matrix that is a Laplacian already; the solver checks that it is symmetric or Hermitian."""
    if is_networkx(graph) or is_edge_list(graph) or isinstance(graph, Graph):
        raise InvalidInputError(
            f"is 'ready', but graph is a {type(graph).__name__}",
            argument="laplacian",
            advice="give a matrix, or another " + Mention("laplacian") + ".",
        )
    return check_matrix(graph.L if is_pygsp(graph) else graph)


def check_matrix(matrix: Any) -> Any:
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
    return check_matrix(nx.to_scipy_sparse_array(graph, nodelist=names)), nodes


def _from_edges(listed: Any, *, directed: bool) -> Any:
    """Return the weights of listed edges; one listed twice, in either direction if undirected, counts twice."""
    if isinstance(listed, (list, tuple)) and len({np.size(row) for row in listed}) != 1:
        raise InvalidInputError("graph is a list that is empty, or mixes edges with and without weights.")
    edges = np.asarray(listed)
    if edges.ndim != 2 or edges.shape[1] not in (2, 3) or edges.dtype.kind not in "iuf":
        raise InvalidInputError(
            f"graph is a list of shape {edges.shape} and dtype {edges.dtype}; an edge list has rows (from, to) or "
            "(from, to, weight) of numbers."
        )
    check_finite("graph", edges)
    ends, weights = edges[:, :2], edges[:, 2] if edges.shape[1] == 3 else np.ones(len(edges))
    if not np.all((ends >= 0) & (ends == np.floor(ends))):
        raise InvalidInputError("graph is an edge list, so its first two columns must be node numbers 0, 1, 2, ...")
    first, second = ends.astype(np.int64).T
    n = int(ends.max()) + 1
    one_way = check_matrix(sparse.coo_array((weights, (first, second)), shape=(n, n)))
    return one_way if directed else (one_way + one_way.T).tocsr()


def _check_weights(weights: Any) -> Any:
    """Return the weights without self-loops, or raise for weights that no Laplacian has."""
    if weights.dtype.kind == "c":
        raise InvalidInputError(
            "Complex data not supported: weights are real. Use laplacian='ready' for a Hermitian matrix, "
            + Mention("directed", True)
            + " for edges with directions."
        )
    if weights.nnz and weights.data.min() < 0:
        count = int(np.count_nonzero(weights.data < 0))
        raise InvalidInputError(
            f"Negative values in data passed to GraphFourier: {count} weights, the least {weights.data.min():g}; "
            "frequencies need weights of at least 0. Take abs(weights), or pass a signed Laplacian of your own with "
            "laplacian='ready'."
        )
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
            + " if they do not. A 3 x 3 array is an adjacency matrix: give three weighted edges as a list.",
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
