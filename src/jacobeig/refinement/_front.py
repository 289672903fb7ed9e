"""The front: refined vectors at many budgets of one matrix, each started from its neighbours on both sides.

Pruning vectors from one budget to the next costs a hundredth of a refinement, and so does growing them. So every
budget gets several candidates: those of the next denser one, pruned; the chain's vectors; both annealed, while supports
can be disjoint; and every so often a start of its own. The best are kept, and from the best of all the search goes on.
A second sweep, from sparse to dense, grows what the sparser budgets have found. Best effort then refines each budget as
if it were alone, and its neighbours from there: so it is nowhere worse than that.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from jacobeig._arguments import is_sparse
from jacobeig._types import Floats
from jacobeig.refinement._alternation import alternate
from jacobeig.refinement._columnwise import columnwise
from jacobeig.refinement._disjoint import DISJOINT, anneal
from jacobeig.refinement._near_orthonormal import alternate_orthonormal
from jacobeig.refinement._pursuit import Point, descend
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Aim, Candidate, VectorSearch
from jacobeig.refinement.spectrum import leading_eigenvectors, varimax
from jacobeig.results.progress import asks_to_stop


class _FrontEffort(NamedTuple):
    """How much of everything."""

    beam: int  # candidates that are kept at each budget
    fresh: int  # budgets from one start of its own to the next
    steps: int  # of annealing, in short columns
    rounds: int  # of search, from the best candidate
    alone: bool  # whether every budget is refined on its own, too


# Tuned on wine, cells, digits, a factor model, images and a random covariance (n from 13 to 324), against refining each
# of thirty budgets alone. A beam of 8, fresh starts everywhere and 20,000 steps gain another tenth of a per cent on
# average, and cost twice as much. To refine on its own a budget that falls short of the middle of its neighbours costs
# half as much as the densest point; two of them took the worst of all points from 1.4% below refining alone to 1.0%,
# eight to .7%.
PLANS = {"quick": _FrontEffort(4, 2, 6_000, 2, False), "best": _FrontEffort(8, 1, 20_000, 6, True)}
SHARE = 0.2  # of the budget, exchanged by the first round of the search: candidates are good already
CUT = 0.85  # of the entries, kept by one cut on the way to the next budget
SHORT_COLUMN = 8  # nonzeros of a column beyond which annealing takes fewer steps, as each takes longer
FRESH_STEPS = 80  # of an alternation: more gains nothing that the search does not find
DENSE_ENOUGH = 0.25  # nonzeros a row below which annealing beats every alternation
WIDE = 4  # times the budget: the entries of rotated eigenvectors that are pruned
SELDOM = 4  # fresh starts from one of rotated eigenvectors to the next, and budgets from chain to chain where dense


class FrontSearch:
    """A search for the vectors of one matrix at several budgets, ascending.

    `aim` holds the densest budget; `chains` are vectors within each budget to start from.
    """

    def __init__(
        self, S: Matrix, aim: Aim, totals: Sequence[int], chains: Sequence[Floats], *, semidefinite: bool = False
    ) -> None:
        densest = VectorSearch(S, aim, semidefinite=semidefinite)
        self.aim, self.form, self.objective = aim, densest.form, densest.objective
        self.searches = [densest.within(total) for total in totals]
        self.chains, self.plan = chains, PLANS[aim.effort]
        self.pools: list[list[Candidate]] = [[] for _ in totals]
        self._searched: list[Candidate | None] = [None for _ in totals]

    def run(self, densest: Candidate, tell: Callable[[int, Point], object]) -> list[Candidate]:
        """Return the best vectors found for each budget, never worse than those of a sparser one.

        `tell` is called with the number of budgets that have been visited, each of them twice, and with what was found
        there. When it returns True, or time is up, the budgets that are left get what there is by then.
        """
        last = len(self.pools) - 1
        self._offer(last, densest)
        if np.iscomplexobj(densest.point.vectors) and not self.aim.orthonormal:
            return self._climb_by_columns()
        for place in range(last, -1, -1):
            self._come_down(place)
            self._tell(tell, last - place + 1, place)
        for place in range(1, last + 1):
            self._come_up(place)
            self._tell(tell, last + place + 1, place)
        for place in range(last, -1, -1) if self.plan.alone else ():
            if not self.aim.clock.expired:
                self._refine_alone(place)
        return [pool[0] for pool in self.pools]

    def _tell(self, tell: Callable[[int, Point], object], visited: int, place: int) -> None:
        clock = self.aim.clock
        clock.stopped = asks_to_stop(tell(visited, self.pools[place][0].point)) or clock.stopped

    def _come_down(self, place: int) -> None:
        """Collect candidates, the denser neighbour's among them, and search on from the best."""
        if place + 1 < len(self.pools) and not self.aim.clock.expired:
            for found in self.pools[place + 1]:
                self._offer(place, self._descend_from(found, place))
        if not self.pools[place] or self.searches[place].budget.total <= len(self.chains[place]) or place % SELDOM == 0:
            self._settle(place, "chain", self.chains[place])  # elsewhere it never led to the best
        for name, vectors in self._start_again(place):
            self._settle(place, name, vectors)
        self._search_on(place)

    def _come_up(self, place: int) -> None:
        """Take the sparser neighbour's vectors as they are, and grown to the budget, and search on from the best."""
        for found in self.pools[place - 1]:
            self._offer(place, found)
            if not self.aim.clock.expired:
                self._offer(place, self._grow_from(found, place))
        self._search_on(place)

    def _descend_from(self, found: Candidate, place: int) -> Candidate | None:
        """Return vectors of a denser budget, pruned to this one."""
        budget = self.searches[place].budget
        point = descend(self.objective, found.point.vectors, budget, self.aim.clock, ratio=CUT)
        return None if point is None else Candidate(found.start, point)

    def _grow_from(self, found: Candidate, place: int) -> Candidate:
        """Return vectors of a sparser budget, grown to this one."""
        mask, vectors, budget = found.point.mask, found.point.vectors, self.searches[place].budget
        promises = np.where(mask, np.inf, self.objective.score(vectors, mask))
        return Candidate(found.start, self.objective.climb(vectors, budget.keep(promises, budget.total), 10))

    def _refine_alone(self, place: int) -> None:
        """Refine a budget as if there were no others, and its neighbours from what that gives."""
        self._offer(place, self.searches[place].start_over().run(self.chains[place], name="chain"))
        self._spread(place, range(place - 1, -1, -1), self._descend_from)
        self._spread(place, range(place + 1, len(self.pools)), self._grow_from)

    def _spread(self, place: int, places: range, move: Callable[[Candidate, int], Candidate | None]) -> None:
        """Take the best vectors of a budget from neighbour to neighbour, as long as they are better than theirs."""
        found: Candidate | None = self.pools[place][0]
        for neighbour in places:
            if found is None or self.aim.clock.expired:
                return
            found, before = move(found, neighbour), self.pools[neighbour][0]
            self._offer(neighbour, found)
            if self.pools[neighbour][0] is before:
                return
            self._search_on(neighbour)
            found = self.pools[neighbour][0]

    def _start_again(self, place: int) -> Iterator[tuple[str, Floats]]:
        """Give starts that no neighbour has."""
        S, total = self.form.S, self.searches[place].budget.total
        if is_sparse(S) or np.iscomplexobj(S) or not self.form.plain or self.aim.clock.expired:
            return
        n, p = self.chains[place].shape
        if total <= DISJOINT * n:
            steps = int(self.plan.steps * min(1.0, SHORT_COLUMN * p / total))
            for vectors, heat in ((self.pools[place][0].point.vectors, 0.01), (self.chains[place], 0.03)):
                budget = self.searches[place].budget
                yield "annealing", anneal(S, vectors, budget, self.aim.rng, steps=steps, heat=heat)
        turn, off = divmod(len(self.pools) - 1 - place, self.plan.fresh)
        if off or total <= DENSE_ENOUGH * n:
            return
        if not self.aim.orthonormal:
            scaled = self._rotated * np.sqrt(np.sum(self._rotated * (S @ self._rotated), axis=0))
            yield "alternation", alternate(S, scaled, total, n_iterations=FRESH_STEPS)
            return
        ramp = int(0.4 * FRESH_STEPS)
        near = alternate_orthonormal(S, self._rotated, total, n_iterations=FRESH_STEPS, ramp=ramp)
        yield "near-orthonormal alternation", near
        if turn % SELDOM == 0:
            count = min(n * p, WIDE * total)
            yield "varimax", self._rotated * self.searches[place].budget.keep(np.abs(self._rotated), count)

    @cached_property
    def _rotated(self) -> Floats:
        return varimax(leading_eigenvectors(self.form.S, len(self.aim.weights)))

    def _settle(self, place: int, name: str, vectors: Floats) -> None:
        point = self.searches[place].settle(vectors, CUT)
        self._offer(place, None if point is None else Candidate(name, point))

    def _search_on(self, place: int) -> None:
        """Search on from the best candidate, unless that is where the last search ended."""
        if self.pools[place][0] is not self._searched[place]:
            found = self.searches[place].extend(self.pools[place][0], rounds=self.plan.rounds, share=SHARE)
            self._offer(place, found)
            self._searched[place] = self.pools[place][0]

    def _offer(self, place: int, found: Candidate | None) -> None:
        """Keep a candidate of a budget if it is among the best and no copy of another."""
        pool, budget = self.pools[place], self.searches[place].budget
        if found is None or not budget.admits(found.point.mask):
            return
        near = 1e-9 * self.objective.size(found.point.value)
        if any(abs(known.point.value - found.point.value) <= near for known in pool):
            return
        pool.append(found)
        pool.sort(key=lambda known: -known.point.value)
        del pool[self.plan.beam :]

    def _climb_by_columns(self) -> list[Candidate]:
        """Improve complex vectors column by column, from the better of the chain's and the sparser neighbour's."""
        before: list[Candidate] = []
        for place, (search, chain) in enumerate(zip(self.searches, self.chains, strict=True)):
            starts = [*before, Candidate("chain", Point(chain, self.form.measure(chain)))]
            best = max(starts, key=lambda found: found.point.value)
            self._offer(place, Candidate(best.start, columnwise(self.form, best.point.vectors, budget=search.budget)))
            before = [max([*before, *self.pools[place]], key=lambda found: found.point.value)]
            self.pools[place].insert(0, before[0])
        return [pool[0] for pool in self.pools]
