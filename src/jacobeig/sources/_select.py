"""Which source fits which kind of matrix."""

from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import name_type
from jacobeig.errors import InvalidTypeError
from jacobeig.sources._dense import DenseRows
from jacobeig.sources._operator import OperatorRows
from jacobeig.sources._protocol import RowSource, check_source
from jacobeig.sources.dask import DaskRows, is_dask
from jacobeig.sources.sparse import SparseRows


def as_source(matrix: Any, *, check: bool = True) -> RowSource:
    """Return the row source that fits `matrix`.

    Parameters
    ----------
    matrix : array_like, numpy.memmap, scipy sparse array or matrix, dask array, linear operator, or row source
        The symmetric or Hermitian matrix. An object that has ``shape``, ``dtype``, ``diagonal()`` and
        ``rows(indices)`` is taken as it is.
    check : bool, default True
        Whether to read an in-memory matrix once to see that it is finite and symmetric; an operator is applied to two
        random vectors. Memory maps, dask arrays and other sources are only checked on the rows that are read later, by
        `check_rows`.

    Returns
    -------
    RowSource
        The rows of the matrix, which is neither copied nor changed.

    Raises
    ------
    InvalidTypeError
        If `matrix` is none of these, or its entries are not numbers.
    InvalidInputError
        If it is not square, not symmetric, or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.sources import as_source
    >>> as_source(np.eye(3))
    DenseRows(shape=(3, 3), dtype=float64)
    """
    source = _wrap(matrix)
    if check and isinstance(source, (DenseRows, SparseRows, OperatorRows)) and not getattr(source, "on_disk", False):
        source.check()
    return source


def _wrap(matrix: Any) -> RowSource:
    """Return the row source that fits `matrix`, unchecked."""
    if sparse.issparse(matrix):
        return SparseRows(matrix)
    if is_dask(matrix):
        return DaskRows(matrix)
    # Before operators and arrays: a source of the user's own may be one of those too.
    if isinstance(matrix, RowSource) and callable(matrix.rows):
        return check_source(matrix)
    if isinstance(matrix, (np.ndarray, list, tuple)) or hasattr(matrix, "__array__"):
        return DenseRows(matrix)
    if hasattr(matrix, "shape") and any(hasattr(matrix, name) for name in ("matmat", "matvec", "__matmul__")):
        return OperatorRows(matrix)
    raise InvalidTypeError(
        f"matrix is {name_type(matrix)}; accepted are dense arrays, numpy.memmap, scipy sparse arrays and "
        "matrices, dask arrays, linear operators (shape and matvec, matmat or @), and objects with shape, dtype, "
        "diagonal() and rows(indices) (see jacobeig.sources.RowSource)."
    )
