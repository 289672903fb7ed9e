"""Greedy rotations of a large sparse matrix: the pivots of `rows.py`, at a cost that follows the nonzeros.

Coordinates here are numbered in the order in which they are first *seen*: the seeds come first, so a coordinate below
p = len(weights) is active, then whatever a row that was read has an entry for. `order` and `numbers` map between these
numbers and the matrix's own coordinates; nothing but the maps and the tournament of diagonal entries has length n.

The active rows are kept as values over all seen coordinates, with lists of those where they are not zero. Row p of the
same arrays is the trailing row at hand: it is read from the matrix, or taken from the store; brought up to date by
replaying the rotations that it has missed; rotated; and put away. The supports of the vectors are treated the same.
"""

import math
from typing import Any

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline, bare_kernel
from jacobeig._kernels.extremes import replay_match
from jacobeig._kernels.index_lists import clear, exchange, include, reserve, unite
from jacobeig._kernels.plane import abs2
from jacobeig._kernels.rows import finish_step, turn
from jacobeig._kernels.scan import Rule, find_gain, select
from jacobeig._kernels.sparse_scan import count_added, rescan_sparse, rescore_sparse
from jacobeig._kernels.sparse_state import SparseState, see
from jacobeig._kernels.state import Count, Outcome, Scalar


@bare_call
def _read_row(st: SparseState, r: int, coordinate: int) -> None:
    """Read a row of the matrix into the empty row r."""
    p, scale = st.weights.shape[0], st.scalars[Scalar.SCALE]
    for t in range(st.indptr[coordinate], st.indptr[coordinate + 1]):
        m = see(st, st.indices[t])
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


@bare_call
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


@bare_call
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


@bare_call
def _mirror(st: SparseState, i: int, j: int, y: int) -> None:
    """Columns i and j of the other active rows, by symmetry with rows i and y."""
    p = st.weights.shape[0]
    for a in range(p):
        if a != i and a != j:
            st.active[a, i] = np.conj(st.active[i, a])
            st.active[a, j] = np.conj(st.active[y, a])
            if j >= p and st.active[a, j] != 0.0:
                include(st.pattern, a, j)


@bare_call
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


@bare_call
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


@bare_call
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


@bare_kernel
def advance_sparse(st: SparseState, rule: int, until: int, least: float) -> int:
    """Rotate until step `until`; earlier when no pair scores above `least`, or a budget or space is missing.

    The loops of `advance.py`, whose comments hold here too, for the greedy rules over seeds and for FOLLOW. Costs
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
                    if not picky or j < 0 or count_added(st, i, j, swap) <= room:
                        break
                if counts[Count.SEEN] == st.order.shape[0]:
                    return Outcome.NEED_SPACE
                rescan_sparse(st, rule, counted, i, room)
            score = math.sqrt(st.best[i]) if rule > Rule.GAIN_PER_NONZERO else st.best[i]
            if picky and j >= 0:
                score = find_gain(st.active, st.diagonal, st.weights, i, j, floor2)
            if j < 0 or score <= least:
                return Outcome.EXHAUSTED

        # 2. Stop at a budget, or for space.
        swap = abs2(st.active[i, j]) <= floor2
        added = count_added(st, i, j, swap)
        if added > room and rule != Rule.FOLLOW:
            return Outcome.DENSITY
        if not _has_space(st, j):
            return Outcome.NEED_SPACE

        # 3. Bring row j to hand.
        y = j if j < p else p
        if j >= p:
            _take_row(st, j, q)

        # 4. The best rotation of the pair, and what it does to the diagonal.
        c, sigma = turn(
            st.active, st.diagonal, st.weights, st.stale, st.first, st.second, st.cosines, st.sines, st.shifts,
            st.gains, scalars, q, i, j, swap,
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

        # 6. Supports, counts and weights.
        _merge_supports(st, i, j, swap)
        finish_step(st.weights, st.adaptive, st.diagonal, scalars, counts, st.nonzeros, q, i, j, added)

        # 7. Scores: only rows and columns i and j have changed.
        if rule != Rule.FOLLOW:
            for m in (i, j):
                rescore_sparse(st, rule, counted, m, room - added)
            for m in range(p):
                if m in (i, j) or (picky and added < 0.0):
                    st.best[m], st.stale[m] = np.inf, True
    return Outcome.CHUNK_DONE
