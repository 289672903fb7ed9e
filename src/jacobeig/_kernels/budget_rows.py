"""Project rows of weights on what a budget of nonzeros allows: the row-wise step of the certificate's search."""

import numpy as np

from jacobeig._kernels._jit import bare_inline, bare_kernel
from jacobeig._types import Floats

STEPS = 60  # of safeguarded Newton; piecewise linear, it ended within 12 on rows of digits and USPS
EXACT = 1e-15  # change of the multiplier, relative to it and to the cap, at which it is as good as exact


@bare_kernel
def project_rows(V: Floats, ranked: Floats, sums: Floats, most: int, out: Floats) -> None:
    """Write to `out` the nearest W with 0 <= W_ij <= W_ii and a sum over j of at most `most` W_ii, row by row.

    `ranked` (n, n - 1) has the entries of each row off the diagonal in ascending order; `sums` (n,) is overwritten.
    `most` counts the diagonal entry too, from 1 to n.
    """
    n = len(V)
    sums[0] = 0.0
    for i in range(n):
        for j in range(n - 1):  # sums[j] is that of the j largest
            sums[j + 1] = sums[j] + ranked[i, n - 2 - j]
        shift, cap = _balance(V[i, i], ranked[i], sums, most - 1)
        for j in range(n):
            out[i, j] = min(max(V[i, j] - shift, 0.0), cap)
        out[i, i] = cap


@bare_inline
def _balance(corner: float, ranked: Floats, sums: Floats, rest: int) -> tuple[float, float]:
    """Return the multiplier of the sum, which every entry is lowered by, and the cap: the new diagonal entry.

    For a given multiplier the cap is known (`_count_capped`); the multiplier is the root of what is then over budget.
    """
    m = len(ranked)
    if rest == 0 or m == 0:
        return np.inf, max(corner, 0.0)
    positive = _count_above(ranked, 0.0)
    if corner + sums[min(rest, positive)] <= 0.0:  # in the polar cone
        return 0.0, 0.0
    shift, low, high, cap = 0.0, 0.0, max(ranked[m - 1], 0.0), 0.0
    for step in range(STEPS):
        capped = _count_capped(corner, ranked, sums, rest, shift)
        cap = max((corner + rest * shift + sums[capped] - capped * shift) / (1 + capped), 0.0)
        above = max(_count_above(ranked, shift), capped)
        over = (capped - rest) * cap + sums[above] - sums[capped] - (above - capped) * shift
        if step == 0 and over <= 0.0:
            return 0.0, cap
        if over > 0.0:
            low = shift
        else:
            high = shift
        slope = -((capped - rest) ** 2) / (1.0 + capped) - (above - capped)
        following = shift - over / slope if slope < 0.0 else (low + high) / 2
        if following <= low or following >= high:
            following = (low + high) / 2
        if abs(following - shift) <= EXACT * (abs(shift) + cap):
            break
        shift = following
    return shift, cap


@bare_inline
def _count_capped(corner: float, ranked: Floats, sums: Floats, rest: int, shift: float) -> int:
    """Return how many of the largest entries the cap holds down: the fewest that leave the next one below it."""
    m, low, high = len(ranked), 0, len(ranked)
    while low < high:
        middle = (low + high) // 2
        cap = (corner + rest * shift + sums[middle] - middle * shift) / (1 + middle)
        if ranked[m - 1 - middle] - shift <= cap:
            high = middle
        else:
            low = middle + 1
    return low


@bare_inline
def _count_above(ranked: Floats, level: float) -> int:
    """Return how many entries are above a level."""
    m, low, high = len(ranked), 0, len(ranked)
    while low < high:
        middle = (low + high) // 2
        if ranked[m - 1 - middle] > level:
            low = middle + 1
        else:
            high = middle
    return low
