"""`refine`: capture more variance with as few nonzeros, on supports chosen again."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, Literal

import numpy as np
from scipy import sparse

from jacobeig._arguments import as_generator, check_boolean, check_callback, check_choice, check_count, check_positive
from jacobeig._types import Floats, Rng
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.results.progress import Callback, Progress, progress_bar
from jacobeig.results.result import EigenResult, Method, Status
from jacobeig.solve._rounding import power_of_two_scale
from jacobeig.solve.budget import count_allowed_nonzeros
from jacobeig.sources.whole import read_whole

__all__ = ["choose_effort", "refine"]


def refine(
    matrix: Any,
    vectors: Any,
    *,
    density: float | None = None,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    effort: Literal["quick", "best"] = "quick",
    which: Literal["LA", "SA"] | None = None,
    time_limit: float | None = None,
    rng: Rng = None,
    callback: Callback | None = None,
    progress: bool = False,
) -> EigenResult:
    """Capture more variance with as few nonzeros: supports are chosen again, and the vectors solved for on them.

    The factored form is given up. The result never captures less than the vectors given, as long as they keep within
    the budget themselves.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The real symmetric matrix; it is used whole.
    vectors : EigenResult, or array_like or sparse array (n, p)
        Where to start: a result, or any vectors, orthonormal unless ``orthonormal=False``.
    density : float, optional
        The nonzeros never pass ``density * n * p``; by default as many as `vectors` has.
    max_nonzeros : int, optional
        No vector has more nonzeros than this.
    orthonormal : bool, default True
        Keep the vectors orthonormal to 1e-12. Otherwise they are unit vectors and only their span counts (see
        `metrics.captured_variance`), which captures more.
    effort : {"quick", "best"}, default "quick"
        The starts that bring most of the gain, or every start and a longer search.
    which : {"LA", "SA"}, optional
        The end of the spectrum; by default that of the result given, or "LA".
    time_limit : float, optional
        Seconds after which the best vectors so far are returned, with ``status`` TIME_LIMIT.
    rng : int, Generator or None, optional
        For the search; None is always the same.
    callback : callable, optional
        Called after every stage with a `Progress` record; returning True stops.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    EigenResult
        Without rotations; ``method.refined_from`` names the start that won.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(80, rng=0)
    >>> run = je.sparse_eigsh(S, 5, density=0.2)
    >>> better = je.refine(S, run)
    >>> bool(better.eigenvalues.sum() > run.eigenvalues.sum()), better.vectors.nnz <= run.vectors.nnz
    (True, True)
    """
    check_choice("effort", effort, ("quick", "best"))
    if time_limit is not None:
        time_limit = check_positive("time_limit", time_limit, "seconds, or None for no limit")
    callback, orthonormal = check_callback(callback), check_boolean("orthonormal", orthonormal)
    S, dtype = read_whole(matrix, "refine")
    scale = power_of_two_scale(float(np.abs(S).max()), S.dtype)
    S *= scale
    method = _find_method(vectors, which)
    start = _read_vectors(vectors, len(S))
    if orthonormal:
        _check_orthonormal(start)
    n, p = start.shape
    budget = int(np.count_nonzero(start)) if density is None else count_allowed_nonzeros(density, n, p)
    if max_nonzeros is not None:
        budget = min(budget if density is not None else n * p, p * check_count("max_nonzeros", max_nonzeros, 1))
    sign = -1.0 if method.which == "SA" else 1.0
    from jacobeig.refinement import refine_vectors  # loads compiled code that only this needs

    with progress_bar("refining", None, enabled=progress) as show:
        refined = refine_vectors(
            sign * S, start, nonzeros=budget, max_nonzeros=max_nonzeros, orthonormal=orthonormal, effort=effort,
            time_limit=time_limit, callback=_tell_both(callback, show, scale),
            rng=as_generator(0 if rng is None else rng),
        )  # fmt: skip
    status = Status.TIME_LIMIT if refined.stopped_by_time else Status.REFINED
    return _wrap(S, scale, refined.vectors, dtype, replace(method, refined_from=refined.start), status)


def choose_effort(refine: Any) -> Literal["quick", "best"] | None:
    """Return how hard ``refine=False``, ``True`` or ``"best"`` asks to search; None is not at all."""
    if isinstance(refine, str) and refine == "best":
        return "best"
    if not isinstance(refine, (bool, np.bool_)):
        raise InvalidInputError(f"is {refine!r}", argument="refine", advice="give False, True or 'best'.")
    return "quick" if refine else None


def _find_method(vectors: Any, which: str | None) -> Method:
    plain = Method(which="LA", target="ones", pivot="none", start="vectors")
    method = vectors.method if isinstance(vectors, EigenResult) else plain
    which = method.which if which is None else which
    if which not in ("LA", "SA"):
        raise InvalidInputError(
            f"is {which!r}", argument="which", advice="refine works at one end of the spectrum: give 'LA' or 'SA'."
        )
    return replace(method, which=which)


def _read_vectors(vectors: Any, n: int) -> Floats:
    given = vectors.vectors if isinstance(vectors, EigenResult) else vectors
    dense = np.asarray(given.toarray() if hasattr(given, "toarray") else given)
    if dense.dtype.kind not in "biuf":
        raise InvalidTypeError(f"vectors has dtype {dense.dtype}; give real numbers.")
    if dense.ndim != 2 or dense.shape[0] != n or not 1 <= dense.shape[1] <= n:
        raise InvalidInputError(
            f"vectors has shape {dense.shape}; the matrix is {n} x {n}, so give ({n}, p) with p from 1 to {n}."
        )
    if not np.isfinite(dense).all() or not dense.any(axis=0).all():
        raise InvalidInputError("vectors has a column that is zero or not finite; give every column a nonzero.")
    if dense.dtype.itemsize >= 8:
        return np.ascontiguousarray(dense, dtype=np.float64)
    from jacobeig.refinement import restore

    # What is orthonormal in single precision is not in double: make it so on its own support.
    double = dense.astype(np.float64)
    restored = restore(double, double != 0.0)
    return double if restored is None else restored


def _check_orthonormal(U: Floats) -> None:
    error = float(np.abs(U.T @ U - np.eye(U.shape[1])).max())
    if error > 1e-8:
        raise InvalidInputError(
            f"vectors is not orthonormal (error {error:.1e}); orthonormalise it, or give orthonormal=False."
        )


def _tell_both(callback: Callback | None, show: Callable[[int], None], scale: float) -> Callback:
    """Return a callback that tells the progress bar and the caller about every stage."""
    stages = count(1)

    def tell(progress: Progress) -> object:
        show(next(stages))
        return None if callback is None else callback(replace(progress, captured=progress.captured / scale))

    return tell


def _wrap(S: Floats, scale: float, U: Floats, dtype: np.dtype[Any], method: Method, status: Status) -> EigenResult:
    """Make a result of vectors that have no chain, the wanted end first."""
    values = np.einsum("ij,ij->j", U, S @ U) / scale
    order = np.argsort(values if method.which == "SA" else -values, kind="stable")
    sign = -1.0 if method.which == "SA" else 1.0
    return EigenResult(
        eigenvalues=values[order].astype(dtype),
        vectors=sparse.csc_array(U[:, order].astype(dtype)),
        rotations=None,
        gains=np.empty(0, dtype),
        nonzeros=np.empty(0, np.int64),
        status=status,
        target=np.full(len(values), sign),
        method=method,
    )
