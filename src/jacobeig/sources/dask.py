"""Dask arrays: data matrices and matrices that live on a cluster, or are larger than memory."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import check_square, working_dtype
from jacobeig._extras import import_extra
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._data import Centred, DenseData, Shift, check_data, shift_where_needed
from jacobeig.sources._moments import Moments
from jacobeig.sources._protocol import share_attributes

__all__ = ["DaskData", "DaskRows", "is_dask"]

T = TypeVar("T")

# How many partial results one task combines: few enough to fit on a worker, many enough for a shallow tree.
FAN_IN = 8


@share_attributes
class DaskRows:
    """Rows of a symmetric matrix held in a dask array, computed by the user's scheduler.

    Parameters
    ----------
    matrix : dask.array.Array (n, n)
        The matrix, with known chunk sizes. It is checked only on the rows that are read. Call ``matrix.persist()``
        first if it is expensive to compute and fits in the cluster's memory.

    Attributes
    ----------
    %(square)s
    batch : int
        How many rows to ask for at once, because every call is a round trip to the scheduler.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from jacobeig.sources import DaskRows
    >>> DaskRows(da.eye(4, chunks=2)).rows(np.array([2]))
    array([[0., 0., 1., 0.]])
    """

    batch = 64

    def __init__(self, matrix: Any) -> None:
        self._dask, self._matrix = import_extra("dask"), _check_known(matrix, "matrix")
        self.shape = check_square(matrix.shape)
        self.dtype = working_dtype(matrix.dtype)
        self.passes = 0

    def __repr__(self) -> str:
        return f"DaskRows(shape={self.shape}, dtype={self.dtype})"

    def diagonal(self) -> NDArray[Any]:
        """Return the n diagonal entries as real numbers."""
        return np.asarray(self._compute(np.diagonal(self._matrix)).real, dtype=np.finfo(self.dtype).dtype)

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices`, (len(indices), n), by one graph."""
        # Sorted and once each: dask cuts an index that jumps back and forth into as many chunks.
        unique, places = np.unique(indices, return_inverse=True)
        return np.ascontiguousarray(self._compute(self._matrix[unique])[places], dtype=self.dtype)

    def product(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return S V, by one graph; V goes to the workers."""
        self.passes += 1
        return np.asarray(self._compute(self._matrix.astype(self.dtype) @ V.astype(self.dtype, copy=False)))

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return S[W, W], by one graph."""
        unique, places = np.unique(indices, return_inverse=True)
        block = self._compute(self._matrix[unique][:, unique])
        return np.asarray(block[np.ix_(places, places)], dtype=self.dtype)

    def norm_bound(self) -> float:
        """Return Gershgorin's bound of the largest absolute eigenvalue; computes the whole matrix once."""
        return float(self._compute(abs(self._matrix.astype(self.dtype)).sum(axis=1).max()))

    def _compute(self, lazy: Any) -> Any:
        return self._dask.compute(lazy)[0]


class DaskData:
    """A data matrix in a dask array: each chunk of samples is reduced where it is, the client sees only n columns."""

    batch = 64
    form_up_to = 4096

    def __init__(self, X: Any, *, dtype: np.dtype[Any] | None = None, shift: Shift | None = None) -> None:
        self._dask, self._X = import_extra("dask"), _check_known(X, "X")
        working = check_data(X.shape, X.dtype)
        self.dtype = working if dtype is None else dtype
        self.shape: tuple[int, int] = X.shape
        whole_samples = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        sizes = np.array(whole_samples.chunks[0])
        # A filter may have left chunks without samples, which have no moments.
        starts, blocks = np.cumsum(sizes) - sizes, whole_samples.to_delayed()[:, 0]
        self._blocks = [(block, int(start)) for block, start, size in zip(blocks, starts, sizes, strict=True) if size]
        self._shift = None if shift is None else self._dask.delayed(shift, traverse=False)

    def moments(self) -> Moments:
        """Return the means and sums of squares of the columns; raise where an entry is not finite."""
        return self._reduce(DenseData.moments, Moments.merge)

    def centre(self, moments: Moments) -> Centred:
        """Return the data, shifted by the means if these would cost digits."""
        return shift_where_needed(self, moments, lambda shift: DaskData(self._X, dtype=self.dtype, shift=shift))

    def products(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices` of X^T X, by one graph."""
        return self._reduce(DenseData.products, add, indices)

    def gram(self) -> NDArray[Any]:
        """Return X^T X, by one graph."""
        return self._reduce(DenseData.gram, add)

    def multiply(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return X^T X V, by one graph; what is as long as the samples stays on the workers."""
        return self._reduce(DenseData.multiply, add, V)

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return X[:, W]^T X[:, W], by one graph."""
        return self._reduce(DenseData.block, add, indices)

    def _reduce(self, method: Callable[..., T], combine: Callable[[T, T], T], *arguments: Any) -> T:
        """Apply `method` to each chunk of samples and combine the results in a tree of a fixed shape.

        The shape is part of the graph, so a result does not depend on which worker was first, or died.
        """
        on_chunk, on_group = self._dask.delayed(_apply_to_chunk, pure=False), self._dask.delayed(_combine, pure=False)
        parts = [on_chunk(method, block, self.dtype, self._shift, start, *arguments) for block, start in self._blocks]
        while len(parts) > 1:
            parts = [on_group(combine, parts[at : at + FAN_IN]) for at in range(0, len(parts), FAN_IN)]
        result: T = self._dask.compute(parts[0])[0]
        return result


def is_dask(X: Any) -> bool:
    """Whether `X` is a lazy dask collection; told without importing dask."""
    return type(X).__module__.partition(".")[0] == "dask"


def _apply_to_chunk(
    method: Callable[..., T], chunk: Any, dtype: np.dtype[Any], shift: Shift | None, first_sample: int, *arguments: Any
) -> T:
    """Run on a worker: apply a method of `DenseData` to one chunk."""
    return method(DenseData(chunk, dtype=dtype, shift=shift, first_sample=first_sample), *arguments)


def _combine(combine: Callable[[T, T], T], parts: Sequence[T]) -> T:
    """Run on a worker: combine partial results, from the left."""
    return reduce(combine, parts)


def _check_known(X: Any, name: str) -> Any:
    """Return `X`, or raise unless it is a dask array whose chunk sizes are known."""
    # Asked of the class: a Delayed object says yes to any attribute.
    if not hasattr(type(X), "chunks"):
        raise InvalidTypeError(
            f"{name} is a dask {type(X).__name__}; only dask arrays are taken: pass {name}.to_dask_array(lengths=True)."
        )
    if any(np.isnan(size) for sizes in X.chunks for size in sizes):
        raise InvalidInputError(
            f"{name} is a dask array with unknown chunk sizes: call {name}.compute_chunk_sizes() first."
        )
    return X
