"""`block_eigsh`: rotate 2p coordinates at a time (Remark 1)."""

from collections.abc import Mapping
from typing import Any, Literal

from numpy.typing import ArrayLike

from jacobeig._arguments import check_boolean, check_count
from jacobeig._types import Rng
from jacobeig.errors import InvalidInputError
from jacobeig.results.result import EigenResult
from jacobeig.solve._problem import define_block_problem, resume_problem


def block_eigsh(
    matrix: Any,
    n_components: int = 6,
    n_blocks: int = 50,
    *,
    which: Literal["LA", "SA"] = "LA",
    pivot: Literal["gain", "offdiagonal", "random"] = "gain",
    start: str | ArrayLike = "auto",
    rng: Rng = None,
    progress: bool = False,
) -> EigenResult:
    """Compute sparse approximate eigenvectors by blocks of 2p coordinates (Remark 1 of the paper).

    Each step pairs every one of the p vectors with its best partner among the other coordinates and diagonalises the
    2p x 2p block. It gains accuracy in fewer passes than `sparse_eigsh`, and fills the vectors faster.

    Parameters
    ----------
    matrix : array_like, memmap, sparse array or matrix, LinearOperator, or row source
        The symmetric or Hermitian matrix (n x n), with n >= 2p.
    n_components : int, default 6
        Number p of vectors.
    n_blocks : int, default 50
        Stop after this many blocks.
    which : {"LA", "SA"}, default "LA"
        The largest or the smallest eigenvalues.
    pivot : {"gain", "offdiagonal", "random"}, default "gain"
        How each vector's partner is chosen: by the gain of the pair, by the largest absolute entry, or at random.
    start : {"auto", "natural", "diagonal"} or array_like (p,) of int, default "auto"
        The coordinates that begin as the vectors; see `sparse_eigsh`.
    rng : int, Generator or None, optional
        For ``pivot="random"``.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    EigenResult
        Its `rotations` are a `BlockSequence`, and `gains` and `nonzeros` count blocks.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(100, rng=0)
    >>> result = je.block_eigsh(S, 5, n_blocks=40)
    >>> bool(je.metrics.accuracy(S, result.vectors) > 0.9)
    True
    """
    n_blocks, progress = check_count("n_blocks", n_blocks, 0), check_boolean("progress", progress)
    problem = define_block_problem(matrix, n_components, which, pivot, start, rng)
    from jacobeig.solve._block_driver import BlockRun

    run = BlockRun(problem)
    return run.result(run.drive(n_blocks, progress=progress))


def extend_blocks(
    matrix: Any, result: EigenResult, n_blocks: int | None, progress: bool, other: Mapping[str, object]
) -> EigenResult:
    """Go on with a block run, whose only budget is the number of blocks."""
    for name, value in other.items():
        if value is not None:
            raise InvalidInputError(f"{name} is {value!r}, but block runs only take n_rotations, the number of blocks.")
    if n_blocks is None:
        raise InvalidInputError("n_rotations is None; give the number of blocks of the longer run.")
    n_blocks, progress = check_count("n_rotations", n_blocks, 0), check_boolean("progress", progress)
    if n_blocks <= result.n_rotations:
        return result
    problem = resume_problem(matrix, result, None)
    from jacobeig.solve._block_driver import BlockRun

    run = BlockRun(problem)
    require_agreement(run.follow(result))
    return run.result(run.drive(n_blocks, progress=progress))


def require_agreement(agrees: bool) -> None:
    """Raise unless rotations moved the diagonal as they did in the earlier run."""
    if not agrees:
        raise InvalidInputError(
            "matrix is not the one that result was computed from (the same rotations move its diagonal otherwise); "
            "pass that matrix, or start again."
        )
