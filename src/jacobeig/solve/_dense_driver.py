"""Drive the kernel: hold its state, feed it rows and space, stop it at the budgets."""

import math
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import largest_absolute
from jacobeig._kernels.advance import choose_kernel, find_cursor
from jacobeig._kernels.scan import Rule
from jacobeig._kernels.state import Count, Outcome, Rows, Scalar
from jacobeig._kernels.support import count_words, start_sets
from jacobeig._types import FloatArray, IntArray, NumberArray
from jacobeig.errors import InvalidInputError
from jacobeig.results.interrupts import cut_into_parts, hold_interrupts
from jacobeig.results.progress import Progress
from jacobeig.results.result import EigenResult, Status, Trail
from jacobeig.results.rotations import RotationSequence
from jacobeig.solve._gains import score_row
from jacobeig.solve._lookahead import Lookahead
from jacobeig.solve._problem import ChainProblem
from jacobeig.solve._ranking import Ranking
from jacobeig.solve._source_checks import find_largest, open_directly, require_diagonal
from jacobeig.solve._state import HISTORY, check_dense_state, list_arrays, read_units, rebuild, require_rows
from jacobeig.solve._tolerances import NOISE, estimate_left
from jacobeig.solve.budget import Budget
from jacobeig.sources import check_rows
from jacobeig.sources.memory import available_memory
from jacobeig.sources.units import power_of_two_scale

# Operations that repeating a rotation takes for each of the n entries of a row, its replay included, or so.
FOLLOWED = 20
# Rows get this many entries more than n: a power-of-two stride would put all of a column into few cache sets.
PADDING = 8
GROWTH = 1.25  # of the store of rows; less memory unused than with 2, and rows are few
# Of the matrix, or scratch: not part of what a run has reached.
GIVEN = ("matrix", "work", "news")
# Room for the first rows, whose pages the system hands out only when they are touched: large ones, which are quicker,
# until the store has to grow. Where the address space is limited it counts all the same, so no more than that share.
FIRST_BYTES, FIRST_SHARE = 1 << 30, 1 / 4
LITTLE = 1 << 26  # up to which nobody asks what is free: that takes as long as a small run


class Run:
    """One run of the dense-row kernel over a problem, scaled by a power of two so that no square overflows."""

    can_go_on = True  # until rotations are taken back, which the rows keep

    def __init__(self, problem: ChainProblem, budget: Budget) -> None:
        self.problem, self.budget, self._started = problem, budget, perf_counter()
        n, self._p = problem.n, problem.n if problem.pivot.all_rows else problem.n_components
        seeds = np.arange(n) if problem.pivot.all_rows else problem.seeds
        self._adaptive = problem.method.target == "adaptive" and not problem.pivot.all_rows
        self._order = np.concatenate([seeds, np.setdiff1d(np.arange(n), seeds)]).astype(np.int64)
        itemsize = problem.source.dtype.itemsize
        require_rows(self._p, n, itemsize)
        active = np.empty((self._p, n), problem.source.dtype)
        self._read(self._order[: self._p], active)
        self._largest = find_largest(problem.source, problem.diagonal, active)
        self._scale = power_of_two_scale(self._largest, active.dtype)
        self.state = self._begin_state(active)
        self._ranking = Ranking(problem, self.state) if problem.pivot.all_rows else None
        self._lookahead = Lookahead(problem)
        self._forget_scores()

    def _read(self, indices: IntArray, places: NumberArray, scale: float = 1.0) -> float:
        """Write rows of the matrix, checked and scaled, to their places in the internal order; their largest entry."""
        rows = self._check_rows(indices, self.problem.source.rows(indices))
        for row, place in zip(rows, places, strict=True):  # one by one, so that they stay in cache
            np.take(row, self._order, out=place, mode="clip")  # "raise" would write to a buffer first
            place *= place.dtype.type(scale)
        return largest_absolute(rows)

    def _check_rows(self, indices: IntArray, rows: NumberArray) -> NumberArray:
        source = self.problem.source
        rows = check_rows(source, indices, rows)
        require_diagonal(source, indices, rows, self.problem.diagonal)
        return rows

    def _begin_state(self, active: NumberArray) -> Rows:
        problem, n, p = self.problem, self.problem.n, self._p
        dtype = active.dtype
        counted = problem.pivot.name == "gain_per_nonzero" or self.budget.max_nonzeros is not None
        likely = 64 + self.budget.n_rotations * 9 // 8  # some rows are read in vain, and growing fills what it adds
        row = (n + PADDING) * dtype.itemsize
        capacity = _make_room(min(n - p, likely) * row) // row
        state = Rows(
            matrix=open_directly(problem.source),
            order=self._order,
            active=active * dtype.type(self._scale),
            diagonal=problem.diagonal[self._order] * self._scale,
            extremes=np.full(2, -1, np.int64),
            rows=np.empty((capacity, n + PADDING), dtype),
            slots=np.full(n, -1, np.int64),
            current=np.zeros(n, np.int64),
            work=np.zeros(1, dtype),
            supports=np.zeros((p + capacity, count_words(n)), np.uint64),
            sizes=np.ones(n),
            owners=np.zeros(capacity, np.int64),
            fill=np.ones((p, n if counted else 0), np.float32),
            news=np.zeros((3, count_words(n)), np.uint64),
            **self._make_common_arrays(),
        )
        start_sets(state.supports, np.arange(p), np.arange(p))
        self._set_floor(state)
        return state

    def _make_common_arrays(self) -> dict[str, Any]:
        """Return the arrays that a state has whatever its rows look like: weights, scores, history, numbers."""
        problem, p = self.problem, self._p
        classic = problem.pivot.all_rows
        counts, scalars = np.zeros(len(Count), np.int64), np.zeros(len(Scalar))
        counts[Count.NONZEROS] = p
        scalars[Scalar.SCALE] = self._scale
        scalars[Scalar.LOWER], scalars[Scalar.UPPER] = problem.bounds * self._scale
        limit, total = self.budget.max_nonzeros, self.budget.total_nonzeros
        scalars[Scalar.LIMIT] = np.inf if limit is None else limit
        scalars[Scalar.BUDGET] = np.inf if total is None or classic else total
        return {
            "weights": np.zeros(p) if classic else problem.weights * (self._scale if self._adaptive else 1.0),
            "adaptive": (np.sign(problem.weights) if self._adaptive else np.zeros(p)).astype(np.int64),
            "best": np.zeros(p),
            "column": np.full(p, -1, np.int64),
            "stale": np.zeros(p, np.bool_),
            "first": np.zeros(0, np.uint32),
            "second": np.zeros(0, np.uint32),
            "cosines": np.zeros(0),
            "sines": np.zeros(0, np.result_type(problem.source.dtype, np.float64)),
            "shifts": np.zeros(0),
            "gains": np.zeros(0),
            "nonzeros": np.zeros(0, np.int64),
            "counts": counts,
            "scalars": scalars,
        }

    def _set_floor(self, state: Rows) -> None:
        """Entries of a few eps times the largest one are rounding noise, which must not look like a gain."""
        top = max(math.ldexp(1.0, math.frexp(self._largest * self._scale)[1]), float(state.scalars[Scalar.TOP]))
        state.scalars[Scalar.TOP] = top
        state.scalars[Scalar.FLOOR2] = (NOISE * float(np.finfo(state.active.dtype).eps) * top) ** 2

    @property
    def n_rotations(self) -> int:
        return int(self.state.counts[Count.STEP])

    def follow(self, chain: RotationSequence) -> None:
        """Repeat the rotations of an earlier run of the same problem, in the very same operations."""
        internal = self._to_internal(chain.pivots)
        self._make_history(len(chain))
        self.state.first[: len(chain)], self.state.second[: len(chain)] = internal.T
        for part in cut_into_parts(len(chain), FOLLOWED * self.problem.n):
            self._advance(Rule.FOLLOW, part.stop, 0.0)
            if self._ranking is not None:
                self._ranking.follow(part.start, None)
        if self.problem.pivot.kernel_rule in (Rule.CYCLIC, Rule.RANDOM):
            find_cursor(self.state, self.problem.pivot.kernel_rule, np.uint64(self.problem.method.seed))
        self._forget_scores()

    def _to_internal(self, coordinates: IntArray) -> IntArray:
        """Return the kernel's own numbers of coordinates of the matrix."""
        numbers = np.empty(self.problem.n, np.int64)
        numbers[self._order] = np.arange(self.problem.n)
        return numbers[coordinates]

    def agrees_with(self, trail: Trail) -> bool:
        """Whether the rotations so far moved the diagonal as they did in an earlier run, but for rounding."""
        apart = np.abs(self.state.shifts[: self.n_rotations] / self._scale - trail.shifts)
        return bool((apart <= math.sqrt(np.finfo(self.state.active.dtype).eps) * self._largest).all())

    def advance(self, until: int) -> Outcome:
        """Rotate on, up to step `until` or until a budget is met."""
        begin, outcome, least = self.n_rotations, Outcome.CHUNK_DONE, self._find_least_gain()
        self._make_history(until)
        for part in cut_into_parts(until - begin, self._operations):
            outcome = self._advance_part(begin + part.stop, least)
            if outcome != Outcome.CHUNK_DONE:
                break
        return outcome

    def _advance_part(self, until: int, least: float) -> Outcome:
        """Rotate on, so briefly that Ctrl-C can wait for it."""
        if self._ranking is None:
            return self._advance(self.problem.pivot.kernel_rule, until, least)
        with hold_interrupts():  # classic Jacobi has read all rows, so nothing is waited for
            begin = self.n_rotations
            outcome = self._advance(self.problem.pivot.kernel_rule, until, least)
            within = self._ranking.follow(begin, self.budget.total_nonzeros)
            if within < self.n_rotations:  # the p best columns are known only afterwards: take the excess back
                self.state.counts[Count.STEP], self.can_go_on = within, False
                outcome = Outcome.DENSITY
        return outcome

    @property
    def _operations(self) -> float:
        """Of a rotation, its scans and replays included, or so."""
        return float(FOLLOWED * self.problem.n)

    def _find_least_gain(self) -> float:
        """Return the gain at which tol stops the run; by default one that is rounding even if all pairs have it."""
        if self.budget.tol is None:
            return self._rounding / (self._p * self.problem.n)
        least = self.budget.tol * self._largest * self._scale
        return least * self._scale if self._adaptive else least  # adaptive weights, and so the gains, are scaled too

    @property
    def _rounding(self) -> float:
        """What rounding may move the sum by in one rotation, in the unit of gains; 0 if that ends no run.

        Without a budget of nonzeros vectors go on to the eigenvectors, whose error is the root of a gain; so they do
        where a run ends at the first pair that a budget forbids. Jacobi's rules stop on entries, which fall fast.
        """
        weights = np.abs(self.problem.weights) * (self._scale if self._adaptive else 1.0)
        allowed, everything = self.budget.count_allowed(len(weights)), self.problem.n * len(weights)
        passes_over = self.budget.max_nonzeros is not None or self.problem.pivot.kernel_rule == Rule.GAIN_PER_NONZERO
        ends_at_gains = passes_over and not self.problem.pivot.by_entry
        if allowed is None or allowed >= everything or not ends_at_gains or not weights.any():
            return 0.0
        eps = float(np.finfo(self.state.active.dtype).eps)
        return eps * self._largest * self._scale * float(weights[weights > 0.0].min())

    def has_settled(self) -> bool:
        """Whether all that is left to gain is less than what rounding may have moved the sum by so far."""
        if self.budget.tol is not None or self._rounding == 0.0:
            return False
        k = self.n_rotations
        return estimate_left(self.state.gains[:k], self.state.nonzeros[:k]) <= k * self._rounding

    def _advance(self, rule: int, until: int, least: float) -> Outcome:
        seed, advance = np.uint64(self.problem.method.seed), choose_kernel(rule, self.state.fill.shape[1] > 0)
        while True:
            # int: an enum member is another type to Numba, which would compile the kernel once more for it.
            outcome = Outcome(advance(self.state, int(rule), seed, until, float(least)))
            if outcome == Outcome.IDLE:  # as many pairs in vain as there are: is there any at all?
                self.state.counts[Count.IDLE] = 0
                if self._find_best_score() <= least:
                    return Outcome.EXHAUSTED
            elif outcome == Outcome.NEED_ROW:
                self._fetch(int(self.state.counts[Count.WANTED]))
            elif outcome == Outcome.NEED_SPACE:
                self._make_space(1)
            else:
                return outcome

    def explain_end(self) -> Status:
        """Say why no pair is left: nothing gains, only less than tol, or only against a budget."""
        if self.budget.tol is not None and self.state.best.max() > 0.0:
            return Status.TOLERANCE
        self.state.scalars[Scalar.LIMIT] = self.state.scalars[Scalar.BUDGET] = np.inf
        bound = self.budget.count_allowed(self.problem.n_components) is not None
        latest = float(self.state.gains[self.n_rotations - 1]) if self.has_settled() else 0.0
        if not bound or self._find_best_score() <= max(self._find_least_gain(), 2 * latest):
            return Status.CONVERGED
        return Status.DENSITY if self.budget.max_nonzeros is None else Status.MAX_NONZEROS

    def _forget_scores(self) -> None:
        """Have the best pair of every row, and the extremes of the trailing diagonal, found again."""
        state, trailing = self.state, self.state.diagonal[self._p :]
        state.best[:], state.stale[:] = np.inf, True
        if len(trailing):
            state.extremes[:] = self._p + trailing.argmax(), self._p + trailing.argmin()

    def _find_best_score(self) -> float:
        """Return the largest gain, or for Jacobi's rules the largest squared entry, of the pairs within the limit."""
        rule = self.problem.pivot
        start = None if not rule.by_entry else 0 if rule.all_rows else self._p
        bounds = self.state.scalars[Scalar.FLOOR2], self.state.scalars[Scalar.LIMIT]
        self.state.best[:] = [score_row(self.state, i, *bounds, start).max(initial=0.0) for i in range(self._p)]
        return float(self.state.best.max())

    def _make_history(self, length: int) -> None:
        state = self.state
        have = len(state.first)
        if length > have:
            with hold_interrupts():
                for name in HISTORY:  # in place, so that the state keeps its arrays; no view of them is alive here
                    getattr(state, name).resize(max(length, 2 * have), refcheck=False)

    def _make_space(self, n_rows: int) -> None:
        """Grow the store of trailing rows, in place."""
        state, touched = self.state, int(self.state.counts[Count.TOUCHED])
        have, width = state.rows.shape
        if touched + n_rows <= have:
            return
        want = min(max(touched + n_rows, 64, math.ceil(GROWTH * have)), max(self.problem.n - self._p, touched + n_rows))
        require_rows(want - have, width, state.rows.itemsize)
        with hold_interrupts():
            state.rows.resize((want, width), refcheck=False)
            state.supports.resize((self._p + want, state.supports.shape[1]), refcheck=False)
            state.owners.resize(want, refcheck=False)

    def _fetch(self, wanted: int) -> None:
        """Read the row that the kernel waits for and, where rows are expensive, those of the likely next pivots."""
        state = self.state
        columns = self._lookahead.choose(self, wanted)
        self._make_space(len(columns))
        slots = state.counts[Count.TOUCHED] + np.arange(len(columns))
        places = state.rows[slots[0] : slots[-1] + 1, : self.problem.n]
        largest = self._read(self._order[columns], places, self._scale)
        with hold_interrupts():
            state.slots[columns], state.owners[slots] = slots, columns
            start_sets(state.supports, self._p + slots, columns)
            state.counts[Count.TOUCHED] += len(columns)
            self._note_largest(largest)

    def _note_largest(self, largest: float) -> None:
        """A larger entry raises the level of rounding noise, so every score may be too high now."""
        if largest <= self._largest:
            return
        if largest * self._scale > float(np.finfo(self.state.active.dtype).max) ** 0.25:
            raise InvalidInputError(
                f"matrix has an entry of {largest:.3g} in a row read late, too large beside the {self._largest:.3g} of "
                "its diagonal and first rows: scale its rows and columns to comparable sizes."
            )
        self._largest = largest
        self._set_floor(self.state)
        self.state.stale[:] = True

    def progress(self) -> Progress:
        """Return where the run is."""
        gains, nonzeros, ranking = self.gains(), self.nonzeros(), self._ranking
        captured = self.state.diagonal[: self._p].sum() if ranking is None else ranking.sum_captured()
        return Progress(
            stage="rotations",
            n_rotations=self.n_rotations,
            captured=float(captured) / self._scale,
            nonzeros=int(nonzeros[-1]) if len(nonzeros) else self.problem.n_components,
            best_gain=float(gains[-1]) if len(gains) else 0.0,
            seconds=perf_counter() - self._started,
        )

    def gains(self) -> FloatArray:
        """Gains so far, in the units of the matrix."""
        source = self.state if self._ranking is None else self._ranking
        with np.errstate(over="ignore"):  # adaptive gains are of second degree in the entries
            gains = source.gains[: self.n_rotations] / self._scale
            return gains / self._scale if self._adaptive else gains

    def nonzeros(self) -> IntArray:
        """Nonzeros of the vectors after each rotation so far."""
        return (self._ranking or self.state).nonzeros[: self.n_rotations].copy()

    def result(self, status: Status) -> EigenResult:
        problem, state, k = self.problem, self.state, self.n_rotations
        trail = problem.leave_trail(state.shifts[:k] / self._scale)
        with np.errstate(over="ignore"):
            gains = self.gains().astype(np.finfo(problem.source.dtype).dtype)
        result = EigenResult.from_chain(self.chain(), gains, self.nonzeros(), status, problem.method, trail)
        return replace(result, stored_entries=self.stored_entries)

    def chain(self) -> RotationSequence:
        """Return the rotations so far."""
        state, k = self.state, self.n_rotations
        return RotationSequence(
            n=self.problem.n,
            pivots=np.stack([state.order[state.first[:k]], state.order[state.second[:k]]], axis=1),
            cosines=state.cosines[:k].copy(),
            sines=state.sines[:k].copy(),
            coordinates=self.problem.seeds,
            dtype=self.problem.source.dtype,
        )

    @property
    def stored_entries(self) -> int:
        """Entries of the rotated matrix that the run keeps."""
        return (self._p + int(self.state.counts[Count.TOUCHED])) * self.problem.n

    def capture(self) -> dict[str, Any]:
        """Return all that the run has reached as arrays, most of them views: to be written at once."""
        k, touched, state = self.n_rotations, int(self.state.counts[Count.TOUCHED]), self.state
        trimmed = state._replace(
            rows=state.rows[:touched], supports=state.supports[: self._p + touched], owners=state.owners[:touched],
            **{name: getattr(state, name)[:k] for name in HISTORY},
        )  # fmt: skip
        arrays = list_arrays(trimmed, GIVEN) | self._lookahead.capture(self)
        arrays["units"] = np.array([self._largest, self._scale])
        return arrays if self._ranking is None else arrays | self._ranking.capture()

    def restore(self, arrays: dict[str, Any]) -> "Run":
        """Return a run of the same problem that has come as far as the one captured; replays nothing."""
        state = rebuild(self.state, arrays, GIVEN)
        check_dense_state(state, self._order)
        self.state, (self._largest, self._scale) = state, read_units(arrays)
        self._lookahead.restore(self, arrays)
        if self._ranking is not None:
            self._ranking.restore(state, arrays)
        return self

    def successor(self) -> "Run":
        """Return the run to go on with: this one, as long as no other kernel would do better."""
        return self


def _make_room(wanted: int) -> int:
    """Return how many bytes to set aside for the first rows, of those that all may take."""
    free = available_memory() if wanted > LITTLE else None
    return min(wanted, FIRST_BYTES if free is None else min(FIRST_BYTES, int(FIRST_SHARE * free)))
