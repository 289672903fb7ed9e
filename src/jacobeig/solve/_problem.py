"""The one door of the solvers: their arguments in, a frozen `ChainProblem` of standard values out."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._arguments import as_generator, check_choice, check_components
from jacobeig._types import FloatArray, IntArray, Rng
from jacobeig.errors import InvalidInputError, Mention
from jacobeig.results.checkpoints import Checkpoint
from jacobeig.results.ends import adapt_weights, count_high, count_wanted_high
from jacobeig.results.result import EigenResult, Method, Trail
from jacobeig.solve._source_checks import bound_norm, check_sample
from jacobeig.solve._weights import seed_weights
from jacobeig.solve.budget import average_nonzeros, standardise_limit
from jacobeig.solve.pivots import BLOCK_PIVOTS, PivotRule, resolve_pivot
from jacobeig.solve.starts import choose_seeds
from jacobeig.sources import RowSource, as_source, check_diagonal, check_rows

WHICH = ("LA", "SA", "BE")


@dataclass(frozen=True, kw_only=True)
class ChainProblem:
    """What to rotate, towards what, from where."""

    source: RowSource
    diagonal: FloatArray
    seeds: IntArray
    weights: FloatArray
    bounds: FloatArray
    pivot: PivotRule
    method: Method

    @property
    def n(self) -> int:
        return int(self.source.shape[0])

    @property
    def n_components(self) -> int:
        return len(self.weights)

    def leave_trail(self, shifts: FloatArray) -> Trail:
        """Return what a run of this problem leaves behind that shifted the diagonal so."""
        return Trail(diagonal=self.diagonal, shifts=shifts, seeds=self.seeds, weights=self.weights, bounds=self.bounds)


def define_problem(
    source: RowSource, n_components: int, which: str, target: str | ArrayLike, pivot: str, start: str | ArrayLike,
    rng: Rng, *, density: float | None = None, max_nonzeros: int | None = None,
) -> ChainProblem:  # fmt: skip
    """Check and standardise what `sparse_eigsh` was asked to do; "auto" depends on the nonzeros allowed.

    `source` has been opened by `open_source`, which may have read all of it.
    """
    n, diagonal = source.shape[0], _read_diagonal(source)
    p = check_components(n_components, n)
    each = average_nonzeros(density, max_nonzeros, n, p)
    rule = resolve_pivot(pivot, budgeted=each < n)
    check_choice("which", which, WHICH)
    target_name, weights = seed_weights(target, p, which)
    start_name, seeds = choose_seeds(start, source, diagonal, p, count_wanted_high(which, p), scant=each < 2.0)
    if rule.all_rows:  # the weights go to the best columns in order, so they must come in order
        descending, n_high = -np.sort(-weights), count_high(weights, which)
        weights = np.concatenate([descending[:n_high], descending[n_high:][::-1]])
    generator = as_generator(rng)
    seed = int(generator.integers(2**63)) if rule.name == "random" else 0  # else equal runs have equal ones
    method = Method(
        which=which, target=target_name, pivot=rule.name, start=start_name, seed=seed,
        max_nonzeros=standardise_limit(max_nonzeros),
    )  # fmt: skip
    bounds: FloatArray = np.zeros(2)
    if target_name == "adaptive" and not rule.all_rows:
        bounds = _bound_spectrum(source)
        weights = adapt_weights(diagonal[seeds], weights, bounds)
    return ChainProblem(
        source=source, diagonal=diagonal, seeds=seeds, weights=weights, bounds=bounds, pivot=rule, method=method
    )


def define_block_problem(
    matrix: Any, n_components: int, which: str, pivot: str, start: str | ArrayLike, rng: Rng
) -> ChainProblem:
    """Check and standardise what `block_eigsh` was asked to do."""
    check_choice("pivot", pivot, BLOCK_PIVOTS)
    check_choice("which", which, WHICH[:2])
    problem = define_problem(open_source(matrix), n_components, which, "ones", pivot, start, rng)
    if problem.n < 2 * problem.n_components:
        raise InvalidInputError(
            f"n_components is {problem.n_components}, but blocks pair each vector with another coordinate and the "
            f"matrix has only {problem.n}: give at most {problem.n // 2}, or use sparse_eigsh."
        )
    return problem


def resume_problem(matrix: Any, result: EigenResult, max_nonzeros: int | None) -> ChainProblem:
    """Check and standardise the continuation of a run on the same matrix, within another limit of each vector."""
    trail, method = result.trail, replace(result.method, max_nonzeros=standardise_limit(max_nonzeros))
    assert trail is not None  # the caller has seen to it
    if method.polished:
        raise InvalidInputError("result was polished, so its rotations cannot be continued; extend the run before it.")
    chain = result.rotations
    assert chain is not None
    source = open_source(matrix)
    diagonal = _read_diagonal(source)
    if source.dtype != chain.dtype:
        raise InvalidInputError(
            f"matrix is computed with as {source.dtype}, but result as {chain.dtype}; pass the matrix that result was "
            "computed from."
        )
    require_same_diagonal(diagonal, trail)
    return ChainProblem(
        source=source,
        diagonal=diagonal,
        seeds=trail.seeds,
        weights=trail.weights,
        bounds=trail.bounds,
        pivot=resolve_pivot(method.pivot, budgeted=False),
        method=method,
    )


def require_same_diagonal(diagonal: FloatArray, trail: Trail) -> None:
    """Raise unless a matrix has the diagonal of the one that a run was made on."""
    if not np.array_equal(diagonal, trail.diagonal):
        n = len(diagonal)
        raise InvalidInputError(
            f"matrix ({n} x {n}) does not have the diagonal of the matrix that result was computed from; pass that "
            "matrix, or start again with sparse_eigsh."
        )


def open_source(matrix: Any) -> RowSource:
    """Return the source of a matrix, which has at least two rows."""
    source = as_source(matrix)
    if source.shape[0] < 2:
        raise InvalidInputError("matrix is 1 x 1, so there is nothing to rotate; it needs at least two rows.")
    check_sample(source)
    return source


def identify_run(checkpoint: Checkpoint, source: RowSource, **options: Any) -> None:
    """Have a checkpoint, if it has a file, make sure that this belongs to the run: by its options and a few rows.

    The diagonal alone would not do: all correlation matrices have the same.
    """
    if not checkpoint.waits:
        return
    n = source.shape[0]
    few = np.unique([0, n // 2, n - 1]).astype(np.int64)
    matrix = {"diagonal": source.diagonal(), "rows": check_rows(source, few, source.rows(few))}
    checkpoint.identify(matrix, {"n": n, "dtype": str(source.dtype), **options})


def _read_diagonal(source: RowSource) -> FloatArray:
    return check_diagonal(source, source.diagonal()).astype(np.float64)


def _bound_spectrum(source: RowSource) -> FloatArray:
    """Return a lower and an upper bound of the spectrum, which no diagonal entry reaches."""
    bound = bound_norm(source)
    if bound is None:
        raise InvalidInputError(
            f"is 'adaptive', which needs a bound of the spectrum, but {type(source).__name__} has no norm_bound():",
            argument="target",
            advice="add that method, or use " + Mention("target", "log") + ".",
        )
    # At the bound itself a weight would be zero, and its vector stuck there.
    return np.array([-1.01, 1.01]) * bound
