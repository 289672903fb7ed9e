"""The one door of `certify`: its arguments in, standard values out."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import check_boolean, check_choice, check_components, check_count, name_type, to_dense
from jacobeig._types import Floats
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.results.metrics import captured_variance, count_allowed_nonzeros, orthonormality_error
from jacobeig.results.result import EigenResult
from jacobeig.sources import RowSource
from jacobeig.sources.products import read_whole
from jacobeig.sources.units import power_of_two_scale

# The order beyond which a relaxation, which decomposes the matrix some hundred times, would take minutes.
MOST_SPLIT = 1500
MOST_SAMPLES = 4000  # beyond, decomposing the products of samples takes minutes too
ORTHONORMAL = 1e-6  # vectors that are this far from it are a free basis; single precision is nearer


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundProblem:
    """A symmetric matrix whose large end is wanted, the budgets, and vectors that keep to them, if given.

    The matrix, and what the vectors capture of it, are those given times `factor`: a power of two, and the sign.
    """

    S: Floats
    factor: float
    budgets: Budgets
    vectors: sparse.csc_array | None
    captured: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class WideProblem:
    """More features than samples: the samples Y, whose matrix is Y^T Y, in place of that matrix."""

    source: RowSource
    Y: Floats
    budgets: Budgets
    vectors: sparse.csc_array | None
    captured: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """What `certify` was asked to bound, as it came."""

    result: Any = None
    n_components: int | None = None
    max_nonzeros: int | None = None
    density: float | None = None
    which: str = "LA"
    orthonormal: bool | None = None


def define_bound(matrix: Any, asked: Asked) -> BoundProblem:
    """Check and standardise what `certify` was asked to bound."""
    vectors, which = _read_result(asked)
    S = read_whole(matrix, "certify")[0]
    factor = (-1.0 if which == "SA" else 1.0) * power_of_two_scale(float(np.abs(S).max()))
    S *= factor
    budgets = _define_budgets(len(S), vectors, asked)
    captured = None if vectors is None else captured_variance(S, vectors.toarray())
    return BoundProblem(S=S, factor=factor, budgets=budgets, vectors=vectors, captured=captured)


def define_wide(source: RowSource, asked: Asked) -> WideProblem | None:
    """Do the same for data of many features and few samples; None for any other matrix, or the small end."""
    vectors, which = _read_result(asked)
    if which == "SA" or not is_wide(source):
        return None
    budgets = _define_budgets(source.shape[0], vectors, asked)
    Y = read_samples(source)
    captured = None if vectors is None else captured_variance(_GramProduct(Y), vectors.toarray())
    return WideProblem(source=source, Y=Y, budgets=budgets, vectors=vectors, captured=captured)


class _GramProduct:
    """Y^T Y, for products alone."""

    def __init__(self, Y: Floats) -> None:
        self._Y, self.shape = Y, (Y.shape[1], Y.shape[1])

    def __matmul__(self, V: Floats) -> Floats:
        return np.asarray(self._Y.T @ (self._Y @ V))


def is_wide(source: RowSource) -> bool:
    """Whether a source has few samples of more features than are decomposed again and again."""
    m, n = int(getattr(source, "n_samples", 0)), source.shape[0]
    return n > MOST_SPLIT and hasattr(source, "samples") and m <= min(n, MOST_SAMPLES)


def read_samples(source: Any) -> Floats:
    """Return the samples of a wide source in double precision."""
    return np.ascontiguousarray(source.samples(), dtype=np.float64)


def _define_budgets(n: int, vectors: sparse.csc_array | None, asked: Asked) -> Budgets:
    """Return the budgets named, or those that the vectors show."""
    free = None if asked.orthonormal is None else not check_boolean("orthonormal", asked.orthonormal)
    if vectors is None:
        p = _require_components(asked.n_components, n)
        return replace(_read_budgets(n, p, asked.max_nonzeros, asked.density), free=bool(free))
    if vectors.shape[0] != n:
        raise InvalidInputError(f"result has vectors of length {vectors.shape[0]}, but the matrix is {n} x {n}.")
    if asked.n_components is not None and check_count("n_components", asked.n_components, 1) != vectors.shape[1]:
        raise InvalidInputError(
            f"is {asked.n_components}, but result has {vectors.shape[1]}:",
            argument="n_components",
            advice="leave it out.",
        )
    return _resolve_budgets(vectors, asked.max_nonzeros, asked.density, free)


def _read_result(asked: Asked) -> tuple[sparse.csc_array | None, str]:
    """Return the vectors of a result and the end of the spectrum that they are for."""
    result = getattr(asked.result, "decomposition_", asked.result)  # of a fitted estimator
    if isinstance(result, EigenResult):
        if result.vectors.dtype.kind == "c":
            raise InvalidTypeError("result is complex; certify is for real symmetric matrices.")
        if result.method.which == "BE":
            raise InvalidInputError("result has both ends of the spectrum; certify bounds one: give 'LA' or 'SA' runs.")
        return sparse.csc_array(result.vectors.astype(np.float64)), result.method.which
    which = check_choice("which", asked.which, ("LA", "SA"))
    if result is None:
        return None, which
    array = to_dense(result, "result")
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not np.isfinite(array).all() or not array.any(axis=0).all():
        raise InvalidTypeError(
            f"result is {name_type(result)} of shape {array.shape}; give an EigenResult, a fitted estimator, "
            "an (n, p) array with a real vector that is not zero in each column, or None."
        )
    return sparse.csc_array(array.astype(np.float64)), which


def _require_components(n_components: Any, n: int) -> int:
    if n_components is None:
        raise InvalidInputError("n_components is None and there is no result; give one of them.")
    return check_components(n_components, n)


def _read_budgets(n: int, p: int, max_nonzeros: int | None, density: float | None) -> Budgets:
    """Return the budgets named; one that can never be reached is left out."""
    each = n if max_nonzeros is None else min(n, check_count("max_nonzeros", max_nonzeros, 1))
    total = None if density is None else count_allowed_nonzeros(density, n, p)
    return Budgets(
        n_components=p, max_nonzeros=each, total_nonzeros=None if total is None or total >= p * each else total
    )


def _resolve_budgets(
    vectors: sparse.csc_array, max_nonzeros: int | None, density: float | None, free: bool | None
) -> Budgets:
    """Return the budgets named, which the vectors must keep to; otherwise those that the vectors show.

    Columns with equally many nonzeros show a budget for each; others show one for all together.
    """
    (n, p), counts = vectors.shape, np.diff(vectors.indptr)
    each, total = int(counts.max()), int(counts.sum())
    if max_nonzeros is None and density is None:
        even = total == p * each
        budgets = Budgets(n_components=p, max_nonzeros=each if even else n, total_nonzeros=None if even else total)
    else:
        budgets = _read_budgets(n, p, max_nonzeros, density)
    if each > budgets.max_nonzeros or (budgets.total_nonzeros is not None and total > budgets.total_nonzeros):
        raise InvalidInputError(
            f"result has up to {each} nonzeros in a vector and {total} in all, more than max_nonzeros={max_nonzeros} "
            f"and density={density} allow; give budgets that it keeps to, or leave them out."
        )
    error = orthonormality_error(vectors)
    if error > ORTHONORMAL and free is False:
        raise InvalidInputError(
            f"orthonormal is True, but the vectors of result are not (to {error:.1g}); leave it out, and the bound is "
            "for all bases."
        )
    return replace(budgets, free=error > ORTHONORMAL if free is None else free)
