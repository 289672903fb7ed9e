"""Gains of many pairs at once (eq. badcij), for what is not worth a kernel, and the scale that saves their squares."""

import math
from typing import Any

import numpy as np

from jacobeig._types import FloatArray

__all__ = ["NOISE", "power_of_two_scale", "unit_gains"]

# Entries of at most this many eps times the largest entry are rounding noise. With 1, the noise between two vectors of
# the same eigenvalue stays above it now and then, and the run goes on for ever; 4 was enough in all trials.
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
