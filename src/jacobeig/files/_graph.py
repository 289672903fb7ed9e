"""A graph: a list of edges between named nodes, or a matrix of weights; and where its nodes lie."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import is_sparse, list_names
from jacobeig.errors import InvalidInputError
from jacobeig.files._endings import read_content
from jacobeig.files._matrix import average_with_transpose, read_square
from jacobeig.files._sheet import Sheet, name_row
from jacobeig.files._table import check_finite, select_numeric

__all__ = ["GraphContent", "read_coordinates", "read_graph"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphContent:
    r"""Edges or weights, and nodes.

    Attributes
    ----------
    nodes : ndarray (n,)
        What the file calls the nodes: whole numbers or strings.
    edges : ndarray (m, 3) or None
        From, to (positions in `nodes`) and weight of each edge, if the file lists edges.
    weights : ndarray or csr_array (n, n) or None
        The weight of the edge from row to column, if the file holds a matrix.
    notes : tuple of str
        What the user should know of how the file was understood.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from jacobeig.files import read_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "friends.csv"
    ...     _ = path.write_text("from,to\nAda,Bob\nBob,Eve\n")
    ...     content = read_graph(path)
    >>> content.nodes.tolist(), content.edges.tolist()
    (['Ada', 'Bob', 'Eve'], [[0.0, 1.0, 1.0], [1.0, 2.0, 1.0]])
    """

    nodes: NDArray[Any]
    edges: NDArray[np.float64] | None = None
    weights: Any = None
    notes: tuple[str, ...] = field(default=())


def read_graph(
    path: str | os.PathLike[str], *, key: str | None = None, header: bool | None = None, symmetrize: bool = False
) -> GraphContent:
    r"""Read a graph from a file: edges in 2 or 3 columns (from, to, weight), or a square matrix of weights.

    Parameters
    ----------
    path : path-like
        The file; "-" is text on standard input.
    key : str, optional
        Which array of a file with several.
    header : bool, optional
        Whether the first line of a text has the names of the columns; by default that is found out.
    symmetrize : bool, default False
        Take the mean of a matrix of weights and its transpose.

    Returns
    -------
    GraphContent
        Nodes are those that have an edge: numbers in order, names as they first appear.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from jacobeig.files import read_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "friends.csv"
    ...     _ = path.write_text("from,to,weight\nanna,ben,2\nben,eve,1\n")
    ...     graph = read_graph(path)
    >>> graph.nodes.tolist(), graph.edges.tolist()
    (['anna', 'ben', 'eve'], [[0.0, 1.0, 2.0], [1.0, 2.0, 1.0]])
    """
    content = read_content(path, key=key, header=header)
    if isinstance(content, Sheet):
        columns = content.frame.shape[1]
        if columns in (2, 3) and not _is_small_matrix(content):
            return _from_edges(content)
        remedy = "a list of edges has 2 or 3 columns (from, to, weight), a matrix of weights only numbers"
        matrix = read_square(content, remedy)
        values, nodes, notes = matrix.values, matrix.names, matrix.notes
    else:
        if not is_sparse(content) and content.shape[1] in (2, 3) and content.shape[0] != content.shape[1]:
            return _from_array(content)
        values, nodes, notes = content, None, ()
    if values.shape[0] != values.shape[1]:
        raise InvalidInputError(
            f"{path} has {values.shape[1]:,} columns of numbers and {values.shape[0]:,} rows; a list of edges has 2 or "
            "3 columns (from, to, weight), a matrix of weights is square."
        )
    check_finite(values, None, nodes, whole=True)
    values = average_with_transpose(values) if symmetrize else values
    return GraphContent(
        nodes=np.arange(values.shape[0]) if nodes is None else np.array(nodes), weights=values, notes=notes
    )


def _is_small_matrix(sheet: Sheet) -> bool:
    """Whether three columns are the names and weights of two nodes."""
    return sheet.names is not None and len(sheet.frame) == 2 and tuple(sheet.text(0)) == sheet.names[1:]


def _from_edges(sheet: Sheet) -> GraphContent:
    first, second = _ends(sheet, 0), _ends(sheet, 1)
    if first.dtype.kind != second.dtype.kind:
        first, second = first.astype(str), second.astype(str)
    weights = np.ones(len(first))
    if sheet.frame.shape[1] == 3:
        weights = select_numeric(sheet, [2], None, whole="weights are numbers, so correct or remove the column")[:, 0]
        check_finite(weights[:, np.newaxis], None, [sheet.name(2)], whole=True)
    return _number_nodes(first, second, weights, sheet.notes)


def _from_array(edges: Any) -> GraphContent:
    check_finite(edges, None, None, whole=True)
    ends = edges[:, :2]
    if not np.all(ends == np.floor(ends)):
        raise InvalidInputError("the edges' first two columns must be whole numbers, which nodes are called by.")
    first, second = ends.astype(np.int64).T
    weights = edges[:, 2].astype(np.float64) if edges.shape[1] == 3 else np.ones(len(edges))
    return _number_nodes(first, second, weights, ())


def _ends(sheet: Sheet, position: int) -> NDArray[Any]:
    """Return the nodes in a column: whole numbers, or else strings."""
    column = sheet.frame[position]
    missing = (column.isna() | (column == "")).to_numpy()
    if missing.any():
        at = int(np.flatnonzero(missing)[0])
        raise InvalidInputError(
            f"{name_row(at, None)} has no node in column {sheet.name(position)!r}: correct the edge."
        )
    if sheet.is_text(position):
        return sheet.text(position)
    numbers = sheet.numbers([position])[:, 0]
    if not np.all(numbers == np.floor(numbers)):
        at = int(np.flatnonzero(numbers != np.floor(numbers))[0])
        raise InvalidInputError(
            f"{name_row(at, None)} has {numbers[at]:g} in column {sheet.name(position)!r}; nodes are called by whole "
            "numbers or by names, in the first two columns."
        )
    return numbers.astype(np.int64)


def _number_nodes(
    first: NDArray[Any], second: NDArray[Any], weights: NDArray[np.float64], notes: Sequence[str]
) -> GraphContent:
    """Number the nodes: numbers in order, names as they first appear, an edge's first end before its second."""
    ends = np.column_stack([first, second]).ravel()
    nodes, seen, positions = np.unique(ends, return_index=True, return_inverse=True)
    if nodes.dtype.kind == "U":
        order = np.argsort(seen)
        nodes, positions = nodes[order], np.argsort(order)[positions]
    edges = np.column_stack([positions.reshape(-1, 2), weights])
    return GraphContent(nodes=nodes, edges=edges.astype(np.float64), notes=tuple(notes))


def read_coordinates(path: str | os.PathLike[str], nodes: NDArray[Any]) -> NDArray[np.float64]:
    r"""Read where the nodes of a graph lie: columns x and y, after the node's name or in the order of the nodes.

    Parameters
    ----------
    path : path-like
        The file; "-" is text on standard input.
    nodes : ndarray (n,)
        What the nodes are called.

    Returns
    -------
    ndarray (n, 2)
        The coordinates in the order of the nodes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from jacobeig.files import read_coordinates
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "places.csv"
    ...     _ = path.write_text("node,x,y\nben,1,2\nanna,3,4\n")
    ...     read_coordinates(path, np.array(["anna", "ben"]))
    array([[3., 4.],
           [1., 2.]])
    """
    content = read_content(path)
    sheet = content if isinstance(content, Sheet) else Sheet.of(_make_frame(content), None)
    columns = sheet.frame.shape[1]
    if columns not in (2, 3):
        raise InvalidInputError(f"{path} has {columns} columns; coordinates have 2 (x, y) or 3 (node, x, y).")
    places = select_numeric(
        sheet, range(columns - 2, columns), None, whole="coordinates are numbers, so correct the column"
    )
    check_finite(places, None, None if sheet.names is None else sheet.names[-2:], whole=True)
    if columns == 2:
        if len(places) != len(nodes):
            raise InvalidInputError(f"{path} has {len(places):,} rows, but the graph has {len(nodes):,} nodes.")
        return places
    where = {str(node): row for row, node in enumerate(_ends(sheet, 0))}
    missing = [node for node in nodes if str(node) not in where]
    if missing:
        raise InvalidInputError(f"{path} does not say where {len(missing):,} nodes lie: {list_names(missing)}.")
    return places[[where[str(node)] for node in nodes]]


def _make_frame(array: Any) -> Any:
    from jacobeig.files._text import import_pandas

    return import_pandas().DataFrame(array.toarray() if is_sparse(array) else np.asarray(array))
