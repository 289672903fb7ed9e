"""How far a real matrix is from symmetric, by compiled code."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# From this many rows on a check is worth code that may have to be compiled first.
COMPILED = 1024


def measure_compiled(matrix: NDArray[Any] | None) -> tuple[float, float] | None:
    """Return the largest absolute entry and the largest difference of two mirrored ones; None where NumPy must do it.

    Either may be nan or infinite where an entry is.
    """
    if matrix is None or matrix.dtype.kind != "f" or not matrix.flags.c_contiguous:
        return None
    from jacobeig._kernels.symmetry import TILE as WIDTH
    from jacobeig._kernels.symmetry import measure_symmetry  # loads compiled code

    whole = np.dtype(f"i{matrix.dtype.itemsize}")
    # The odd row length keeps the columns of a tile in different cache sets.
    apart, found = np.empty((WIDTH, WIDTH + 8), matrix.dtype), np.zeros(2, np.int64)
    mask = int(np.iinfo(whole).max)
    measure_symmetry(matrix, matrix.view(whole), apart, apart.view(whole), mask, found)
    largest, asymmetry = map(float, found.astype(whole).view(matrix.dtype))
    return largest, asymmetry
