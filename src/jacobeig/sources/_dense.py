"""Rows of an array in memory or on disk."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jacobeig._arguments import (
    as_array,
    check_square,
    largest_absolute,
    raise_not_finite,
    raise_not_symmetric,
    symmetry_tolerance,
    working_dtype,
)
from jacobeig.errors import InvalidTypeError

# A tile and its mirror image fit in the second-level cache; measured, 128 and 512 are a third slower.
TILE = 256
# Entries converted at once by the passes that read whole rows.
BLOCK_ENTRIES = 1 << 18


class DenseRows:
    """Rows of a symmetric or Hermitian array, which is neither copied nor changed.

    Parameters
    ----------
    array : array_like (n, n)
        Any memory layout, any dtype of numbers, or a `numpy.memmap`. Integers and booleans are computed with as
        float64, float16 as float32 and longdouble as float64; only the rows asked for are converted.

    Attributes
    ----------
    shape : tuple of int
        (n, n).
    dtype : dtype
        float32, float64, complex64 or complex128.
    on_disk : bool
        Whether the array is a `numpy.memmap`, of which only the rows asked for should be read.
    largest : float or None
        The largest absolute entry, once `check` has read the array.
    batch : int
        1: a single row is cheap.

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
        """Return S[W, W]."""
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
        largest, asymmetry, worst = 0.0, 0.0, (0, 0)
        for at, tile, difference in self._iterate_tiles():
            entry, apart = largest_absolute(tile), largest_absolute(difference)
            if not np.isfinite(entry + apart):
                self._raise_first_not_finite()
            largest = max(largest, entry)
            if apart > asymmetry:
                asymmetry, worst = apart, at
        tolerance = symmetry_tolerance(self._array.dtype, largest)
        if asymmetry > tolerance:
            self._raise_not_symmetric_near(worst, asymmetry, tolerance)
        self.largest = largest
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

    def _raise_first_not_finite(self) -> None:
        """Raise for the first nan or infinite entry; return if there is none (a difference of two overflowed)."""
        for start, block in self._iterate_rows():
            finite = np.isfinite(block)
            if not finite.all():
                row, column = np.unravel_index(int(finite.argmin()), block.shape)
                raise_not_finite(start + int(row), int(column), block[row, column])

    def _raise_not_symmetric_near(self, corner: tuple[int, int], asymmetry: float, tolerance: float) -> None:
        """Raise for the largest difference, found again in the tile at `corner`."""
        for at, _, difference in self._iterate_tiles():
            if at == corner:
                row, column = np.unravel_index(int(np.abs(difference).argmax()), difference.shape)
                hermitian = self.dtype.kind == "c"
                raise_not_symmetric(asymmetry, at[0] + int(row), at[1] + int(column), tolerance, hermitian=hermitian)
