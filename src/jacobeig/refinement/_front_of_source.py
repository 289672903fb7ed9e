"""The front of any source: on the whole matrix where it is small, else on one set around the densest vectors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from jacobeig._types import Floats, Integers
from jacobeig.refinement._basis import make_basis
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._front import FrontSearch
from jacobeig.refinement._pursuit import Point
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Aim, Candidate
from jacobeig.refinement._source_view import SourceView
from jacobeig.refinement._threads import one_blas_thread
from jacobeig.refinement._working_set import WorkingSet, embed
from jacobeig.sources import RowSource


@dataclass(frozen=True, kw_only=True, eq=False)
class FrontPoint:
    """Refined vectors (n, p) at one budget, their quotients, what they capture together, and where they came from."""

    vectors: sparse.csc_array
    quotients: Floats
    captured: float
    start: str


def refine_front(
    source: RowSource,
    densest: sparse.csc_array,
    weights: Floats,
    totals: Sequence[int],
    chain: Callable[[Matrix], Sequence[Floats]],
    *,
    factor: float,
    whole: int,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    effort: str = "quick",
    rng: np.random.Generator,
    time_limit: float | None = None,
    tell: Callable[[int, float, int], object],
) -> list[FrontPoint]:
    """Return refined vectors at several numbers of nonzeros, ascending, from refined ones at the last of them.

    `chain` makes vectors within each budget from the block that is searched. The matrix counts times `factor`. A
    source is read for the leverage and the gains of its coordinates (a few products), and for one block. `tell` is
    called with the number of budgets that have been visited, each of them twice, what was captured there, and with how
    many nonzeros; it stops the search by returning True, as the time limit does.
    """
    view = SourceView(source=source, factor=factor)
    per_column = view.n if max_nonzeros is None else min(max_nonzeros, view.n)
    budget = NonzeroBudget(total=totals[-1], per_column=per_column)
    aim = Aim(weights=weights, budget=budget, clock=Clock(time_limit), rng=rng, orthonormal=orthonormal, effort=effort)
    rows = np.unique(densest.indices).astype(np.int64)
    vectors = densest[rows].toarray()
    with one_blas_thread():
        W = np.arange(view.n) if view.n <= whole else WorkingSet(view, aim).choose_around(rows, vectors)
        S = view.read_block(W)
        search = FrontSearch(S, aim, totals, chain(S), semidefinite=view.semidefinite)
        start = embed(W, rows, vectors)
        point = Point(start, search.form.measure(start))
        if not orthonormal:
            point = search.objective.climb(start, start != 0, 0)

        def tell_point(visited: int, point: Point) -> object:
            captured = (point.value - search.form.offset) / factor
            return tell(visited, captured, int(np.count_nonzero(point.vectors)))

        found = search.run(Candidate("given", point), tell_point)
        points = [_describe(S / factor, W, view.n, candidate, orthonormal=orthonormal) for candidate in found]
    return _smooth(points, factor) if search.form.plain or not orthonormal else points


def _smooth(points: list[FrontPoint], factor: float) -> list[FrontPoint]:
    """Let no point capture less than a sparser one, not even by rounding: its vectors are within the budget too."""
    smooth = points[:1]
    for point in points[1:]:
        smooth.append(max(smooth[-1], point, key=lambda known: factor * known.captured))
    return smooth


def _describe(S: Matrix, W: Integers, n: int, found: Candidate, *, orthonormal: bool) -> FrontPoint:
    """Measure vectors by the block alone, which holds every row that they have."""
    U = found.point.vectors
    image = S @ U
    quotients = np.sum(U.conj() * image, axis=0).real
    together = float(quotients.sum()) if orthonormal else make_basis(U, image).captured
    part = sparse.csc_array(U)
    vectors = sparse.csc_array((part.data, W[part.indices], part.indptr), shape=(n, U.shape[1]))
    return FrontPoint(vectors=vectors, quotients=quotients, captured=together, start=found.start)
