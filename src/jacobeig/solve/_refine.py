"""`refine`: capture more variance with as few nonzeros, on supports chosen again."""

import time
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from jacobeig._arguments import (
    as_array,
    as_generator,
    check_boolean,
    check_callback,
    check_choice,
    check_time_limit,
    is_sparse,
)
from jacobeig._types import Effort, FloatArray, PathLike, Rng
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.results.checkpoints import Checkpoint, describe_generator, open_checkpoint
from jacobeig.results.metrics import count_allowed_nonzeros, orthonormality_error
from jacobeig.results.progress import Callback, Progress, progress_bar
from jacobeig.results.result import EigenResult, Method, Status
from jacobeig.solve._polish import polish_many
from jacobeig.solve._problem import identify_run, open_source
from jacobeig.solve.budget import average_nonzeros, standardise_limit
from jacobeig.sources import RowSource, SparseRows
from jacobeig.sources.products import compress, count_passes, measure_quotients
from jacobeig.sources.units import power_of_two_scale

if TYPE_CHECKING:
    from jacobeig.refinement import RefinedVectors

# Up to this order the working set is everything: beyond, screening costs less than it saves.
WHOLE = 1024
# Beyond this order "auto" refines up to this many nonzeros. On 500 x 20,000 factor data it took 1.5 times the chain
# with 300 of them (and captured .8% more), 2 to 5 times with 1,000 (.7 to 4% more), and minutes with the default 2,828;
# on 300 x 3,000 with 1,095 it took 5 s and captured 3.7% more.
LARGE, FEW_NONZEROS = 5_000, 500
# Up to this order "auto" tries everything: in about a second, where quick starts miss most (scaled wine, six components
# of at most four features: .945 of full PCA, and .962 by all; cells, ten of three: .874 and .892).
SMALL = 40


def refine(
    matrix: Any,
    vectors: Any,
    *,
    density: float | None = None,
    max_nonzeros: int | None = None,
    orthonormal: bool = True,
    effort: Effort = "quick",
    which: Literal["LA", "SA"] | None = None,
    time_limit: float | None = None,
    rng: Rng = None,
    callback: Callback | None = None,
    progress: bool = False,
    checkpoint: PathLike | None = None,
    on_interrupt: Literal["raise", "return"] = "raise",
) -> EigenResult:
    """Capture more variance with as few nonzeros: supports are chosen again, and the vectors solved for on them.

    The factored form is given up. The result never captures less than the vectors given, as long as they keep within
    the budget themselves.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The symmetric or Hermitian matrix. Beyond a thousand rows only products with p columns and the blocks of a
        working set are read of it.
    vectors : EigenResult, or array_like or sparse array (n, p)
        Where to start: a result, or any vectors, orthonormal unless ``orthonormal=False``.
    density : float, optional
        The nonzeros never pass ``density * n * p``; by default as many as `vectors` has.
    max_nonzeros : int, optional
        No vector has more nonzeros than this; by default the limit that the result given was made with, if any.
    orthonormal : bool, default True
        Keep the vectors orthonormal to 1e-12. Otherwise they are unit vectors and only their span counts (see
        `metrics.captured_variance`), which captures more.
    effort : {"quick", "best"}, default "quick"
        The starts that bring most of the gain, or every start and a longer search.
    which : {"LA", "SA"}, optional
        The end of the spectrum; by default what the result given was made for (with its target, and "BE"), or "LA".
    time_limit : float, optional
        Seconds after which the best vectors so far are returned, with ``status`` TIME_LIMIT.
    rng : int, Generator or None, optional
        For the search; None is always the same.
    callback : callable, optional
        Called after every stage with a `Progress` record; returning True stops.
    progress : bool, default False
        Show a progress bar.
    checkpoint : path-like, optional
        A file that keeps what is done, from which the same call goes on; see `sparse_eigsh`.
    on_interrupt : {"raise", "return"}, default "raise"
        Whether Ctrl-C raises KeyboardInterrupt or returns the best vectors so far, with ``status`` INTERRUPTED.

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
    started = time.perf_counter()  # what comes before the search counts too
    time_limit, source = check_time_limit(time_limit), open_source(matrix)
    method, weights = find_method(vectors, which)
    if isinstance(vectors, EigenResult):
        vectors = polish_many(source, vectors, time_limit)
    start = _read_vectors(vectors, source, orthonormal=check_boolean("orthonormal", orthonormal))
    nonzeros = None if density is None else count_allowed_nonzeros(density, *start.shape)
    if max_nonzeros is None:
        max_nonzeros, nonzeros = method.max_nonzeros, int(start.nnz) if nonzeros is None else nonzeros
    keeper = open_checkpoint(checkpoint, on_interrupt)
    identify_run(
        keeper, source, vectors=_summarise(start), density=density, max_nonzeros=max_nonzeros, orthonormal=orthonormal,
        effort=effort, which=method.which, rng=describe_generator(rng),
    )  # fmt: skip
    left = None if time_limit is None else max(0.0, time_limit - (time.perf_counter() - started))
    return run_refinement(
        source, start, weights if len(weights) == start.shape[1] else np.full(start.shape[1], weights[0]), method,
        nonzeros=nonzeros, max_nonzeros=max_nonzeros, orthonormal=orthonormal, effort=effort, time_limit=left,
        rng=rng, callback=callback, progress=progress, checkpoint=keeper,
    )  # fmt: skip


def run_refinement(
    source: RowSource, start: sparse.csc_array | Callable[[Any], Any], weights: FloatArray, method: Method, *,
    nonzeros: int | None, max_nonzeros: int | None, orthonormal: bool, effort: str, time_limit: float | None = None,
    rng: Rng = None, callback: Callback | None = None, progress: bool = False, checkpoint: Checkpoint,
) -> EigenResult:  # fmt: skip
    """Refine from vectors, or from what a function makes of the first working set; wrap the result.

    `time_limit` are the seconds that are left, which may be none.
    """
    callback, generator = check_callback(callback), as_generator(0 if rng is None else rng)
    max_nonzeros = standardise_limit(max_nonzeros)
    nonzeros = source.shape[0] * len(weights) if nonzeros is None else nonzeros
    if not orthonormal and method.which == "BE":
        raise InvalidInputError(
            "is 'BE', but a free basis has one end of the spectrum:", argument="which", advice="give 'LA' or 'SA'."
        )
    sign = -1.0 if method.which == "SA" else 1.0
    scale = choose_scale(source)
    from jacobeig.refinement import refine_source  # loads compiled code that only this needs

    with progress_bar("refining", None, enabled=check_boolean("progress", progress)) as show:
        refined = refine_source(
            source, start, sign * weights.astype(np.float64), factor=sign * scale, nonzeros=nonzeros,
            max_nonzeros=max_nonzeros, orthonormal=orthonormal, effort=effort, time_limit=time_limit, whole=WHOLE,
            callback=_tell_both(callback, show, scale), rng=generator, checkpoint=checkpoint,
        )  # fmt: skip
    vectors, values = _choose_axes(source, refined.vectors, weights, orthonormal=orthonormal)
    method = replace(method, refined_from=refined.start, max_nonzeros=max_nonzeros)
    result = wrap_vectors(source, vectors, values, weights, method, _choose_status(refined))
    more = effort == "quick" or result.status not in (Status.REFINED, Status.ROUNDS)
    return result if more else replace(result, status=Status.EXHAUSTED)


def choose_scale(source: RowSource) -> float:
    """Return a power of two that brings the largest entry near 1: the known one, or that of the diagonal and a row."""
    largest = getattr(source, "largest", None)
    if largest is None:
        largest = float(np.abs(source.diagonal()).max()) or float(np.abs(source.rows(np.zeros(1, np.int64))).max())
    return power_of_two_scale(float(largest))


def choose_effort(refine: Any) -> Effort | None:
    """Return how hard ``refine=False``, ``True`` or ``"best"`` asks to search; None is not at all."""
    if isinstance(refine, str) and refine == "best":
        return "best"
    if not isinstance(refine, (bool, np.bool_)):
        raise InvalidInputError(f"is {refine!r}", argument="refine", advice="give False, True or 'best'.")
    return "quick" if refine else None


def settle_refine(refine: Any, source: RowSource, p: int, *, n_rotations: Any, density: Any, max_nonzeros: Any) -> Any:
    """Return what ``refine="auto"`` means beside these budgets: True, unless rotations alone ask for the paper's chain.

    Where there are few coordinates everything is tried, which takes about a second. Refinement is not worth its time by
    itself where many nonzeros are sought among very many coordinates, but for sparse matrices. Anything else than
    "auto" is returned as it is, for `choose_effort` to check.
    """
    if not (isinstance(refine, str) and refine == "auto"):
        return refine
    if n_rotations is not None and density is None and max_nonzeros is None:
        return False
    n = source.shape[0]
    if n <= SMALL:
        return "best"
    if n <= LARGE or isinstance(source, SparseRows):
        return True
    return bool(p * average_nonzeros(density, max_nonzeros, n, p) <= FEW_NONZEROS)


def find_method(vectors: Any, which: str | None) -> tuple[Method, FloatArray]:
    """Return how the vectors were made, and the weight of each; plain vectors count alike."""
    if isinstance(vectors, EigenResult) and (which is None or str(which) == vectors.method.which):
        weights = np.sign(vectors.target) if vectors.method.target == "adaptive" else vectors.target
        return vectors.method, np.where(weights == 0, 1e-12, weights)
    which = "LA" if which is None else check_choice("which", which, ("LA", "SA"))
    return Method(which=which, target="ones", pivot="none", start="vectors"), np.array([1.0 if which == "LA" else -1.0])


def _read_vectors(vectors: Any, source: RowSource, *, orthonormal: bool) -> sparse.csc_array:
    """Return vectors to start from in double precision, or raise for what cannot be refined."""
    given, n = vectors.vectors if isinstance(vectors, EigenResult) else vectors, source.shape[0]
    if not is_sparse(given):
        given = as_array("vectors", given)
    if given.dtype.kind not in "biuf" + source.dtype.kind:
        raise InvalidTypeError(f"vectors has dtype {given.dtype}, but matrix {source.dtype}; give real numbers.")
    if given.ndim != 2 or given.shape[0] != n or not 1 <= given.shape[1] <= n:
        raise InvalidInputError(
            f"vectors has shape {given.shape}; the matrix is {n} x {n}, so give ({n}, p) with p from 1 to {n}."
        )
    start: sparse.csc_array = sparse.csc_array(given).astype(np.result_type(source.dtype, np.float64))
    start.eliminate_zeros()
    if not np.isfinite(start.data).all() or not np.diff(start.indptr).all():
        raise InvalidInputError("vectors has a column that is zero or not finite; give every column a nonzero.")
    if given.dtype.itemsize < start.dtype.itemsize and start.dtype.kind == "f":
        start = _restore(start)
    if orthonormal:
        _check_orthonormal(start, given.dtype)
    return start


def _restore(start: sparse.csc_array) -> sparse.csc_array:
    """What is orthonormal in single precision is not in double: make it so on its own support."""
    from jacobeig.refinement import restore

    rows = np.unique(start.indices)
    dense = start[rows].toarray()
    restored = restore(dense, dense != 0.0)
    if restored is None:
        return start
    part = sparse.csc_array(restored)
    return sparse.csc_array((part.data, rows[part.indices], part.indptr), shape=start.shape)


def _summarise(vectors: sparse.csc_array) -> str:
    """Return a few letters that tell vectors apart."""
    parts = (vectors.indptr.astype(np.int64), vectors.indices.astype(np.int64), vectors.data)
    return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def _check_orthonormal(U: sparse.csc_array, given: np.dtype[Any]) -> None:
    """Raise for vectors that are not orthonormal to the precision that they were given in."""
    error, eps = orthonormality_error(U), np.finfo(given).eps if given.kind in "fc" else 0.0
    if error > max(1e-8, 100 * eps):
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


def _choose_axes(
    source: RowSource, U: sparse.csc_array, weights: FloatArray, *, orthonormal: bool
) -> tuple[sparse.csc_array, FloatArray]:
    """Return orthonormal vectors, turned where they share a support, and their quotients; one product of the matrix."""
    from jacobeig.refinement import find_alike, turn_alike

    alike = find_alike(U) if orthonormal else []
    if not alike:
        return U, measure_quotients(source, U)
    inner = compress(source, U)
    turned = turn_alike(U, inner, alike, weights.astype(np.float64))
    mix = (U.conj().T @ turned).toarray()
    return turned, np.einsum("ij,ik,kj->j", mix.conj(), inner, mix).real


def wrap_vectors(
    source: RowSource, U: sparse.csc_array, values: FloatArray, weights: FloatArray, method: Method, status: Status
) -> EigenResult:
    """Make a result of vectors that have no chain, the wanted end first."""
    dtype = source.dtype
    order = np.argsort(values if method.which == "SA" else -values, kind="stable")
    real = np.finfo(dtype).dtype
    return EigenResult(
        eigenvalues=values[order].astype(real),
        vectors=sparse.csc_array(U[:, order].astype(dtype)),
        rotations=None,
        gains=np.empty(0, real),
        nonzeros=np.empty(0, np.int64),
        status=status,
        target=weights[order],
        method=method,
        passes=count_passes(source),
    )


def _choose_status(refined: "RefinedVectors") -> Status:
    if refined.interrupted:
        return Status.INTERRUPTED
    if refined.stopped_by_time:
        return Status.TIME_LIMIT
    if refined.shrunk:
        return Status.SHRUNK
    return Status.REFINED if refined.complete else Status.ROUNDS
