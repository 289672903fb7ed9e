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
from jacobeig._kernels.plane import abs2
from jacobeig._kernels.rows import Count, Outcome, Rows, Scalar, hold_row, rotate
from jacobeig._kernels.scan import (
    Rule,
    growth,
    pair_gain,
    rescan_gains,
    rescan_prices,
    rescore_gains,
    rescore_prices,
    select,
    total_growth,
    update_extremes,
)
from jacobeig._kernels.scan_entries import rescan_entries, rescore_entries
from jacobeig._kernels.support import added_nonzeros, update_fill

__all__ = ["choose_kernel", "find_cursor"]


def choose_kernel(rule: int, counted: bool) -> Callable[[Rows, int, np.uint64, int, float], int]:
    """Return the kernel of a rule; `counted` where the fill is kept."""
    if rule <= Rule.GAIN_PER_NONZERO:
        return advance_by_price if counted else advance_by_gain
    return advance_by_entry if rule <= Rule.CLASSIC else advance_in_turn


@bare_kernel
def advance_by_gain(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pair of the largest gain, as in the paper."""
    matrix, order, active, diagonal, weights, adaptive, extremes, best, column, stale = st[:10]
    rows, slots, current, work, supports, sizes, owners, _, news = st[10:19]
    first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars = st[19:]
    p = active.shape[0]
    for q in range(counts[Count.STEP], until):
        floor2 = scalars[Scalar.FLOOR2]
        i = select(order, best, column, stale)
        while stale[i]:
            rescan_gains(active, diagonal, weights, order, extremes, best, column, stale, i, floor2)
            i = select(order, best, column, stale)
        j = column[i]
        if j < 0 or best[i] <= least:
            return Outcome.EXHAUSTED
        swap = abs2(active[i, j]) <= floor2
        added = added_nonzeros(supports, slots, sizes, p, i, j, swap)
        if added > scalars[Scalar.BUDGET] - counts[Count.NONZEROS]:
            return Outcome.DENSITY
        missing = hold_row(matrix, order, rows, slots, owners, supports, counts, scalars, p, j)
        if missing != Outcome.CHUNK_DONE:
            return missing
        rotate(
            active, diagonal, weights, adaptive, stale, rows, slots, current, work, supports, sizes, news,
            first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars, q, i, j, swap, added,
        )  # fmt: skip
        if j >= p:
            update_extremes(diagonal, p, extremes, j)
        for m in (i, j):
            rescore_gains(active, diagonal, weights, order, best, column, stale, m, scalars[Scalar.FLOOR2])
        best[i], stale[i] = np.inf, True
        if j < p:
            best[j], stale[j] = np.inf, True
    return Outcome.CHUNK_DONE


@bare_kernel
def advance_by_price(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pair of the largest gain, or gain for each nonzero that it adds, that the budgets allow."""
    matrix, order, active, diagonal, weights, adaptive, _, best, column, stale = st[:10]
    rows, slots, current, work, supports, sizes, owners, fill, news = st[10:19]
    first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars = st[19:]
    p, picky, limit = active.shape[0], rule == Rule.GAIN_PER_NONZERO, scalars[Scalar.LIMIT]
    for q in range(counts[Count.STEP], until):
        floor2, room = scalars[Scalar.FLOOR2], scalars[Scalar.BUDGET] - counts[Count.NONZEROS]
        while True:
            i = select(order, best, column, stale)
            j = column[i]
            if not stale[i]:
                if j < 0:
                    return Outcome.EXHAUSTED
                swap = abs2(active[i, j]) <= floor2
                added = total_growth(fill, sizes, i, j, swap)
                if added <= room or not picky:
                    break
            rescan_prices(
                rule, active, diagonal, weights, order, fill, sizes, best, column, stale,
                i, floor2, room, limit,
            )  # fmt: skip
        score = pair_gain(active, diagonal, weights, i, j, floor2) if picky else best[i]
        if score <= least:
            return Outcome.EXHAUSTED
        if added > room:
            return Outcome.DENSITY
        missing = hold_row(matrix, order, rows, slots, owners, supports, counts, scalars, p, j)
        if missing != Outcome.CHUNK_DONE:
            return missing
        rotate(
            active, diagonal, weights, adaptive, stale, rows, slots, current, work, supports, sizes, news,
            first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars, q, i, j, swap, added,
        )  # fmt: skip
        update_fill(fill, supports, owners, counts[Count.TOUCHED], news, i, j, swap)
        for m in (i, j):
            rescore_prices(
                rule, active, diagonal, weights, order, fill, sizes, best, column, stale,
                m, scalars[Scalar.FLOOR2], room - added, limit,
            )  # fmt: skip
        best[i], stale[i] = np.inf, True
        if j < p:
            best[j], stale[j] = np.inf, True
        if (
            picky and added < 0.0
        ):  # a swap that freed nonzeros may have brought pairs of any row within the budget again
            for m in range(best.shape[0]):
                best[m], stale[m] = np.inf, True
    return Outcome.CHUNK_DONE


@bare_kernel
def advance_by_entry(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pair of the largest entry: Jacobi's rule, over all pairs or between a vector and the rest."""
    matrix, order, active, diagonal, weights, adaptive, _, best, column, stale = st[:10]
    rows, slots, current, work, supports, sizes, owners, fill, news = st[10:19]
    first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars = st[19:]
    p, limit = active.shape[0], scalars[Scalar.LIMIT]
    for q in range(counts[Count.STEP], until):
        floor2 = scalars[Scalar.FLOOR2]
        i = select(order, best, column, stale)
        while stale[i]:
            rescan_entries(
                active, order, fill, sizes, best, column, stale,
                i, i + 1 if rule == Rule.CLASSIC else p, floor2, limit,
            )  # fmt: skip
            i = select(order, best, column, stale)
        j = column[i]
        if j < 0 or math.sqrt(best[i]) <= least:
            return Outcome.EXHAUSTED
        swap = abs2(active[i, j]) <= floor2
        added = added_nonzeros(supports, slots, sizes, p, i, j, swap)
        if added > scalars[Scalar.BUDGET] - counts[Count.NONZEROS]:
            return Outcome.DENSITY
        missing = hold_row(matrix, order, rows, slots, owners, supports, counts, scalars, p, j)
        if missing != Outcome.CHUNK_DONE:
            return missing
        rotate(
            active, diagonal, weights, adaptive, stale, rows, slots, current, work, supports, sizes, news,
            first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars, q, i, j, swap, added,
        )  # fmt: skip
        if fill.shape[1] > 0:
            update_fill(fill, supports, owners, counts[Count.TOUCHED], news, i, j, swap)
        for m in (i, j):
            if m >= p or rule == Rule.CLASSIC:
                rescore_entries(
                    active, order, fill, sizes, best, column, stale,
                    m, scalars[Scalar.FLOOR2], limit,
                )  # fmt: skip
        best[i], stale[i] = np.inf, True
        if j < p:
            best[j], stale[j] = np.inf, True
    return Outcome.CHUNK_DONE


@compile_wrapping
def _hash(seed: np.uint64, counter: np.uint64) -> np.uint64:
    """A random word for every counter (splitmix64's finaliser): a draw can be found again from its number alone."""
    z = seed + counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@bare_inline
def _pair_at(rule: int, seed: np.uint64, cursor: int, p: int, n: int) -> Any:
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
            i, j = _pair_at(rule, seed, cursor, p, n)
            cursor += 1
            if i == st.first[q] and j == st.second[q]:
                break
    st.counts[Count.CURSOR] = cursor


@bare_kernel
def advance_in_turn(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate the pairs of a sweep, of a random stream, or of an earlier run, whatever their gain.

    Stops idle when as many pairs were passed over as there are.
    """
    matrix, order, active, diagonal, weights, adaptive, _, _, _, stale = st[:10]
    rows, slots, current, work, supports, sizes, owners, fill, news = st[10:19]
    first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars = st[19:]
    p, n = active.shape
    limit = scalars[Scalar.LIMIT]
    for q in range(counts[Count.STEP], until):
        floor2 = scalars[Scalar.FLOOR2]
        if rule == Rule.FOLLOW:
            i, j = np.int64(first[q]), np.int64(second[q])
        else:
            i, j = _pair_at(rule, seed, counts[Count.CURSOR], p, n)
            while (
                j <= i
                or pair_gain(active, diagonal, weights, i, j, floor2) <= least
                or (limit < n and sizes[i] + growth(fill, sizes, i, j, abs2(active[i, j]) <= floor2) > limit)
            ):
                if counts[Count.IDLE] == p * n:
                    return Outcome.IDLE
                counts[Count.CURSOR] += 1
                counts[Count.IDLE] += 1
                i, j = _pair_at(rule, seed, counts[Count.CURSOR], p, n)
        swap = abs2(active[i, j]) <= floor2
        added = added_nonzeros(supports, slots, sizes, p, i, j, swap)
        if rule != Rule.FOLLOW and added > scalars[Scalar.BUDGET] - counts[Count.NONZEROS]:
            return Outcome.DENSITY
        missing = hold_row(matrix, order, rows, slots, owners, supports, counts, scalars, p, j)
        if missing != Outcome.CHUNK_DONE:
            return missing
        rotate(
            active, diagonal, weights, adaptive, stale, rows, slots, current, work, supports, sizes, news,
            first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars, q, i, j, swap, added,
        )  # fmt: skip
        if fill.shape[1] > 0:
            update_fill(fill, supports, owners, counts[Count.TOUCHED], news, i, j, swap)
        if rule != Rule.FOLLOW:
            counts[Count.CURSOR] += 1
            counts[Count.IDLE] = 0
    return Outcome.CHUNK_DONE
