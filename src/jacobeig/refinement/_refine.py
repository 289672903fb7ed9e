"""Refine vectors: many starts, one search, and the best of what they give."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement._budget import Budget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._columnwise import columnwise
from jacobeig.refinement._free import FreeBasis
from jacobeig.refinement._joint import Orthonormal
from jacobeig.refinement._pursuit import Point, Problem, descend, pursue
from jacobeig.refinement._starts import Start, Starts
from jacobeig.refinement._threads import one_blas_thread
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.results.metrics import captured_variance
from jacobeig.results.progress import Callback

__all__ = ["RefinedVectors", "refine_vectors"]


@dataclass(frozen=True, kw_only=True)
class RefinedVectors:
    """Refined vectors and how they came about.

    Attributes
    ----------
    vectors : (n, p) array
        Orthonormal to 1e-12, or with ``orthonormal=False`` unit columns of a basis.
    captured_variance : float
        Trace of S on their span.
    start : str
        The start that won.
    seconds : float
        Time taken.
    stopped_by_time : bool
        Whether the time limit cut the search short.
    """

    vectors: Floats
    captured_variance: float
    start: str
    seconds: float
    stopped_by_time: bool

    def __repr__(self) -> str:
        n, p = self.vectors.shape
        density = np.count_nonzero(self.vectors) / self.vectors.size
        return (
            f"RefinedVectors({n} x {p}, density {density:.3f}, captured variance {self.captured_variance:.6g}, "
            f"from {self.start}, {self.seconds:.2f} s{', stopped by time' if self.stopped_by_time else ''})"
        )


class _Plan(NamedTuple):
    """How much of everything."""

    ratio: float  # entries that a cut keeps on the way down from a wide start
    first_rounds: int  # of search, from every start
    finalists: int  # starts that are searched further
    rounds: int  # of search, from every finalist


QUICK = _Plan(ratio=0.9, first_rounds=0, finalists=2, rounds=6)
BEST = _Plan(ratio=0.9, first_rounds=1, finalists=2, rounds=10)
DEFINITE = 1e-9  # of the largest entry, added to the diagonal
SHAKES = 15  # rounds of search with luck, from the best of all


class _Found(NamedTuple):
    """A feasible point and the name of the start that led to it."""

    start: str
    point: Point


def refine_vectors(
    S: Floats,
    U: Floats,
    *,
    nonzeros: int,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    effort: Literal["quick", "best"] = "quick",
    time_limit: float | None = None,
    callback: Callback | None = None,
    rng: np.random.Generator | None = None,
) -> RefinedVectors:
    """Capture more variance with sparse vectors, on supports chosen again.

    Parameters
    ----------
    S : (n, n) array
        Symmetric.
    U : (n, p) array
        Vectors to start from, orthonormal unless ``orthonormal=False``. The result is never worse than they are,
        provided that they keep within the budget.
    nonzeros : int
        Nonzeros at most in all vectors together.
    max_nonzeros : int, optional
        Nonzeros at most in any one vector.
    orthonormal : bool
        Keep the vectors orthonormal, to 1e-12. Otherwise only their span counts, which captures more.
    effort : {"quick", "best"}
        The few starts that bring most of the gain, or every start and a longer search.
    time_limit : float, optional
        Seconds after which the best vectors so far are returned.
    callback : callable, optional
        Called with a `Progress` after every stage; returning True stops the search.
    rng : numpy.random.Generator, optional
        For the starts and moves that are drawn at random; the default is of seed 0, so that runs repeat.

    Returns
    -------
    RefinedVectors

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.refinement import refine_vectors
    >>> X = np.random.default_rng(0).standard_normal((40, 40))
    >>> start = np.eye(40)[:, :3]
    >>> refined = refine_vectors(X @ X.T, start, nonzeros=30)
    >>> int(np.count_nonzero(refined.vectors)), refined.captured_variance > np.trace(start.T @ X @ X.T @ start)
    (30, np.True_)
    """
    clock = Clock(time_limit, callback)
    n, p = U.shape
    per_column = n if max_nonzeros is None else min(max_nonzeros, n)
    budget = Budget(total=min(nonzeros, p * per_column), per_column=per_column)
    with one_blas_thread():
        found = _search(S, U, budget, clock, orthonormal, effort, np.random.default_rng(0) if rng is None else rng)
    return RefinedVectors(
        vectors=found.point.vectors,
        captured_variance=captured_variance(S, found.point.vectors),
        start=found.start,
        seconds=clock.seconds,
        stopped_by_time=clock.out_of_time,
    )


def _search(
    S: Floats, U: Floats, budget: Budget, clock: Clock, orthonormal: bool, effort: str, rng: np.random.Generator
) -> _Found:
    """Run the starts, then search further from the best of them."""
    # definite, not just semidefinite: then no quotient is zero, and no solver has to ask
    shift = psd_shift(S) + DEFINITE * (float(np.abs(S).max()) or 1.0)
    S = S + shift * np.eye(len(S))
    clock.offset = shift * U.shape[1]
    problem: Problem = Orthonormal(S) if orthonormal else FreeBasis(S)
    starts = Starts(S, U, budget, rng)
    best = _run(problem, starts.quick(orthonormal), budget, clock, QUICK)
    if effort == "best":
        best = _run(problem, starts.others(orthonormal), budget, clock, BEST, known=best)
        if orthonormal and not clock.expired:
            best = best._replace(point=_sweep(S, best.point, budget))
        best = _extend(problem, best, budget, clock, rounds=SHAKES, share=0.2, shrink=0.85, rng=rng)
    return best


def _run(
    problem: Problem, starts: Iterator[Start], budget: Budget, clock: Clock, plan: _Plan, known: _Found | None = None
) -> _Found:
    """Try the starts, search on from the best few, and return the best of all and of what is known."""
    tries = sorted(_try_starts(problem, starts, budget, clock, plan), key=lambda found: -found.point.value)
    finals = [_extend(problem, found, budget, clock, rounds=plan.rounds) for found in tries[: plan.finalists]]
    return max(finals if known is None else [known, *finals], key=lambda found: found.point.value)


def _try_starts(
    problem: Problem, starts: Iterator[Start], budget: Budget, clock: Clock, plan: _Plan
) -> Iterator[_Found]:
    """Give what each start leads to, until time is up and something has been found."""
    found = False
    for name, make in starts:
        if found and clock.expired:
            return
        vectors = make()
        point = None if vectors is None else _settle(problem, vectors, budget, clock, plan.ratio)
        if point is not None:
            found = True
            yield _extend(problem, _Found(name, point), budget, clock, rounds=plan.first_rounds)


def _settle(problem: Problem, V: Floats, budget: Budget, clock: Clock, ratio: float) -> Point | None:
    """Return a feasible point within the budget near V, if one is found, after some climbing."""
    feasible = problem.enter(V, V != 0)
    if feasible is None:
        return None
    point = problem.climb(feasible, feasible != 0, 20)
    return point if budget.admits(point.mask) else descend(problem, point.vectors, budget, clock, ratio=ratio)


def _extend(
    problem: Problem,
    found: _Found,
    budget: Budget,
    clock: Clock,
    *,
    rounds: int,
    share: float = 1.0,
    shrink: float = 0.5,
    rng: np.random.Generator | None = None,
) -> _Found:
    """Search on from a point, and tell the caller."""
    point = pursue(problem, found.point, budget, clock, rounds=rounds, share=share, shrink=shrink, rng=rng)
    clock.tell(found.start, point.value, int(point.mask.sum()))
    return _Found(found.start, point)


def _sweep(S: Floats, point: Point, budget: Budget) -> Point:
    """Choose each column's support again by itself: other moves than those of the search."""
    return columnwise(S, point.vectors, nonzeros=budget.total, max_nonzeros=budget.per_column, sweeps=3)
