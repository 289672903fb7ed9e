"""`certify_front`: the line that no vectors are above, over all numbers of nonzeros."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from jacobeig._arguments import as_list, check_boolean, check_real, check_time_limit, to_dense
from jacobeig.errors import InvalidInputError
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._threads import one_blas_thread
from jacobeig.refinement.certificates._certificate import Certificate
from jacobeig.refinement.certificates._certify import certify, wrap_bound
from jacobeig.refinement.certificates._problem import Asked, BoundProblem, define_bound, is_wide
from jacobeig.refinement.certificates._search import search_bounds
from jacobeig.results.progress import progress_bar
from jacobeig.sources import RowSource, as_source


def certify_front(
    matrix: Any,
    results: Iterable[Any] | None = None,
    *,
    n_components: int | None = None,
    densities: Sequence[float] | None = None,
    which: Literal["LA", "SA"] = "LA",
    time_limit: float | None = None,
    progress: bool = False,
) -> tuple[Certificate, ...]:
    """Bound what any vectors can capture, at several numbers of nonzeros in all.

    Parameters
    ----------
    matrix : as for `certify`
        The real symmetric matrix.
    results : iterable of EigenResult or array_like (n, p), optional
        The points of a front: as many vectors in each, with different numbers of nonzeros.
    n_components : int, optional
        Without results: how many vectors.
    densities : sequence of float, optional
        Without results: at most ``density * n * p`` nonzeros in all, for each of these.
    which : {"LA", "SA"}, default "LA"
        The end of the spectrum; results know their own.
    time_limit : float, optional
        Seconds for all of them together.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    tuple of Certificate
        One for each point, in the order given. Each search begins where the one before ended, which
        halves the time for bounds that are within 0.1%.
        `plotting.plot_bound` draws them; `Certificate.bound_at` bounds what is between.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(30, rng=0)
    >>> sparse, dense = je.certify_front(S, n_components=3, densities=[0.1, 0.3])
    >>> sparse.bound < dense.bound
    True
    """
    check_boolean("progress", progress)
    time_limit, source = check_time_limit(time_limit), as_source(matrix)
    points = _list_points(results, n_components, densities, which)
    if is_wide(source):  # nothing to begin from: each bound is one decomposition of the samples
        share = None if time_limit is None else time_limit / max(1, len(points))
        return tuple(certify(source, time_limit=share, **vars(point)) for point in points)
    problems = _define_problems(source, points)
    order = sorted(range(len(problems)), key=lambda i: problems[i].budgets.largest_union)
    clock = Clock(time_limit)
    with one_blas_thread(), progress_bar("certifying", len(order), enabled=progress) as show:
        found = search_bounds(problems[0].S, [problems[i].budgets for i in order], clock, show)
        by = {i: wrap_bound(problems[i], settled.multipliers, clock) for i, settled in zip(order, found, strict=True)}
    return tuple(by[i] for i in range(len(problems)))


def _list_points(
    results: Iterable[Any] | None, n_components: int | None, densities: Sequence[float] | None, which: str
) -> list[Asked]:
    """Return what is asked of each point."""
    if (results is None) == (densities is None):
        raise InvalidInputError("give either results or n_components and densities, not both.")
    if results is None:
        points = [
            Asked(n_components=n_components, density=check_real("each of densities", value), which=which)
            for value in as_list("densities", densities, "numbers")
        ]
    else:
        points = [
            Asked(result=result, n_components=n_components, density=_find_density(result), which=which)
            for result in as_list("results", results, "results, or a Front")
        ]
    if not points:
        raise InvalidInputError(f"{'densities' if results is None else 'results'} must hold one point or more.")
    return points


def _define_problems(source: RowSource, points: list[Asked]) -> list[BoundProblem]:
    """Return one problem for each point, all with the same matrix; one that is free makes all of them so."""
    problems = [define_bound(source, asked) for asked in points]
    if len({(problem.budgets.n_components, problem.factor) for problem in problems}) > 1:
        raise InvalidInputError(
            "results must be those of one front: as many vectors in each, all for the same end of the spectrum."
        )
    free = any(problem.budgets.free for problem in problems)
    return [replace(problem, S=problems[0].S, budgets=replace(problem.budgets, free=free)) for problem in problems]


def _find_density(result: Any) -> float:
    """Return the share of entries that are not zero."""
    fitted = getattr(result, "decomposition_", result)
    vectors = to_dense(getattr(fitted, "vectors", fitted), "each of results")
    return float(np.count_nonzero(vectors)) / max(1, vectors.size)
