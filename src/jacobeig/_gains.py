"""Gains of many pairs at once (eq. badcij), for what is not worth a kernel, and the scale that saves their squares."""

import math
from typing import Any

import numpy as np

from jacobeig._types import FloatArray

__all__ = ["NOISE", "power_of_two_scale", "unit_gains"]

# Entries of at most this many eps times the largest entry, or diagonal entry so far, are rounding noise. Below it, the
# noise between two vectors of the same eigenvalue is rotated for ever. Of 1792 runs of "gain" on matrices of repeated
# eigenvalues (n <= 100), 28 did not end with 1, one did not with 2, all did with 4, 8, 16 and 64; 16 is a margin.
NOISE = 16.0


def unit_gains(s2: FloatArray, delta: FloatArray) -> FloatArray:
    """Return (sqrt(delta^2 + 4 s2) - delta) / 2 elementwise, in the form that does not cancel."""
    r = np.sqrt(delta * delta + 4.0 * s2)
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 in the branch that is not taken
        return np.asarray(np.where(delta > 0.0, 2.0 * s2 / (r + delta), 0.5 * (r - delta)))


def power_of_two_scale(largest: float, dtype: np.dtype[Any]) -> float:
    """Return the power of two that brings `largest` to about one: exact to multiply by, and it saves the squares.

    It is one that `dtype` can hold; entries that are not normal numbers stay a little smaller than one.
    """
    if largest == 0.0:
        return 1.0
    return math.ldexp(1.0, min(-math.frexp(largest)[1], int(np.finfo(dtype).maxexp) - 1))
