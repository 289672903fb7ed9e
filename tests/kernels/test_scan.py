"""The search for the best pair, checked against looking at every pair."""

import math

import numpy as np
import pytest
from compiled import from_python
from hypothesis import given
from hypothesis import strategies as st

from jacobeig._kernels import entry_scan, scan
from jacobeig._kernels.scan import Rule
from jacobeig._kernels.state import Rows, Scalar

find_extremes, find_gain, select = from_python(scan.find_extremes, scan.find_gain, scan.select)
update_extremes, weigh_pair = from_python(scan.update_extremes, scan.weigh_pair)
rescan_gains, rescore_gains = from_python(scan.rescan_gains, scan.rescore_gains)
rescan_prices, rescore_prices = from_python(scan.rescan_prices, scan.rescore_prices)
rescan_entries, rescore_entries = from_python(entry_scan.rescan_entries, entry_scan.rescore_entries)

NO_LIMIT = np.inf


class Table:
    """Rows, diagonal and weights of p active coordinates among n; whole numbers make many ties."""

    def __init__(self, seed, p, n, whole, floor=0.0):
        rng = np.random.default_rng(seed)
        draw = (
            (lambda *shape: rng.integers(-2, 3, shape).astype(float)) if whole else (lambda *s: rng.standard_normal(s))
        )
        self.rng, self.draw, self.p, self.n, self.floor2 = rng, draw, p, n, floor**2
        self.active, self.diagonal, self.weights = draw(p, n), draw(n), draw(p)
        seeds = rng.permutation(n)[:p]
        self.order = np.concatenate([seeds, np.setdiff1d(np.arange(n), seeds)])
        self.extremes = np.zeros(2, np.int64)
        self.fill, self.sizes = np.zeros((p, 0), np.float32), np.ones(n)
        self.best, self.column, self.stale = np.zeros(p), np.full(p, -1), np.zeros(p, bool)
        self.room = self.limit = NO_LIMIT
        find_extremes(self.diagonal, p, self.extremes)

    def for_rule(self, rule, supports):
        """Classic Jacobi has every row active, in the matrix's own order."""
        if rule == Rule.CLASSIC:
            self.p = self.n
            self.active, self.weights, self.order = self.draw(self.n, self.n), self.draw(self.n), np.arange(self.n)
            self.fill = np.zeros((self.n, 0), np.float32)
            self.best, self.column, self.stale = np.zeros(self.n), np.full(self.n, -1), np.zeros(self.n, bool)
            find_extremes(self.diagonal, self.n, self.extremes)
        return self.with_supports() if supports else self

    def with_supports(self):
        """Random prices; the fill between two vectors of equal support is zero, as it would be."""
        self.fill = self.rng.integers(0, 4, (self.p, self.n)).astype(np.float32)
        self.sizes = self.rng.integers(1, 6, self.n).astype(float)
        self.room, self.limit = float(self.rng.integers(0, 5)), float(self.rng.integers(2, 9))
        return self

    def gain(self, i, j):
        w = self.weights[i] - (self.weights[j] if j < self.p else 0.0)
        s2 = self.active[i, j] * self.active[i, j]
        s2 = 0.0 if s2 <= self.floor2 else s2
        delta = (1.0 if w >= 0.0 else -1.0) * (self.diagonal[i] - self.diagonal[j])
        r = math.sqrt(delta * delta + 4.0 * s2)
        if w == 0.0 or (s2 == 0.0 and delta >= 0.0):
            return 0.0
        if s2 == 0.0:
            return abs(w) * -delta
        return abs(w) * (2.0 * s2 / (r + delta) if delta > 0.0 else 0.5 * (r - delta))

    def score(self, rule, i, j):
        s2 = self.active[i, j] * self.active[i, j]
        swap = s2 <= self.floor2
        if rule in (Rule.OFFDIAGONAL, Rule.CLASSIC):
            key = 0.0 if swap or (rule == Rule.OFFDIAGONAL and j < self.p) else s2
        else:
            key = self.gain(i, j)
        if self.fill.shape[1] == 0 or key == 0.0:
            return key
        added = self.sizes[j] - self.sizes[i] if swap else float(self.fill[i, j])
        if self.sizes[i] + added > self.limit:
            return 0.0
        if rule != Rule.GAIN_PER_NONZERO:
            return key
        if j < self.p:
            added = 0.0 if swap else added + float(self.fill[j, i])
        return 0.0 if added > self.room else key / (1.0 + max(added, 0.0))

    def best_of_row(self, rule, i):
        scores = [(-self.score(rule, i, j), self.order[j], j) for j in range(i + 1, self.n)]
        top = min(scores, default=(0.0, 0, -1))
        return (-top[0], top[2]) if top[0] < 0.0 else (0.0, -1)

    def best_pair(self, rule):
        rows = [(self.best_of_row(rule, i), i) for i in range(self.p)]
        score = max(row[0][0] for row in rows)
        if score == 0.0:
            return 0.0, None
        ties = [(self.order[j], self.order[i], i, j) for (s, j), i in rows if s == score]
        return score, min(ties)[2:]

    def to_rows(self):
        """Return the state of a run of which the scans read and change only this table."""
        scalars = np.zeros(len(Scalar))
        scalars[Scalar.FLOOR2], scalars[Scalar.LIMIT] = self.floor2, self.limit
        return Rows(*(scalars if name == "scalars" else getattr(self, name, np.zeros(0)) for name in Rows._fields))

    def rescan(self, rule, i):
        if rule in (Rule.OFFDIAGONAL, Rule.CLASSIC):
            rescan_entries(self.to_rows(), i, i + 1 if rule == Rule.CLASSIC else self.p)
        elif self.fill.shape[1] == 0:
            rescan_gains(self.to_rows(), i)
        else:
            rescan_prices(self.to_rows(), int(rule), i, self.room)

    def rescore(self, rule, j):
        if rule in (Rule.OFFDIAGONAL, Rule.CLASSIC):
            if j >= self.p or rule == Rule.CLASSIC:
                rescore_entries(self.to_rows(), j)
        elif self.fill.shape[1] == 0:
            rescore_gains(self.to_rows(), j)
        else:
            rescore_prices(self.to_rows(), int(rule), j, self.room)

    def chosen(self, rule):
        while True:
            i = select(self.order, self.best, self.column, self.stale)
            if not self.stale[i]:
                return self.best[i], (i, self.column[i]) if self.best[i] > 0.0 else None
            self.rescan(rule, i)


tables = st.tuples(
    st.integers(0, 10**6), st.integers(1, 4), st.integers(5, 9), st.booleans(), st.sampled_from([0.0, 1.0])
)
GREEDY = (Rule.GAIN, Rule.GAIN_PER_NONZERO, Rule.OFFDIAGONAL, Rule.CLASSIC)
# With and without budgets of nonzeros; one rule always counts them.
CASES = [(rule, supports) for rule in GREEDY for supports in (False, True) if supports or rule != Rule.GAIN_PER_NONZERO]


@pytest.mark.parametrize(("rule", "supports"), CASES)
def test_a_scan_finds_the_best_pair_of_a_row_and_the_lowest_column_where_pairs_tie(rule, supports):
    @given(drawn=tables)
    def check(drawn):
        table = Table(*drawn).for_rule(rule, supports)
        for i in range(table.p):
            table.stale[i] = True
            table.rescan(rule, i)
            assert (table.best[i], table.column[i]) == table.best_of_row(rule, i)
            assert not table.stale[i]

    check()


@pytest.mark.parametrize("rule", GREEDY)
def test_a_long_row_is_searched_in_all_its_blocks(rule):
    for seed in range(20):
        table = Table(seed, 3, 300, whole=False)
        if rule == Rule.GAIN_PER_NONZERO:
            table.with_supports()
        for i in range(3):
            table.rescan(rule, i)
            score, column = table.best_of_row(rule, i)
            assert (table.best[i], table.column[i]) == (score, column)


@pytest.mark.parametrize(("rule", "supports"), CASES)
def test_lazy_scores_choose_the_pair_that_looking_at_every_pair_would(rule, supports):
    @given(drawn=tables, changes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 8)), min_size=1, max_size=12))
    def check(drawn, changes):
        table = Table(*drawn).for_rule(rule, supports)
        table.best[:], table.stale[:] = np.inf, True
        assert table.chosen(rule) == table.best_pair(rule)
        for i, j in changes:
            i, j = i % table.p, j % table.n
            if j <= i:
                continue
            # as a rotation of (i, j) does: rows i and j, columns i and j, and the diagonal there
            for m in (i, j):
                table.active[:, m] = table.draw(table.p)
                table.diagonal[m] = table.draw(1)[0]
                if m < table.p:
                    table.active[m] = table.draw(table.n)
                else:
                    update_extremes(table.diagonal, table.p, table.extremes, m)
            for m in (i, j):
                table.rescore(rule, m)
            for m in (i, j):
                if m < table.p:
                    table.best[m], table.stale[m] = np.inf, True
            assert table.chosen(rule) == table.best_pair(rule)

    check()


def test_ties_go_to_the_lowest_column_and_then_to_the_lowest_row_of_the_matrix():
    table = Table(0, 3, 8, whole=True)
    table.active[:], table.diagonal[:], table.weights[:] = 1.0, 0.0, 1.0
    table.order = np.array([6, 1, 4, 0, 2, 3, 5, 7])
    table.best[:], table.stale[:] = np.inf, True
    score, (i, j) = table.chosen(Rule.GAIN)
    assert (score, table.order[i], table.order[j]) == (1.0, 1, 0)


def test_a_stale_row_that_ties_is_looked_at_before_a_pair_is_chosen():
    order, best, column = np.arange(5), np.array([2.0, 2.0]), np.array([4, 3])
    assert select(order, best, column, np.array([False, False])) == 1
    assert select(order, best, column, np.array([True, False])) == 0
    assert select(order, best, column, np.array([False, True])) == 1


def test_a_weight_is_the_difference_between_two_vectors_or_to_nothing():
    weights = np.array([3.0, 1.0])
    assert [weigh_pair(weights, 0, 1), weigh_pair(weights, 1, 5)] == [2.0, 1.0]


@given(drawn=tables)
def test_the_gain_of_one_pair_is_the_formula(drawn):
    table = Table(*drawn)
    for i in range(table.p):
        for j in range(i + 1, table.n):
            got = find_gain(table.active, table.diagonal, table.weights, i, j, table.floor2)
            assert got == table.gain(i, j)


@given(seed=st.integers(0, 10**6), p=st.integers(0, 5), n=st.integers(1, 8), changes=st.lists(st.integers(0, 7)))
def test_the_extremes_of_the_trailing_diagonal_are_kept_lowest_first(seed, p, n, changes):
    p = min(p, n)
    rng = np.random.default_rng(seed)
    diagonal, extremes = rng.integers(-2, 3, n).astype(float), np.zeros(2, np.int64)
    find_extremes(diagonal, p, extremes)
    for m in [None, *changes]:
        if m is not None:
            if m >= n or m < p:
                continue
            diagonal[m] = rng.integers(-2, 3)
            update_extremes(diagonal, p, extremes, m)
        trailing = diagonal[p:]
        expected = [-1, -1] if p == n else [p + trailing.argmax(), p + trailing.argmin()]
        assert extremes.tolist() == expected
