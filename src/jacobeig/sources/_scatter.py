"""Sums of products about the mean, for any data matrix."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig.errors import InvalidTypeError
from jacobeig.sources._dask import DaskData, is_dask
from jacobeig.sources._data import Data, DenseData, SparseData

__all__ = ["Scatter"]


class Scatter:
    """The matrix of sums of products (X - mean)^T (X - mean), or X^T X if not centred, by rows or whole.

    Parameters
    ----------
    X : dense array, numpy.memmap, scipy sparse array or matrix, or dask array (samples x features)
        The data.
    center : bool
        Whether to take the products about the mean.
    dtype : dtype, optional
        What to compute in, instead of the precision of `X`.

    Attributes
    ----------
    moments : Moments
        Of the columns, always about their means.
    """

    def __init__(self, X: Any, *, center: bool, dtype: np.dtype[Any] | None = None) -> None:
        data = _as_data(X, dtype)
        self.moments = data.moments()
        self._data, means = data.near_zero_mean(self.moments) if center else (data, np.zeros(data.shape[1]))
        # sum (x - s)(y - t) = sum of products about the mean + m (mean x - s)(mean y - t)
        self._means = (np.sqrt(self.moments.count) * means).astype(data.dtype) if means.any() else None
        self.shape, self.dtype, self.batch = data.shape, data.dtype, data.batch

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices`, (len(indices), n)."""
        return self._about_the_mean(self._data.products(indices), indices)

    def matrix(self) -> NDArray[Any]:
        """Return all rows, (n, n)."""
        return self._about_the_mean(self._data.gram(), slice(None))

    def _about_the_mean(self, rows: NDArray[Any], indices: NDArray[np.int64] | slice) -> NDArray[Any]:
        if self._means is not None:
            rows -= np.outer(self._means[indices], self._means)
        return rows


def _as_data(X: Any, dtype: np.dtype[Any] | None) -> Data:
    """Return the data matrix class that fits `X`."""
    if sparse.issparse(X):
        return SparseData(X, dtype=dtype)
    if is_dask(X):
        return DaskData(X, dtype=dtype)
    if isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "__array__"):
        return DenseData(X, dtype=dtype)
    raise InvalidTypeError(
        f"X is a {type(X).__name__}; accepted are dense arrays, numpy.memmap, scipy sparse arrays and matrices, and "
        "dask arrays, samples x features."
    )
