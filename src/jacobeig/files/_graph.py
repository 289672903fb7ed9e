"""A graph: a list of edges between named nodes, or a matrix of weights; and where its nodes lie."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import is_sparse, list_names, to_dense
from jacobeig._extras import import_extra
from jacobeig._types import PathLike
from jacobeig.errors import InvalidInputError
from jacobeig.files._content import GraphContent, Table, Wanted, share_reading
from jacobeig.files._formats import read_content, read_graph_content
from jacobeig.files._matrix import average_with_transpose, read_square
from jacobeig.files._missing import check_finite
from jacobeig.files._names import read_names
from jacobeig.files._sheet import Sheet, name_row
from jacobeig.files._table import require_real, select_numeric

LARGEST_EXACT = 2.0**53  # up to which floats tell whole numbers apart


@share_reading
def read_graph(
    path: PathLike,
    *,
    key: str | None = None,
    header: bool | None = None,
    names: PathLike | None = None,
    symmetrize: bool = False,
) -> GraphContent:
    r"""Read a graph from a file: edges in 2 or 3 columns (from, to, weight), a matrix of weights, GraphML or GML.

    Parameters
    ----------
    %(path)s
    %(content)s
    names : path-like, optional
        A text with the names of the nodes, one per line, in the order of a matrix's rows or of the nodes' numbers; of
        several columns, the first.
    %(symmetrize)s

    Returns
    -------
    GraphContent
        Nodes of a list of edges are those that have one: numbers in order, names as they first appear. Whole numbers
        of any size stay what they are; those that no machine integer holds become names.

    Examples
    --------
    >>> from pathlib import Path
    >>> from jacobeig.files import read_graph
    >>> _ = Path("friends.csv").write_text("from,to,weight\nanna,ben,2\nben,eve,1\n")
    >>> read_graph("friends.csv").edges
    array([[0., 1., 2.],
           [1., 2., 1.]])
    """
    content = _read_nodes_and_edges(path, Wanted(key=key, header=header), symmetrize=symmetrize)
    return content if names is None else _rename(content, names)


def _rename(content: GraphContent, names: PathLike) -> GraphContent:
    """Return a graph of numbered nodes with names for them."""
    if content.nodes.dtype.kind not in "iu":
        raise InvalidInputError(
            f"is {os.fspath(names)}, but the file names its nodes itself, as {str(content.nodes[0])!r}:",
            argument="names",
            advice="leave it out.",
        )
    given, notes = read_names(names, len(content.nodes), "nodes")
    return replace(content, nodes=np.array(given), notes=(*content.notes, *notes))


def _read_nodes_and_edges(path: PathLike, wanted: Wanted, *, symmetrize: bool) -> GraphContent:
    """Return a graph as the file has it."""
    content = read_graph_content(path, wanted)
    if isinstance(content, GraphContent):
        check_finite(np.asarray(content.edges)[:, 2:], None, ["weight"], whole=True)
        return content
    if isinstance(content, Sheet) and content.frame.shape[1] in (2, 3) and not _is_small_matrix(content):
        return _connect_columns(content)
    if isinstance(content, Table) and _lists_edges(content.values):
        return _connect_array(content.values)
    if isinstance(content, Sheet) and content.frame.shape[1] > 3 and content.is_text(1):  # of a matrix only the first
        advice = "keep those that are from, to and perhaps weight."
        raise InvalidInputError(f"{path} lists edges in {content.frame.shape[1]} columns:", advice=advice)
    remedy = "a list of edges has 2 or 3 columns (from, to, weight), a matrix of weights only numbers"
    matrix = read_square(content, remedy)
    rows, columns = matrix.values.shape
    if rows != columns:
        raise InvalidInputError(
            f"{path} has {columns:,} columns of numbers and {rows:,} rows; a list of edges has 2 or 3 columns (from, "
            "to, weight), a matrix of weights is square."
        )
    check_finite(matrix.values, None, matrix.names, whole=True)
    return GraphContent(
        nodes=np.arange(rows) if matrix.names is None else np.array(matrix.names),
        weights=average_with_transpose(matrix.values) if symmetrize else matrix.values,
        notes=matrix.notes,
    )


def _lists_edges(values: Any) -> bool:
    return not is_sparse(values) and values.shape[1] in (2, 3) and values.shape[0] != values.shape[1]


def _is_small_matrix(sheet: Sheet) -> bool:
    """Whether three columns are the names and weights of two nodes."""
    return sheet.names is not None and len(sheet.frame) == 2 and tuple(sheet.read_text(0)) == sheet.names[1:]


def _connect_columns(sheet: Sheet) -> GraphContent:
    """Return the graph whose edges are the rows of a sheet."""
    weights = np.ones(len(sheet.frame))
    if sheet.frame.shape[1] == 3:
        weights = select_numeric(sheet, [2], None, whole="weights are numbers, so correct or remove the column")[:, 0]
        check_finite(weights[:, np.newaxis], None, [sheet.name_column(2)], whole=True)
    return _number_nodes(_read_ends(sheet, 0), _read_ends(sheet, 1), weights, sheet.notes)


def _connect_array(edges: Any) -> GraphContent:
    """Return the graph whose edges are the rows of an array."""
    check_finite(edges, None, None, whole=True)
    if edges.dtype.kind == "c":
        raise InvalidInputError(f"the edges are complex ({edges.dtype}); nodes and weights are real numbers.")
    first, second = (_require_whole(edges[:, position], str(position + 1)) for position in (0, 1))
    weights = edges[:, 2].astype(np.float64) if edges.shape[1] == 3 else np.ones(len(edges))
    return _number_nodes(first, second, weights, ())


def _read_ends(sheet: Sheet, position: int) -> NDArray[Any]:
    """Return the nodes in a column: whole numbers, or else strings."""
    column = sheet.frame[position]
    missing = (column.isna() | (column == "")).to_numpy()
    if missing.any():
        at = int(np.flatnonzero(missing)[0])
        raise InvalidInputError(
            f"{name_row(at, None)} has no node in column {sheet.name_column(position)!r}: correct or remove the edge."
        )
    if sheet.is_text(position):
        return sheet.read_text(position)
    return _require_whole(column.to_numpy(), sheet.name_column(position))


def _require_whole(numbers: NDArray[Any], column: str) -> NDArray[Any]:
    """Return numbers as the integers that they are, or raise for those that floats cannot tell apart."""
    if numbers.dtype.kind != "f":
        return numbers  # integers of the machine, or Python's, which become no floats on their way
    broken = np.flatnonzero(numbers != np.floor(numbers))
    if len(broken):
        at = int(broken[0])
        raise InvalidInputError(
            f"{name_row(at, None)} has {numbers[at]:g} in column {column!r}; nodes are called by whole numbers or by "
            "names, in the first two columns."
        )
    if len(numbers) and np.abs(numbers).max() > LARGEST_EXACT:
        at = int(np.argmax(np.abs(numbers)))
        raise InvalidInputError(
            f"{name_row(at, None)} has {numbers[at]:g} in column {column!r}, too large for a decimal number to "
            "be exact: write nodes as whole numbers without a point or exponent."
        )
    return numbers.astype(np.int64)


def _unify(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return both ends of each edge side by side, as integers if one machine type holds them, else as names."""
    if {first.dtype.kind, second.dtype.kind} <= set("biuO"):
        extremes = [int(value) for end in (first, second) if len(end) for value in (end.min(), end.max())]
        for dtype in (np.int64, np.uint64):
            if all(np.iinfo(dtype).min <= value <= np.iinfo(dtype).max for value in extremes):
                return np.column_stack([first.astype(dtype), second.astype(dtype)])
    return np.column_stack([first.astype(str), second.astype(str)])


def _number_nodes(
    first: NDArray[Any], second: NDArray[Any], weights: NDArray[np.float64], notes: Sequence[str]
) -> GraphContent:
    """Number the nodes: numbers in order, names as they first appear, an edge's first end before its second."""
    ends = _unify(first, second).ravel()
    nodes, seen, positions = np.unique(ends, return_index=True, return_inverse=True)
    if nodes.dtype.kind == "U":
        order = np.argsort(seen)
        nodes, positions = nodes[order], np.argsort(order)[positions]
    edges = np.column_stack([positions.reshape(-1, 2), weights])
    return GraphContent(nodes=nodes, edges=edges.astype(np.float64), notes=tuple(notes))


def read_coordinates(path: PathLike, nodes: NDArray[Any]) -> NDArray[np.float64]:
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
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from jacobeig.files import read_coordinates
    >>> _ = Path("places.csv").write_text("node,x,y\nben,1,2\nanna,3,4\n")
    >>> read_coordinates("places.csv", np.array(["anna", "ben"]))
    array([[3., 4.],
           [1., 2.]])
    """
    content = read_content(path, Wanted())
    columns = content.frame.shape[1] if isinstance(content, Sheet) else content.values.shape[1]
    if columns not in (2, 3):
        raise InvalidInputError(f"{path} has {columns} columns; coordinates have 2 (x, y) or 3 (node, x, y).")
    sheet = content
    if isinstance(sheet, Table):
        sheet = Sheet.of(import_extra("pandas").DataFrame(to_dense(require_real(sheet.values))), None)
    places = select_numeric(
        sheet, range(columns - 2, columns), None, whole="coordinates are numbers, so correct the column"
    )
    check_finite(places, None, None if sheet.names is None else sheet.names[-2:], whole=True)
    if columns == 2:
        if len(places) != len(nodes):
            raise InvalidInputError(f"{path} has {len(places):,} rows, but the graph has {len(nodes):,} nodes.")
        return places
    where = {str(node): row for row, node in enumerate(_read_ends(sheet, 0))}
    missing = [node for node in nodes if str(node) not in where]
    if missing:
        raise InvalidInputError(f"{path} does not say where {len(missing):,} nodes lie: {list_names(missing)}.")
    return places[[where[str(node)] for node in nodes]]
