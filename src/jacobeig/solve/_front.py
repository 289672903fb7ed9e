"""`front`: refined vectors at some thirty budgets in one call."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._arguments import (
    as_array,
    as_generator,
    check_boolean,
    check_callback,
    check_choice,
    check_components,
    check_positive,
)
from jacobeig._types import FloatArray, Floats, Rng, Which
from jacobeig.errors import InvalidInputError
from jacobeig.results.front import Front
from jacobeig.results.metrics import count_allowed_nonzeros
from jacobeig.results.progress import Callback, Progress, asks_to_stop, progress_bar
from jacobeig.results.result import EigenResult, Status
from jacobeig.solve._eigsh import arrange_columns, sparse_eigsh
from jacobeig.solve._problem import open_source
from jacobeig.solve._refine import WHOLE, choose_scale, find_method, wrap_vectors
from jacobeig.solve._sparse_vectors import find_sparse_vectors
from jacobeig.solve.budget import default_density, standardise_limit

POINTS = 30  # where no densities are named: of 64 features, each has an eighth more nonzeros than the one before
DENSEST = 0.5  # without other wishes, where the whole matrix is searched: beyond, little is left to gain


def front(
    matrix: Any,
    n_components: int = 6,
    *,
    densities: ArrayLike | None = None,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    which: Which = "LA",
    target: str | ArrayLike = "ones",
    effort: Literal["quick", "best"] = "quick",
    time_limit: float | None = None,
    rng: Rng = None,
    callback: Callback | None = None,
    progress: bool = False,
) -> Front:
    """Find what refined vectors capture at every density: the whole front in one call.

    The densest point is refined as `refine` does. Each other point starts from its neighbours on both sides, from the
    chain of rotations, and now and then from eigenvectors. Together they cost four to seven times as much as the
    densest point, less than a third of refining each of them alone, and capture about as much: single points up to 1.4
    per cent less or two more (``benchmarks/bench_front.py``). With ``effort="best"`` each point is refined alone as
    well, so that none captures less than `refine` does in quick effort.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The symmetric or Hermitian matrix, or a source of its rows. Beyond a thousand rows one working set serves all
        points.
    n_components : int, default 6
        Number p of vectors.
    densities : array_like, optional
        The budgets, in any order. By default about thirty, each a little denser than the one before: from one nonzero a
        vector to half of the entries; beyond a thousand rows to the ``2 / sqrt(n)`` that estimators take by default.
    max_nonzeros : int, optional
        No vector has more nonzeros than this.
    orthonormal : bool, default True
        False allows any unit vectors, of which only the span counts.
    which : {"LA", "SA", "BE"}, default "LA"
        The end of the spectrum, or both.
    target : {"ones", "log", "adaptive"} or array_like (p,), default "ones"
        The weights of the vectors; see `sparse_eigsh`. With others than "ones" it is the weighted sum that never falls.
    effort : {"quick", "best"}, default "quick"
        How long each point is searched.
    time_limit : float, optional
        Seconds after which the points that are left get the best vectors so far, with ``status`` TIME_LIMIT.
    rng : int, Generator or None, optional
        For the search; None is always the same.
    callback : callable, optional
        Called while the densest point is found and after every point with a `Progress` record; returning True stops, as
        the time limit does.
    progress : bool, default False
        Show progress bars.

    Returns
    -------
    Front
        The densities, what is captured at each, and the results.

    See Also
    --------
    refine : improve vectors at one budget.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(60, rng=0)
    >>> front = je.front(S, 4)
    >>> front.at(0.2).vectors.nnz <= 0.2 * 60 * 4
    True
    >>> 0 < front.knee() < 0.5
    True
    """
    check_choice("effort", effort, ("quick", "best"))
    watch = _Watch(time_limit, callback)
    source = open_source(matrix)
    n = source.shape[0]
    p = check_components(n_components, n)
    top = _check_densities(densities, n, p)[-1] if densities is not None else _choose_densest(n, max_nonzeros)
    densest = find_sparse_vectors(
        source, p, n_rotations=None, density=top, max_nonzeros=max_nonzeros, orthonormal=orthonormal, which=which,
        target=target, pivot="auto", start="auto", refine="best" if effort == "best" else True, rng=rng,
        progress=progress, callback=watch.tell if watch.watches else None,
    )  # fmt: skip
    return trace_front(
        source, densest, densities=densities, densest=top, max_nonzeros=max_nonzeros, orthonormal=orthonormal,
        effort=effort, watch=watch, rng=rng, progress=progress,
    )  # fmt: skip


class _Watch:
    """Time since the front was asked for, its limit, and the caller's callback: either can stop the work."""

    def __init__(self, limit: float | None = None, callback: Callback | None = None) -> None:
        self.limit = None if limit is None else check_positive("time_limit", limit, "seconds, or None for no limit")
        self.callback, self.stopped = check_callback(callback), False
        self._start = time.perf_counter()

    @property
    def watches(self) -> bool:
        """Whether there is anything to look at."""
        return self.limit is not None or self.callback is not None

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float | None:
        """Seconds that are left, if there is a limit."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    def tell(self, progress: Progress) -> bool:
        """Tell the caller, unless they have asked to stop, and say whether to stop."""
        self.stopped = self.stopped or (self.callback is not None and asks_to_stop(self.callback(progress)))
        return self.stopped or self.left == 0.0

    def choose_status(self, *, whole: bool) -> Status:
        """Say how points ended that were searched for until now."""
        if self.stopped:
            return Status.CALLBACK
        if self.left == 0.0:
            return Status.TIME_LIMIT
        return Status.REFINED if whole else Status.ROUNDS


def trace_front(
    matrix: Any,
    result: EigenResult,
    *,
    densities: ArrayLike | None = None,
    densest: float | None = None,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    effort: str = "quick",
    watch: _Watch | None = None,
    rng: Rng = None,
    progress: bool = False,
) -> Front:
    """Return the front that ends at a refined result, whose density is `densest` unless that is said."""
    source = open_source(matrix)
    n, p = result.vectors.shape
    method, weights = find_method(result, None)
    limit = standardise_limit(max_nonzeros)
    budgets = _space_densities(n, p, densest or result.density) if densities is None else densities
    asked = _check_densities(budgets, n, p)
    totals = [count_allowed_nonzeros(density, n, p) for density in asked]
    sign, scale = -1.0 if method.which == "SA" else 1.0, choose_scale(source)
    from jacobeig.refinement import refine_front  # loads compiled code that only this needs

    watch = _Watch() if watch is None else watch
    with progress_bar("the front", 2 * len(totals) - 1, enabled=check_boolean("progress", progress)) as show:

        def tell(visited: int, captured: float, nonzeros: int) -> bool:
            show(visited)
            seconds = watch.seconds
            return watch.tell(Progress(stage="the front", captured=captured, nonzeros=nonzeros, seconds=seconds))

        points = refine_front(
            source, result.vectors.astype(np.result_type(source.dtype, np.float64)), sign * weights.astype(np.float64),
            totals, _make_chain(weights, method.which, totals, limit, all_own=effort == "best"), factor=sign * scale,
            whole=WHOLE, max_nonzeros=limit, orthonormal=orthonormal, effort=effort,
            rng=as_generator(0 if rng is None else rng), time_limit=0.0 if watch.stopped else watch.left, tell=tell,
        )  # fmt: skip
    status = watch.choose_status(whole=n <= WHOLE)
    method = replace(method, max_nonzeros=limit)
    results = [
        wrap_vectors(source, point.vectors, point.quotients, weights, replace(method, refined_from=point.start), status)
        for point in points
    ]
    captured = np.array([point.captured for point in points])
    return Front(densities=asked, captured=captured, results=tuple(results))


def _choose_densest(n: int, max_nonzeros: int | None) -> float:
    top, limit = DENSEST if n <= WHOLE else default_density(n), standardise_limit(max_nonzeros)
    return max(1.0 / n, top if limit is None else min(top, min(limit, n) / n))


def _space_densities(n: int, p: int, densest: float) -> FloatArray:
    """Return budgets that grow by the same factor, as far as they are whole numbers of nonzeros."""
    most = count_allowed_nonzeros(densest, n, p)
    totals = np.unique(np.round(np.geomspace(p, most, POINTS)).astype(np.int64))
    return np.asarray(totals / (n * p))


def _check_densities(densities: ArrayLike, n: int, p: int) -> FloatArray:
    """Return densities in ascending order, without those that allow no more nonzeros than the one before."""
    values = np.atleast_1d(as_array("densities", densities))
    if values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
        raise InvalidInputError(
            f"has shape {values.shape} and dtype {values.dtype}", argument="densities", advice="give a list of shares."
        )
    values = np.sort(values.astype(np.float64))
    totals = [count_allowed_nonzeros(value, n, p) for value in values]
    return np.asarray(values[np.unique(totals, return_index=True)[1]])


def _make_chain(
    weights: FloatArray, which: str, totals: Sequence[int], max_nonzeros: int | None, *, all_own: bool
) -> Callable[[Any], list[Floats]]:
    """Return what makes vectors within each budget from a block: a chain of its own, or a prefix if it is dense."""
    p = len(weights)
    wanted = weights if which == "BE" else np.abs(weights)

    def run(block: Any, total: int) -> EigenResult:
        return sparse_eigsh(
            block, p, which="BE" if which == "BE" else "LA", target=wanted, max_nonzeros=max_nonzeros,
            density=min(1.0, total / (block.shape[0] * p)),
        )  # fmt: skip

    def make(block: Any) -> list[Floats]:
        longest = run(block, totals[-1])
        counts = np.concatenate([[p], longest.nonzeros])
        # nonzeros may fall again, so the last prefix within a budget, not the first that passes it
        lengths = [int(np.flatnonzero(counts <= total)[-1]) for total in totals]
        chains = [
            run(block, total) if all_own or total <= block.shape[0] else longest.truncate(length)
            for total, length in zip(totals, lengths, strict=True)
        ]
        return [arrange_columns(chain, wanted) for chain in chains]

    return make
