"""Where a refinement may start from: the caller's vectors, and every kind of mask that has won somewhere."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from jacobeig._arguments import is_sparse
from jacobeig._types import Floats
from jacobeig.refinement._alternation import alternate
from jacobeig.refinement._budget import LONG, MANY, NonzeroBudget
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._disjoint import DISJOINT, anneal
from jacobeig.refinement._joint import Orthonormal
from jacobeig.refinement._near_orthonormal import alternate_orthonormal
from jacobeig.refinement._parts import rotate_by_parts, split_parts
from jacobeig.refinement._penalty import relax
from jacobeig.refinement._quadratic import Matrix, Quadratic
from jacobeig.refinement._stiefel import MaskedStiefel
from jacobeig.refinement.matching import bipartite_matching
from jacobeig.refinement.power import truncated_power
from jacobeig.refinement.spectrum import find_rough_leading, leading_eigenvectors, varimax, varimax_threshold

Start: TypeAlias = tuple[str, Callable[[], Floats | None]]

FEW = 0.75  # nonzeros per row up to which supports matched to rows are seldom beaten by much
MATCHINGS, SMALL_SET = 20, 800  # random starts of a matching, and the order up to which that many are affordable
LONG_COLUMN = 40  # nonzeros of a column beyond which annealing takes fewer steps, as a step costs their square
# With many components a step costs so much that fewer must do, and a wide start is not worth its way down: with 100 at
# 10 and 20% density, 60 steps of an alternation took a fifth of the time of 300, for .2 points more and 1.3 less.
MOST_STEPS, FEWER_STEPS = 300, 60
MOST_TURNS, FEWER_TURNS = 200, 50  # of varimax
RAMP = 0.4  # of the steps, over which an alternation's budget falls
# On a long set a step costs what the matrix weighs. A budget that falls from eight times its end in 40 steps, not from
# everything in 120, takes a third of the steps. Chosen with the rounds of search on five matrices of order 2,500 to
# 4,096: both together captured from .01 to 1.1% more than 4 times in 60 steps with six rounds, in about the same time.
LONG_RAMP, LONG_FIRST, LONG_PATIENCE = 40, 8, 10
FEWEST_STEPS = 2_000  # of annealing, on a long set: fewer took a second at order 4,096 and led nowhere
MOST_SPREAD = 1 << 20  # entries of vectors on a sparse matrix up to which starts that spread over all of it are made


class Starts:
    """Named starts for a positive semidefinite S, each computed when it is called.

    A start may have more entries than the budget: it is then pruned on the way down. One that is of no use gives None.
    """

    def __init__(
        self,
        S: Matrix,
        known: Mapping[str, Floats],
        budget: NonzeroBudget,
        rng: np.random.Generator,
        clock: Clock = NO_LIMIT,
    ) -> None:
        self.S, self.known, self.budget, self.rng, self.clock = S, known, budget, rng, clock
        self.given = next(iter(known.values()))

    def list_near(self) -> Iterator[Start]:
        """Give the starts that improve on vectors that are good already."""
        yield from self._give_known()
        yield "annealing", partial(self._anneal, "given", 20_000, 0.03)

    def list_weighted(self, weights: Floats) -> Iterator[Start]:
        """Give starts whose columns are individual eigenvectors, in the order of the weights."""
        yield from self._give_known()
        if is_sparse(self.S) and self.given.size > MOST_SPREAD:
            return
        for times in (1.5, 4.0):
            yield "eigenvectors", partial(self._cut_eigenvectors, weights, times)

    def list_whole(self, weights: Floats) -> Iterator[Start]:
        """Give what is best where every entry may be there: the eigenvectors."""
        yield from self._give_known()
        if not is_sparse(self.S) or self.given.size <= MOST_SPREAD:
            yield "eigenvectors", lambda: np.linalg.qr(self._cut_eigenvectors(weights, 1.0))[0]

    def list_crowded(self, search_groups: Callable[[], Floats]) -> Iterator[Start]:
        """Give the starts for columns that have too few nonzeros for all their equations: others find no way back."""
        yield from self.list_near()
        yield "groups", search_groups
        yield "given, loosened", self._loosen

    def list_in_group(self) -> Iterator[Start]:
        """Give the starts within a group of such columns."""
        yield from self._give_known()
        yield "near-orthonormal alternation", partial(self._alternate_near, 1.0)

    def list_quick(self, orthonormal: bool) -> Iterator[Start]:
        """Give the few starts that bring most of the gain."""
        yield from self._give_known()
        # with hardly more than an entry a column nothing beats the largest diagonal entries by much
        if not self.budget.admits(self.given != 0) or self.budget.total < 2 * self.given.shape[1]:
            yield "unit vectors", partial(make_units, self.S, self.given.shape[1])
        yield "annealing", partial(self._anneal, "given", 20_000, 0.03)
        few = self.budget.total <= FEW * len(self.given)
        if is_sparse(self.S) and (few or self.given.size > MOST_SPREAD):
            return  # patches win where there are few, and eigenvectors of a huge graph cost more than all else
        if few:
            yield "bipartite matching", self._match
        if orthonormal:
            yield "near-orthonormal alternation", partial(self._alternate_near, 1.0)
            if self.given.shape[1] <= MANY and not self._long:  # its way down takes as long there as all else
                yield "varimax", partial(self._widen_rotated, 4.0)
        else:
            yield "alternation", partial(self._alternate, 1.0)

    def list_others(self, orthonormal: bool) -> Iterator[Start]:
        """Give the starts that the quick ones leave out."""
        S, p, total = self.S, self.given.shape[1], self.budget.total
        for source, heat in (("given", 0.1), ("varimax", 0.03), ("varimax", 0.1)):
            yield "annealing", partial(self._anneal, source, 40_000, heat)
        for times in (2.0,) if orthonormal else (2.0, 4.0):
            if times * total < self.given.size:
                yield "alternation", partial(self._alternate, times)
        if orthonormal and 2 * total < self.given.size:
            yield "near-orthonormal alternation", partial(self._alternate_near, 2.0)
        yield "varimax", partial(self._widen_rotated, 8.0)
        yield "varimax threshold", lambda: varimax_threshold(S, p, total, top=self._top)
        if not is_sparse(S):  # its deflated matrices would be full
            yield "truncated power", lambda: truncated_power(S, p, total, top=self._top, clock=self.clock)
        if total > FEW * len(self.given):
            yield "bipartite matching", self._match

    def _give_known(self) -> Iterator[Start]:
        for name, vectors in self.known.items():
            yield name, partial(np.asarray, vectors)

    @cached_property
    def _rough(self) -> Matrix:
        """The matrix for choosing supports: where it is long, in single precision, at half the traffic."""
        return self.S.astype(np.float32) if self._long else self.S

    @property
    def _long(self) -> bool:
        return not is_sparse(self.S) and len(self.S) > LONG

    @cached_property
    def _top(self) -> Floats:
        find = find_rough_leading if self._long else leading_eigenvectors
        return find(self._rough, self.given.shape[1])

    @cached_property
    def _rotated(self) -> Floats:
        turns = FEWER_TURNS if self.given.shape[1] > MANY or self._long else MOST_TURNS
        if is_sparse(self.S):
            return rotate_by_parts(self._top, split_parts(self.S), partial(varimax, n_iterations=turns))
        return varimax(self._top, turns)

    def _cut_eigenvectors(self, weights: Floats, times: float) -> Floats:
        """Return the eigenvectors that the weights ask for, with that many times the budget's entries."""
        high, low = np.flatnonzero(weights >= 0), np.flatnonzero(weights < 0)
        V = np.empty_like(self.given)
        for columns, S in ((high, self.S), (low, -self.S)):
            if len(columns):
                order = columns[np.argsort(-np.abs(weights[columns]), kind="stable")]
                V[:, order] = leading_eigenvectors(S, len(columns))
        return V * self.budget.keep(np.abs(V), min(V.size, int(times * self.budget.total)))

    def _widen_rotated(self, times: float) -> Floats:
        """Return rotated eigenvectors with that many times the budget's entries."""
        count = min(self._rotated.size, int(times * self.budget.total))
        return self._rotated * self.budget.keep(np.abs(self._rotated), count)

    def _alternate(self, times: float) -> Floats | None:
        """Return a basis by alternating least squares with that many times the budget's entries."""
        scaled = self._rotated * np.sqrt(np.sum(self._rotated * (self.S @ self._rotated), axis=0))
        count = min(scaled.size, int(times * self.budget.total))
        if not scaled.any(axis=0).all():  # nothing to capture, as of a matrix of zeros
            return None
        return alternate(self._rough, scaled, count, clock=self.clock)

    def _alternate_near(self, times: float) -> Floats:
        """Return almost orthonormal vectors with that many times the budget's entries."""
        count = min(self._rotated.size, int(times * self.budget.total))
        many = self.given.shape[1] > MANY
        steps = FEWER_STEPS if many else MOST_STEPS
        plan = {"ramp": LONG_RAMP, "first": LONG_FIRST * count, "patience": LONG_PATIENCE}
        return alternate_orthonormal(
            self._rough, self._rotated, count, steps, clock=self.clock,
            **plan if self._long and not many else {"ramp": int(RAMP * steps)},
        )  # fmt: skip

    def _loosen(self) -> Floats | None:
        """Return the given vectors after a climb that may leave orthonormality a little: many equations stop any other.

        A chain's supports meet in so many places that the set of orthonormal matrices on them is hardly smooth. Where
        its equations are more than half as many as its entries, there is no way back.
        """
        mask = self.given != 0
        if 2 * len(MaskedStiefel(mask)) > mask.sum():
            return None
        goal = Orthonormal(Quadratic.make_plain(self.S, self.given.shape[1]), clock=self.clock)
        return goal.restrict(relax(goal.form, mask, self.given, penalties=(16.0, 64.0), clock=self.clock), mask)

    def _anneal(self, source: str, steps: int, heat: float) -> Floats | None:
        """Return vectors on disjoint supports."""
        if self.budget.total > DISJOINT * len(self.given) or is_sparse(self.S) or np.iscomplexobj(self.S):
            return None
        # a step solves a column again: where columns are long, fewer steps take as long
        each = self.budget.total / self.given.shape[1]
        steps = int(steps * min(1.0, LONG_COLUMN / each) ** 2)
        if self._long and steps < FEWEST_STEPS:
            return None
        V = self.given if source == "given" else self._rotated
        return anneal(self.S, V, self.budget, self.rng, steps=steps, heat=heat, clock=self.clock)

    def _match(self) -> Floats | None:
        """Return vectors on disjoint supports that are chosen together."""
        n_starts = max(5, min(MATCHINGS, round(MATCHINGS * SMALL_SET / len(self.given))))
        return bipartite_matching(
            self.S, self.given.shape[1], self.budget.total, rng=self.rng, n_starts=n_starts, shift=0.0,
            clock=self.clock,
        )  # fmt: skip


def make_units(S: Matrix, p: int) -> Floats:
    """Return unit vectors at the largest diagonal entries: they fit every budget."""
    U = np.zeros((S.shape[0], p))
    U[np.argsort(-S.diagonal().real, kind="stable")[:p], np.arange(p)] = 1.0
    return U
