"""The ends of the spectrum: how many vectors each end gets, which coordinates lie there, and adaptive weights."""

import numpy as np

from jacobeig._types import FloatArray, IntArray

__all__ = ["adapt_weights", "count_high", "count_wanted_high", "find_best_coordinates"]


def count_wanted_high(which: str, n_components: int) -> int:
    """Return how many of the vectors are wanted from the high end of the spectrum."""
    return {"LA": n_components, "SA": 0, "BE": (n_components + 1) // 2}[which]


def count_high(weights: FloatArray, which: str) -> int:
    """Return how many of the weights ask for the high end; a zero asks for the end that the others want."""
    return int(np.count_nonzero(weights > 0.0 if which == "SA" else weights >= 0.0))


def find_best_coordinates(diagonal: FloatArray, n_high: int, n_low: int) -> IntArray:
    """Return the coordinates of the largest entries, largest first, then those of the smallest, smallest first."""
    order = np.lexsort((np.arange(len(diagonal)), -diagonal))
    return np.concatenate([order[:n_high], order[::-1][:n_low]]).astype(np.int64)


def adapt_weights(entries: FloatArray, weights: FloatArray, bounds: FloatArray) -> FloatArray:
    """Return the vectors' own diagonal entries, measured so that each keeps the sign of `weights`."""
    lower, upper = bounds
    return np.asarray(np.where(weights >= 0.0, entries - lower, entries - upper))
