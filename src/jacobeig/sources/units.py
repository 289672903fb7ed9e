"""Powers of two that bring numbers of any size to about one: exact to multiply by, and they save the squares."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import largest_absolute

__all__ = ["measure_norm", "moderate_scale", "power_of_two_scale"]

MODERATE = 300  # a power of two whose square leaves room for sums


def power_of_two_scale(largest: float, dtype: Any = np.float64) -> float:
    """Return the power of two that brings `largest` to about one; 1 for zero.

    It is a normal number of `dtype`, and so is its inverse: what is near the ends of its range stays a little off one.
    """
    info = np.finfo(dtype)
    return math.ldexp(1.0, min(max(-math.frexp(largest)[1], int(info.minexp)), int(info.maxexp) - 1))


def moderate_scale(largest: float) -> float:
    """Return 1, or the power of four that brings numbers to about one whose squares would vanish or overflow."""
    exponent = math.frexp(power_of_two_scale(largest))[1] - 1
    return math.ldexp(1.0, exponent - exponent % 2) if abs(exponent) > MODERATE else 1.0


def measure_norm(values: NDArray[Any]) -> float:
    """Return the root of the sum of the squares, none of which overflows or vanishes."""
    scale = power_of_two_scale(largest_absolute(values), values.dtype)
    return float(np.linalg.norm(values * values.dtype.type(scale))) / scale
