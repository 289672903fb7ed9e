"""Products S V with a few columns, and blocks S[W, W], of any source: by its own means, or from its rows alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig.errors import InvalidInputError
from jacobeig.sources._protocol import RowSource, check_block, check_rows
from jacobeig.sources.memory import require_memory
from jacobeig.sources.sparse import SparseRows

__all__ = ["count_passes", "measure_quotients", "multiply", "read_block"]

# Entries of the rows that are asked for at once where a source has nothing but rows.
BATCH_ENTRIES = 1 << 22


def multiply(source: RowSource, V: NDArray[Any]) -> NDArray[Any]:
    """Return S V (n, p) in double precision; one pass over the data of a source that has `product`."""
    own = getattr(source, "product", None)
    product = _multiply_by_rows(source, V) if own is None else np.asarray(own(V))
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


def read_block(source: RowSource, indices: NDArray[np.int64]) -> NDArray[Any]:
    """Return S[W, W] in double precision, exactly Hermitian, for the coordinates W."""
    size = len(indices)
    require_memory(
        2 * size * size * 8,
        f"A block of {size} x {size} entries",
        ["lower density or max_nonzeros", "use fewer components"],
    )
    own = getattr(source, "block", None)
    block = _read_block_by_rows(source, indices) if own is None else np.asarray(own(indices))
    return check_block(source, indices, block)


def count_passes(source: RowSource) -> int | None:
    """Return how often a source has read its data whole so far, if it counts."""
    passes = getattr(source, "passes", None)
    return None if passes is None else int(passes)


def _batches(indices: NDArray[np.int64], n: int) -> list[NDArray[np.int64]]:
    step = max(1, BATCH_ENTRIES // n)
    return [indices[start : start + step] for start in range(0, len(indices), step)]


def _multiply_by_rows(source: RowSource, V: NDArray[Any]) -> NDArray[Any]:
    n = source.shape[0]
    parts = _batches(np.arange(n), n)
    return np.concatenate([check_rows(source, part, source.rows(part)) @ V for part in parts])


def _read_block_by_rows(source: RowSource, indices: NDArray[np.int64]) -> NDArray[Any]:
    parts = _batches(indices, source.shape[0])
    return np.concatenate([check_rows(source, part, source.rows(part))[:, indices] for part in parts])
