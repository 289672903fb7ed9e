"""`sparse_eigsh`, and `extend` to go on with its runs."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._arguments import check_boolean, check_choice, check_components
from jacobeig._types import Effort, FloatArray, Floats, PathLike, Rng, Which
from jacobeig.results.checkpoints import Checkpoint, describe_generator, open_checkpoint, recall_result, recall_seed
from jacobeig.results.metrics import count_allowed_nonzeros
from jacobeig.results.progress import Callback
from jacobeig.results.result import EigenResult, Method, Status, require_chain
from jacobeig.results.rotations import RotationSequence
from jacobeig.solve._block_eigsh import extend_blocks, require_agreement
from jacobeig.solve._polish import polish as polish_result
from jacobeig.solve._polish import polish_many
from jacobeig.solve._problem import WHICH, define_problem, identify_run, open_source, resume_problem
from jacobeig.solve._refine import WHOLE, choose_effort, run_refinement
from jacobeig.solve._refine import refine as refine_result
from jacobeig.solve._weights import seed_weights
from jacobeig.solve.budget import set_budget, standardise_limit
from jacobeig.solve.pivots import resolve_pivot
from jacobeig.sources import RowSource
from jacobeig.sources.products import count_passes


def sparse_eigsh(
    matrix: Any,
    n_components: int = 6,
    *,
    which: Which = "LA",
    n_rotations: int | None = None,
    density: float | None = None,
    max_nonzeros: int | None = None,
    tol: float | None = None,
    target: str | ArrayLike = "ones",
    pivot: str = "auto",
    start: str | ArrayLike = "auto",
    polish: bool = False,
    refine: bool | Literal["best"] = False,
    rng: Rng = None,
    callback: Callback | None = None,
    progress: bool = False,
    checkpoint: PathLike | None = None,
    on_interrupt: Literal["raise", "return"] = "raise",
) -> EigenResult:
    """Compute a few sparse, orthonormal, approximate eigenvectors of a symmetric or Hermitian matrix.

    Starting from unit vectors, each rotation mixes one vector with one other coordinate, the pair that raises the
    weighted trace tr(A U^H S U) most. Few rotations leave the vectors sparse; many make them accurate. The vectors
    are orthonormal to rounding at every point of the way.

    Parameters
    ----------
    matrix : array_like, memmap, sparse array or matrix, LinearOperator, or row source
        The symmetric or Hermitian matrix S (n x n). It is never changed, and only the rows that are chosen are copied.
    n_components : int, default 6
        Number p of vectors.
    which : {"LA", "SA", "BE"}, default "LA"
        The largest or the smallest eigenvalues, or half from both ends (one more from the high end if p is odd).
    n_rotations : int, optional
        Stop after this many rotations. By default ``n * ceil(log2(n))``; 20 times that, as a safety stop only, when
        another budget is given.
    density : float, optional
        The nonzeros of the vectors never pass ``density * n * p``. "gain_per_nonzero" passes over the pairs that would,
        until none is left; the other rules stop at the first one, so that the run is a prefix of the longer one.
    max_nonzeros : int, optional
        No vector ever has more nonzeros than this; pairs that would break it are passed over.
    tol : float, optional
        Stop when the best gain is at most `tol` times the largest absolute entry of the rows read (for "offdiagonal"
        and "classic": when the largest off-diagonal entry is). By default runs stop by themselves when nothing but
        rounding is left: no entry above noise, or, where a run goes on without the pairs that `density` or
        `max_nonzeros` forbids, no gain that matters. The nonzeros are then spent, and what is left to gain in all,
        judged by how fast the last gains fell, is at most eps times the largest entry (and the smallest weight) for
        each rotation so far: what rounding may have moved the sum by. ``tol=0`` goes on in that case too.
    target : {"ones", "log", "adaptive"} or array_like (p,), default "ones"
        The weights A. "ones" spans the wanted eigenspace. "log" (log2 of p + 1 down to 2) separates the individual
        eigenvectors. "adaptive" uses the vectors' own current Rayleigh quotients. An array is taken as given, one
        weight a seed: at least 0 for "LA", at most 0 for "SA", of both signs for "BE".
    pivot : {"auto", "gain", "gain_per_nonzero", "offdiagonal", "classic", "cyclic", "random"}, default "auto"
        How the next pair is chosen. "gain": the largest gain, as in the paper. "gain_per_nonzero": the largest gain
        over 1 + the nonzeros it adds; more accurate at the same density, with more rotations. "auto" is
        "gain_per_nonzero" when `density` < 1 or `max_nonzeros` is given, else "gain". "offdiagonal": the largest
        absolute entry between a vector and the rest. "classic": the largest absolute entry anywhere, as
        Jacobi did; it copies the whole matrix, and its p vectors are chosen when it stops. "cyclic": all pairs in
        turn. "random": pairs drawn at random.
    start : {"auto", "natural", "diagonal", "cholesky"} or array_like (p,) of int, default "auto"
        The coordinates that begin as the vectors: the first p (as in the paper), those with the most wanted diagonal
        entries, those that pivoted Cholesky picks as large *and* different from each other (what "auto" takes,
        unless the budget leaves vectors fewer than two nonzeros), or the given ones.
    polish : bool, default False
        Re-optimise the rotations afterwards, keeping their number and the factored form; see `jacobeig.polish`.
    refine : bool or "best", default False
        Improve the vectors afterwards on supports chosen again, at the same number of nonzeros or the given budgets,
        quickly (True) or by trying everything ("best"); see `jacobeig.refine`. The result has no rotations then.
    rng : int, Generator or None, optional
        For ``pivot="random"``, and the search of `refine`.
    callback : callable, optional
        Called about every 1000 rotations with a `Progress` record; returning True stops the run.
    progress : bool, default False
        Show a progress bar.
    checkpoint : path-like, optional
        A file that keeps the state of the run: it is replaced in one step every ten seconds or so, at Ctrl-C and at
        the end. The same call, after a kill, goes on from there to the same bits, without repeating what was done. A
        finished run can be taken further by more `n_rotations`. A file of another run, or of anything else, is left
        alone and raises.
    on_interrupt : {"raise", "return"}, default "raise"
        Whether Ctrl-C raises KeyboardInterrupt or returns what is there, with ``status`` INTERRUPTED.

    Returns
    -------
    EigenResult
        Eigenvalues, sparse vectors, the chain of rotations, gains and nonzeros after each, and a status with advice.

    See Also
    --------
    extend : go on where a run stopped.
    polish, refine : improve a result.
    block_eigsh : rotate 2p coordinates at a time.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(200, rng=0)
    >>> result = je.sparse_eigsh(S, 10, density=0.2)
    >>> bool(result.density <= 0.2)
    True
    >>> U = result.vectors.toarray()
    >>> bool(abs(U.T @ U - np.eye(10)).max() < 1e-12)
    True
    """
    polish, effort = check_boolean("polish", polish), choose_effort(refine)
    resolve_pivot(pivot, budgeted=False)  # a wrong name is answered before the matrix is read
    source, keeper = open_source(matrix), open_checkpoint(checkpoint, on_interrupt)
    improved = polish or effort is not None
    identify_run(
        keeper, source, n_components=n_components, which=which, density=density, max_nonzeros=max_nonzeros, tol=tol,
        target=target, pivot=pivot, start=start, polish=polish, refine=refine, rng=describe_generator(rng),
        n_rotations=n_rotations if improved else "any",
    )  # fmt: skip
    budgeted = n_rotations is None and tol is None and (density is not None or max_nonzeros is not None)
    if effort is not None and budgeted and not polish and source.shape[0] > WHOLE:
        return refine_on_sets(
            source, n_components, which=which, target=target, pivot=pivot, start=start, density=density,
            max_nonzeros=max_nonzeros, effort=effort, rng=rng, callback=callback, progress=progress, checkpoint=keeper,
        )  # fmt: skip

    def run_chain() -> EigenResult:
        chain_rng = recall_seed(keeper) if rng is None and pivot == "random" else rng
        problem = define_problem(
            source, n_components, which, target, pivot, start, chain_rng, density=density, max_nonzeros=max_nonzeros
        )
        budget = set_budget(
            problem.n, problem.n_components, n_rotations=n_rotations, density=density, max_nonzeros=max_nonzeros,
            tol=tol, callback=callback, progress=progress,
        )  # fmt: skip
        from jacobeig.solve._drive import drive  # loads compiled code
        from jacobeig.solve._sparse_driver import choose_run

        return replace(drive(choose_run(problem, budget), keeper), passes=count_passes(source))

    result = recall_result(keeper, "chain", run_chain) if improved else run_chain()
    if result.status in (Status.CALLBACK, Status.INTERRUPTED):
        return result
    if polish:
        result = recall_result(keeper, "polished", lambda: polish_result(source, result))
    if effort is None:
        return result
    return refine_result(
        source, result, density=density, max_nonzeros=max_nonzeros, effort=effort, rng=rng, callback=callback,
        progress=progress, checkpoint=keeper,  # type: ignore[arg-type]  # it is open already
    )  # fmt: skip


def refine_on_sets(
    source: RowSource, n_components: int, *, which: Which, target: str | ArrayLike, pivot: str, start: str | ArrayLike,
    density: float | None, max_nonzeros: int | None, orthonormal: bool = True, effort: Effort, rng: Rng = None,
    callback: Callback | None = None, progress: bool = False, checkpoint: Checkpoint,
) -> EigenResult:  # fmt: skip
    """Run the chain on the first working set instead of the whole matrix, and refine what it finds: in few passes."""
    n, p = source.shape[0], check_components(n_components, source.shape[0])
    check_choice("which", which, WHICH)
    name, weights = seed_weights(target, p, which)
    nonzeros = n * p if density is None else count_allowed_nonzeros(density, n, p)
    limit = standardise_limit(max_nonzeros)
    if limit is not None:
        nonzeros = min(nonzeros, p * limit)
    chain_start = start if isinstance(start, str) else "auto"  # coordinates of the whole matrix mean nothing in a set
    rule = resolve_pivot(pivot, budgeted=nonzeros < n * p).name
    method = Method(which=which, target=name, pivot=rule, start="cholesky" if chain_start == "auto" else chain_start)

    def make_chain(block: Any) -> Any:
        share = min(1.0, nonzeros / (block.shape[0] * p))
        end: Which = "BE" if which == "BE" else "LA"
        wanted = weights if which == "BE" else np.abs(weights)
        chain = sparse_eigsh(
            block, p, which=end, target=wanted, pivot=pivot, start=chain_start, density=share,
            max_nonzeros=max_nonzeros, rng=rng,
        )  # fmt: skip
        return arrange_columns(polish_many(block, chain), wanted)

    return run_refinement(
        source, make_chain, weights, method, nonzeros=nonzeros, max_nonzeros=max_nonzeros, orthonormal=orthonormal,
        effort=effort, rng=rng, callback=callback, progress=progress, checkpoint=checkpoint,
    )  # fmt: skip


def arrange_columns(chain: EigenResult, weights: FloatArray) -> Floats:
    """Return the vectors of a run as dense columns, each where its weight stands in `weights`."""
    ranks = np.argsort(np.argsort(weights, kind="stable"), kind="stable")
    columns: Floats = chain.vectors.toarray()[:, np.argsort(chain.target, kind="stable")[ranks]]
    return columns


def extend(
    matrix: Any,
    result: EigenResult,
    *,
    n_rotations: int | None = None,
    density: float | None = None,
    max_nonzeros: int | None = None,
    tol: float | None = None,
    callback: Callback | None = None,
    progress: bool = False,
    on_interrupt: Literal["raise", "return"] = "raise",
) -> EigenResult:
    """Go on where a run stopped, on the same matrix: the same bits as one longer run.

    Rows that a source computes again each time (unformed Gram rows, operators) may differ in their last bits, and the
    run with them.

    Parameters
    ----------
    matrix : as for `sparse_eigsh`
        The matrix that `result` was computed from.
    result : EigenResult
        What `sparse_eigsh` returned.
    n_rotations, density, max_nonzeros, tol, callback, progress
        The new budgets, which count from the beginning of the first run; see `sparse_eigsh`.
    on_interrupt : {"raise", "return"}, default "raise"
        Whether Ctrl-C raises KeyboardInterrupt or returns what is there.

    Returns
    -------
    EigenResult
        The longer run. If `result` is already past a new budget it is returned as it is.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(100, rng=0)
    >>> short = je.sparse_eigsh(S, 5, n_rotations=50)
    >>> je.extend(S, short, n_rotations=120).n_rotations
    120
    """
    chain, trail = require_chain(result)
    keeper = open_checkpoint(None, on_interrupt)
    if not isinstance(chain, RotationSequence):
        other = {"density": density, "max_nonzeros": max_nonzeros, "tol": tol, "callback": callback}
        return extend_blocks(matrix, result, n_rotations, progress, other)
    problem = resume_problem(matrix, result, max_nonzeros)
    budget = set_budget(
        problem.n, problem.n_components, n_rotations=n_rotations, density=density, max_nonzeros=max_nonzeros, tol=tol,
        callback=callback, progress=progress,
    )  # fmt: skip
    if len(chain) >= budget.n_rotations:
        return result
    from jacobeig.solve._drive import drive
    from jacobeig.solve._sparse_driver import choose_run

    run = choose_run(problem, budget)
    run.follow(chain)
    require_agreement(run.agrees_with(trail))
    return drive(run, keeper)
