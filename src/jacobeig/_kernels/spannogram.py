"""Supports that are the largest entries of some vector in a plane (Papailiopoulos et al. 2013)."""

import numpy as np

from jacobeig._kernels._jit import bare_kernel
from jacobeig._types import Floats, Indices, Mask


@bare_kernel
def turn_around(H: Floats, pairs: Indices, between: Floats, inside: Mask, best_inside: Mask) -> None:
    """Turn a direction c by half a circle and write to `best_inside` the best support that is met, for H (n, 2).

    A support is the largest entries of ``abs(H @ c)``: two rows change order at known angles. `pairs` lists them in
    that order and `between` has, for each, an angle after it and before the next; its first entry is where the turn
    begins, before all pairs, with the support `inside`, which is changed. Each event costs O(1).
    """
    n = H.shape[0]
    a, b, d = 0.0, 0.0, 0.0
    for i in range(n):
        if inside[i]:
            a += H[i, 0] * H[i, 0]
            b += H[i, 0] * H[i, 1]
            d += H[i, 1] * H[i, 1]
    best = a + d + np.sqrt((a - d) ** 2 + 4.0 * b * b)
    for i in range(n):
        best_inside[i] = inside[i]
    for event in range(pairs.shape[0]):
        i, j = pairs[event, 0], pairs[event, 1]
        if inside[i] == inside[j]:
            continue
        if inside[j]:
            i, j = j, i
        c, s = np.cos(between[event + 1]), np.sin(between[event + 1])
        # Where several pairs meet at one angle their order is arbitrary: swap only what is swapped afterwards.
        if abs(H[j, 0] * c + H[j, 1] * s) <= abs(H[i, 0] * c + H[i, 1] * s):
            continue
        inside[i], inside[j] = False, True
        a += H[j, 0] * H[j, 0] - H[i, 0] * H[i, 0]
        b += H[j, 0] * H[j, 1] - H[i, 0] * H[i, 1]
        d += H[j, 1] * H[j, 1] - H[i, 1] * H[i, 1]
        value = a + d + np.sqrt((a - d) ** 2 + 4.0 * b * b)
        if value > best * (1.0 + 1e-12):
            best = value
            for m in range(n):
                best_inside[m] = inside[m]
