"""How large the entries of a real matrix are, and how far it is from symmetric, in one pass over it."""

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_kernel
from jacobeig._types import FloatArray, IntArray

TILE = 128  # measured: 64 and 32 are up to a third slower


@bare_call
def _find_top(bits: IntArray, top: int, mask: int, i: int, height: int, j: int, width: int) -> int:
    """The largest of `top` and the entries of a tile, without their signs."""
    for a in range(np.uint64(i), np.uint64(i + height)):
        for b in range(np.uint64(j), np.uint64(j + width)):
            x = bits[a, b] & mask
            top = x if x > top else top
    return top


@bare_call
def _subtract_mirror(matrix: FloatArray, apart: FloatArray, i: int, height: int, j: int, width: int) -> None:
    """Put a tile minus its mirror image into `apart`."""
    i0, j0 = np.uint64(i), np.uint64(j)
    for b in range(np.uint64(width)):
        for a in range(np.uint64(height)):
            apart[a, b] = matrix[j0 + b, i0 + a]
    for a in range(np.uint64(height)):
        for b in range(np.uint64(width)):
            apart[a, b] = matrix[i0 + a, j0 + b] - apart[a, b]


@bare_kernel
def measure_symmetry(
    matrix: FloatArray, bits: IntArray, apart: FloatArray, apart_bits: IntArray, mask: int, found: IntArray
) -> None:
    """Find the largest absolute entry on and above the diagonal, and the largest difference of two mirrored ones.

    `apart` is scratch, a tile. `bits` and `apart_bits` show `matrix` and `apart` as integers, whose order without
    their signs (`mask`) is that of the numbers, infinity and then NaN last, and which LLVM compares eight at a time.
    """
    n = matrix.shape[0]
    top, worst = np.int64(0), np.int64(0)
    for i in range(0, n, TILE):
        height = TILE if i + TILE < n else n - i
        for j in range(i, n, TILE):
            width = TILE if j + TILE < n else n - j
            _subtract_mirror(matrix, apart, i, height, j, width)
            top = _find_top(bits, top, mask, i, height, j, width)
            worst = _find_top(apart_bits, worst, mask, 0, height, 0, width)
    found[0], found[1] = top, worst
