"""Rows of an array in memory or on disk."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jacobeig._arguments import (
    as_array,
    check_finite,
    check_square,
    largest_absolute,
    require_room,
    require_symmetric,
    symmetry_tolerance,
    working_dtype,
)
from jacobeig.errors import InvalidTypeError
from jacobeig.sources._protocol import share_attributes
from jacobeig.sources._symmetry import COMPILED, measure_compiled

# A tile and its mirror image fit in the second-level cache; measured, 128 and 512 are a third slower.
TILE = 256
# Entries converted at once by the passes that read whole rows.
BLOCK_ENTRIES = 1 << 18


@share_attributes
class DenseRows:
    """Rows of a symmetric or Hermitian array, which is neither copied nor changed.

    Parameters
    ----------
    array : array_like (n, n)
        Any memory layout, any dtype of numbers, or a `numpy.memmap`. Integers and booleans are computed with as
        float64, float16 as float32 and longdouble as float64; only the rows asked for are converted.

    Attributes
    ----------
    %(square)s
    on_disk : bool
        Whether the array is a `numpy.memmap`, of which only the rows asked for should be read.
    largest : float or None
        The largest absolute entry, once `check` has read the array.
    %(cheap)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.sources import DenseRows
    >>> source = DenseRows([[2, 1], [1, 3]])
    >>> source.diagonal()
    array([2., 3.])
    >>> source.rows(np.array([1]))
    array([[1., 3.]])
    """

    batch = 1

    def __init__(self, array: ArrayLike) -> None:
        if isinstance(array, np.ma.MaskedArray):
            raise InvalidTypeError("matrix is a masked array: fill its masked entries first, with matrix.filled(0).")
        self.on_disk = isinstance(array, np.memmap)
        self.largest: float | None = None
        self.passes = 0
        self._array: NDArray[Any] = as_array("matrix", array)
        self.shape = check_square(self._array.shape)
        self.dtype = working_dtype(self._array.dtype)
        # A row of a Fortran-ordered array misses cache at every entry; its mirror image, the column, does not.
        by_columns = self._array.flags.f_contiguous and not self._array.flags.c_contiguous
        self._contiguous = self._array.T if by_columns else self._array
        self._conjugate = by_columns and self.dtype.kind == "c"

    def __repr__(self) -> str:
        return f"DenseRows(shape={self.shape}, dtype={self.dtype}{', on disk' if self.on_disk else ''})"

    def diagonal(self) -> NDArray[Any]:
        """Return the n diagonal entries as real numbers."""
        return np.array(self._array.diagonal().real, dtype=np.finfo(self.dtype).dtype)

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices`, (len(indices), n), fresh, C-contiguous and converted to `dtype`."""
        rows = np.ascontiguousarray(self._contiguous[indices], dtype=self.dtype)
        return np.conjugate(rows, out=rows) if self._conjugate else rows

    def product(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return S V; reads the array once."""
        self.passes += 1
        V = V.astype(self.dtype, copy=False)
        if self.direct is not None:
            return np.asarray(self.direct @ V)
        return np.concatenate([block @ V for _, block in self._iterate_rows()])

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return S[W, W], which is not to be written to: where W is everything it is the array."""
        if np.array_equal(indices, np.arange(self.shape[0])):
            return self._array.astype(self.dtype, copy=False)
        return self._array[np.ix_(indices, indices)].astype(self.dtype, copy=False)

    @property
    def direct(self) -> NDArray[Any] | None:
        """The array as compiled code can read it (C order, `dtype`, not on disk), read-only, or None."""
        array = self._contiguous
        if self.on_disk or self._conjugate or array.dtype != self.dtype or not array.flags.c_contiguous:
            return None
        view = array.view(np.ndarray)
        view.flags.writeable = False
        return view

    def norm_bound(self) -> float:
        """Return Gershgorin's bound of the largest absolute eigenvalue; reads the array once."""
        return max(float(np.abs(block).sum(axis=1).max()) for _, block in self._iterate_rows())

    def check(self) -> float:
        """Read the array once and return its largest absolute entry.

        Raises where an entry is nan or infinite, or differs from its mirror image by more than 100 eps times the
        largest.
        """
        self.largest = self._check_compiled() if self.shape[0] >= COMPILED else None
        if self.largest is None:
            self.largest = self._check_tiles()
        require_room("matrix", self.dtype, self.largest, self.shape[0])
        return self.largest

    def _check_compiled(self) -> float | None:
        """As `_check_tiles`, in a third of its time; None where that has to find out what is wrong, or the dtype is."""
        measured = measure_compiled(self.direct)
        if measured is None:
            return None
        largest, asymmetry = measured
        return largest if asymmetry <= symmetry_tolerance(self.dtype, largest) < np.inf else None

    def _check_tiles(self) -> float:
        largest, asymmetry, worst = 0.0, 0.0, (0, 0)
        for (i, j), tile, difference in self._iterate_tiles():
            entry, apart = largest_absolute(tile), largest_absolute(difference)
            if not np.isfinite(entry + apart):
                self._check_finite()  # returns where a difference of two finite entries overflowed
            largest = max(largest, entry)
            if apart > asymmetry:
                row, column = np.unravel_index(int(np.abs(difference).argmax()), difference.shape)
                asymmetry, worst = apart, (i + int(row), j + int(column))
        require_symmetric(self._array.dtype, largest, asymmetry, *worst)
        return largest

    def _iterate_tiles(self) -> Iterator[tuple[tuple[int, int], NDArray[Any], NDArray[Any]]]:
        """Yield the corner of each tile on or above the diagonal, the tile, and the tile minus its mirror image."""
        n = self.shape[0]
        # The odd row length keeps the columns of a tile in different cache sets: transposing is 2x faster.
        mirror, difference = np.empty((TILE, TILE + 8), self.dtype), np.empty((TILE, TILE), self.dtype)
        for i in range(0, n, TILE):
            for j in range(i, n, TILE):
                tile = self._array[i : i + TILE, j : j + TILE].astype(self.dtype, copy=False)
                height, width = tile.shape
                opposite, apart = mirror[:width, :height], difference[:height, :width]
                opposite[...] = self._array[j : j + TILE, i : i + TILE]
                if self.dtype.kind == "c":
                    np.conjugate(opposite, out=opposite)
                with np.errstate(invalid="ignore", over="ignore"):  # inf - inf is what the check looks for
                    np.subtract(tile, opposite.T, out=apart)
                yield (i, j), tile, apart

    def _iterate_rows(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the first row of each block of whole rows, and the block, converted to `dtype`."""
        n = self.shape[0]
        height = max(1, BLOCK_ENTRIES // n)
        for start in range(0, n, height):
            yield start, self._array[start : start + height].astype(self.dtype, copy=False)

    def _check_finite(self) -> None:
        n = self.shape[0]
        for start, block in self._iterate_rows():
            check_finite("matrix", block, range(start, n), range(n))
