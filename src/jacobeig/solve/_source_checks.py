"""What a source offers beyond the protocol, checked: only the library's own may hand arrays to compiled code."""

from contextlib import suppress
from weakref import WeakValueDictionary

import numpy as np

from jacobeig._arguments import check_count, check_real, largest_absolute
from jacobeig._types import FloatArray, IntArray, NumberArray
from jacobeig.errors import InvalidInputError
from jacobeig.sources import OperatorRows, RowSource, check_diagonal, check_rows

# Rows of a source that are compared with each other and with its diagonal: 28 pairs of entries.
SAMPLE = 8
_sampled: WeakValueDictionary[int, RowSource] = WeakValueDictionary()  # by identity: sources need no hash


def is_own(source: RowSource) -> bool:
    """Whether a source is the library's, and not a subclass with rows of its own."""
    return type(source).__module__.partition(".")[0] == __name__.partition(".")[0]


def check_sample(source: RowSource) -> None:
    """Raise for a source that contradicts itself in a few rows: a wrong diagonal, or rows that are no columns.

    What the library has read whole, or computes itself, is not asked, and no source twice.
    """
    trusted = is_own(source) and not isinstance(source, OperatorRows) and not getattr(source, "on_disk", False)
    if trusted or _sampled.get(id(source)) is source:
        return
    n = source.shape[0]
    few = np.sort(np.random.default_rng(0).choice(n, min(n, SAMPLE), replace=False)).astype(np.int64)
    rows = check_rows(source, few, source.rows(few))
    require_diagonal(source, few, rows, check_diagonal(source, source.diagonal()))
    with suppress(TypeError):  # some objects cannot be referred to so
        _sampled[id(source)] = source


def require_diagonal(source: RowSource, indices: IntArray, rows: NumberArray, diagonal: FloatArray) -> None:
    """Raise unless rows have the entries on the diagonal that the source's own `diagonal` says, but for rounding."""
    entries = rows[np.arange(len(indices)), indices]
    apart = np.abs(entries - diagonal[indices])
    if apart.max(initial=0.0) > np.sqrt(np.finfo(rows.dtype).eps) * largest_absolute(rows):
        at = int(apart.argmax())
        raise InvalidInputError(
            f"{type(source).__name__}.diagonal() has {diagonal[indices[at]]:.6g} at {indices[at]}, but its row there "
            f"{entries[at]:.6g}, {apart[at]:.3g} away; both must be entry ({indices[at]}, {indices[at]}) of the matrix."
        )


def open_directly(source: RowSource) -> NumberArray:
    """Return the matrix as compiled code can read it, read-only; 0 x 0 where rows have to be asked for."""
    direct = getattr(source, "direct", None) if is_own(source) else None
    fits = isinstance(direct, np.ndarray) and direct.shape == source.shape and direct.dtype == source.dtype
    if direct is None or not fits or not direct.flags.c_contiguous:
        direct = np.empty((0, 0), source.dtype)  # of the same type, so that one compiled kernel serves both
    view: NumberArray = direct.view(np.ndarray)
    view.flags.writeable = False
    return view


def find_largest(source: RowSource, diagonal: FloatArray, rows: NumberArray) -> float:
    """Return the largest absolute entry of a matrix that has been read whole, else of what was read so far."""
    known = getattr(source, "largest", None) if is_own(source) else None
    return max(float(np.abs(diagonal).max()), float(np.abs(rows).max())) if known is None else float(known)


def count_batch(source: RowSource) -> int:
    """Return how many rows to ask a source for at once."""
    return check_count(f"{type(source).__name__}.batch", getattr(source, "batch", 1), 1)


def can_restrict(source: RowSource) -> bool:
    """Whether a source may give one of the entries among some coordinates alone, much cheaper than the rows of all."""
    return is_own(source) and hasattr(source, "restrict")


def bound_norm(source: RowSource) -> float | None:
    """Return a source's own bound of the largest absolute eigenvalue, None if it has none."""
    norm_bound = getattr(source, "norm_bound", None)
    if norm_bound is None:
        return None
    name = f"{type(source).__name__}.norm_bound()"
    bound = check_real(name, norm_bound())
    if not 0.0 <= bound < np.inf:
        raise InvalidInputError(f"{name} is {bound}; it must be a finite number of at least 0.")
    return bound
