"""Improve a result: `polish` its rotations, or `refine` its vectors on better supports."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from jacobeig._gains import power_of_two_scale
from jacobeig._kernels.chain import walk_chain
from jacobeig._kernels.support import n_words, start_sets
from jacobeig._polish import polish_chain
from jacobeig._progress import progress_bar
from jacobeig._refinement import Progress, refine_vectors, restore
from jacobeig._types import FloatArray, Floats, IntArray, Rng
from jacobeig._validation import (
    allowed_nonzeros,
    check_choice,
    check_count,
    check_positive,
    dense_real,
    generator_of,
)
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.result import EigenResult, Method, Status, Trail, require_chain
from jacobeig.rotations import RotationSequence

__all__ = ["polish", "refine"]


def polish(
    matrix: Any, result: EigenResult, *, pairs: Literal["keep", "choose"] = "keep", n_sweeps: int = 10
) -> EigenResult:
    """Re-optimise the rotations of a run, each given all the others: the same number, and no more nonzeros.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The real symmetric matrix that `result` was computed from.
    result : EigenResult
        What `sparse_eigsh` returned, with any fixed target.
    pairs : {"keep", "choose"}, default "keep"
        Keep the pair of each rotation, at O(n p) each, or choose it again among all, at O(n^2 p), which gains more.
    n_sweeps : int, default 10
        Passes over the chain at most.

    Returns
    -------
    EigenResult
        The same kind of result; its captured variance is never below that of `result`.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(80, rng=0)
    >>> run = je.sparse_eigsh(S, 5, n_rotations=60)
    >>> better = je.polish(S, run)
    >>> better.n_rotations, bool(better.eigenvalues.sum() > run.eigenvalues.sum())
    (60, True)
    """
    chain, trail = require_chain(result)
    if not isinstance(chain, RotationSequence):
        raise InvalidInputError("result comes from block_eigsh; polish is for the rotations of sparse_eigsh.")
    if result.method.target == "adaptive":
        raise InvalidInputError(
            "result has an adaptive target, which is no fixed goal to polish for; use 'ones' or 'log'."
        )
    S, scale, dtype = _scaled(matrix, "polish")
    seeds, weights = _seeds_and_weights(result, chain, trail)
    better = polish_chain(
        S, chain.pivots, chain.cosines, chain.sines, seeds, weights=weights, pairs=pairs,
        sweeps=check_count("n_sweeps", n_sweeps, 1),
    )  # fmt: skip
    chain = replace(chain, pivots=better.pivots, cosines=better.cosines, sines=better.sines)
    shifts, gains, nonzeros = _walk(S, chain, seeds, weights)
    trail = replace(trail, shifts=shifts / scale, seeds=seeds, weights=weights)
    method = replace(result.method, polished=True)
    gains = (gains / scale).astype(np.finfo(dtype).dtype)
    return EigenResult.from_chain(chain, gains, nonzeros, result.status, method, trail)


def _scaled(matrix: Any, what: str) -> tuple[Floats, float, np.dtype[Any]]:
    """Return the matrix as a dense array times a power of two that saves its squares, that power, and its dtype."""
    S, dtype = dense_real(matrix, what)
    scale = power_of_two_scale(float(np.abs(S).max()), S.dtype)
    return S * scale, scale, dtype


def _seeds_and_weights(result: EigenResult, chain: RotationSequence, trail: Trail) -> tuple[IntArray, FloatArray]:
    """Return the coordinates of the vectors and their weights; classic Jacobi has chosen them at the end."""
    if result.method.pivot == "classic":
        return chain.coordinates, result.target
    return trail.seeds, trail.weights


def _walk(S: Floats, chain: RotationSequence, seeds: IntArray, weights: FloatArray) -> tuple[Floats, Floats, IntArray]:
    """Return what each rotation of a chain shifts on the diagonal, gains, and leaves as nonzeros."""
    n, k = chain.n, len(chain)
    sets = np.zeros((n, n_words(n)), np.uint64)
    start_sets(sets, np.arange(n), np.arange(n))
    everywhere = np.zeros(n)
    everywhere[seeds] = weights
    shifts, gains, nonzeros = np.zeros(k), np.zeros(k), np.zeros(k, np.int64)
    news = np.zeros((2, sets.shape[1]), np.uint64)
    walk_chain(
        S.copy(), chain.pivots, chain.cosines, chain.sines, everywhere, sets, news, np.ones(n, np.int64), shifts, gains,
        nonzeros,
    )  # fmt: skip
    return shifts, gains, nonzeros


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
    callback: Callable[[Progress], bool | None] | None = None,
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
        Called after every stage with its name, the captured variance so far and the seconds; returning True stops.
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
    S, scale, dtype = _scaled(matrix, "refine")
    method = _method_of(vectors, which)
    start = _dense_vectors(vectors, len(S))
    if orthonormal:
        _check_orthonormal(start)
    n, p = start.shape
    budget = int(np.count_nonzero(start)) if density is None else allowed_nonzeros(density, n, p)
    if max_nonzeros is not None:
        budget = min(budget if density is not None else n * p, p * check_count("max_nonzeros", max_nonzeros, 1))
    sign = -1.0 if method.which == "SA" else 1.0
    with progress_bar("refining", None, enabled=progress) as show:
        refined = refine_vectors(
            sign * S, start, nonzeros=budget, max_nonzeros=max_nonzeros, orthonormal=orthonormal, effort=effort,
            time_limit=time_limit, callback=_told(callback, show, scale), rng=generator_of(0 if rng is None else rng),
        )  # fmt: skip
    status = Status.TIME_LIMIT if refined.stopped_by_time else Status.REFINED
    return _wrap(S, scale, refined.vectors, dtype, replace(method, refined_from=refined.start), status)


def _method_of(vectors: Any, which: str | None) -> Method:
    plain = Method(which="LA", target="ones", pivot="none", start="vectors")
    method = vectors.method if isinstance(vectors, EigenResult) else plain
    which = method.which if which is None else which
    if which not in ("LA", "SA"):
        raise InvalidInputError(f"which is {which!r}; refine works at one end of the spectrum: give 'LA' or 'SA'.")
    return replace(method, which=which)


def _dense_vectors(vectors: Any, n: int) -> Floats:
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
    # What is orthonormal in single precision is not in double: mend it on its own support.
    double = dense.astype(np.float64)
    mended = restore(double, double != 0.0)
    return double if mended is None else mended


def _check_orthonormal(U: Floats) -> None:
    error = float(np.abs(U.T @ U - np.eye(U.shape[1])).max())
    if error > 1e-8:
        raise InvalidInputError(
            f"vectors is not orthonormal (error {error:.1e}); orthonormalise it, or give orthonormal=False."
        )


def _told(
    callback: Callable[[Progress], bool | None] | None, show: Callable[[int], None], scale: float
) -> Callable[[Progress], bool | None]:
    """Tell the progress bar and the caller about every stage."""
    stages = iter(range(1, 1 << 30))

    def tell(progress: Progress) -> bool | None:
        show(next(stages))
        told = progress._replace(captured_variance=progress.captured_variance / scale)
        return None if callback is None else callback(told)

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
