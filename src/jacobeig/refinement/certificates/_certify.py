"""`certify`: how far vectors are from the best possible."""

from time import perf_counter
from typing import Any, Literal

from jacobeig._arguments import check_boolean, check_choice, check_positive
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._threads import one_blas_thread
from jacobeig.refinement.certificates._certificate import Certificate, take_fingerprint
from jacobeig.refinement.certificates._multipliers import Multipliers
from jacobeig.refinement.certificates._problem import BoundProblem, define_bound
from jacobeig.refinement.certificates._proof import prove_bound
from jacobeig.results.progress import progress_bar

__all__ = ["certify"]


def certify(
    matrix: Any,
    result: Any = None,
    *,
    n_components: int | None = None,
    max_nonzeros: int | None = None,
    density: float | None = None,
    which: Literal["LA", "SA"] = "LA",
    effort: Literal["quick", "best"] = "quick",
    time_limit: float | None = None,
    progress: bool = False,
) -> Certificate:
    """Bound what any orthonormal vectors within the same budgets can capture: how far a result is from the best.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The real symmetric matrix; it is used whole, and decomposed some hundred times.
    result : EigenResult or array_like (n, p), optional
        The vectors to certify. Without it give `n_components` and a budget, and only the bound is computed. For vectors
        that are not orthonormal the bound is for all such bases, where only a part of it holds (`kind` is "union").
    n_components : int, optional
        How many vectors; by default as many as `result` has.
    max_nonzeros : int, optional
        Nonzeros in each vector at most. By default, if no `density` is given either, as many as each vector of `result`
        has; if these differ, the budget is their sum.
    density : float, optional
        The nonzeros of all vectors together are at most ``density * n * p``.
    which : {"LA", "SA"}, default "LA"
        The end of the spectrum; a result knows its own.
    effort : {"quick", "best"}, default "quick"
        One relaxation; or, for small problems, cases told apart until the gap is at most 1e-4 or time is up, with
        better vectors if any are found.
    time_limit : float, optional
        Seconds after which the best bound so far is returned.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    Certificate
        With `bound`, `gap`, the multipliers that prove it, `verify`, `save` and `load`.

    Notes
    -----
    Every bound is proved by the multipliers in the certificate, so a search that was cut short is only less tight.
    See the documentation's page on certificates for the bound and its proof.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> S = np.diag([4.0, 3.0, 2.0, 1.0]) + 0.5
    >>> certificate = je.certify(S, je.sparse_eigsh(S, 2, max_nonzeros=2, refine=True))
    >>> certificate.captured <= certificate.bound <= np.linalg.eigvalsh(S)[-2:].sum() + 1e-9
    True
    """
    started = perf_counter()
    check_choice("effort", effort, ("quick", "best"))
    check_boolean("progress", progress)
    if time_limit is not None:
        time_limit = check_positive("time_limit", time_limit, "seconds, or None for no limit")
    problem = define_bound(matrix, result, n_components, max_nonzeros, density, which)
    clock = Clock(time_limit)
    from jacobeig.refinement.certificates._search import count_steps, search_bound  # loads compiled code

    total = count_steps(len(problem.S))
    with one_blas_thread(), progress_bar("certifying", total, enabled=progress) as show:
        settled = search_bound(problem.S, problem.budgets, clock, tell=show)
    return _wrap(problem, settled.multipliers, started)


def _wrap(problem: BoundProblem, multipliers: Multipliers, started: float) -> Certificate:
    """Make a certificate whose bound is the one that its multipliers prove."""
    sign = problem.sign
    bound = sign * prove_bound(problem.S, problem.budgets, multipliers)
    return Certificate(
        bound=bound,
        captured=None if problem.captured is None else sign * problem.captured,
        seconds=perf_counter() - started,
        kind=_name_kind(problem, multipliers),
        **{name: getattr(multipliers, name) for name in ("Z", "B", "nu", "Q", "s", "mu")},
        budgets=problem.budgets,
        which="SA" if sign < 0.0 else "LA",
        vectors=problem.vectors,
        fingerprint=take_fingerprint(sign * problem.S),
    )


def _name_kind(problem: BoundProblem, multipliers: Multipliers) -> str:
    if multipliers.Q is not None:
        return "union" if problem.budgets.free else "features"
    return "pairs" if multipliers.Z.any() else "spectrum"
