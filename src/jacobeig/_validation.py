"""The one door: arguments in, a frozen `Problem` of standard values out."""

import math
import numbers
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jacobeig._starts import choose_seeds
from jacobeig._types import FloatArray, IntArray, Rng
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.pivots import BLOCK_PIVOTS, PivotRule, resolve_pivot
from jacobeig.result import EigenResult, Method, adaptive_weights, count_high
from jacobeig.sources import RowSource, as_source, check_diagonal, check_rows, require_memory
from jacobeig.targets import n_high_of, seed_weights

__all__ = [
    "Budget",
    "Problem",
    "allowed_nonzeros",
    "block_problem",
    "check_budget",
    "check_choice",
    "check_count",
    "check_positive",
    "default_components",
    "default_density",
    "dense_real",
    "generator_of",
    "problem_of",
    "resumed_problem",
]

WHICH = ("LA", "SA", "BE")
# With another budget in charge, n_rotations is only a safety stop: this many times its usual default.
SAFETY = 20
MOST_COMPONENTS = 10  # without other wishes
# Without other wishes, a component has on average so many square roots of the number of features as nonzeros. A fixed
# share would leave 1 of 13 features and 2,000 of 20,000; this leaves 7 and 283. On digits, wine, cells and noise that
# mostly keeps 70 to 98% of what PCA explains; on gene-like data, and with very few components, 53 to 72%.
ROOTS = 2.0


@dataclass(frozen=True, kw_only=True)
class Problem:
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
        """Order of the matrix."""
        return int(self.source.shape[0])

    @property
    def n_components(self) -> int:
        """Number of vectors."""
        return len(self.weights)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """When to stop, and whom to tell on the way."""

    n_rotations: int
    total_nonzeros: int | None
    max_nonzeros: int | None
    tol: float
    callback: Callable[[Any], object] | None
    progress: bool


def problem_of(
    matrix: Any,
    n_components: int,
    which: str,
    target: str | ArrayLike,
    pivot: str,
    start: str | ArrayLike,
    rng: Rng,
    *,
    density: float | None = None,
    max_nonzeros: int | None = None,
) -> Problem:
    """Check and standardise what `sparse_eigsh` was asked to do; "auto" depends on the nonzeros allowed."""
    resolve_pivot(pivot, budgeted=False)  # a wrong name is answered before the matrix is read
    source, diagonal = _checked_matrix(matrix)
    n = source.shape[0]
    p = _check_components(n_components, n)
    each = _nonzeros_each(density, max_nonzeros, n, p)
    rule = resolve_pivot(pivot, budgeted=each < n)
    check_choice("which", which, WHICH)
    target_name, weights = seed_weights(target, p, which)
    start_name, seeds = choose_seeds(start, source, diagonal, p, n_high_of(which, p), scant=each < 2.0)
    if rule.all_rows:  # the weights go to the best columns in order, so they must come in order
        descending, n_high = -np.sort(-weights), count_high(weights, which)
        weights = np.concatenate([descending[:n_high], descending[n_high:][::-1]])
    seed = _random_seed(rng, needed=rule.name == "random")
    method = Method(which=which, target=target_name, pivot=rule.name, start=start_name, seed=seed)
    bounds: FloatArray = np.zeros(2)
    if target_name == "adaptive" and not rule.all_rows:
        bounds = _spectrum_bounds(source)
        weights = adaptive_weights(diagonal[seeds], weights, bounds)
    return Problem(
        source=source, diagonal=diagonal, seeds=seeds, weights=weights, bounds=bounds, pivot=rule, method=method
    )


def block_problem(matrix: Any, n_components: int, which: str, pivot: str, start: str | ArrayLike, rng: Rng) -> Problem:
    """Check and standardise what `block_eigsh` was asked to do."""
    check_choice("pivot", pivot, BLOCK_PIVOTS)
    check_choice("which", which, WHICH[:2])
    problem = problem_of(matrix, n_components, which, "ones", pivot, start, rng)
    if problem.n < 2 * problem.n_components:
        raise InvalidInputError(
            f"n_components is {problem.n_components}, but blocks pair each vector with another coordinate and the "
            f"matrix has only {problem.n}: give at most {problem.n // 2}, or use sparse_eigsh."
        )
    return problem


def resumed_problem(matrix: Any, result: EigenResult) -> Problem:
    """Check and standardise the continuation of a run on the same matrix."""
    trail, method = result.trail, result.method
    assert trail is not None  # the caller has seen to it
    source, diagonal = _checked_matrix(matrix)
    if method.polished:
        raise InvalidInputError(
            "result was polished, so its rotations are no run to go on with; extend the run before it."
        )
    chain = result.rotations
    assert chain is not None
    if source.dtype != chain.dtype:
        raise InvalidInputError(
            f"matrix is computed with as {source.dtype}, but result as {chain.dtype}; pass the matrix that result was "
            "computed from."
        )
    if not np.array_equal(diagonal, trail.diagonal):
        raise InvalidInputError(
            f"matrix ({source.shape[0]} x {source.shape[1]}) does not have the diagonal of the matrix that result was "
            "computed from; pass that matrix, or start anew with sparse_eigsh."
        )
    return Problem(
        source=source,
        diagonal=diagonal,
        seeds=trail.seeds,
        weights=trail.weights,
        bounds=trail.bounds,
        pivot=resolve_pivot(method.pivot, budgeted=False),
        method=method,
    )


def check_budget(
    problem: Problem,
    n_rotations: int | None,
    density: float | None,
    max_nonzeros: int | None,
    tol: float | None,
    callback: Callable[[Any], object] | None,
    progress: bool,
) -> Budget:
    """Check and standardise when to stop."""
    n, p = problem.n, problem.n_components
    if n_rotations is None:
        alone = density is None and max_nonzeros is None and tol is None
        n_rotations = n * math.ceil(math.log2(n)) * (1 if alone else SAFETY)
    if callback is not None and not callable(callback):
        raise InvalidTypeError(f"callback is a {type(callback).__name__}; give a function of one argument, or None.")
    return Budget(
        n_rotations=check_count("n_rotations", n_rotations, 0),
        total_nonzeros=None if density is None else allowed_nonzeros(density, n, p),
        max_nonzeros=None if max_nonzeros is None else check_count("max_nonzeros", max_nonzeros, 1),
        tol=_check_tol(0.0 if tol is None else tol),
        callback=callback,
        progress=bool(progress),
    )


def dense_real(matrix: Any, what: str) -> tuple[NDArray[np.float64], np.dtype[Any]]:
    """Return a checked matrix as a dense float64 array that may be changed, and the dtype it came in."""
    source = as_source(matrix)
    check_diagonal(source, source.diagonal())
    n = source.shape[0]
    if source.dtype.kind == "c":
        raise InvalidTypeError(f"matrix is complex ({source.dtype}); {what} is for real symmetric matrices.")
    require_memory(
        8 * n * n, f"{what}, which needs the whole {n} x {n} matrix,", ["use fewer features", "leave it out"]
    )
    dense = check_rows(source, np.arange(n), source.rows(np.arange(n))).astype(np.float64)
    return (dense + dense.T) / 2, source.dtype


def check_count(name: str, value: Any, least: int, most: int | None = None, reason: str = "") -> int:
    """Return `value` as an int from `least` to `most`, or raise; `reason` says where `most` comes from."""
    wanted = f"a whole number from {least}" + ("" if most is None else f" to {most} ({reason})")
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InvalidTypeError(f"{name} is {value!r} ({type(value).__name__}); give {wanted}.")
    count = int(value)
    if count < least or (most is not None and count > most):
        raise InvalidInputError(f"{name} is {value}; give {wanted}.")
    return count


def check_positive(name: str, value: Any, remedy: str) -> float:
    """Return `value` as a number above zero, perhaps infinite, or raise."""
    number = _check_real(name, value)
    if not number > 0.0:
        raise InvalidInputError(f"{name} is {value!r}; give a number above 0: {remedy}.")
    return number


def _checked_matrix(matrix: Any) -> tuple[RowSource, FloatArray]:
    source = as_source(matrix)
    if source.shape[0] < 2:
        raise InvalidInputError("matrix is 1 x 1, so there is nothing to rotate; it needs at least two rows.")
    return source, check_diagonal(source, source.diagonal()).astype(np.float64)


def _check_components(n_components: Any, n: int) -> int:
    p = check_count("n_components", n_components, 1)
    if p > n:
        raise InvalidInputError(f"n_components is {p}, but the matrix is {n} x {n}: give at most {n}.")
    return p


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, or raise."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInputError(f"{name} is {value!r}; give one of {', '.join(map(repr, choices))}.")
    return value


def _check_real(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidTypeError(f"{name} is {value!r} ({type(value).__name__}); give a real number.")
    return float(value)


def allowed_nonzeros(density: Any, n: int, p: int) -> int:
    """Return the nonzeros that `density` allows, at least one a vector."""
    value = _check_real("density", density)
    if not 0.0 < value <= 1.0:
        raise InvalidInputError(f"density is {density}; give a fraction above 0 and at most 1 (0.05 means 5%).")
    allowed = math.floor(value * n * p * (1.0 + 1e-12))  # 0.3 * 10 must allow 3
    if allowed < p:
        places = 10 ** (2 + len(str(n)))
        least = math.ceil(places / n) / places  # rounded up, as less would be refused again
        held = f"{allowed} nonzero{'' if allowed == 1 else 's'} in {p} vector{'' if p == 1 else 's'} of length {n}"
        raise InvalidInputError(
            f"density is {value:.3g} ({100 * value:.3g}%), which allows {held}; every vector needs one: give at least "
            f"{least:.3g} ({100 * least:.3g}%)."
        )
    return allowed


def _nonzeros_each(density: float | None, max_nonzeros: int | None, n: int, p: int) -> float:
    """Return how many nonzeros a vector may have on average."""
    total = n * p if density is None else allowed_nonzeros(density, n, p)
    return min(total / p, n if max_nonzeros is None else check_count("max_nonzeros", max_nonzeros, 1))


def _check_tol(tol: Any) -> float:
    value = _check_real("tol", tol)
    if not value >= 0.0:
        raise InvalidInputError(f"tol is {tol}; give a number of at least 0.")
    return value


def generator_of(rng: Rng) -> np.random.Generator:
    """Return a random generator, or raise."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"rng is {rng!r}; give a seed, a numpy Generator, or None.") from error


def _random_seed(rng: Rng, *, needed: bool) -> int:
    """Return a seed drawn from `rng`; 0 for rules that draw nothing, so that equal runs have equal methods."""
    generator = generator_of(rng)
    return int(generator.integers(2**63)) if needed else 0


def _spectrum_bounds(source: RowSource) -> FloatArray:
    """Return a lower and an upper bound of the spectrum, which no diagonal entry reaches."""
    norm_bound = getattr(source, "norm_bound", None)
    if norm_bound is None:
        raise InvalidInputError(
            f"target is 'adaptive', which needs a bound of the spectrum, but {type(source).__name__} has no "
            "norm_bound(): add that method, or use target='log'."
        )
    bound = 1.01 * float(norm_bound())  # at the bound itself a weight would be zero, and its vector stuck there
    return np.array([-bound, bound])


def default_components(n_features: int) -> int:
    """Return how many components a user gets who asks for no number.

    At most half as many as there are features: the more of them, the less the choice matters, and with all of them any
    orthonormal basis captures everything.

    Parameters
    ----------
    n_features : int
        Length of the vectors.

    Returns
    -------
    int
        From 1 to 10.

    Examples
    --------
    >>> from jacobeig._validation import default_components
    >>> default_components(2), default_components(13), default_components(256)
    (1, 6, 10)
    """
    return max(1, min(MOST_COMPONENTS, n_features // 2))


def default_density(n_features: int) -> float:
    """Return the density of a model whose user asked for no other budget.

    Parameters
    ----------
    n_features : int
        Length of the vectors.

    Returns
    -------
    float
        Above 0 and at most 1.

    Examples
    --------
    >>> from jacobeig._validation import default_density
    >>> default_density(3), default_density(256)
    (1.0, 0.125)
    """
    return min(1.0, ROOTS / float(np.sqrt(n_features)))
