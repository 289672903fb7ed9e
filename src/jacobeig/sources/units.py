"""Powers of two that bring numbers of any size to about one: exact to multiply by, and they save the squares."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import largest_absolute

__all__ = ["measure_norm", "power_of_two_scale"]


def power_of_two_scale(largest: float, dtype: np.dtype[Any]) -> float:
    """Return the power of two that brings `largest` to about one.

    It is one that `dtype` can hold; entries that are not normal numbers stay a little smaller than one.
    """
    if largest == 0.0:
        return 1.0
    return math.ldexp(1.0, min(-math.frexp(largest)[1], int(np.finfo(dtype).maxexp) - 1))


def measure_norm(values: NDArray[Any]) -> float:
    """Return the root of the sum of the squares, none of which overflows or vanishes."""
    scale = power_of_two_scale(largest_absolute(values), values.dtype)
    return float(np.linalg.norm(values * values.dtype.type(scale))) / scale
