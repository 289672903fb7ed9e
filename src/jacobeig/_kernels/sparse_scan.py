"""Find the best pair over sparse rows: the scores of `scan.py`, at a cost that follows the nonzeros."""

from typing import Any

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline
from jacobeig._kernels.extremes import find_next_node
from jacobeig._kernels.plane import abs2, find_unit_gain, orient
from jacobeig._kernels.scan import SLACK, Rule, measure_pair, offer, price_pair
from jacobeig._kernels.sparse_state import SparseState, see
from jacobeig._kernels.state import Scalar


@bare_inline
def _count_missing(st: SparseState, i: int, m: int, most: float) -> float:
    """How many nonzeros vector i, which is active, would take over from vector m; O(nonzeros of m).

    Counting ends beyond `most`, where the exact number does not matter. Once a budget is spent, almost every pair that
    would gain is of that kind, and is asked again and again: what is missing moves to the front of a trailing list,
    whose order is free, so that the next count ends soon.
    """
    inside, count = st.supports.inside, np.int64(0)
    if m < st.weights.shape[0]:
        for t in range(st.supports.sizes[m]):
            count += not inside[i, st.supports.members[m, t]]
    elif st.current[m] < 0:
        count = np.int64(1)
    else:
        items, begin = st.members.items, st.members.begin[m]
        for t in range(begin, begin + st.members.length[m]):
            if not inside[i, items[t]]:
                items[t], items[begin + count] = items[begin + count], items[t]
                count += 1
                if count > most:
                    break
    return np.float64(count)


@bare_inline
def count_added(st: SparseState, i: int, j: int, swap: bool) -> float:
    """How many nonzeros the p vectors gain when (i, j) is rotated."""
    both = j < st.weights.shape[0]
    if swap:
        return 0.0 if both else st.sizes[j] - st.sizes[i]
    return _count_missing(st, i, j, np.inf) + (_count_missing(st, j, i, np.inf) if both else 0.0)


@bare_inline
def _price(st: SparseState, rule: int, key: float, i: int, j: int, room: float) -> float:
    """Score of a pair whose key is known, given the nonzeros that it adds."""
    p, size, limit = st.weights.shape[0], st.sizes[i], st.scalars[Scalar.LIMIT]
    if abs2(st.active[i, j]) <= st.scalars[Scalar.FLOOR2]:
        added = st.sizes[j] - size
        return price_pair(rule, key, size, added, 0.0 if j < p else added, room, limit)
    picky = rule == Rule.GAIN_PER_NONZERO
    added = _count_missing(st, i, j, min(room, limit - size) if picky else limit - size)
    total = added + (_count_missing(st, j, i, np.inf) if j < p and picky else 0.0)
    return price_pair(rule, key, size, added, total, room, limit)


@bare_inline
def _find_best_in_pattern(st: SparseState, rule: int, counted: bool, i: int, weight: float, room: float) -> Any:
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
        score = weight * find_unit_gain(s2, delta) if gains else s2
        if counted and score >= t:
            # Vector i takes over at least as many nonzeros as j has more: mostly, that is bad enough.
            least = max(st.sizes[j] - st.sizes[i], 0.0) if rule == Rule.GAIN_PER_NONZERO else 0.0
            score = _price(st, rule, score, i, np.int64(j), room) if score / (1.0 + least) >= t else 0.0
        if score > t or (score == t and t > 0.0 and st.order[j] < st.order[column]):
            t, column = score, np.int64(j)
            low = t * SLACK / weight
    return t, column


@bare_inline
def _find_best_swap(
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
        v = find_next_node(v)
    return t, (winner if winner < 0 else see(st, winner))


@bare_call
def rescan_sparse(st: SparseState, rule: int, counted: bool, i: int, room: float) -> None:
    """Find the best pair of row i again; O(nonzeros of the row + log n), and may see one new coordinate."""
    p, w, gains = st.weights.shape[0], abs(st.weights[i]), rule <= Rule.GAIN_PER_NONZERO
    score, column = 0.0, np.int64(-1)
    if w > 0.0 or not gains:
        weight = w if counted and gains else 1.0  # unit gains are compared where they can be, as in scan.py
        score, column = _find_best_in_pattern(st, rule, counted, i, weight, room)
        if gains:
            score, column = _find_best_swap(st, rule, counted, i, weight, room, score, column)
            score = score if counted else w * score
    for j in range(i + 1, p):
        key = measure_pair(rule, st.active, st.diagonal, st.weights, i, j, st.scalars[Scalar.FLOOR2])
        if key > 0.0 and key >= score:
            key = _price(st, rule, key, i, j, room) if counted else key
            if key > score or (key == score and key > 0.0 and st.order[j] < st.order[column]):
                score, column = key, np.int64(j)
    st.best[i], st.column[i], st.stale[i] = score, column, False


@bare_call
def rescore_sparse(st: SparseState, rule: int, counted: bool, j: int, room: float) -> None:
    """Column j has changed: offer its pairs to the rows that own them; O(p), and counting for those that may win."""
    for i in range(min(j, st.weights.shape[0])):
        score = measure_pair(rule, st.active, st.diagonal, st.weights, i, j, st.scalars[Scalar.FLOOR2])
        if counted and score > 0.0 and score >= st.best[i]:
            score = _price(st, rule, score, i, j, room)
        offer(st.order, st.best, st.column, st.stale, i, j, score)
