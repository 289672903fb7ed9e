"""Drive the sparse-row kernel, and hand over to the dense one where rows have filled."""

import logging
import math
from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import find_compressed_fault
from jacobeig._kernels.extremes import Tournament, count_leaves, play
from jacobeig._kernels.index_lists import Sets, Store
from jacobeig._kernels.scan import Rule
from jacobeig._kernels.sparse_rows import advance_sparse, read_seeds
from jacobeig._kernels.sparse_state import SparseState
from jacobeig._kernels.state import Count, Outcome
from jacobeig._types import IntArray, NumberArray, UIntArray
from jacobeig.errors import InvalidInputError
from jacobeig.results.interrupts import hold_interrupts
from jacobeig.solve._dense_driver import FOLLOWED, Run
from jacobeig.solve._problem import ChainProblem
from jacobeig.solve._source_checks import is_own
from jacobeig.solve._state import HISTORY, check_sparse_state, list_arrays, read_units, rebuild
from jacobeig.solve.budget import Budget
from jacobeig.sources import SparseRows, require_memory
from jacobeig.sources.memory import available_memory
from jacobeig.sources.sparse import FORM_UP_TO
from jacobeig.sources.units import power_of_two_scale

# Arrays over the seen coordinates are copied when they grow; the stores grow in place. Not tuned: they bound the memory
# that is not used.
GROWTH, STORE_GROWTH = 1.5, 1.25
GIVEN = ("indptr", "indices", "data")  # of the matrix: not part of what a run has reached
# The rules that the sparse kernel knows.
RULES = ("gain", "gain_per_nonzero", "offdiagonal")
# Sparse rows pay for matrices that are not small and of which at most this share is stored. Not sensitive: fuller ones
# soon pass on to dense rows by themselves.
MOST_STORED = 0.1
# When this share of the kept rows is not zero, a rotation of dense rows costs less: 0.1 to 0.2 for n = 4,000 to 8,000.
MOST_FILLED = 0.15

_log = logging.getLogger("jacobeig")


def choose_run(problem: ChainProblem, budget: Budget) -> Run:
    """Return a run of the kernel that fits the problem."""
    source = problem.source
    if (
        isinstance(source, SparseRows)
        and is_own(source)
        and problem.pivot.name in RULES
        and problem.n > FORM_UP_TO
        and source.csr.nnz <= MOST_STORED * problem.n**2
    ):
        return SparseRun(problem, budget)
    return Run(problem, budget)


def resume_run(run: Run, arrays: dict[str, Any]) -> Run:
    """Return a run that has come as far as the one captured, with the kernel that it had; `run` is at the beginning."""
    if isinstance(run, SparseRun) and "tournament.entries" not in arrays:
        run = DenseSuccessor(run)
    return run.restore(arrays)


class SparseRun(Run):
    """A `Run` of the sparse-row kernel: the same rotations, at a cost that follows the nonzeros."""

    state: SparseState  # type: ignore[assignment]  # has the arrays that the shared methods use

    def __init__(self, problem: ChainProblem, budget: Budget) -> None:
        assert isinstance(problem.source, SparseRows)
        self.problem, self.budget, self._p, self._started = problem, budget, problem.n_components, perf_counter()
        self._adaptive, self._ranking = problem.method.target == "adaptive", None
        self._csr, known = problem.source.csr, problem.source.largest
        # Its arrays can be written to: do they still belong to an n x n matrix?
        fault = find_compressed_fault(self._csr.data, self._csr.indices, self._csr.indptr, problem.source.shape)
        if fault is not None:
            raise InvalidInputError(f"matrix has a csr that was changed ({fault}); pass the scipy matrix again.")
        self._largest = problem.source.check() if known is None else known
        self._scale = power_of_two_scale(self._largest, self._csr.dtype)
        self.state = self._make_state()
        self._number(problem.seeds)
        self._make_space(int(np.diff(self._csr.indptr)[problem.seeds].sum()))
        read_seeds(self.state)
        supports, seeds = self.state.supports, np.arange(self._p)  # those of unit vectors
        supports.members[seeds, 0], supports.inside[seeds, seeds], supports.sizes[seeds] = seeds, True, 1
        self._forget_scores()

    def _make_state(self) -> SparseState:
        """Return a state that has seen no coordinate and has space for none."""
        n, p, dtype = self.problem.n, self._p, self._csr.dtype
        state = SparseState(
            indptr=_read_only(self._csr.indptr, np.int64),
            indices=_read_only(self._csr.indices, np.int32),
            data=_read_only(self._csr.data, dtype),
            numbers=np.full(n, -1, np.int32),
            order=np.zeros(0, np.int64),
            active=np.zeros((p + 1, 0), dtype),
            pattern=_make_sets(p + 1),
            diagonal=np.zeros(0),
            tournament=self._seat_tournament(),
            current=np.zeros(0, np.int64),
            rows=_make_store(),
            values=np.zeros(0, dtype),
            supports=_make_sets(p + 1),
            members=_make_store(),
            sizes=np.zeros(0),
            **self._make_common_arrays(),
        )
        self._set_floor(state)  # type: ignore[arg-type]  # the same there
        return state

    def _seat_tournament(self) -> Tournament:
        """Let all diagonal entries but the seeds' compete."""
        n, leaves = self.problem.n, count_leaves(self.problem.n)
        nodes = np.full(2 * leaves, -1, np.int32)
        nodes[leaves : leaves + n] = np.arange(n)
        nodes[leaves + self.problem.seeds] = -1
        tournament = Tournament(entries=self.problem.diagonal * self._scale, high=nodes, low=nodes.copy())
        play(tournament)
        return tournament

    def _number(self, coordinates: IntArray) -> None:
        """See those of the (different) coordinates that have not been seen."""
        fresh = coordinates[self.state.numbers[coordinates] < 0]
        self._make_space(len(fresh))
        state, seen = self.state, int(self.state.counts[Count.SEEN])
        new = np.arange(seen, seen + len(fresh))
        state.numbers[fresh], state.order[new], state.diagonal[new] = new, fresh, state.tournament.entries[fresh]
        state.counts[Count.SEEN] = seen + len(fresh)

    def _to_internal(self, coordinates: IntArray) -> IntArray:
        self._number(np.unique(coordinates))
        return self.state.numbers[coordinates].astype(np.int64)

    def _forget_scores(self) -> None:
        self.state.best[:], self.state.stale[:] = np.inf, True

    def _advance(self, rule: int, until: int, least: float) -> Outcome:
        while True:
            outcome = Outcome(advance_sparse(self.state, int(rule), until, float(least)))
            if outcome != Outcome.NEED_SPACE:
                return outcome
            self._make_space(int(self.state.counts[Count.WANTED]))

    def _find_best_score(self) -> float:
        """Return the best score of all pairs now, whatever the budgets, rotating none."""
        self._forget_scores()
        self._make_history(self.n_rotations + 1)
        self._advance(
            self.problem.pivot.kernel_rule if self.problem.pivot.by_entry else Rule.GAIN, self.n_rotations + 1, np.inf
        )
        return float(self.state.best.max())

    @hold_interrupts()
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
            active=_lengthen_rows(state.active, capacity),
            pattern=_lengthen_sets(state.pattern, capacity),
            supports=_lengthen_sets(state.supports, capacity),
        )

    @property
    def _operations(self) -> float:
        kept = self._p + int((self.state.rows.length > 0).sum())
        return float(FOLLOWED * (self._p + self.stored_entries / kept))

    def capture(self) -> dict[str, Any]:
        trimmed = self.state._replace(**{name: getattr(self.state, name)[: self.n_rotations] for name in HISTORY})
        return list_arrays(trimmed, GIVEN) | {"units": np.array([self._largest, self._scale])}

    def restore(self, arrays: dict[str, Any]) -> Run:
        state = rebuild(self.state, arrays, GIVEN)
        check_sparse_state(state, self.problem.n)
        self.state, (self._largest, self._scale) = state, read_units(arrays)
        return self

    @property
    def stored_entries(self) -> int:
        return self._p**2 + int(self.state.pattern.sizes.sum()) + int(self.state.rows.length.sum())

    def successor(self) -> Run:
        """Return a dense run that has come as far, if the rows have filled so much that it is faster, and fits."""
        n = self.problem.n
        share = self.stored_entries / ((self._p + int(self.state.counts[Count.TOUCHED])) * n)
        available = available_memory()
        if share <= MOST_FILLED or (available is not None and n * n * self._csr.dtype.itemsize > available):
            return self
        _log.info("rows are %.0f%% full after %d rotations: going on with dense rows", 100 * share, self.n_rotations)
        return DenseSuccessor(self)


class DenseSuccessor(Run):
    """A dense run that takes over the state of a sparse one: the very same numbers, so the very same rotations."""

    def __init__(self, run: SparseRun) -> None:
        super().__init__(run.problem, run.budget)
        self._places = self._to_internal(run.state.order[: int(run.state.counts[Count.SEEN])])
        self._take_history(run)
        self._take_active_rows(run.state)
        self._take_trailing_rows(run.state)
        self._forget_scores()

    def _check_rows(self, indices: IntArray, rows: NumberArray) -> NumberArray:
        """Return the rows as they are: all of the matrix has been checked."""
        return rows

    def _take_history(self, run: SparseRun) -> None:
        """Take over the rotations so far, with the coordinates numbered as here."""
        state, other, k = self.state, run.state, run.n_rotations
        self._make_history(k)
        state.first[:k], state.second[:k] = self._places[other.first[:k]], self._places[other.second[:k]]
        for name in ("cosines", "sines", "shifts", "gains", "nonzeros"):
            getattr(state, name)[:k] = getattr(other, name)[:k]
        for count in (Count.STEP, Count.NONZEROS):
            state.counts[count] = other.counts[count]
        state.scalars[:] = other.scalars

    def _take_active_rows(self, other: SparseState) -> None:
        """Take over the active rows, the diagonal, and the active vectors' weights and supports."""
        state, places, seen = self.state, self._places, len(self._places)
        state.active[:] = 0.0
        state.active[:, places] = other.active[:-1, :seen]
        state.diagonal[places], state.sizes[places] = other.diagonal[:seen], other.sizes[:seen]
        state.weights[:] = other.weights
        for i in range(self._p):
            self._take_support(other, i, i, other.supports.members[i, : other.supports.sizes[i]])

    def _take_trailing_rows(self, other: SparseState) -> None:
        """Take over the trailing rows that have been read, each current up to its own step, and their supports."""
        state, touched = self.state, np.flatnonzero(other.current[: len(self._places)] >= 0)
        self._make_space(len(touched))
        state.counts[Count.TOUCHED] = len(touched)
        for slot, m in enumerate(touched.tolist()):
            j, items = self._places[m], _locate_list(other.rows, m)
            state.rows[slot] = 0.0
            state.rows[slot, self._places[other.rows.items[items]]] = other.values[items]
            state.slots[j], state.owners[slot], state.current[j] = slot, j, other.current[m]
            self._take_support(other, self._p + slot, j, other.members.items[_locate_list(other.members, m)])

    def _take_support(self, other: SparseState, row: int, j: int, support: UIntArray) -> None:
        """Put the support of vector j into a row of the bitsets; count what the active vectors lack of it."""
        bits = np.zeros(64 * self.state.supports.shape[1], np.bool_)
        bits[self._places[support]] = True
        self.state.supports[row] = np.packbits(bits, bitorder="little").view(np.uint64)
        if self.state.fill.shape[1] > 0:
            self.state.fill[:, j] = np.count_nonzero(~other.supports.inside[:-1, support], axis=1)


def _locate_list(store: Store, m: int) -> slice:
    return slice(int(store.begin[m]), int(store.begin[m] + store.length[m]))


def _read_only(array: NumberArray, dtype: Any) -> NumberArray:
    """Return a view that cannot be written to, so that one compiled kernel serves whatever the user's array is."""
    view: NumberArray = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _make_sets(n_sets: int) -> Sets:
    return Sets(
        members=np.zeros((n_sets, 0), np.uint32),
        inside=np.zeros((n_sets, 0), np.bool_),
        sizes=np.zeros(n_sets, np.int64),
    )


def _make_store() -> Store:
    begin, length, room = (np.zeros(0, np.int64) for _ in range(3))
    return Store(items=np.zeros(0, np.uint32), begin=begin, length=length, room=room, used=np.zeros(1, np.int64))


def _lengthen_rows(array: NumberArray, capacity: int) -> NumberArray:
    """Return the same rows, longer, with zeros behind."""
    wide = np.zeros((array.shape[0], capacity), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide


def _lengthen_sets(sets: Sets, capacity: int) -> Sets:
    return sets._replace(members=_lengthen_rows(sets.members, capacity), inside=_lengthen_rows(sets.inside, capacity))


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
