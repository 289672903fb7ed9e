"""The one protocol behind every kind of matrix, and the checks of what a source returns."""

import numbers
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import WORKING_DTYPES, check_finite, check_square, largest_absolute, require_room
from jacobeig._docs import share_docs
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._symmetry import COMPILED, measure_compiled

TILE = 256  # rows and columns of a block that are compared with their mirror images at once, in cache

share_attributes = share_docs(
    square="""
shape : tuple of int
    (n, n).
dtype : dtype
    float32, float64, complex64 or complex128.
""",
    cheap="""
batch : int
    1: a single row is cheap.
""",
)


@runtime_checkable
class RowSource(Protocol):
    """A symmetric or Hermitian matrix that hands out its diagonal and any of its rows.

    Any object with these four members can be passed wherever jacobeig takes a matrix; nothing has to be inherited.
    More are used when they exist: ``batch`` (int, default 1), how many rows to ask for at once because a single row is
    expensive; ``norm_bound()``, an upper bound of the largest absolute eigenvalue; and for refinement ``product(V)``,
    S V for a few columns V, and ``block(indices)``, S[W, W], which otherwise come from the rows, and ``semidefinite``
    (bool), whether no eigenvalue is negative, which otherwise is found out. A certificate of many features is quick for
    a source with ``n_samples`` and ``samples()``, Y (n_samples, n) such that S = Y^T Y.

    Examples
    --------
    The 1-D Laplacian as a source of one's own, with no array behind it:

    >>> import numpy as np
    >>> from jacobeig.sources import RowSource, as_source
    >>> class Chain:
    ...     def __init__(self, n):
    ...         self.shape, self.dtype = (n, n), np.dtype(np.float64)
    ...
    ...     def diagonal(self):
    ...         return np.full(self.shape[0], 2.0)
    ...
    ...     def rows(self, indices):
    ...         distance = np.abs(indices[:, np.newaxis] - np.arange(self.shape[1]))
    ...         return np.where(distance == 0, 2.0, np.where(distance == 1, -1.0, 0.0))
    >>> chain = as_source(Chain(4))
    >>> chain.rows(np.array([1]))
    array([[-1.,  2., -1.,  0.]])
    """

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (n, n) of the matrix."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32, float64, complex64 or complex128: the dtype of the rows."""

    def diagonal(self) -> NDArray[Any]:
        """Return the n diagonal entries, as real numbers of the same precision as `dtype`."""

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices` as a fresh C-contiguous array (len(indices), n) of `dtype`."""


def check_source(source: RowSource) -> RowSource:
    """Return a source of the user's own after checking that its shape and dtype can be used; its rows are not read."""
    name = type(source).__name__
    shape: object = source.shape
    if not isinstance(shape, tuple) or not all(isinstance(size, numbers.Integral) and int(size) >= 0 for size in shape):
        raise InvalidTypeError(f"{name}.shape is {shape!r}; a row source has (n, n), two whole numbers.")
    check_square(shape, name)
    dtype: object = source.dtype
    if not isinstance(dtype, np.dtype) or dtype not in WORKING_DTYPES:
        names = ", ".join(str(working) for working in WORKING_DTYPES)
        raise InvalidTypeError(f"{name}.dtype is {dtype}; a row source has numpy.dtype {names}.")
    return source


def check_rows(source: RowSource, indices: NDArray[np.int64], rows: NDArray[Any]) -> NDArray[Any]:
    """Return `rows` as a C-contiguous array of the source's dtype, or raise saying what is wrong with them.

    Parameters
    ----------
    source : RowSource
        Where the rows came from.
    indices : ndarray of int64
        Which rows were asked for.
    rows : ndarray
        What ``source.rows(indices)`` returned.

    Returns
    -------
    ndarray
        The same values, (len(indices), n); no copy if nothing had to be converted.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.sources import as_source, check_rows
    >>> source = as_source(np.eye(3))
    >>> check_rows(source, np.array([2]), source.rows(np.array([2])))
    array([[0., 0., 1.]])
    """
    name, n = type(source).__name__, source.shape[1]
    rows = _convert(rows, source.dtype, f"{name}.rows")
    if rows.shape != (len(indices), n):
        raise InvalidInputError(
            f"{name}.rows returned shape {rows.shape} for {len(indices)} indices; expected {(len(indices), n)}: "
            f"one row of the {n} x {n} matrix for each index."
        )
    check_finite(name, rows, indices, range(n))
    largest = largest_absolute(rows)
    require_room(name, rows.dtype, largest, n)
    # Where the rows meet is the only symmetry seen without reading more.
    met = rows if np.array_equal(indices, np.arange(n)) else rows[:, indices]
    _check_close(name, indices, indices, met - met.conj().T, _choose_tolerance(rows.dtype, largest))
    return np.ascontiguousarray(rows)


def check_block(source: RowSource, indices: NDArray[np.int64], block: NDArray[Any]) -> NDArray[Any]:
    """Return S[W, W] in double precision, made exactly Hermitian, or raise saying what is wrong with it."""
    name, size = type(source).__name__, len(indices)
    block = _convert(block, source.dtype, f"{name}.block")
    if block.shape != (size, size):
        raise InvalidInputError(
            f"{name}.block returned shape {block.shape} for {size} indices; expected {(size, size)}."
        )
    largest, apart = (measure_compiled(block) if size >= COMPILED else None) or (np.nan, np.nan)
    largest = largest if apart == 0.0 else largest_absolute(block)
    if not np.isfinite(largest):
        check_finite(name, block, indices, indices)
    require_room(name, block.dtype, largest, size)
    tolerance = _choose_tolerance(block.dtype, largest)
    block = np.array(block, np.result_type(source.dtype, np.float64))
    if apart == 0.0:
        return block
    for i in range(0, size, TILE):  # in tiles and in place: blocks may take a large part of the memory
        for j in range(i, size, TILE):
            upper, lower = block[i : i + TILE, j : j + TILE], block[j : j + TILE, i : i + TILE]
            mirrored = lower.conj().T.copy()
            _check_close(name, indices[i : i + TILE], indices[j : j + TILE], upper - mirrored, tolerance)
            mirrored += upper
            mirrored /= 2
            upper[...], lower[...] = mirrored, mirrored.conj().T
    return block


def check_diagonal(source: RowSource, diagonal: NDArray[Any]) -> NDArray[Any]:
    """Return `diagonal` as a real array (n,) of the source's precision, or raise saying what is wrong with it.

    Parameters
    ----------
    source : RowSource
        Where the diagonal came from.
    diagonal : ndarray
        What ``source.diagonal()`` returned.

    Returns
    -------
    ndarray
        The same values, float32 or float64.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.sources import as_source, check_diagonal
    >>> source = as_source(np.eye(3))
    >>> check_diagonal(source, source.diagonal())
    array([1., 1., 1.])
    """
    name, n = type(source).__name__, source.shape[0]
    diagonal = _convert(diagonal, np.finfo(source.dtype).dtype, f"{name}.diagonal")
    if diagonal.shape != (n,):
        raise InvalidInputError(f"{name}.diagonal returned shape {diagonal.shape}; expected {(n,)}.")
    wrong = np.flatnonzero(~np.isfinite(diagonal))
    check_finite(name, diagonal[wrong, np.newaxis], wrong, wrong)
    return diagonal


def _convert(values: NDArray[Any], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """Return `values` as an array of `dtype`; complex to real, or anything that is not a number, is refused."""
    values = np.asarray(values)
    if values.dtype.kind not in "biuf" + dtype.kind:
        raise InvalidTypeError(f"{name} returned dtype {values.dtype}; expected {dtype} or what converts to it.")
    return values.astype(dtype, copy=False)


def _choose_tolerance(dtype: np.dtype[Any], largest: float) -> float:
    """Return how far mirror images may differ: sources compute them by different sums, unlike stored arrays."""
    return float(np.sqrt(np.finfo(dtype).eps)) * largest


def _check_close(
    name: str, rows: NDArray[np.int64], columns: NDArray[np.int64], difference: NDArray[Any], tolerance: float
) -> None:
    """Raise where entries (rows, columns) differ too much from their mirror images."""
    if largest_absolute(difference) > tolerance:
        apart = np.abs(difference)
        at = np.unravel_index(int(apart.argmax()), apart.shape)
        row, column = int(rows[at[0]]), int(columns[at[1]])
        raise InvalidInputError(
            f"{name} is not symmetric or Hermitian: its entries ({row}, {column}) and ({column}, {row}) differ by "
            f"{apart.max():.3g}; row i must be the (conjugated) column i."
        )
