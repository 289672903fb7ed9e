"""A symmetric matrix with the names of its rows."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jacobeig._arguments import is_sparse
from jacobeig._types import PathLike
from jacobeig.errors import InvalidInputError, Mention
from jacobeig.files._content import Table, Wanted, share_reading
from jacobeig.files._formats import read_content
from jacobeig.files._missing import check_finite
from jacobeig.files._names import read_names
from jacobeig.files._sheet import Sheet
from jacobeig.files._table import note_rows, select_numeric, split_row_names

_FOR_A_TABLE = "for a table of data use " + Mention("pca", text="JacobiPCA")


@share_reading
@dataclass(frozen=True, kw_only=True, eq=False)
class MatrixContent:
    """A square matrix.

    Attributes
    ----------
    values : ndarray or csr_array (n, n)
        Real or complex.
    names : tuple of str or None
        What the file calls rows and columns.
    %(notes)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.files import MatrixContent
    >>> MatrixContent(values=np.eye(2), names=("here", "there")).notes
    ()
    """

    values: Any
    names: tuple[str, ...] | None = None
    notes: tuple[str, ...] = field(default=())


@share_reading
def read_matrix(
    path: PathLike,
    *,
    key: str | None = None,
    header: bool | None = None,
    names: PathLike | None = None,
    symmetrize: bool = False,
) -> MatrixContent:
    r"""Read a square matrix from a file; that it is symmetric is for the solver to check.

    Parameters
    ----------
    %(path)s
    %(content)s
    names : path-like, optional
        A text with the names of the rows, one per line; of several columns, the first.
    %(symmetrize)s

    Returns
    -------
    MatrixContent
        The matrix and its names.

    Examples
    --------
    >>> from pathlib import Path
    >>> from jacobeig.files import read_matrix
    >>> _ = Path("correlations.csv").write_text(",a,b\na,1,0.5\nb,0.5,1\n")
    >>> read_matrix("correlations.csv")
    MatrixContent(values=array([[1. , 0.5], [0.5, 1. ]]), names=('a', 'b'), notes=())
    """
    content = read_content(path, Wanted(key=key, header=header))
    matrix = read_square(content, "a matrix holds numbers only; " + _FOR_A_TABLE)
    rows, columns = matrix.values.shape
    if rows != columns:
        raise InvalidInputError(
            f"{path} holds {rows:,} rows and {columns:,} columns, but a symmetric matrix is square:",
            advice=_FOR_A_TABLE + ".",
        )
    check_finite(matrix.values, None, matrix.names, whole=True)
    if names is not None:
        given, notes = read_names(names, rows, "rows")
        matrix = replace(matrix, names=given, notes=(*matrix.notes, *notes))
    return replace(matrix, values=average_with_transpose(matrix.values)) if symmetrize else matrix


def average_with_transpose(values: Any) -> Any:
    """Return the mean of a matrix and its (conjugate) transpose."""
    mean = (values + values.conj().T) / 2
    return mean.tocsr() if is_sparse(mean) else mean


def read_square(content: Sheet | Table, text_remedy: str) -> MatrixContent:
    """Return the numbers of a file and their names, which must agree; `text_remedy` is what to do about text."""
    if isinstance(content, Table):
        rows = None if content.rows is None else tuple(map(str, content.rows))
        names = _agree(rows, content.features)
        return MatrixContent(values=content.values, names=names, notes=content.notes)
    row_names, kept = split_row_names(content, range(content.frame.shape[1]))
    values = select_numeric(content, kept, row_names, whole=text_remedy)
    columns = None if content.names is None else tuple(content.names[t] for t in kept)
    counted = content.unnamed_first and content.counts_rows(0)
    names = _agree(None if row_names is None or counted else tuple(map(str, row_names)), columns)
    return MatrixContent(values=values, names=names, notes=(*content.notes, *note_rows(content, row_names)))


def _agree(rows: tuple[str, ...] | None, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the names of the rows, or those of the columns if rows have none; both must be the same."""
    if rows is None or columns is None or rows == columns or len(rows) != len(columns):
        return columns if rows is None else rows
    at = int(np.flatnonzero(np.array(rows) != np.array(columns))[0])
    raise InvalidInputError(
        f"row {at + 1} is called {rows[at]!r}, but column {at + 1} {columns[at]!r}: rows and columns of a "
        "symmetric matrix come in the same order."
    )
