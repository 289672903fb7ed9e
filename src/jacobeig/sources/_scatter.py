"""Sums of products about the mean, for any data matrix."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import name_type
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._data import Data, DenseData, SparseData
from jacobeig.sources._moments import Moments
from jacobeig.sources.dask import DaskData, is_dask


class Scatter:
    """The matrix of sums of products (X - mean)^T (X - mean), or X^T X if not centred, by rows or whole.

    Computed in the precision of X unless `dtype` says otherwise. `squares` is its diagonal; `moments` are always about
    the means; `passes` counts how often the data have been read whole.
    """

    def __init__(self, X: Any, *, center: bool, dtype: np.dtype[Any] | None = None) -> None:
        data = _as_data(X, dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # found next
            self.moments, self.passes = data.moments(), 1
        self.squares = _sum_squares(self.moments, center=center)
        fits = (self.squares <= np.finfo(data.dtype).max).all()  # so that nan does not pass
        if not fits or not np.isfinite(_sum_squares(self.moments, center=False)).all():
            raise InvalidInputError(
                "X is too large: the squares of its entries overflow; divide it by its largest entry."
            )
        self.shape, self.dtype = data.shape, data.dtype
        self.batch, self.form_up_to = data.batch, data.form_up_to
        self._centred = data.centre(self.moments) if center else None
        self._data = data if self._centred is None else self._centred.data
        self._constant = np.flatnonzero(self.moments.scatter == 0)

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        self.passes += 1
        rows = self._data.products(indices)
        if self._centred is not None:
            self._subtract_means(rows, self._centred.left[indices], self._centred.right)
        return rows

    def multiply(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return the matrix times the columns of V, in one pass over the data."""
        self.passes += 1
        product = self._data.multiply(V.astype(self.dtype, copy=False))
        if self._centred is not None:
            left = self._centred.left
            product -= np.outer((self.moments.count * left).astype(product.dtype), (left @ V).astype(product.dtype))
            product[self._constant] = 0
        return product

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the entries among some features, in one pass over the data."""
        self.passes += 1
        block = self._data.block(indices)
        if self._centred is not None:
            left = self._centred.left[indices]
            block -= np.outer((self.moments.count * left).astype(block.dtype), left.astype(block.dtype))
            constant = np.isin(indices, self._constant)
            block[constant] = block[:, constant] = 0
        return block

    def matrix(self) -> NDArray[Any]:
        self.passes += 1
        rows = self._data.gram()
        if self._centred is not None:
            self._subtract_means(rows, self._centred.left, self._centred.left)
        return rows

    def _subtract_means(self, rows: NDArray[Any], left: NDArray[np.float64], right: NDArray[np.float64]) -> None:
        """Take what the means contribute out of sums of products, in place."""
        if left.any() and right.any():
            means = right.astype(rows.dtype)
            for row, mean in zip(rows, (self.moments.count * left).astype(rows.dtype), strict=True):
                row -= mean * means  # one by one: the outer product of all would be as large as the rows
        # Known exactly, where rounding would leave a trace of the mean.
        rows[:, self._constant] = 0


def _sum_squares(moments: Moments, *, center: bool) -> NDArray[np.float64]:
    """Return the sums of the squares of each feature, about the mean or about zero."""
    if center:
        return moments.scatter
    with np.errstate(over="ignore"):
        return np.asarray(moments.scatter + moments.count * moments.mean**2)


def _as_data(X: Any, dtype: np.dtype[Any] | None) -> Data:
    """Return the data matrix class that fits `X`."""
    if sparse.issparse(X):
        return SparseData(X, dtype=dtype)
    if is_dask(X):
        return DaskData(X, dtype=dtype)
    if isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "__array__"):
        return DenseData(X, dtype=dtype)
    raise InvalidTypeError(
        f"X is {name_type(X)}; accepted are dense arrays, numpy.memmap, scipy sparse arrays and matrices, and "
        "dask arrays, samples x features."
    )
