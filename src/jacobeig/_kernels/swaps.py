"""Exchange of one coordinate of a sparse unit vector for another (Beck and Vaisbourd's coordinate-wise optimality)."""

from jacobeig._kernels._jit import bare_kernel
from jacobeig._types import Floats, Indices


@bare_kernel
def find_swap(
    S: Floats, x: Floats, g: Floats, leaving: Indices, threshold: float, first: bool
) -> tuple[int, int, float]:
    """Pair (i, j) such that moving the value x_i to coordinate j raises x^T S x most, and the rise.

    `g` is S x and `leaving` holds the support in the order in which it is scanned; with `first` the scan ends at the
    first i that has a rise above `threshold`. (-1, -1, threshold) when there is none. Changes nothing; O(s n).
    """
    n = x.shape[0]
    best_i, best_j, best = -1, -1, threshold
    for position in range(leaving.shape[0]):
        i = leaving[position]
        xi = x[i]
        size = abs(xi)
        fixed = xi * xi * S[i, i] - 2.0 * xi * g[i]
        for j in range(n):
            if x[j] != 0.0 or j == i:
                continue
            # The sign of the moved value is free: so the absolute value.
            rise = fixed + xi * xi * S[j, j] + 2.0 * size * abs(g[j] - xi * S[i, j])
            if rise > best:
                best_i, best_j, best = i, j, rise
        if first and best_i >= 0:
            break
    return best_i, best_j, best
