"""Drive the sparse-row kernel, and hand over to the dense one where rows have filled."""

import logging
import math
from typing import Any

import numpy as np

from jacobeig._drivers import Run, drive, power_of_two_scale
from jacobeig._kernels.extremes import Tournament, n_leaves, play
from jacobeig._kernels.lists import Sets, Store
from jacobeig._kernels.rows import Count, Outcome
from jacobeig._kernels.scan import Rule
from jacobeig._kernels.sparse_rows import SparseState, advance_sparse, read_seeds
from jacobeig._types import IntArray, NumberArray
from jacobeig._validation import Budget, Problem
from jacobeig.sources import SparseRows, require_memory
from jacobeig.sources._memory import available_memory

__all__ = ["SparseRun", "drive", "run_of"]

# Arrays over the seen coordinates are copied when they grow; the stores grow in place.
GROWTH, STORE_GROWTH = 1.5, 1.25
# The rules that the sparse kernel knows.
RULES = ("gain", "gain_per_nonzero", "offdiagonal")
# Sparse rows pay from this order on, up to this many stored entries a row and this share of them
# (benchmarks/bench_graph.py measures where it turns).
LEAST_ORDER = 2000
MOST_FILLED = 0.1

_log = logging.getLogger("jacobeig")


def run_of(problem: Problem, budget: Budget) -> Run:
    """Return a run of the kernel that fits the problem."""
    source = problem.source
    if (
        isinstance(source, SparseRows)
        and problem.pivot.name in RULES
        and problem.n >= LEAST_ORDER
        and source.csr.nnz <= MOST_FILLED * problem.n**2
    ):
        return SparseRun(problem, budget)
    return Run(problem, budget)


class SparseRun(Run):
    """One run of the sparse-row kernel: the same rotations as a `Run`, at a cost that follows the nonzeros."""

    state: SparseState  # type: ignore[assignment]  # has the arrays that the shared methods use

    def __init__(self, problem: Problem, budget: Budget) -> None:
        assert isinstance(problem.source, SparseRows)
        self.problem, self.budget, self._p = problem, budget, problem.n_components
        self._adaptive, self._ranking = problem.method.target == "adaptive", None
        self._csr, known = problem.source.csr, problem.source.largest
        self._largest = problem.source.check() if known is None else known
        self._scale = power_of_two_scale(self._largest)
        self.state = self._empty_state()
        self._number(problem.seeds)
        self._make_space(int(np.diff(self._csr.indptr)[problem.seeds].sum()))
        read_seeds(self.state)
        self._begin_supports()
        self._forget_scores()

    def _empty_state(self) -> SparseState:
        """Return a state that has seen no coordinate and has space for none."""
        n, p, dtype = self.problem.n, self._p, self._csr.dtype
        state = SparseState(
            indptr=_read_only(self._csr.indptr, np.int64),
            indices=_read_only(self._csr.indices, np.int32),
            data=_read_only(self._csr.data, dtype),
            numbers=np.full(n, -1, np.int32),
            order=np.zeros(0, np.int64),
            active=np.zeros((p + 1, 0), dtype),
            pattern=_empty_sets(p + 1),
            diagonal=np.zeros(0),
            tournament=self._tournament(),
            current=np.zeros(0, np.int64),
            rows=_empty_store(),
            values=np.zeros(0, dtype),
            supports=_empty_sets(p + 1),
            members=_empty_store(),
            sizes=np.zeros(0),
            **self._common_arrays(),
        )
        self._set_floor(state)  # type: ignore[arg-type]  # likewise
        return state

    def _tournament(self) -> Tournament:
        """Let all diagonal entries but the seeds' compete."""
        n, leaves = self.problem.n, n_leaves(self.problem.n)
        nodes = np.full(2 * leaves, -1, np.int32)
        nodes[leaves : leaves + n] = np.arange(n)
        nodes[leaves + self.problem.seeds] = -1
        tournament = Tournament(entries=self.problem.diagonal * self._scale, high=nodes, low=nodes.copy())
        play(tournament)
        return tournament

    def _begin_supports(self) -> None:
        """Begin with unit vectors."""
        supports, seeds = self.state.supports, np.arange(self._p)
        supports.members[seeds, 0], supports.inside[seeds, seeds], supports.sizes[seeds] = seeds, True, 1

    def _number(self, coordinates: IntArray) -> None:
        """See those of the (different) coordinates that have not been seen."""
        fresh = coordinates[self.state.numbers[coordinates] < 0]
        self._make_space(len(fresh))
        state, seen = self.state, int(self.state.counts[Count.SEEN])
        new = np.arange(seen, seen + len(fresh))
        state.numbers[fresh], state.order[new], state.diagonal[new] = new, fresh, state.tournament.entries[fresh]
        state.counts[Count.SEEN] = seen + len(fresh)

    def _internal(self, coordinates: IntArray) -> IntArray:
        self._number(np.unique(coordinates))
        return self.state.numbers[coordinates].astype(np.int64)

    def _forget_scores(self) -> None:
        """Have the best pair of every row found afresh."""
        self.state.best[:], self.state.stale[:] = np.inf, True

    def _advance(self, rule: int, until: int, least: float) -> Outcome:
        while True:
            outcome = Outcome(advance_sparse(self.state, int(rule), until, float(least)))
            if outcome != Outcome.NEED_SPACE:
                return outcome
            self._make_space(int(self.state.counts[Count.WANTED]))

    def _make_space(self, fresh: int) -> None:
        """Grow whatever is too small for a rotation that sees `fresh` new coordinates."""
        capacity, want = len(self.state.order), int(self.state.counts[Count.SEEN]) + fresh + 1
        if want > capacity:
            self._widen(max(want, min(math.ceil(GROWTH * capacity), self.problem.n), 64))
        state, capacity = self.state, len(self.state.order)
        _lengthen(state.rows, capacity, state.values)
        _lengthen(state.members, capacity)

    def _widen(self, capacity: int) -> None:
        """Make space for more seen coordinates: in place where arrays have one axis."""
        state = self.state
        each = state.active.itemsize + 2 * (state.pattern.members.itemsize + 1)
        _require((self._p + 1) * capacity * each, f"{self._p} vectors over {capacity} coordinates")
        have = len(state.order)
        for array in (state.order, state.diagonal, state.current, state.sizes):
            array.resize(capacity, refcheck=False)
        for store in (state.rows, state.members):
            for array in (store.begin, store.length, store.room):
                array.resize(capacity, refcheck=False)
        state.current[have:], state.sizes[have:] = -1, 1.0
        self.state = state._replace(
            active=_widened(state.active, capacity),
            pattern=_widened_sets(state.pattern, capacity),
            supports=_widened_sets(state.supports, capacity),
        )

    @property
    def stored_entries(self) -> int:
        """Entries of the rotated matrix that the run keeps."""
        return self._p**2 + int(self.state.pattern.sizes.sum()) + int(self.state.rows.length.sum())

    def successor(self) -> Run:
        """Return a dense run that has come as far, if the rows have filled so much that it is faster and fits."""
        n, stored = self.problem.n, self.stored_entries
        share = stored / ((self._p + int(self.state.counts[Count.TOUCHED])) * n)
        available = available_memory()
        if share <= MOST_FILLED or (available is not None and n * n * self._csr.dtype.itemsize > available):
            return self
        _log.info("rows are %.0f%% full after %d rotations: going on with dense rows", 100 * share, self.n_rotations)
        run = Run(self.problem, self.budget)
        run.follow(self._chain())
        return run


def _read_only(array: NumberArray, dtype: Any) -> NumberArray:
    """Return a view that cannot be written to, so that one compiled kernel serves whatever the user's array is."""
    view: NumberArray = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _empty_sets(n_sets: int) -> Sets:
    return Sets(
        members=np.zeros((n_sets, 0), np.uint32),
        inside=np.zeros((n_sets, 0), np.bool_),
        sizes=np.zeros(n_sets, np.int64),
    )


def _empty_store() -> Store:
    begin, length, room = (np.zeros(0, np.int64) for _ in range(3))
    return Store(items=np.zeros(0, np.uint32), begin=begin, length=length, room=room, used=np.zeros(1, np.int64))


def _widened(array: NumberArray, capacity: int) -> NumberArray:
    """Return the same rows, longer, with zeros behind."""
    wide = np.zeros((array.shape[0], capacity), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide


def _widened_sets(sets: Sets, capacity: int) -> Sets:
    return sets._replace(members=_widened(sets.members, capacity), inside=_widened(sets.inside, capacity))


def _lengthen(store: Store, capacity: int, *aligned: NumberArray) -> None:
    """Make sure, in place, that a list over all coordinates can be put away, even one that moves and gets more room."""
    have, want = len(store.items), int(store.used[0]) + 2 * capacity
    if want > have:
        want = max(want, math.ceil(STORE_GROWTH * have))
        arrays = (store.items, *aligned)
        _require((want - have) * sum(array.itemsize for array in arrays), f"{want - have} more entries of sparse rows")
        for array in arrays:
            array.resize(want, refcheck=False)


def _require(n_bytes: int, what: str) -> None:
    require_memory(
        n_bytes, what, ["set density or a smaller n_rotations so that fewer rows fill", "pass the matrix as float32"]
    )
