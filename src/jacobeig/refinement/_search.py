"""Search for better vectors on one matrix: many starts, one search, and the best of what they give."""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from jacobeig._arguments import is_sparse
from jacobeig._types import Floats
from jacobeig.refinement._budget import LONG, MANY, NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._columnwise import columnwise
from jacobeig.refinement._free import FreeBasis
from jacobeig.refinement._groups import count_groups, share_columns, split_rows
from jacobeig.refinement._joint import Orthonormal
from jacobeig.refinement._luck import explore
from jacobeig.refinement._pursuit import Objective, Point, descend, pursue
from jacobeig.refinement._quadratic import Matrix, Quadratic, add_to_diagonal, find_largest_entry
from jacobeig.refinement._stages import recall_stage, require
from jacobeig.refinement._starts import Start, Starts, make_units
from jacobeig.refinement.spectrum import psd_shift


class _Plan(NamedTuple):
    """How much of everything."""

    ratio: float  # entries that a cut keeps on the way down from a wide start
    first_rounds: int  # of search, from every start
    finalists: int  # starts that are searched further
    rounds: int  # of search, from every finalist
    share: float = 1.0  # of the budget, that the first round of a finalist exchanges
    luck: int = 0  # rounds of search by luck, from the best
    both: bool = False  # whether finalists are searched with and without separation

    @property
    def final(self) -> dict[str, Any]:
        """How finalists are searched."""
        return {"rounds": self.rounds, "share": self.share, "both": self.both}


# With many components a round costs much, and orthogonality leaves it less to gain: three small ones brought .5 points
# at p = 100 and 2% (1.6 s became 2.4), .2 at p = 60; at 10% there are too many equations for any.
FEW_ROUNDS = _Plan(ratio=0.9, first_rounds=0, finalists=1, rounds=3, share=0.1)
# On 64 pixels and 120 random features (10 to 30%): with half the rounds up to 1.1 points less; with twice as many, at
# most 0.2 more in 1.4 times the time. A ratio of 0.8 lost up to 0.6, 0.95 won at most 0.2 and was a fifth slower. One
# finalist or four made no difference on these.
QUICK = _Plan(ratio=0.9, first_rounds=0, finalists=2, rounds=6, luck=24)
# On a long set many small rounds do more than few large ones. On five of order 2,500 to 4,096, eight that exchange a
# quarter captured from .1% less to .3% more than eight that exchange half, in less time on four of them.
LONG_ROUNDS = QUICK._replace(finalists=1, rounds=10, share=0.25, luck=0)
# Half and twice the rounds, none or two first rounds: no difference on the same data, as luck follows. Of that, 60
# rounds captured up to 0.7 points less than 200 (ten and twenty vectors of 3 to 13 pixels).
BEST = _Plan(ratio=0.9, first_rounds=1, finalists=2, rounds=10, luck=300, both=True)
# Under a limit of each column luck brings most, up to 1.4 points on digits; under one for all together, where columns
# can trade entries, at most half a point.
LOOSE, LESS_LUCK = 0.75, 8
FEWER = 25  # times fewer rounds of luck on a sparse or long matrix, where only other entries are tried
LARGE, HUGE = 1 << 17, 1 << 21  # entries of vectors on a sparse matrix beyond which a search is shorter, and short
DEFINITE = 1e-9  # of the largest entry, added to the diagonal


class Candidate(NamedTuple):
    """A feasible point and the name of the start that led to it."""

    start: str
    point: Point


@dataclass(frozen=True, kw_only=True, eq=False)
class Aim:
    """What to raise, within what budget, how hard.

    `weights` are those of the columns' quotients; a negative one asks for the other end of the spectrum. Without
    `orthonormal` only the span of the vectors counts, and weights do not.
    """

    weights: Floats
    budget: NonzeroBudget
    clock: Clock
    rng: np.random.Generator
    orthonormal: bool
    effort: str


class VectorSearch:
    """A search for vectors of one matrix; `semidefinite` says that it is known to have no negative eigenvalue.

    With `overwrite` a dense matrix is the search's own: large ones cost as much to copy as some steps.
    """

    def __init__(self, S: Matrix, aim: Aim, *, semidefinite: bool = False, overwrite: bool = False) -> None:
        self.aim, self.budget, self.clock = aim, aim.budget.limit(S.shape[0]), aim.clock
        self.form = _make_form(S, aim.weights, semidefinite=semidefinite, overwrite=overwrite)
        self.clock.offset = self.form.offset
        self.objective: Objective = (
            Orthonormal(self.form, clock=aim.clock)
            if aim.orthonormal
            else FreeBasis(self.form.S, offset=self.form.offset, clock=aim.clock)
        )

    def within(self, total: int) -> "VectorSearch":
        """Return the same search with another number of nonzeros; what is known of the matrix is shared."""
        other = copy(self)
        other.budget = replace(self.budget, total=min(total, self.budget.total))
        return other

    def start_over(self) -> "VectorSearch":
        """Return a quick search with this budget that draws from the beginning: what `refine` does with it alone."""
        other = copy(self)
        other.aim = replace(self.aim, rng=np.random.default_rng(0), effort="quick")
        return other

    def run(self, U: Floats, more: Mapping[str, Floats] | None = None, *, name: str = "given") -> Candidate:
        """Try every start that the effort allows, U and `more` among them, and search on from the best.

        The result is never worse than U, which has a `name`.
        """
        known = {name: U} | ({} if more is None else dict(more))
        if np.iscomplexobj(U) and not self.aim.orthonormal:
            start = max(known, key=lambda start: self.form.measure(known[start]))
            return Candidate(start, columnwise(self.form, known[start], budget=self.budget, clock=self.clock))
        starts = Starts(self.form.S, known, self.budget, self.aim.rng, self.clock)
        if self.budget.total >= U.size:
            return self._run(starts.list_whole(self.form.weights), QUICK)
        eigenvectors = starts.list_weighted(self.form.weights)
        if not self.form.plain:
            return self._run(eigenvectors, BEST if self.aim.effort == "best" else QUICK)
        real, quick = not np.iscomplexobj(U), self._plan_quick(U)._replace(both=self.aim.effort == "best")
        if self._is_crowded(U):
            best = self._run(starts.list_crowded(self._search_groups), quick)
        else:
            best = self._run(starts.list_quick(self.aim.orthonormal) if real else eigenvectors, quick)
        best = self._recall("luck", partial(self._try_luck, best, quick.luck)) or best
        if self.aim.effort != "best":
            return best
        if real:
            best = self._run(starts.list_others(self.aim.orthonormal), BEST, known=best)
        return self._recall("more luck", lambda: self._try_luck(self._clean_up(best), BEST.luck)) or best

    def _plan_quick(self, U: Floats) -> _Plan:
        """Return how much of everything is quick: less for many columns, long sets, and large graphs' good starts."""
        if self.aim.orthonormal and U.shape[1] > MANY:
            return FEW_ROUNDS
        if not is_sparse(self.form.S):
            capped = self.budget.total > LOOSE * self.budget.per_column * U.shape[1]
            plan = QUICK if capped else QUICK._replace(luck=LESS_LUCK)
            return plan if len(U) <= LONG else LONG_ROUNDS
        if U.size <= LARGE:
            return QUICK
        return QUICK._replace(finalists=1, rounds=3 if U.size <= HUGE else 1)

    def _is_crowded(self, U: Floats) -> bool:
        """Say whether many columns have too few nonzeros for the equations between them."""
        n, p = U.shape
        able = self.aim.orthonormal and not is_sparse(self.form.S)
        return able and p > MANY and 1 < count_groups(p, self.budget.total) <= n // p

    def _search_groups(self) -> Floats:
        """Return orthonormal vectors on groups of rows, each with columns of its own, that were searched apart."""
        S, p = self.form.S, len(self.aim.weights)
        groups = split_rows(S, count_groups(p, self.budget.total), self.aim.rng)
        U, done = np.zeros((len(S), p), S.dtype), 0
        for rows, count in zip(groups, share_columns(S, groups, p), strict=True):
            if count:
                U[rows, done : done + count] = self._search_group(S[np.ix_(rows, rows)], count)
                done += count
        return U

    def _search_group(self, block: Floats, count: int) -> Floats:
        """Return `count` of all columns, with their share of the nonzeros."""
        budget = replace(self.budget, total=self.budget.total * count // len(self.aim.weights))
        aim = replace(self.aim, weights=np.ones(count), budget=budget, clock=self.clock.start_apart())
        search = VectorSearch(block, aim, semidefinite=True, overwrite=True)
        starts = Starts(block, {"units": make_units(block, count)}, search.budget, aim.rng, aim.clock)
        return search._run(starts.list_in_group(), FEW_ROUNDS).point.vectors

    def _clean_up(self, best: Candidate) -> Candidate:
        """Improve orthonormal vectors once more, column by column."""
        if not self.aim.orthonormal or self.clock.expired:
            return best
        point = columnwise(self.form, best.point.vectors, budget=self.budget, sweeps=3, clock=self.clock)
        return best._replace(point=point)

    def _try_luck(self, best: Candidate, rounds: int) -> Candidate:
        """Search on by luck, and tell the caller."""
        S: Floats | None = self.form.S
        if is_sparse(S) or self.form.S.shape[0] > LONG:
            S, rounds = None, rounds // FEWER
        if rounds == 0:
            return best
        point = explore(self.objective, S, best.point, self.budget, self.clock, rounds=rounds, rng=self.aim.rng)
        self.clock.tell(best.start, *point)
        return best._replace(point=point)

    def go_on(self, U: Floats) -> Candidate:
        """Search on from vectors that are good already, and from nowhere else; never worse than U."""
        if np.iscomplexobj(U) and not self.aim.orthonormal:
            return Candidate("given", columnwise(self.form, U, budget=self.budget, clock=self.clock))
        starts = Starts(self.form.S, {"given": U}, self.budget, self.aim.rng, self.clock)
        return self._run(starts.list_near(), QUICK)

    def _run(self, starts: Iterator[Start], plan: _Plan, known: Candidate | None = None) -> Candidate:
        """Try the starts, search on from the best few, and return the best of all and of what is known."""
        stage = "quick" if known is None else "others"
        tries = sorted(self._try_starts(starts, plan, stage), key=lambda found: -found.point.value)
        finals = [
            self._recall(f"{stage} final {rank}", partial(self.extend, found, **plan.final)) or found
            for rank, found in enumerate(tries[: plan.finalists])
        ]
        return max(finals if known is None else [known, *finals], key=lambda found: found.point.value)

    def _try_starts(self, starts: Iterator[Start], plan: _Plan, stage: str) -> Iterator[Candidate]:
        """Give what each start leads to, until time is up and something has been found."""
        anything = False
        for number, start in enumerate(starts):
            if anything and self.clock.expired:
                return
            found = self._recall(f"{stage} start {number}", partial(self._try_start, start, plan))
            if found is not None:
                anything = True
                yield found

    def _try_start(self, start: Start, plan: _Plan) -> Candidate | None:
        """Return what a start leads to, if it leads anywhere."""
        name, make = start
        vectors = make()
        point = None if vectors is None else self.settle(vectors, plan.ratio)
        return None if point is None else self.extend(Candidate(name, point), rounds=plan.first_rounds)

    def _recall(self, name: str, make: Callable[[], Candidate | None]) -> Candidate | None:
        """Do a stage of the search, unless it is done already."""
        return recall_stage(self.clock, self.aim.rng, name, make, _write_candidate, self._read_candidate)

    def _read_candidate(self, noted: Mapping[str, Any]) -> Candidate | None:
        if "vectors" not in noted:
            return None
        vectors = require(noted, "vectors", (self.form.S.shape[0], len(self.form.weights)))
        found = Candidate(str(noted.get("start")), Point(vectors, float(require(noted, "value", ()))))
        self.clock.tell(found.start, *found.point)
        return found

    def settle_near(self, V: Floats, iterations: int) -> Point | None:
        """Return a feasible point within the budget near V, which hardly passes it and is almost feasible, climbed."""
        if np.count_nonzero(V) > self.budget.total:
            V = V * self.budget.keep(np.abs(V), self.budget.total)
        feasible = self.objective.restrict(V, V != 0)
        del V  # it may be a large part of the memory
        return None if feasible is None else self.objective.climb(feasible, feasible != 0, iterations)

    def settle(self, V: Floats, ratio: float) -> Point | None:
        """Return a feasible point within the budget near V, if one is found, after some climbing."""
        feasible = self.objective.enter(V, V != 0)
        if feasible is None:
            return None
        point = self.objective.climb(feasible, feasible != 0, 20)
        if self.budget.admits(point.mask):
            return point
        return descend(self.objective, point.vectors, self.budget, self.clock, ratio=ratio)

    def extend(self, found: Candidate, *, rounds: int, share: float = 1.0, both: bool = False) -> Candidate:
        """Search on from a point, in one way or both, and tell the caller."""
        search = partial(pursue, self.objective, found.point, self.budget, self.clock, rounds=rounds, share=share)
        point = max([search(), search(separate=False)] if both else [search()], key=lambda end: end.value)
        self.clock.tell(found.start, *point)
        return Candidate(found.start, point)


def _write_candidate(found: Candidate | None) -> dict[str, Any]:
    return {} if found is None else {"start": found.start, "vectors": found.point.vectors, "value": found.point.value}


def _make_form(S: Matrix, weights: Floats, *, semidefinite: bool, overwrite: bool) -> Quadratic:
    """Return the form of the weights, shifted so that every column's matrix is definite.

    Definite, not just semidefinite: then no quotient is zero, and no solver has to ask.
    """
    margin = DEFINITE * (find_largest_entry(S) or 1.0)
    if (weights >= 0).all():
        shift = psd_shift(S, semidefinite=semidefinite) + margin
        offset = shift * float(weights.sum())
        S = add_to_diagonal(S, shift, overwrite=overwrite)
        return Quadratic(S=S, weights=weights, shifts=np.zeros(len(weights)), offset=offset)
    low, high = psd_shift(S, semidefinite=semidefinite) + margin, psd_shift(-S) + margin
    shifts = np.where(weights >= 0, weights * low, -weights * high)
    return Quadratic(S=S, weights=weights, shifts=shifts, offset=float(shifts.sum()))
