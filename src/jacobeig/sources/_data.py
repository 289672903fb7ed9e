"""Data matrices (samples x features): sums of products of their columns, one block at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import check_finite, working_dtype
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._moments import Moments
from jacobeig.sources.sparse import canonical_csr

# A tile of samples x features that stays in cache between being centred and being multiplied; measured.
TILE_SAMPLES, TILE_FEATURES = 256, 2048
TILE_ENTRIES = TILE_SAMPLES * TILE_FEATURES
# Entries of a block of whole samples, when all products are formed: the longer, the fewer additions of n x n.
BLOCK_ENTRIES = 1 << 22
# Up to this share of the columns it pays to gather them for a product.
FEW_COLUMNS = 0.1
# Means up to this many standard deviations stay in the right factor of a product whose left factor has none: rounding
# grows by no more than this, and the larger factor need not be copied to subtract them.
ONE_SIDED = 32.0


class Data(Protocol):
    """What the sums of products need from a data matrix, whatever holds it."""

    @property
    def shape(self) -> tuple[int, int]:
        """(samples, features)."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64: what the products are computed in."""

    @property
    def batch(self) -> int:
        """How many rows of products to ask for at once."""

    @property
    def form_up_to(self) -> int:
        """Up to how many features forming all products costs less than a typical run's rows."""

    def moments(self) -> Moments:
        """Return the means and sums of squares of the columns, or raise at the first entry that is not finite."""

    def centre(self, moments: Moments) -> "Centred":
        """Return data with the same covariance, whose means do not dwarf their spread."""

    def products(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices` of X^T X, (len(indices), n)."""

    def gram(self) -> NDArray[Any]:
        """Return all of X^T X, (n, n)."""

    def multiply(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return X^T X V, (n, p), in one pass."""

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return X[:, W]^T X[:, W]."""


@dataclass(frozen=True, kw_only=True)
class Centred:
    """Data with means near zero, and the means that are left in the two factors of its products.

    ``products`` are those about the mean plus count times left_i right_j; ``gram`` likewise with left_i left_j.
    """

    data: Data
    left: NDArray[np.float64]
    right: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Shift:
    """What to subtract from each column of dense data before taking products, and whether in both factors."""

    values: NDArray[Any]
    both: bool

    @classmethod
    def find_needed(cls, moments: Moments, dtype: np.dtype[Any]) -> "Shift | None":
        """Return the shift without which the products about the mean would lose digits, or None."""
        if not _find_dwarfing(moments, 1.0).any():
            return None
        # A constant column has no digits to lose: its products about the mean are known to be 0.
        varying = moments.scatter > 0
        return cls(values=moments.mean.astype(dtype), both=bool((_find_dwarfing(moments, ONE_SIDED) & varying).any()))


def shift_where_needed(data: Data, moments: Moments, apply: Callable[[Shift], Data]) -> Centred:
    """Return the data, shifted by the means if these would cost digits; `apply` makes shifted data."""
    shift = Shift.find_needed(moments, data.dtype)
    if shift is None:
        return Centred(data=data, left=moments.mean, right=moments.mean)
    left = moments.mean_from(shift.values)
    return Centred(data=apply(shift), left=left, right=left if shift.both else moments.mean)


def check_data(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the working dtype of a data matrix, or raise saying why it is none."""
    if len(shape) != 2:
        raise InvalidInputError(f"X must be 2-D (samples x features), but its shape is {shape}.")
    if 0 in shape:
        raise InvalidInputError(f"X is empty: its shape is {shape}.")
    working = working_dtype(dtype, "X")
    if working.kind == "c":
        raise InvalidTypeError(f"X has dtype {dtype}: only real data are taken; for complex data pass X.conj().T @ X.")
    return working


class DenseData:
    """A data matrix held in an array or a memory map; `shift` is subtracted from its rows as they are read."""

    batch = 32
    form_up_to = 4096

    def __init__(
        self, X: Any, *, dtype: np.dtype[Any] | None = None, shift: Shift | None = None, first_sample: int = 0
    ) -> None:
        if isinstance(X, np.ma.MaskedArray):
            raise InvalidTypeError("X is a masked array: impute or fill its masked entries first.")
        self._X: NDArray[Any] = np.asarray(X)
        self._on_disk = isinstance(X, np.memmap)
        working = check_data(self._X.shape, self._X.dtype)
        self.dtype = working if dtype is None else dtype
        self.shape: tuple[int, int] = self._X.shape
        self._shift, self._first_sample = shift, first_sample

    def moments(self) -> Moments:
        """Return the means and sums of squares of the columns, in one pass; raise where an entry is not finite."""
        with np.errstate(invalid="ignore", over="ignore"):  # nan and inf are looked for below
            # Longer parts where there are few features.
            parts = _cut(self.shape[0], max(TILE_SAMPLES, TILE_ENTRIES // self.shape[1]))
            moments = reduce(Moments.merge, map(self._sum_moments, parts))
        if not np.isfinite(moments.scatter).all():
            self._check_finite()  # returns where squares of finite entries overflowed
        return moments

    def centre(self, moments: Moments) -> Centred:
        """Return the data, shifted by the means if these would cost digits."""
        return shift_where_needed(self, moments, lambda shift: DenseData(self._X, dtype=self.dtype, shift=shift))

    def products(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices` of X^T X, as few products as memory allows: small ones wait for BLAS threads."""
        shift_right = self._shift is not None and self._shift.both
        return self._sum(
            lambda samples: (
                np.ascontiguousarray(self._take_tile(samples, indices).T)
                @ self._take_tile(samples, slice(None), shifted=shift_right)
            ),
            copied=shift_right,
        )

    def gram(self) -> NDArray[Any]:
        """Return X^T X; NumPy sees the two factors are one and does half the work."""
        return self._sum(lambda samples: _square(self._take_tile(samples, slice(None))), copied=self._shift is not None)

    def multiply(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return X^T X V; X is read once, and only the columns that V uses for the first product."""
        used = np.flatnonzero(V.any(axis=1))
        few = len(used) < FEW_COLUMNS * len(V)

        def multiply_part(samples: slice) -> NDArray[Any]:
            tile = self._take_tile(samples, slice(None))
            scores = tile[:, used] @ V[used] if few else tile @ V
            return np.asarray(tile.T @ scores)

        return self._sum(multiply_part, copied=self._shift is not None)

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return X[:, W]^T X[:, W]."""
        return self._sum(lambda samples: _square(self._take_tile(samples, indices)), copied=False)

    def _sum(self, part: Callable[[slice], NDArray[Any]], *, copied: bool) -> NDArray[Any]:
        """Add up what slices of samples give: all at once where nothing is copied, else a block at a time."""
        m, n = self.shape
        whole = not copied and self._X.dtype == self.dtype and not self._on_disk
        slices = _cut(m, m if whole else max(TILE_SAMPLES, BLOCK_ENTRIES // n))
        total = part(next(slices))
        for samples in slices:
            total += part(samples)
        return total

    def _take_tile(self, samples: slice, features: slice | NDArray[np.int64], *, shifted: bool = True) -> NDArray[Any]:
        """Return part of the data in the working dtype, shifted if there is a shift; a view if nothing was done."""
        tile = self._X[samples][:, features].astype(self.dtype, copy=False)
        return tile - self._shift.values[features] if shifted and self._shift is not None else tile

    def _sum_moments(self, samples: slice) -> Moments:
        features = _cut(self.shape[1], TILE_FEATURES)
        return Moments.side_by_side([Moments.of_columns(self._take_tile(samples, some)) for some in features])

    def _check_finite(self) -> None:
        m, n = self.shape
        numbers = range(self._first_sample, self._first_sample + m)
        for samples in _cut(m, max(1, BLOCK_ENTRIES // n)):
            check_finite("X", self._take_tile(samples, slice(None)), numbers[samples], range(n))


class SparseData:
    """A scipy sparse data matrix; never made dense."""

    # One row of products visits only the samples in which its feature occurs; a few hide Python's overhead.
    batch = 4
    form_up_to = 1024

    def __init__(self, X: Any, *, dtype: np.dtype[Any] | None = None) -> None:
        working = check_data(X.shape, X.dtype)
        self.dtype = working if dtype is None else dtype
        self._by_sample = canonical_csr(X, "X").astype(self.dtype, copy=False)
        self._by_feature = self._by_sample.T.tocsr()
        self.shape: tuple[int, int] = self._by_sample.shape

    def moments(self) -> Moments:
        """Return the means and sums of squares of the columns; raise where a stored entry is not finite."""
        check_finite("X", self._by_sample)
        m, stored = self.shape[0], np.diff(self._by_feature.indptr)
        mean = self._by_feature.sum(axis=1, dtype=np.float64) / m
        apart = self._by_feature.data - np.repeat(mean, stored)
        # About the exact mean these sums are zero; what is left corrects a long sum's rounding.
        drift = (self._sum_by_feature(apart) - (m - stored) * mean) / m
        with np.errstate(over="ignore"):  # found by the caller
            squares = self._sum_by_feature(apart * apart) + (m - stored) * mean**2 - m * drift**2
        return Moments(count=m, origin=mean, offset=drift, scatter=np.maximum(squares, 0.0))

    def _sum_by_feature(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of `values`, one for each stored entry, over the samples."""
        n = self.shape[1]
        features = np.repeat(np.arange(n), np.diff(self._by_feature.indptr))
        return np.bincount(features, weights=values, minlength=n).astype(np.float64, copy=False)

    def centre(self, moments: Moments) -> Centred:
        """Return the data with the columns shifted whose means would cost digits.

        Such a column has more than half of its entries stored, so making it full at most doubles it.
        """
        columns = np.flatnonzero(_find_dwarfing(moments, 1.0))
        if len(columns) == 0:
            return Centred(data=self, left=moments.mean, right=moments.mean)
        shift = np.zeros(self.shape[1], dtype=self.dtype)
        shift[columns] = moments.mean[columns]
        starts = np.arange(self.shape[0] + 1) * len(columns)
        places, values = (np.tile(row, self.shape[0]) for row in (columns, shift[columns]))
        shifted = SparseData(self._by_sample - sparse.csr_array((values, places, starts), shape=self.shape))
        means = moments.mean_from(shift)
        return Centred(data=shifted, left=means, right=means)

    def products(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices` of X^T X by sparse products."""
        rows: NDArray[Any] = (self._by_feature[indices] @ self._by_sample).toarray(order="C")
        return rows

    def gram(self) -> NDArray[Any]:
        gram: NDArray[Any] = (self._by_feature @ self._by_sample).toarray(order="C")
        return gram

    def multiply(self, V: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self._by_feature @ (self._by_sample @ V))

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        chosen = self._by_feature[indices]
        block: NDArray[Any] = (chosen @ chosen.T).toarray(order="C")
        return block


def _square(block: NDArray[Any]) -> NDArray[Any]:
    product: NDArray[Any] = block.T @ block
    return product


def _find_dwarfing(moments: Moments, times: float) -> NDArray[np.bool_]:
    """Return which columns have a mean beyond this many standard deviations: subtracted too late, it costs digits."""
    dwarfing: NDArray[np.bool_] = moments.mean**2 * moments.count > times**2 * moments.scatter
    return dwarfing


def _cut(length: int, step: int) -> Iterator[slice]:
    """Yield slices that cut `length` into pieces of `step`."""
    return (slice(start, min(start + step, length)) for start in range(0, length, step))
