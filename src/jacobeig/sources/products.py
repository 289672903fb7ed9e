"""Products S V with a few columns, blocks S[W, W] and the whole of any source: by its own means, or its rows alone."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._protocol import RowSource, check_block, check_diagonal, check_rows
from jacobeig.sources._select import as_source
from jacobeig.sources.memory import require_memory
from jacobeig.sources.sparse import SparseRows

__all__ = ["compress", "count_passes", "measure_quotients", "multiply", "read_block", "read_whole"]

# Entries of the rows that are asked for at once where a source has nothing but rows.
BATCH_ENTRIES = 1 << 22


def multiply(source: RowSource, V: NDArray[Any]) -> NDArray[Any]:
    """Return S V (n, p) in double precision; one pass over the data of a source that has `product`."""
    own = getattr(source, "product", None)
    if own is None:
        product = np.concatenate([rows @ V for rows in _read_batches(source, np.arange(source.shape[0]))])
    else:
        product = np.asarray(own(V))
    if product.shape != V.shape:
        raise InvalidInputError(
            f"{type(source).__name__}.product returned shape {product.shape} for vectors of shape {V.shape}; "
            f"expected {V.shape}."
        )
    if not np.isfinite(product).all():
        raise InvalidInputError(
            f"{type(source).__name__} is not finite: its product with {V.shape[1]} vectors has nan or inf; replace or "
            "remove such entries first."
        )
    return product.astype(np.result_type(source.dtype, np.float64), copy=False)


def measure_quotients(source: RowSource, U: sparse.csc_array) -> NDArray[np.float64]:
    """Return the Rayleigh quotients of sparse unit vectors, which stay sparse where the matrix is."""
    if not isinstance(source, SparseRows):
        dense = U.toarray()
        return np.asarray(np.einsum("ij,ij->j", dense.conj(), multiply(source, dense)).real)
    return np.asarray(U.conj().multiply(source.csr @ U).sum(axis=0)).ravel().real


def compress(source: RowSource, U: sparse.csc_array) -> NDArray[Any]:
    """Return U^H S U for a few sparse vectors, made exactly Hermitian; they stay sparse where the matrix is."""
    if isinstance(source, SparseRows):
        inner = (U.conj().T @ (source.csr @ U)).toarray()
    else:
        inner = U.conj().T @ multiply(source, U.toarray())
    return np.asarray((inner + inner.conj().T) / 2)


def read_block(source: RowSource, indices: NDArray[np.int64]) -> NDArray[Any]:
    """Return S[W, W] in double precision, exactly Hermitian, for the coordinates W."""
    size = len(indices)
    require_memory(
        2 * size * size * 8,
        f"A block of {size} x {size} entries",
        ["lower density or max_nonzeros", "use fewer components"],
    )
    own = getattr(source, "block", None)
    if own is None:
        block = np.concatenate([rows[:, indices] for rows in _read_batches(source, indices)])
    else:
        block = np.asarray(own(indices))
    return check_block(source, indices, block)


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
    rows = check_rows(source, np.arange(n), source.rows(np.arange(n)))
    dense = rows.astype(np.result_type(source.dtype, np.float64), copy=False)
    whole = dense + dense.conj().T
    whole /= 2  # in place, as large matrices come here
    return whole, source.dtype


def count_passes(source: RowSource) -> int | None:
    """Return how often a source has read its data whole so far, if it counts."""
    passes = getattr(source, "passes", None)
    return None if passes is None else int(passes)


def _read_batches(source: RowSource, indices: NDArray[np.int64]) -> Iterator[NDArray[Any]]:
    """Yield checked rows, a batch at a time."""
    step = max(1, BATCH_ENTRIES // source.shape[0])
    for start in range(0, len(indices), step):
        part = indices[start : start + step]
        yield check_rows(source, part, source.rows(part))
