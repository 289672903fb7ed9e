"""Refine vectors of any source: on the whole matrix where it is small, else on working sets."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from jacobeig._types import Floats
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._edge_set import EdgeSet
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Aim, VectorSearch
from jacobeig.refinement._source_view import SourceView
from jacobeig.refinement._threads import one_blas_thread
from jacobeig.refinement._working_set import Refined, WorkingSet
from jacobeig.results.checkpoints import Checkpoint
from jacobeig.results.progress import Callback
from jacobeig.sources import RowSource


@dataclass(frozen=True, kw_only=True, eq=False)
class RefinedVectors:
    """Refined vectors (n, p), the start that led to them, and how the search ended."""

    vectors: sparse.csc_array
    start: str
    complete: bool
    shrunk: bool
    stopped_by_time: bool
    interrupted: bool


def refine_source(
    source: RowSource,
    start: sparse.csc_array | Callable[[Matrix], Floats],
    weights: Floats,
    *,
    factor: float,
    whole: int,
    nonzeros: int,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    effort: str = "quick",
    time_limit: float | None = None,
    callback: Callback | None = None,
    rng: np.random.Generator | None = None,
    checkpoint: Checkpoint | None = None,
) -> RefinedVectors:
    """Capture more with sparse vectors, on supports chosen again.

    `start` are vectors, orthonormal unless ``orthonormal=False``, or a function that makes some from the block of the
    first working set; up to the order `whole` the set is everything, unless the matrix is sparse. The matrix counts
    times `factor`, and each column's quotient times its weight. The result is never worse than the start, as long as
    that keeps within the budget.

    Stages that are done are noted in the `checkpoint`, and not done again where it knows them. Where it returns at an
    interrupt, the best vectors so far are returned.
    """
    clock, view = Clock(time_limit, callback, checkpoint), SourceView(source=source, factor=factor)
    per_column = view.n if max_nonzeros is None else min(max_nonzeros, view.n)
    budget = NonzeroBudget(total=min(nonzeros, len(weights) * per_column), per_column=per_column)
    rng = np.random.default_rng(0) if rng is None else rng
    aim = Aim(weights=weights, budget=budget, clock=clock, rng=rng, orthonormal=orthonormal, effort=effort)
    try:
        with one_blas_thread():
            small = view.n <= whole and view.graph is None
            found = (_refine_whole if small else _refine_on_sets)(view, aim, start)
        return _wrap(found, view.n, clock)
    except KeyboardInterrupt:
        clock.checkpoint.save()
        best = _find_best(start, budget, clock)
        if best is None or not clock.checkpoint.returns:
            raise clock.checkpoint.explain_interrupt("in refinement") from None
        return _wrap(best, view.n, clock, interrupted=True)


def _find_best(
    start: sparse.csc_array | Callable[[Matrix], Floats], budget: NonzeroBudget, clock: Clock
) -> Refined | None:
    """Return the best vectors so far, those given included; None where there are none within the budget."""
    if clock.found is not None:
        rows, vectors, name = clock.found
    elif callable(start) or not budget.admits((dense := start.toarray()) != 0):
        return None
    else:
        rows, vectors, name = None, dense, "given"
    everything = np.arange(len(vectors))
    return Refined(rows=everything if rows is None else rows, vectors=vectors, start=name, complete=False, shrunk=False)


def _refine_whole(view: SourceView, aim: Aim, start: sparse.csc_array | Callable[[Matrix], Floats]) -> Refined:
    rows = np.arange(view.n)
    S = view.read_block(rows)
    given = start(S) if callable(start) else start.toarray()
    found = VectorSearch(S, aim, semidefinite=view.semidefinite, overwrite=True).run(given)
    return Refined(rows=rows, vectors=found.point.vectors, start=found.start, complete=True, shrunk=False)


def _refine_on_sets(view: SourceView, aim: Aim, start: sparse.csc_array | Callable[[Matrix], Floats]) -> Refined:
    sets = WorkingSet(view, aim) if view.graph is None else EdgeSet(view, aim)
    if callable(start):
        return sets.start_from(start)
    rows = np.unique(start.indices).astype(np.int64)
    return sets.refine(rows, start[rows].toarray())


def _wrap(found: Refined, n: int, clock: Clock, *, interrupted: bool = False) -> RefinedVectors:
    part = sparse.csc_array(found.vectors)
    shape = (n, found.vectors.shape[1])
    vectors = sparse.csc_array((part.data, found.rows[part.indices], part.indptr), shape=shape)
    return RefinedVectors(
        vectors=vectors,
        start=found.start,
        complete=found.complete,
        shrunk=found.shrunk,
        stopped_by_time=clock.out_of_time,
        interrupted=interrupted,
    )
