"""Greedy rotations of a large sparse matrix: the pivots of `rows.py`, at a cost that follows the nonzeros.

Coordinates here are numbered in the order in which they are first *seen*: the seeds come first, so a coordinate below
p = len(weights) is active, then whatever a row that was read has an entry for. `order` and `numbers` map between these
numbers and the matrix's own coordinates; nothing but the maps and the tournament of diagonal entries has length n.

The active rows are kept as values over all seen coordinates, with lists of those where they are not zero. Row p of the
same arrays is the trailing row at hand: it is read from the matrix, or taken from the store; brought up to date by
replaying the rotations that it has missed; rotated; and put away. The supports of the vectors are treated likewise.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from jacobeig._kernels._jit import bare_inline, bare_kernel
from jacobeig._kernels.extremes import Tournament, next_node, replay_match
from jacobeig._kernels.lists import Sets, Store, clear, exchange, include, reserve, unite
from jacobeig._kernels.plane import abs2, orient, unit_gain
from jacobeig._kernels.rows import Count, Outcome, Scalar, refresh_weight, turn
from jacobeig._kernels.scan import SLACK, Rule, measure_pair, offer, pair_gain, price_pair, select, weigh_pair
from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray, UIntArray

__all__ = ["SparseState", "advance_sparse", "read_seeds"]


class SparseState(NamedTuple):
    """The state of a run. Every array is changed in place, except those of the matrix.

    Arrays of length `capacity` have space for as many seen coordinates; the caller lets them grow.
    """

    indptr: IntArray  # the matrix in CSR form
    indices: NumberArray
    data: NumberArray
    numbers: NumberArray  # (n,) int32, the number of each coordinate of the matrix, or -1 before it is seen
    order: IntArray  # (capacity,) the matrix's own coordinate of each number
    active: NumberArray  # (p + 1, capacity) the active rows, always current, and the row at hand
    pattern: Sets  # (p + 1) where they are not zero; trailing coordinates only
    diagonal: FloatArray  # (capacity,) always current, float64
    tournament: Tournament  # of the trailing coordinates
    weights: FloatArray  # (p,) see rows.py for these five
    adaptive: IntArray
    best: FloatArray
    column: IntArray
    stale: BoolArray
    current: IntArray  # (capacity,) the step up to which a trailing row is current, or -1 before it is read
    rows: Store  # trailing rows: where they are not zero,
    values: NumberArray  # and their values there
    supports: Sets  # (p + 1) of the active vectors, and of the one at hand
    members: Store  # the supports of the trailing vectors that have been rotated; the others are unit vectors
    sizes: FloatArray  # (capacity,) nonzeros of every vector
    first: UIntArray  # (k,) see rows.py for these and the rest
    second: UIntArray
    cosines: FloatArray
    sines: NumberArray
    shifts: FloatArray
    gains: FloatArray
    nonzeros: IntArray
    counts: IntArray
    scalars: FloatArray


@bare_inline
def _see(st: SparseState, coordinate: int) -> int:
    """The number of a coordinate of the matrix, a new one if it has none; the caller has seen to the space."""
    m = np.int64(st.numbers[coordinate])
    if m < 0:
        m = np.int64(st.counts[Count.SEEN])
        st.counts[Count.SEEN] = m + 1
        st.numbers[coordinate], st.order[m] = m, coordinate
        st.diagonal[m] = st.tournament.entries[coordinate]
    return m


@bare_inline
def _read_row(st: SparseState, r: int, coordinate: int) -> None:
    """Read a row of the matrix into the empty row r."""
    p, scale = st.weights.shape[0], st.scalars[Scalar.SCALE]
    for t in range(st.indptr[coordinate], st.indptr[coordinate + 1]):
        m = _see(st, st.indices[t])
        st.active[r, m] = st.data[t] * scale
        if m >= p:
            include(st.pattern, r, m)


@bare_kernel
def read_seeds(st: SparseState) -> None:
    """Read the active rows, of which the caller has seen the seeds only."""
    for i in range(st.weights.shape[0]):
        _read_row(st, i, st.order[i])


@bare_inline
def _has_space(st: SparseState, j: int) -> bool:
    """Whether the arrays can take what rotating with j may bring at worst."""
    capacity, coordinate = st.order.shape[0], st.order[j]
    fresh = np.int64(0) if st.current[j] >= 0 else st.indptr[coordinate + 1] - st.indptr[coordinate]
    st.counts[Count.WANTED] = fresh
    return (
        st.counts[Count.SEEN] + fresh <= capacity
        and st.rows.used[0] + 2 * capacity <= st.rows.items.shape[0]
        and st.members.used[0] + 2 * capacity <= st.members.items.shape[0]
    )


@bare_inline
def _replay(st: SparseState, begin: int, end: int) -> None:
    """Apply the column rotations begin..end-1 to the row at hand."""
    p = st.weights.shape[0]
    row = st.active[p]
    for q in range(np.uint64(begin), np.uint64(end)):
        i, j = np.uint64(st.first[q]), np.uint64(st.second[q])
        x, y = row[i], row[j]
        if x != 0.0 or y != 0.0:
            c, s = st.cosines[q], st.sines[q]
            row[j] = c * y - np.conj(s) * x
            row[i] = c * x + s * y
            if j >= p:
                include(st.pattern, p, j)


@bare_inline
def _take_row(st: SparseState, j: int, q: int) -> None:
    """Bring the trailing row j to hand, as it is before step q; O(its nonzeros + rotations missed)."""
    p = st.weights.shape[0]
    if st.current[j] < 0:
        _read_row(st, p, st.order[j])
    for t in range(st.rows.begin[j], st.rows.begin[j] + st.rows.length[j]):
        m = st.rows.items[t]
        st.active[p, m] = st.values[t]
        if m >= p:
            include(st.pattern, p, m)
    _replay(st, max(st.current[j], 0), q)
    for a in range(p):  # by symmetry, and exactly: these are kept current
        st.active[p, a] = np.conj(st.active[a, j])


@bare_inline
def _rotate(st: SparseState, i: int, y: int, c: Any, s: Any) -> None:
    """Rows i, y <- G^H applied to them, on the union of their patterns."""
    p = st.weights.shape[0]
    x_row, y_row = st.active[i], st.active[y]
    unite(st.pattern, i, y, st.counts[Count.SEEN])
    for t in range(p + st.pattern.sizes[i]):
        m = np.uint64(t) if t < p else np.uint64(st.pattern.members[i, t - p])
        u, v = x_row[m], y_row[m]
        x_row[m] = c * u + np.conj(s) * v
        y_row[m] = c * v - s * u


@bare_inline
def _mirror(st: SparseState, i: int, j: int, y: int) -> None:
    """Columns i and j of the other active rows, by symmetry with rows i and y."""
    p = st.weights.shape[0]
    for a in range(p):
        if a != i and a != j:
            st.active[a, i] = np.conj(st.active[i, a])
            st.active[a, j] = np.conj(st.active[y, a])
            if j >= p and st.active[a, j] != 0.0:
                include(st.pattern, a, j)


@bare_inline
def _drop_zeros(st: SparseState, r: int) -> None:
    """Take the coordinates where row r is zero out of its pattern."""
    kept = 0
    for t in range(st.pattern.sizes[r]):
        m = st.pattern.members[r, t]
        if st.active[r, m] != 0.0:
            st.pattern.members[r, kept] = m
            kept += 1
        else:
            st.pattern.inside[r, m] = False
    st.pattern.sizes[r] = kept


@bare_inline
def _put_row_away(st: SparseState, j: int, step: int) -> None:
    """Store the row at hand as the trailing row j, current up to `step`, and leave an empty one."""
    p = st.weights.shape[0]
    _drop_zeros(st, p)
    for a in range(p):
        if st.active[p, a] != 0.0:
            include(st.pattern, p, a)
    length = st.pattern.sizes[p]
    begin = reserve(st.rows, j, length)
    for t in range(length):
        m = st.pattern.members[p, t]
        st.rows.items[begin + t], st.values[begin + t] = m, st.active[p, m]
        st.active[p, m] = 0.0
    clear(st.pattern, p)
    st.counts[Count.TOUCHED] += st.current[j] < 0
    st.current[j] = step


@bare_inline
def _count_missing(st: SparseState, i: int, m: int) -> float:
    """How many nonzeros vector i, which is active, would take over from vector m; O(nonzeros of m)."""
    inside, count = st.supports.inside, np.int64(0)
    if m < st.weights.shape[0]:
        for t in range(st.supports.sizes[m]):
            count += not inside[i, st.supports.members[m, t]]
    elif st.current[m] < 0:
        count = np.int64(1)
    else:
        for t in range(st.members.begin[m], st.members.begin[m] + st.members.length[m]):
            count += not inside[i, st.members.items[t]]
    return np.float64(count)


@bare_inline
def _count_added(st: SparseState, i: int, j: int, swap: bool) -> float:
    """How many nonzeros the p vectors gain when (i, j) is rotated."""
    both = j < st.weights.shape[0]
    if swap:
        return 0.0 if both else st.sizes[j] - st.sizes[i]
    return _count_missing(st, i, j) + (_count_missing(st, j, i) if both else 0.0)


@bare_inline
def _merge_supports(st: SparseState, i: int, j: int, swap: bool) -> None:
    """What rotating (i, j) does to the supports of the two vectors."""
    p = st.weights.shape[0]
    y = j if j < p else p
    if j >= p:
        if st.members.length[j] == 0:
            include(st.supports, p, j)
        for t in range(st.members.begin[j], st.members.begin[j] + st.members.length[j]):
            include(st.supports, p, st.members.items[t])
    if swap:
        exchange(st.supports, i, y)
    else:
        unite(st.supports, i, y, st.counts[Count.SEEN])
    st.sizes[i], st.sizes[j] = st.supports.sizes[i], st.supports.sizes[y]
    if j >= p:
        begin = reserve(st.members, j, st.supports.sizes[p])
        for t in range(st.supports.sizes[p]):
            st.members.items[begin + t] = st.supports.members[p, t]
        clear(st.supports, p)


@bare_inline
def _price(st: SparseState, rule: int, key: float, i: int, j: int, room: float) -> float:
    """Score of a pair whose key is known, given the nonzeros that it adds."""
    p, size, limit = st.weights.shape[0], st.sizes[i], st.scalars[Scalar.LIMIT]
    if abs2(st.active[i, j]) <= st.scalars[Scalar.FLOOR2]:
        added = st.sizes[j] - size
        return price_pair(rule, key, size, added, 0.0 if j < p else added, room, limit)
    added = _count_missing(st, i, j)
    total = added + (_count_missing(st, j, i) if j < p and rule == Rule.GAIN_PER_NONZERO else 0.0)
    return price_pair(rule, key, size, added, total, room, limit)


@bare_inline
def _best_in_pattern(st: SparseState, rule: int, counted: bool, i: int, weight: float, room: float) -> Any:
    """Best score over the trailing entries of row i that are not noise, and its column; O(nonzeros of the row).

    Gains are multiplied by `weight`. As in scan.py, a root is taken only where a pair can beat the best so far.
    """
    row, d, sign, floor2 = st.active[i], st.diagonal[i], orient(st.weights[i]), st.scalars[Scalar.FLOOR2]
    t, column, gains = 0.0, np.int64(-1), rule <= Rule.GAIN_PER_NONZERO
    low = 0.0
    for k in range(st.pattern.sizes[i]):
        j = np.uint64(st.pattern.members[i, k])
        s2, delta = np.float64(abs2(row[j])), sign * (d - st.diagonal[j])
        if s2 <= floor2 or (gains and not s2 > low * (low + delta)):
            continue
        score = weight * unit_gain(s2, delta) if gains else s2
        if counted and score >= t:
            # Vector i takes over at least as many nonzeros as j has more: mostly, that is bad enough.
            least = max(st.sizes[j] - st.sizes[i], 0.0) if rule == Rule.GAIN_PER_NONZERO else 0.0
            score = _price(st, rule, score, i, np.int64(j), room) if score / (1.0 + least) >= t else 0.0
        if score > t or (score == t and t > 0.0 and st.order[j] < st.order[column]):
            t, column = score, np.int64(j)
            low = t * SLACK / weight
    return t, column


@bare_inline
def _best_swap(
    st: SparseState, rule: int, counted: bool, i: int, weight: float, room: float, t: float, column: int
) -> Any:
    """Improve the best score and column of row i by swaps with any trailing coordinate.

    Visits the tournament from left to right and enters only where the winner can still beat the best so far. Where
    no nonzeros are counted it beats all others, and this is one path down.
    """
    entries, high, low = st.tournament
    d, sign, n_leaves = st.diagonal[i], orient(st.weights[i]), high.shape[0] // 2
    winner = np.int64(-1 if column < 0 else st.order[column])
    v = np.int64(1)
    while v > 0:
        m = np.int64(high[v] if sign > 0.0 else low[v])
        score = 0.0 if m < 0 else weight * (sign * (entries[m] - d))
        if score > t or (score == t and t > 0.0 and m < winner):
            if v < n_leaves:
                v *= 2
                continue
            j = np.int64(st.numbers[m])
            if j >= 0 and abs2(st.active[i, j]) > st.scalars[Scalar.FLOOR2]:  # not a swap: the pattern has it
                score = 0.0
            elif counted:
                added = (1.0 if j < 0 else st.sizes[j]) - st.sizes[i]
                score = price_pair(rule, score, st.sizes[i], added, added, room, st.scalars[Scalar.LIMIT])
            if score > t or (score == t and t > 0.0 and m < winner):
                t, winner = score, m
        v = next_node(v)
    return t, (winner if winner < 0 else _see(st, winner))


@bare_inline
def _rescan(st: SparseState, rule: int, counted: bool, i: int, room: float) -> None:
    """Find the best pair of row i afresh; O(nonzeros of the row + log n), and may see one new coordinate."""
    p, w, gains = st.weights.shape[0], abs(st.weights[i]), rule <= Rule.GAIN_PER_NONZERO
    score, column = 0.0, np.int64(-1)
    if w > 0.0 or not gains:
        weight = w if counted and gains else 1.0  # unit gains are compared where they can be, as in scan.py
        score, column = _best_in_pattern(st, rule, counted, i, weight, room)
        if gains:
            score, column = _best_swap(st, rule, counted, i, weight, room, score, column)
            score = score if counted else w * score
    for j in range(i + 1, p):
        key = measure_pair(rule, st.active, st.diagonal, st.weights, i, j, st.scalars[Scalar.FLOOR2])
        if key > 0.0 and key >= score:
            key = _price(st, rule, key, i, j, room) if counted else key
            if key > score or (key == score and key > 0.0 and st.order[j] < st.order[column]):
                score, column = key, np.int64(j)
    st.best[i], st.column[i], st.stale[i] = score, column, False


@bare_inline
def _rescore(st: SparseState, rule: int, counted: bool, j: int, room: float) -> None:
    """Column j has changed: offer its pairs to the rows that own them; O(p), and counting for those that may win."""
    for i in range(min(j, st.weights.shape[0])):
        score = measure_pair(rule, st.active, st.diagonal, st.weights, i, j, st.scalars[Scalar.FLOOR2])
        if counted and score > 0.0 and score >= st.best[i]:
            score = _price(st, rule, score, i, j, room)
        offer(st.order, st.best, st.column, st.stale, i, j, score)


@bare_kernel
def advance_sparse(st: SparseState, rule: int, until: int, least: float) -> int:
    """Rotate until step `until`; earlier when no pair scores above `least`, or a budget or space is missing.

    The loop of `rows.advance`, whose comments hold here too, for the greedy rules over seeds and for FOLLOW. Costs
    O(nonzeros of the two rows + rotations missed by row j + log n) a rotation.
    """
    p, counts, scalars = st.weights.shape[0], st.counts, st.scalars
    counted, picky = rule == Rule.GAIN_PER_NONZERO or scalars[Scalar.LIMIT] < np.inf, rule == Rule.GAIN_PER_NONZERO
    for q in range(counts[Count.STEP], until):
        # 1. Choose the pair (i, j).
        floor2, room = scalars[Scalar.FLOOR2], scalars[Scalar.BUDGET] - counts[Count.NONZEROS]
        if rule == Rule.FOLLOW:
            i, j = np.int64(st.first[q]), np.int64(st.second[q])
        else:
            while True:
                i = select(st.order, st.best, st.column, st.stale)
                j = st.column[i]
                if not st.stale[i]:
                    swap = j >= 0 and abs2(st.active[i, j]) <= floor2
                    if not picky or j < 0 or _count_added(st, i, j, swap) <= room:
                        break
                if counts[Count.SEEN] == st.order.shape[0]:
                    return Outcome.NEED_SPACE
                _rescan(st, rule, counted, i, room)
            score = math.sqrt(st.best[i]) if rule > Rule.GAIN_PER_NONZERO else st.best[i]
            if picky and j >= 0:
                score = pair_gain(st.active, st.diagonal, st.weights, i, j, floor2)
            if j < 0 or score <= least:
                return Outcome.EXHAUSTED

        # 2. Stop at a budget, or for space.
        swap = abs2(st.active[i, j]) <= floor2
        added = _count_added(st, i, j, swap)
        if added > room and rule != Rule.FOLLOW:
            return Outcome.DENSITY
        if not _has_space(st, j):
            return Outcome.NEED_SPACE

        # 3. Bring row j to hand.
        y = j if j < p else p
        if j >= p:
            _take_row(st, j, q)

        # 4. The best rotation of the pair, and what it does to the diagonal.
        s = st.active[i, j] * st.sines.dtype.type(0.0 if swap else 1.0)
        w = weigh_pair(st.weights, i, j)
        c, sigma = turn(
            st.diagonal, st.first, st.second, st.cosines, st.sines, st.shifts, st.gains, scalars, st.stale,
            q, i, j, s, w, swap,
        )  # fmt: skip

        # 5. Rows i and j, and by symmetry columns i and j of the other active rows.
        _rotate(st, i, y, c, sigma)
        st.active[i, i], st.active[i, j], st.active[y, i], st.active[y, j] = st.diagonal[i], 0.0, 0.0, 0.0
        _mirror(st, i, j, y)
        _drop_zeros(st, i)
        if j < p:
            st.active[j, j] = st.diagonal[j]
            _drop_zeros(st, j)
        else:
            _put_row_away(st, j, q + 1)
            replay_match(st.tournament, st.order[j], st.diagonal[j])

        # 6. Supports.
        _merge_supports(st, i, j, swap)
        counts[Count.NONZEROS] += np.int64(added)
        st.nonzeros[q] = counts[Count.NONZEROS]
        counts[Count.STEP] = q + 1

        # 7. Weights and scores: only rows and columns i and j have changed.
        refresh_weight(st.weights, st.adaptive, st.diagonal, scalars, i)
        if j < p:
            refresh_weight(st.weights, st.adaptive, st.diagonal, scalars, j)
        if rule != Rule.FOLLOW:
            for m in (i, j):
                _rescore(st, rule, counted, m, room - added)
            for m in range(p):
                if m in (i, j) or (picky and added < 0.0):
                    st.best[m], st.stale[m] = np.inf, True
    return Outcome.CHUNK_DONE
