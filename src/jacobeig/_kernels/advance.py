"""Rotate on and on: one kernel a family of pivot rules, because a run waits until the one it needs is compiled.

All take the same arguments and do the same: rotate until step `until`; earlier when no pair scores above `least`, or a
budget, a row or space is missing. Each costs O(n + rotations missed by row j) a rotation. A row whose score is not
known yet is stale with a best of infinity.

References
----------
S. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators" (2014): the random stream.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jacobeig._kernels._jit import bare_inline, bare_kernel, compile_wrapping
from jacobeig._kernels.entry_scan import rescan_entries, rescore_entries
from jacobeig._kernels.plane import abs2
from jacobeig._kernels.rows import rotate
from jacobeig._kernels.scan import (
    Rule,
    count_growth,
    count_total_growth,
    find_gain,
    rescan_gains,
    rescan_prices,
    rescore_gains,
    rescore_prices,
    select,
    update_extremes,
)
from jacobeig._kernels.state import Count, Outcome, Rows, Scalar
from jacobeig._kernels.support import count_added, update_fill
from jacobeig._types import BoolArray, FloatArray


def choose_kernel(rule: int, counted: bool) -> Callable[[Rows, int, np.uint64, int, float], int]:
    """Return the kernel of a rule; `counted` where the fill is kept."""
    if rule <= Rule.GAIN_PER_NONZERO:
        return advance_by_price if counted else advance_by_gain
    return advance_by_entry if rule <= Rule.CLASSIC else advance_in_turn


@bare_inline
def _forget(best: FloatArray, stale: BoolArray, i: int, j: int) -> None:
    """Leave the best pairs of rows that have changed to be found again."""
    best[i], stale[i] = np.inf, True
    if j < best.shape[0]:
        best[j], stale[j] = np.inf, True


@bare_inline
def _rotate_counted(st: Rows, q: int, i: int, j: int, room: float) -> Any:
    """Rotate a pair after counting what it adds; return how that ended, and whether the pair was swapped."""
    swap = abs2(st.active[i, j]) <= st.scalars[Scalar.FLOOR2]
    added = count_added(st.supports, st.slots, st.sizes, st.active.shape[0], i, j, swap)
    return rotate(st, q, i, j, swap, added, room), swap


@bare_inline
def _update_fill(st: Rows, i: int, j: int, swap: bool) -> None:
    """Count what vectors would take over again after a rotation, where that is counted."""
    if st.fill.shape[1] > 0:
        update_fill(st.fill, st.supports, st.owners, st.counts[Count.TOUCHED], st.news, i, j, swap)


@bare_kernel
def advance_by_gain(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pair of the largest gain, as in the paper."""
    order, active, diagonal, _, _, extremes, best, column, stale = st[1:10]
    counts, scalars = st[-2:]
    p = active.shape[0]
    for q in range(counts[Count.STEP], until):
        i = select(order, best, column, stale)
        while stale[i]:
            rescan_gains(st, i)
            i = select(order, best, column, stale)
        j = column[i]
        if j < 0 or best[i] <= least:
            return Outcome.EXHAUSTED
        outcome, _ = _rotate_counted(st, q, i, j, scalars[Scalar.BUDGET] - counts[Count.NONZEROS])
        if outcome != Outcome.CHUNK_DONE:
            return outcome
        if j >= p:
            update_extremes(diagonal, p, extremes, j)
        for m in (i, j):
            rescore_gains(st, m)
        _forget(best, stale, i, j)
    return Outcome.CHUNK_DONE


@bare_kernel
def advance_by_price(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pair of the largest gain, or gain for each nonzero that it adds, that the budgets allow."""
    _, order, active, diagonal, weights, _, _, best, column, stale = st[:10]
    sizes, fill, counts, scalars = st.sizes, st.fill, st.counts, st.scalars
    picky = rule == Rule.GAIN_PER_NONZERO
    for q in range(counts[Count.STEP], until):
        floor2, room = scalars[Scalar.FLOOR2], scalars[Scalar.BUDGET] - counts[Count.NONZEROS]
        while True:
            i = select(order, best, column, stale)
            j = column[i]
            if not stale[i]:
                if j < 0:
                    return Outcome.EXHAUSTED
                swap = abs2(active[i, j]) <= floor2
                added = count_total_growth(fill, sizes, i, j, swap)
                if added <= room or not picky:
                    break
            rescan_prices(st, rule, i, room)
        score = find_gain(active, diagonal, weights, i, j, floor2) if picky else best[i]
        if score <= least:
            return Outcome.EXHAUSTED
        outcome = rotate(st, q, i, j, swap, added, room)
        if outcome != Outcome.CHUNK_DONE:
            return outcome
        _update_fill(st, i, j, swap)
        for m in (i, j):
            rescore_prices(st, rule, m, room - added)
        _forget(best, stale, i, j)
        if picky and added < 0.0:  # a swap that freed nonzeros may have brought pairs of any row within the budget
            for m in range(best.shape[0]):
                best[m], stale[m] = np.inf, True
    return Outcome.CHUNK_DONE


@bare_kernel
def advance_by_entry(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pair of the largest entry: Jacobi's rule, over all pairs or between a vector and the rest."""
    _, order, active, _, _, _, _, best, column, stale = st[:10]
    counts, scalars = st[-2:]
    p = active.shape[0]
    for q in range(counts[Count.STEP], until):
        i = select(order, best, column, stale)
        while stale[i]:
            rescan_entries(st, i, i + 1 if rule == Rule.CLASSIC else p)
            i = select(order, best, column, stale)
        j = column[i]
        if j < 0 or math.sqrt(best[i]) <= least:
            return Outcome.EXHAUSTED
        outcome, swap = _rotate_counted(st, q, i, j, scalars[Scalar.BUDGET] - counts[Count.NONZEROS])
        if outcome != Outcome.CHUNK_DONE:
            return outcome
        _update_fill(st, i, j, swap)
        for m in (i, j):
            if m >= p or rule == Rule.CLASSIC:
                rescore_entries(st, m)
        _forget(best, stale, i, j)
    return Outcome.CHUNK_DONE


@compile_wrapping
def _hash(seed: np.uint64, counter: np.uint64) -> np.uint64:
    """A random word for every counter (splitmix64's finaliser): a draw can be found again from its number alone."""
    z = seed + counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@bare_inline
def _find_pair(rule: int, seed: np.uint64, cursor: int, p: int, n: int) -> Any:
    """Pair number `cursor` of the endless sweep row by row, or of the random stream."""
    if rule == Rule.CYCLIC:
        cursor %= p * n
        return cursor // n, cursor % n
    i = np.int64(_hash(seed, np.uint64(2 * cursor)) % np.uint64(p))
    return i, np.int64(_hash(seed, np.uint64(2 * cursor + 1)) % np.uint64(n))


@bare_kernel
def find_cursor(st: Rows, rule: int, seed: np.uint64) -> None:
    """Put the cursor of a cyclic or random run behind the pairs of its rotations so far.

    Nothing changes between two rotations, so a pair is taken the first time that it comes up: the rotations tell.
    """
    p, n = st.active.shape
    cursor = np.int64(0)
    for q in range(st.counts[Count.STEP]):
        while True:
            i, j = _find_pair(rule, seed, cursor, p, n)
            cursor += 1
            if i == st.first[q] and j == st.second[q]:
                break
    st.counts[Count.CURSOR] = cursor


@bare_kernel
def advance_in_turn(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pairs of a sweep, of a random stream, or of an earlier run, whatever their gain.

    Stops idle when as many pairs were passed over as there are.
    """
    _, _, active, diagonal, weights, _, _, _, _, _ = st[:10]
    sizes, fill = st.sizes, st.fill
    first, second, _, _, _, _, _, counts, scalars = st[19:]
    p, n = active.shape
    limit, room = scalars[Scalar.LIMIT], np.inf
    for q in range(counts[Count.STEP], until):
        floor2 = scalars[Scalar.FLOOR2]
        if rule == Rule.FOLLOW:
            i, j = np.int64(first[q]), np.int64(second[q])
        else:
            room = scalars[Scalar.BUDGET] - counts[Count.NONZEROS]
            i, j = _find_pair(rule, seed, counts[Count.CURSOR], p, n)
            while (
                j <= i
                or find_gain(active, diagonal, weights, i, j, floor2) <= least
                or (limit < n and sizes[i] + count_growth(fill, sizes, i, j, abs2(active[i, j]) <= floor2) > limit)
            ):
                if counts[Count.IDLE] == p * n:
                    return Outcome.IDLE
                counts[Count.CURSOR] += 1
                counts[Count.IDLE] += 1
                i, j = _find_pair(rule, seed, counts[Count.CURSOR], p, n)
        outcome, swap = _rotate_counted(st, q, i, j, room)
        if outcome != Outcome.CHUNK_DONE:
            return outcome
        _update_fill(st, i, j, swap)
        if rule != Rule.FOLLOW:
            counts[Count.CURSOR] += 1
            counts[Count.IDLE] = 0
    return Outcome.CHUNK_DONE
