"""A whole matrix in memory, for the methods that need all of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import InvalidTypeError
from jacobeig.sources._protocol import check_diagonal, check_rows
from jacobeig.sources._select import as_source
from jacobeig.sources.memory import require_memory

__all__ = ["read_whole"]


def read_whole(matrix: Any, what: str) -> tuple[NDArray[np.float64], np.dtype[Any]]:
    """Return a checked matrix as a dense float64 array that may be changed, and the dtype it came in."""
    source = as_source(matrix)
    check_diagonal(source, source.diagonal())
    n = source.shape[0]
    if source.dtype.kind == "c":
        raise InvalidTypeError(f"matrix is complex ({source.dtype}); {what} is for real symmetric matrices.")
    require_memory(
        8 * n * n, f"{what}, which needs the whole {n} x {n} matrix,", ["use fewer features", "leave it out"]
    )
    dense = check_rows(source, np.arange(n), source.rows(np.arange(n))).astype(np.float64)
    return (dense + dense.T) / 2, source.dtype
