"""Guess which rows a run will read next: where a row is dear, one product that makes many of them is much cheaper.

A guess decides only what is read early. But the last bit of a row in single precision may depend on the rows that it is
computed with, so guesses follow from the rotations alone, not from budgets, and a run that goes on makes the same ones.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from jacobeig._kernels.scan import Rule
from jacobeig._kernels.state import Count, Outcome
from jacobeig._types import IntArray
from jacobeig.solve._gains import find_top, rate_columns
from jacobeig.solve._problem import ChainProblem
from jacobeig.solve._source_checks import can_restrict, count_batch
from jacobeig.solve._state import require

if TYPE_CHECKING:
    from jacobeig.solve._dense_driver import Run

# A preview has these features beside those whose rows have been read, half of them for their gains and half for their
# variance; all their products together cost some 50 rows. With as many, of 100,000 features, it named all but a few
# rows in a hundred on sparse and dense factors in noise and on noise of decaying scale.
SHARE, MOST_FEATURES = 1 / 40, 3000
LEAST_FEATURES = 16_384  # with fewer a row is not dear enough
MOST_READ = 4096  # rows: with more the preview costs too much
MOST = 64  # rows that a preview names at once: twice as many are little cheaper each, and more are left over at the end
LOST = 1.25  # when a preview that has lost its way is made again: at this many times the rows that there were
FAR = 8  # rotations that a preview goes ahead for each row that it is asked for


class Lookahead:
    """What a run will read next: as a preview says and, where there is none, the gains as they are."""

    def __init__(self, problem: ChainProblem) -> None:  # not the run, whose rows a cycle would keep alive
        self._batch = count_batch(problem.source)
        # Cyclic and random pairs depend on how many features there are, so a part of them does not tell what comes.
        in_turn = problem.pivot.kernel_rule in (Rule.CYCLIC, Rule.RANDOM)
        able = problem.n >= LEAST_FEATURES and can_restrict(problem.source) and not in_turn
        self._next_at = float(self._batch) if able else np.inf
        self._preview: _Preview | None = None

    def choose(self, run: "Run", wanted: int) -> IntArray:
        """Return the columns whose rows are to be read now, `wanted` among them."""
        if self._batch == 1:
            return np.array([wanted], np.int64)
        columns = self._ask_preview(run)
        read = int(run.state.counts[Count.TOUCHED])
        if wanted not in columns and self._next_at <= read <= MOST_READ:
            self._next_at, kept = LOST * read + self._batch, _choose_features(run, wanted)
            self._preview = _preview(run, kept)
            columns = self._ask_preview(run)
        if wanted in columns:
            return columns
        state = run.state
        return len(state.weights) + find_top(rate_columns(state, wanted), self._batch)

    def _ask_preview(self, run: "Run") -> IntArray:
        """Return the next rows of the preview, if there is one and it has not lost its way."""
        preview = self._preview
        return np.zeros(0, np.int64) if preview is None else preview.name_next(run, max(MOST, self._batch))

    def capture(self, run: "Run") -> dict[str, Any]:
        """Return what a run that goes on needs for the same guesses."""
        if self._next_at == np.inf:
            return {}
        preview, kept = self._preview, np.zeros(0, np.int64)
        if preview is not None and preview.agrees_with(run):  # one that has lost its way finds it no more
            kept = preview.kept
        return {"lookahead.kept": kept, "lookahead.next_at": np.array([self._next_at])}

    def restore(self, run: "Run", arrays: dict[str, Any]) -> None:
        """Guess on as the run captured would have."""
        if self._next_at == np.inf:
            return
        kept, next_at = (arrays.get(f"lookahead.{name}", np.zeros(0)) for name in ("kept", "next_at"))
        require(next_at.shape == (1,) and next_at.dtype == np.float64, "its guesses are none")
        require(kept.ndim == 1 and kept.dtype == np.int64, "its guesses are none")
        self._next_at = float(next_at[0])
        if len(kept):
            fits = len(np.unique(kept)) == len(kept) and kept.min() >= 0 and kept.max() < run.problem.n
            require(bool(fits), "its guesses do not fit")
            self._preview = _preview(run, kept)


def _choose_features(run: "Run", wanted: int) -> IntArray:
    """Return the features of a preview: those of the vectors, those whose rows have been read, those that may be."""
    state, p = run.state, len(run.state.weights)
    share = min(int(SHARE * run.problem.n), MOST_FEATURES)
    gains = rate_columns(state, wanted)
    by_gain = find_top(gains, share // 2)
    variances = np.where(gains >= 0.0, state.diagonal[p:], -1.0)
    variances[by_gain] = -1.0
    by_variance = find_top(variances, share - len(by_gain))
    return np.concatenate([np.arange(p), state.owners[: state.counts[Count.TOUCHED]], p + by_gain, p + by_variance])


def _preview(run: "Run", kept: IntArray) -> "_Preview | None":
    """Return a preview of a run from where it is; None where it would not fit or leaves out what was rotated."""
    state, numbers = run.state, np.full(run.problem.n, -1)
    numbers[state.order[kept]] = np.arange(len(kept))
    chain, p = run.chain(), len(state.weights)
    source = cast(Any, run.problem.source).restrict(state.order[kept])
    pivots = numbers[chain.pivots]
    if source is None or not np.array_equal(kept[:p], np.arange(p)) or (pivots < 0).any():
        return None
    diagonal, seeds = source.diagonal().astype(np.float64), np.arange(p)
    budget = replace(run.budget, n_rotations=np.iinfo(np.int64).max, total_nonzeros=None, tol=None)
    ahead = type(run)(replace(run.problem, source=source, diagonal=diagonal, seeds=seeds), budget)
    ahead.follow(replace(chain, n=len(kept), pivots=pivots, coordinates=seeds))
    return _Preview(ahead, kept)


class _Preview:
    """The same run on a few features, which are all that its rows have, a little ahead of the run itself.

    As long as no other feature comes up, its rotations are those of the run, but for rounding.
    """

    def __init__(self, ahead: "Run", kept: IntArray) -> None:
        self._ahead, self.kept = ahead, kept

    def name_next(self, run: "Run", count: int) -> IntArray:
        """Return the columns of the next rows that the run has not read, at most `count`; none after another way."""
        last, outcome = run.n_rotations + FAR * count, Outcome.CHUNK_DONE
        if not self.agrees_with(run):
            return np.zeros(0, np.int64)
        unread = self._find_unread(run)
        while len(unread) < count and self._ahead.n_rotations < last and outcome == Outcome.CHUNK_DONE:
            outcome = self._ahead.advance(min(self._ahead.n_rotations + count, last))
            unread = self._find_unread(run)
        return unread[:count]

    def agrees_with(self, run: "Run") -> bool:
        """Whether the run has taken the rotations of the preview, which may have to catch up first."""
        k = run.n_rotations
        if k > self._ahead.n_rotations:
            self._ahead.advance(k)
        ours, theirs = self._ahead.state, run.state
        same = k <= self._ahead.n_rotations and np.array_equal(ours.first[:k], theirs.first[:k])
        return same and np.array_equal(self.kept[ours.second[:k]], theirs.second[:k])

    def _find_unread(self, run: "Run") -> IntArray:
        """Return the columns of what comes whose rows the run has not read, once each, in their order."""
        columns = self.kept[self._ahead.state.second[run.n_rotations : self._ahead.n_rotations]]
        unread = columns[(columns >= len(run.state.weights)) & (run.state.slots[columns] < 0)]
        return unread[np.sort(np.unique(unread, return_index=True)[1])]
