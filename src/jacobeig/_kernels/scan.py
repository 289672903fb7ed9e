"""Find the best pair: scores, scans of one active row, and the best pair of each row kept up to date lazily.

Scores are the paper's gains (see `plane.py`), alone or for each nonzero; `entry_scan.py` has Jacobi's rules.

Coordinates below p = len(weights) are active; `active[i]` is row i of the current matrix. What takes arrays and not
`Rows` serves sparse rows too.
"""

from enum import IntEnum
from typing import Any

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline
from jacobeig._kernels.plane import abs2, find_unit_gain, orient
from jacobeig._kernels.state import Rows, Scalar
from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray

Rule = IntEnum("Rule", "GAIN GAIN_PER_NONZERO OFFDIAGONAL CLASSIC CYCLIC RANDOM FOLLOW", start=0)

# A pair is only looked at closely when its squared entry passes a root-free test. The threshold is lowered by this
# factor so that rounding in the test can never hide a pair whose computed gain is the larger one.
SLACK = 1.0 - 16.0 * 2.220446049250313e-16
BLOCK = np.uint64(32)
# In place of a best score of zero, so that the test lets swaps of any gain pass.
_TINY = 1e-300


@bare_inline
def _find_trailing_gain(
    row: NumberArray, diagonal: FloatArray, d: float, sign: float, start: int, swap: int, floor2: float
) -> Any:
    """Largest unit gain over the columns from `start`, and its column; O(n), few square roots.

    `swap` is the trailing coordinate with the most wanted diagonal entry: exchanging needs no off-diagonal entry.
    Any other pair beats a gain t only if |S_ij|^2 > t (t + delta).
    """
    n = np.uint64(row.shape[0])
    t, column = 0.0, np.int64(-1)
    if swap >= 0 and sign * (d - diagonal[swap]) < 0.0:
        t, column = sign * (diagonal[swap] - d), np.int64(swap)
    for a in range(np.uint64(start), n, BLOCK):
        b = a + BLOCK if a + BLOCK < n else n
        low = t * SLACK
        candidates = 0
        for j in range(a, b):  # vectorises
            candidates += abs2(row[j]) > low * (low + sign * (d - diagonal[j]))
        if candidates == 0:
            continue
        for j in range(a, b):
            s2, delta = abs2(row[j]), sign * (d - diagonal[j])
            if s2 > floor2 and s2 > low * (low + delta):
                g = find_unit_gain(s2, delta)
                if g > t or (g == t and np.int64(j) < column):
                    t, column = g, np.int64(j)
                    low = t * SLACK
    return t, column


@bare_inline
def weigh_pair(weights: FloatArray, i: int, j: int) -> float:
    """A_ii - A_jj for an active i."""
    return weights[i] - weights[j] if j < weights.shape[0] else weights[i]


@bare_inline
def find_gain(active: NumberArray, diagonal: FloatArray, weights: FloatArray, i: int, j: int, floor2: float) -> float:
    """Gain of one pair (eq. badcij): i active, any other j. Entries of at most sqrt(floor2) count as zero."""
    w = weigh_pair(weights, i, j)
    if w == 0.0:
        return 0.0
    s2, delta = abs2(active[i, j]), orient(w) * (diagonal[i] - diagonal[j])
    if s2 <= floor2:
        return abs(w) * -delta if delta < 0.0 else 0.0
    return abs(w) * find_unit_gain(s2, delta)


@bare_call
def rescan_gains(st: Rows, i: int) -> None:
    """Find the pair of row i with the largest gain again; O(n)."""
    _, order, active, diagonal, weights, _, extremes, best, column, stale = st[:10]
    p, w, floor2 = weights.shape[0], weights[i], st.scalars[Scalar.FLOOR2]
    score, top = 0.0, np.int64(-1)
    if w != 0.0:
        sign = orient(w)
        swap = extremes[0] if sign > 0.0 else extremes[1]
        g, top = _find_trailing_gain(active[i], diagonal, diagonal[i], sign, p, swap, floor2)
        score = abs(w) * g
    for j in range(i + 1, p):
        g = find_gain(active, diagonal, weights, i, j, floor2)
        if g > score or (g == score and g > 0.0 and order[j] < order[top]):
            score, top = g, np.int64(j)
    best[i], column[i], stale[i] = score, top, False


@bare_inline
def count_growth(fill: FloatArray, sizes: FloatArray, i: int, j: int, swap: bool) -> float:
    """Nonzeros that vector i gains when (i, j) is rotated."""
    if swap:
        return sizes[j] - sizes[i]
    return np.float64(fill[i, j])


@bare_inline
def count_total_growth(fill: FloatArray, sizes: FloatArray, i: int, j: int, swap: bool) -> float:
    """Nonzeros that all active vectors gain when (i, j) is rotated."""
    if j >= fill.shape[0]:
        return count_growth(fill, sizes, i, j, swap)
    return 0.0 if swap else np.float64(fill[i, j] + fill[j, i])


@bare_inline
def measure_pair(
    rule: int, active: NumberArray, diagonal: FloatArray, weights: FloatArray, i: int, j: int, floor2: float
) -> float:
    """What `rule` maximises, for one pair, before the nonzeros that it adds are looked at."""
    if rule <= Rule.GAIN_PER_NONZERO:
        return find_gain(active, diagonal, weights, i, j, floor2)
    s2 = abs2(active[i, j])
    return 0.0 if s2 <= floor2 or (rule == Rule.OFFDIAGONAL and j < weights.shape[0]) else np.float64(s2)


@bare_inline
def price_pair(rule: int, key: float, size: float, added: float, total: float, room: float, limit: float) -> float:
    """Score of a pair that adds `added` nonzeros to the `size` of vector i and `total` to all p; 0 if not allowed."""
    if size + added > limit:
        return 0.0
    if rule != Rule.GAIN_PER_NONZERO:
        return key
    return key / (1.0 + (total if total > 0.0 else 0.0)) if total <= room else 0.0


@bare_inline
def _price(
    active: NumberArray, diagonal: FloatArray, weights: FloatArray, fill: FloatArray, sizes: FloatArray,
    scalars: FloatArray, rule: int, i: int, j: int, room: float,
) -> float:  # fmt: skip
    """Gain of one pair, for each nonzero that it adds where the rule wants that; 0 where a budget forbids it."""
    key = find_gain(active, diagonal, weights, i, j, scalars[Scalar.FLOOR2])
    swap = abs2(active[i, j]) <= scalars[Scalar.FLOOR2]
    added, total = count_growth(fill, sizes, i, j, swap), count_total_growth(fill, sizes, i, j, swap)
    return price_pair(rule, key, sizes[i], added, total, room, scalars[Scalar.LIMIT])


@bare_inline
def _may_score(s2: float, delta: float, added: float, low: float, slope: float, most: float) -> bool:
    """Whether a pair that adds `added` nonzeros, at most `most`, can have a unit gain above low + slope * added.

    A swap may add fewer, and need not ask for more than `low`. No branches, so that a loop over it vectorises.
    """
    tau = low + slope * added
    return ((s2 > tau * (tau + delta)) & (added <= most)) | (delta < -low)


@bare_call
def rescan_prices(st: Rows, rule: int, i: int, room: float) -> None:
    """Find the best pair of row i again where its nonzeros matter; O(n).

    As in `_find_trailing_gain`, with every gain divided by its price of 1 + the nonzeros it adds.
    """
    _, order, active, diagonal, weights, _, _, best, column, stale = st[:10]
    sizes, fill, scalars = st.sizes, st.fill, st.scalars
    p, n = weights.shape[0], np.uint64(diagonal.shape[0])
    row, prices, d = active[i], fill[i], diagonal[i]
    w, sign, picky = abs(weights[i]), orient(weights[i]), rule == Rule.GAIN_PER_NONZERO
    most = scalars[Scalar.LIMIT] - sizes[i]
    most = room if picky and room < most else most
    t, top = 0.0, np.int64(-1)
    for j in range(i + 1, p):
        if weigh_pair(weights, i, j) != 0.0:
            score = _price(active, diagonal, weights, fill, sizes, scalars, rule, i, j, room)
            if score > t or (score == t and t > 0.0 and order[j] < order[top]):
                t, top = score, np.int64(j)
    for a in range(np.uint64(p), n if w > 0.0 else np.uint64(p), BLOCK):
        b = a + BLOCK if a + BLOCK < n else n
        low = (t * SLACK if t * SLACK > _TINY else _TINY) / w
        slope = low if picky else 0.0
        candidates = 0
        for j in range(a, b):  # vectorises
            delta = sign * (d - diagonal[j])
            candidates += _may_score(abs2(row[j]), delta, np.float64(prices[j]), low, slope, most)
        if candidates == 0:
            continue
        for j in range(a, b):
            delta = sign * (d - diagonal[j])
            if _may_score(abs2(row[j]), delta, np.float64(prices[j]), low, slope, most):
                score = _price(active, diagonal, weights, fill, sizes, scalars, rule, i, np.int64(j), room)
                if score > t or (score == t and t > 0.0 and order[j] < order[top]):
                    t, top = score, np.int64(j)
                    low = t * SLACK / w
                    slope = low if picky else 0.0
    best[i], column[i], stale[i] = t, top, False


@bare_inline
def offer(order: IntArray, best: FloatArray, column: IntArray, stale: BoolArray, i: int, j: int, score: float) -> None:
    """Take the pair (i, j), which has this score now, for the best of row i if it is."""
    tie = score == best[i] and score > 0.0 and not stale[i]
    if score > best[i] or (tie and order[j] < order[column[i]]):
        best[i] = score
        column[i] = j
        stale[i] = False
    elif column[i] == j and score < best[i]:
        stale[i] = True  # the old score bounds the others; find the new best only if it comes out on top


@bare_inline
def _may_win(active: NumberArray, diagonal: FloatArray, weights: FloatArray, best: FloatArray, i: int, j: int) -> bool:
    """Whether a pair can have a larger gain than the best of row i: most cannot, which shows without a root."""
    w = weigh_pair(weights, i, j)
    if w == 0.0:
        return False
    low = best[i] * SLACK / abs(w)
    return low <= 0.0 or abs2(active[i, j]) > low * (low + orient(w) * (diagonal[i] - diagonal[j]))


@bare_inline
def rescore_gains(st: Rows, j: int) -> None:
    """Column j has changed: offer its pairs to the rows that own them; O(p)."""
    _, order, active, diagonal, weights, _, _, best, column, stale = st[:10]
    for i in range(j if j < weights.shape[0] else weights.shape[0]):
        if column[i] == j or _may_win(active, diagonal, weights, best, i, j):
            score = find_gain(active, diagonal, weights, i, j, st.scalars[Scalar.FLOOR2])
            offer(order, best, column, stale, i, j, score)


@bare_inline
def rescore_prices(st: Rows, rule: int, j: int, room: float) -> None:
    """As `rescore_gains`, where nonzeros matter."""
    _, order, active, diagonal, weights, _, _, best, column, stale = st[:10]
    picky = rule == Rule.GAIN_PER_NONZERO
    for i in range(j if j < weights.shape[0] else weights.shape[0]):
        w, promising = weigh_pair(weights, i, j), column[i] == j
        if not promising and w != 0.0 and best[i] < np.inf:
            low = best[i] * SLACK / abs(w)
            added = count_total_growth(st.fill, st.sizes, i, j, False)
            s2, delta = abs2(active[i, j]), orient(w) * (diagonal[i] - diagonal[j])
            promising = low <= 0.0 or _may_score(s2, delta, added, low, low if picky else 0.0, np.inf)
        if promising:
            score = _price(active, diagonal, weights, st.fill, st.sizes, st.scalars, rule, i, j, room)
            offer(order, best, column, stale, i, j, score)


@bare_call
def select(order: IntArray, best: FloatArray, column: IntArray, stale: BoolArray) -> int:
    """Row of the best pair; ties go to a stale row, then the lowest column, then the lowest row, of the matrix."""
    high = best[0]
    for i in range(1, best.shape[0]):  # without branches, which no processor could foresee
        high = best[i] if best[i] > high else high
    top = np.int64(-1)
    for i in range(best.shape[0]):
        if best[i] != high:
            continue
        if top < 0:
            top = np.int64(i)
        elif high > 0.0 and not stale[top]:
            mine, other = order[column[top]], order[column[i]]
            if stale[i] or other < mine or (other == mine and order[i] < order[top]):
                top = np.int64(i)
    return top


@bare_inline
def find_extremes(diagonal: FloatArray, p: int, extremes: IntArray) -> None:
    """Trailing coordinates with the largest and the smallest diagonal entry, the lowest where they tie; O(n)."""
    n = diagonal.shape[0]
    high = low = p if p < n else -1
    for m in range(p + 1, n):
        if diagonal[m] > diagonal[high]:
            high = m
        if diagonal[m] < diagonal[low]:
            low = m
    extremes[0], extremes[1] = high, low


@bare_inline
def update_extremes(diagonal: FloatArray, p: int, extremes: IntArray, j: int) -> None:
    """The diagonal entry of the trailing coordinate j has changed."""
    high, low = extremes[0], extremes[1]
    if j in (high, low):
        find_extremes(diagonal, p, extremes)
        return
    if diagonal[j] > diagonal[high] or (diagonal[j] == diagonal[high] and j < high):
        extremes[0] = j
    if diagonal[j] < diagonal[low] or (diagonal[j] == diagonal[low] and j < low):
        extremes[1] = j
