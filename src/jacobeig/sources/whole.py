"""A whole matrix in memory, for the methods that need all of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import InvalidTypeError
from jacobeig.sources._protocol import check_diagonal, check_rows
from jacobeig.sources._select import as_source
from jacobeig.sources.memory import require_memory

__all__ = ["read_whole"]


def read_whole(matrix: Any, what: str, *, hermitian: bool = False) -> tuple[NDArray[np.float64], np.dtype[Any]]:
    """Return a checked matrix as a dense array of double precision that may be changed, and the dtype it came in.

    Only with `hermitian` it may be complex.
    """
    source = as_source(matrix)
    check_diagonal(source, source.diagonal())
    n = source.shape[0]
    if source.dtype.kind == "c" and not hermitian:
        raise InvalidTypeError(f"matrix is complex ({source.dtype}); {what} is for real symmetric matrices.")
    require_memory(
        8 * n * n * (2 if source.dtype.kind == "c" else 1),
        f"{what}, which needs the whole {n} x {n} matrix,",
        ["use fewer features", "leave it out"],
    )
    dense = check_rows(source, np.arange(n), source.rows(np.arange(n))).astype(np.result_type(source.dtype, np.float64))
    return (dense + dense.conj().T) / 2, source.dtype
