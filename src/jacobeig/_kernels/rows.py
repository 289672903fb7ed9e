"""Greedy rotations that read only the rows they need (see "How it works" in the documentation).

One step is the paper's: the pair (i, j) with the largest gain, and the 2 x 2 eigenvectors of its block. Here no column
is updated, a departure that saves 2n cache misses a step; and a run stops when no pair gains anything.

Coordinates here are *internal*: the seeds come first, so a coordinate below p is active and its row is kept current;
`order` maps back to the matrix. A trailing row is read when it is first chosen and afterwards brought up to date by
replaying the rotations it has missed, two of its entries a rotation.

References
----------
C. Rusu, "An iterative Jacobi-like algorithm to compute a few sparse approximate eigenvectors": Algorithm 1, with
Jacobi's rule (1846, "classic") and the author's variants beside it.
S. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators" (2014): the random stream.
"""

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from jacobeig._kernels._jit import bare_inline, bare_kernel, compile_wrapping
from jacobeig._kernels.plane import abs2, orient, rotation, unit_gain
from jacobeig._kernels.scan import (
    Rule,
    growth,
    pair_gain,
    rescan,
    rescore,
    select,
    update_extremes,
    weigh_pair,
)
from jacobeig._kernels.support import added_nonzeros, exchange, find_set, insert, merge, update_fill
from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray, UIntArray

__all__ = ["Count", "Outcome", "Rows", "Scalar", "advance", "find_cursor", "refresh_weight", "turn"]

Outcome = IntEnum("Outcome", "CHUNK_DONE EXHAUSTED IDLE DENSITY NEED_ROW NEED_SPACE", start=0)


class _Count(NamedTuple):
    """Places in `Rows.counts`; plain integers, because Numba before 0.68 does not index arrays by an IntEnum."""

    STEP: int = 0
    TOUCHED: int = 1
    NONZEROS: int = 2
    WANTED: int = 3
    CURSOR: int = 4
    IDLE: int = 5
    SEEN: int = 6


class _Scalar(NamedTuple):
    """Places in `Rows.scalars`."""

    SCALE: int = 0
    TOP: int = 1
    FLOOR2: int = 2
    LOWER: int = 3
    UPPER: int = 4
    BUDGET: int = 5
    LIMIT: int = 6


Count, Scalar = _Count(), _Scalar()


class Rows(NamedTuple):
    """The state of a run. Every array is changed in place by `advance`, except `matrix` and `order`."""

    matrix: NumberArray  # (n, n) to read rows from, or (0, 0) when the caller supplies them
    order: IntArray  # (n,) the matrix's own coordinate of each internal one
    active: NumberArray  # (p, n) rows that are always current
    diagonal: FloatArray  # (n,) always current, float64
    weights: FloatArray  # (p,) the target
    adaptive: IntArray  # (p,) +1 or -1: the weight follows the diagonal, from Scalar.LOWER or UPPER; 0: it is fixed
    extremes: IntArray  # (2,) see scan.py
    best: FloatArray  # (p,) the best score of each active row, or an upper bound of it
    column: IntArray  # (p,) its column, or -1
    stale: BoolArray  # (p,) the score is only an upper bound
    rows: NumberArray  # (capacity, n + padding) trailing rows, each current up to its own step
    slots: IntArray  # (n,) where the row of a trailing coordinate is kept, or -1
    current: IntArray  # (n,) the step up to which that row is current
    work: NumberArray  # (n,) the row being brought up to date
    supports: UIntArray  # (p + capacity, words) bitsets: active vectors, then slots
    sizes: FloatArray  # (n,) nonzeros of every vector (as floats, for the scan's sake)
    owners: IntArray  # (capacity,) the trailing coordinate whose row and support a slot keeps
    fill: FloatArray  # (p, n) see scan.py, or (p, 0)
    news: UIntArray  # (2, words) what the supports of the last pair gained
    first: UIntArray  # (k,) the rotations so far: pair, cosine, sine,
    second: UIntArray
    cosines: FloatArray
    sines: NumberArray
    shifts: FloatArray  # what the first coordinate's diagonal entry rose by,
    gains: FloatArray  # what f rose by,
    nonzeros: IntArray  # and the nonzeros of the active vectors afterwards
    counts: IntArray  # see Count
    scalars: FloatArray  # see Scalar


@bare_inline
def _replay(
    row: NumberArray, first: UIntArray, second: UIntArray, cosines: FloatArray, sines: NumberArray, begin: int, end: int
) -> None:
    """Apply the column rotations begin..end-1 to one row.

    Neighbouring rotations mostly share their first coordinate, so its entry stays in a register.
    """
    if begin >= end:
        return
    i = np.uint64(first[begin])
    x = row[i]
    for q in range(np.uint64(begin), np.uint64(end)):
        if np.uint64(first[q]) != i:
            row[i] = x
            i = np.uint64(first[q])
            x = row[i]
        j = np.uint64(second[q])
        c, s, y = cosines[q], sines[q], row[j]
        row[j] = c * y - np.conj(s) * x
        x = row.dtype.type(c * x + s * y)
    row[i] = x


@bare_inline
def _rotate_rows(x: NumberArray, y: NumberArray, y_out: NumberArray, c: Any, s: Any) -> None:
    """x, y_out <- G^H applied to the rows x, y."""
    for m in range(x.shape[0]):
        u, v = x[m], y[m]
        x[m] = c * u + np.conj(s) * v
        y_out[m] = c * v - s * u


@bare_inline
def refresh_weight(weights: FloatArray, adaptive: IntArray, diagonal: FloatArray, scalars: FloatArray, i: int) -> None:
    """An adaptive weight is the vector's own diagonal entry, measured from the far end of the spectrum."""
    if adaptive[i] > 0:
        weights[i] = diagonal[i] - scalars[Scalar.LOWER]
    elif adaptive[i] < 0:
        weights[i] = diagonal[i] - scalars[Scalar.UPPER]


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


@bare_inline
def _raise_floor(scalars: FloatArray, stale: BoolArray, entry: float) -> None:
    """Rounding noise grows with the largest entry: keep TOP, a power of two, above it, and FLOOR2 in proportion.

    Diagonal entries grow towards the eigenvalues, which may be n times the largest entry of the matrix. A higher
    floor only lowers scores, so those known so far stay upper bounds.
    """
    if entry > scalars[Scalar.TOP]:
        while entry > scalars[Scalar.TOP]:
            scalars[Scalar.TOP] *= 2.0
            scalars[Scalar.FLOOR2] *= 4.0
        stale[:] = True


@bare_inline
def turn(
    diagonal: FloatArray,
    first: UIntArray,
    second: UIntArray,
    cosines: FloatArray,
    sines: NumberArray,
    shifts: FloatArray,
    gains: FloatArray,
    scalars: FloatArray,
    stale: BoolArray,
    q: int,
    i: int,
    j: int,
    s: Any,
    w: float,
    swap: bool,
) -> Any:
    """Write down as step q the best rotation of a pair with S_ij = s and A_ii - A_jj = w, and move the diagonal.

    Returns its cosine and sine. May raise the floor.
    """
    sign = orient(w)
    if w == 0.0 and diagonal[i] < diagonal[j]:  # classic Jacobi wants no order: take the smaller angle
        sign = -1.0
    delta = sign * (diagonal[i] - diagonal[j])
    c, sigma = rotation(s, delta, sign)
    g = unit_gain(abs2(s), delta)
    first[q], second[q], cosines[q], sines[q], shifts[q], gains[q] = i, j, c, sigma, sign * g, abs(w) * g
    if swap:
        diagonal[i], diagonal[j] = diagonal[j], diagonal[i]
    else:
        diagonal[i] += sign * g
        diagonal[j] -= sign * g
    _raise_floor(scalars, stale, max(abs(diagonal[i]), abs(diagonal[j])))
    return c, sigma


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
def advance(st: Rows, rule: int, seed: np.uint64, until: int, least: float) -> int:
    """Rotate until step `until`; earlier when no pair scores above `least`, or a budget, a row or space is missing.

    Costs O(n + rotations missed by row j) a rotation. A row whose score is not known yet is stale with a best of
    infinity. One long loop, because every array it works on is a local; big helpers are called from one place each,
    because LLVM compiles them again at every call.
    """
    matrix, order, active, diagonal, weights, adaptive, extremes, best, column, stale = st[:10]
    rows, slots, current, work, supports, sizes, owners, fill, news = st[10:19]
    first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars = st[19:]
    p, n = active.shape
    floor2, limit = scalars[Scalar.FLOOR2], scalars[Scalar.LIMIT]
    greedy, picky = rule <= Rule.CLASSIC, rule == Rule.GAIN_PER_NONZERO
    for q in range(counts[Count.STEP], until):
        # 1. Choose the pair (i, j).
        room = scalars[Scalar.BUDGET] - counts[Count.NONZEROS]
        if rule == Rule.FOLLOW:
            i, j = np.int64(first[q]), np.int64(second[q])
        elif greedy:
            while True:
                i = select(order, best, column, stale)
                j = column[i]
                if not stale[i]:
                    swap = j >= 0 and abs2(active[i, j]) <= floor2
                    if not picky or j < 0 or added_nonzeros(supports, slots, sizes, p, i, j, swap) <= room:
                        break
                rescan(
                    rule, active, diagonal, weights, order, extremes, fill, sizes, best, column,
                    stale, i, floor2, room, limit,
                )  # fmt: skip
            score = math.sqrt(best[i]) if rule > Rule.GAIN_PER_NONZERO else best[i]
            if picky and j >= 0:
                score = pair_gain(active, diagonal, weights, i, j, floor2)
            if score <= least:
                j = np.int64(-1)
        else:
            i, j = _pair_at(rule, seed, counts[Count.CURSOR], p, n)
            while (
                j <= i
                or pair_gain(active, diagonal, weights, i, j, floor2) <= least
                or (limit < n and sizes[i] + growth(fill, sizes, p, i, j, abs2(active[i, j]) <= floor2) > limit)
            ):
                if counts[Count.IDLE] == p * n:
                    return Outcome.IDLE
                counts[Count.CURSOR] += 1
                counts[Count.IDLE] += 1
                i, j = _pair_at(rule, seed, counts[Count.CURSOR], p, n)
        if j < 0:
            return Outcome.EXHAUSTED

        # 2. Stop at a budget; make sure that row j is at hand.
        swap = abs2(active[i, j]) <= floor2
        added = added_nonzeros(supports, slots, sizes, p, i, j, swap)
        if added > room and rule != Rule.FOLLOW:
            return Outcome.DENSITY
        if j >= p and slots[j] < 0:
            slot = counts[Count.TOUCHED]
            if matrix.shape[0] == 0:
                counts[Count.WANTED] = j
                return Outcome.NEED_ROW
            if slot == rows.shape[0]:
                return Outcome.NEED_SPACE
            source = order[j]
            for m in range(n):
                rows[slot, m] = matrix[source, order[m]] * scalars[Scalar.SCALE]
            slots[j], owners[slot] = slot, j
            insert(supports, p + slot, j)
            counts[Count.TOUCHED] = slot + 1

        # 3. Bring row j up to date. Reading it in order first spares the replay its cache misses.
        x = active[i]
        if j < p:
            y = active[j]
            y_out = active[j]
        else:
            y, y_out = work, rows[slots[j]]
            for m in range(n):
                y[m] = y_out[m]
            _replay(y, first, second, cosines, sines, current[j], q)
            for a in range(p):  # by symmetry, and exactly: these are kept current
                y[a] = np.conj(active[a, j])
            y[j] = diagonal[j]

        # 4. The best rotation of the pair, and what it does to the diagonal.
        s = x[j] * sines.dtype.type(0.0 if swap else 1.0)
        w = weigh_pair(weights, i, j)
        c, sigma = turn(
            diagonal, first, second, cosines, sines, shifts, gains, scalars, stale, q, i, j, s, w, swap
        )  # fmt: skip
        floor2 = scalars[Scalar.FLOOR2]

        # 5. Rows i and j, and by symmetry columns i and j of the other active rows.
        _rotate_rows(x, y, y_out, c, sigma)
        x[i], x[j], y_out[i], y_out[j] = diagonal[i], 0.0, 0.0, diagonal[j]
        for a in range(p):
            if a != i and a != j:
                active[a, i] = np.conj(x[a])
                active[a, j] = np.conj(y_out[a])

        # 6. Supports.
        if swap:
            exchange(supports, i, find_set(slots, p, j))
            sizes[i], sizes[j] = sizes[j], sizes[i]
        else:
            sizes[i] = sizes[j] = merge(supports, i, find_set(slots, p, j), news)
        if fill.shape[1] > 0:
            update_fill(fill, supports, slots, owners, counts[Count.TOUCHED], news, i, j, swap)
        counts[Count.NONZEROS] += np.int64(added)
        nonzeros[q] = counts[Count.NONZEROS]
        counts[Count.STEP] = q + 1

        # 7. Weights and scores: only rows and columns i and j have changed.
        refresh_weight(weights, adaptive, diagonal, scalars, i)
        if j < p:
            refresh_weight(weights, adaptive, diagonal, scalars, j)
        else:
            current[j] = q + 1
            update_extremes(diagonal, p, extremes, j)
        if greedy:
            for m in (i, j):
                rescore(
                    rule, active, diagonal, weights, order, fill, sizes, best, column, stale,
                    m, floor2, room - added, limit,
                )  # fmt: skip
            for m in range(p):
                # a swap that freed nonzeros may have brought pairs of any row within the budget again
                if m in (i, j) or (picky and added < 0.0):
                    best[m], stale[m] = np.inf, True
        elif rule != Rule.FOLLOW:
            counts[Count.CURSOR] += 1
            counts[Count.IDLE] = 0
    return Outcome.CHUNK_DONE
