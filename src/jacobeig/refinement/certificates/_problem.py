"""The one door of `certify`: its arguments in, standard values out."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import check_boolean, check_choice, check_count, check_real, to_dense
from jacobeig._types import Floats
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.refinement.certificates._proof import power_of_two
from jacobeig.results.metrics import captured_variance, orthonormality_error
from jacobeig.results.result import EigenResult
from jacobeig.sources.whole import read_whole

__all__ = ["BoundProblem", "define_bound"]

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


def define_bound(
    matrix: Any,
    result: Any,
    n_components: int | None,
    max_nonzeros: int | None,
    density: float | None,
    which: str,
    orthonormal: bool | None = None,
) -> BoundProblem:
    """Check and standardise what `certify` was asked to bound."""
    vectors, which = _read_result(result, which)
    free = None if orthonormal is None else not check_boolean("orthonormal", orthonormal)
    sign = -1.0 if check_choice("which", which, ("LA", "SA")) == "SA" else 1.0
    S = read_whole(matrix, "certify")[0]
    n, factor = len(S), sign * power_of_two(float(np.abs(S).max()))
    S *= factor
    if vectors is None:
        p = _require_components(n_components, n)
        budgets = replace(_read_budgets(n, p, max_nonzeros, density), free=bool(free))
        return BoundProblem(S=S, factor=factor, budgets=budgets, vectors=None, captured=None)
    if vectors.shape[0] != n:
        raise InvalidInputError(f"result has vectors of length {vectors.shape[0]}, but the matrix is {n} x {n}.")
    if n_components not in (None, vectors.shape[1]):
        raise InvalidInputError(f"n_components is {n_components}, but result has {vectors.shape[1]}: leave it out.")
    budgets = _budgets_of(vectors, max_nonzeros, density, free)
    return BoundProblem(
        S=S, factor=factor, budgets=budgets, vectors=vectors, captured=captured_variance(S, vectors.toarray())
    )


def _read_result(result: Any, which: str) -> tuple[sparse.csc_array | None, str]:
    """Return the vectors of a result and the end of the spectrum that they are for."""
    if result is None:
        return None, which
    if isinstance(result, EigenResult):
        if result.vectors.dtype.kind == "c":
            raise InvalidTypeError("result is complex; certify is for real symmetric matrices.")
        if result.method.which == "BE":
            raise InvalidInputError("result has both ends of the spectrum; certify bounds one: give 'LA' or 'SA' runs.")
        return sparse.csc_array(result.vectors.astype(np.float64)), result.method.which
    array = to_dense(result)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not np.isfinite(array).all() or not array.any(axis=0).all():
        raise InvalidTypeError(
            f"result is a {type(result).__name__} of shape {array.shape}; give an EigenResult, or an (n, p) array of "
            "real vectors without a zero column, or None."
        )
    return sparse.csc_array(array.astype(np.float64)), which


def _require_components(n_components: Any, n: int) -> int:
    if n_components is None:
        raise InvalidInputError("n_components is None and there is no result; give one of them.")
    return check_count("n_components", n_components, 1, n, "the order of the matrix")


def _read_budgets(n: int, p: int, max_nonzeros: int | None, density: float | None) -> Budgets:
    """Return the budgets named; one that can never be reached is left out."""
    each = n if max_nonzeros is None else min(n, check_count("max_nonzeros", max_nonzeros, 1))
    total = None if density is None else _count_allowed(density, n, p)
    return Budgets(
        n_components=p, max_nonzeros=each, total_nonzeros=None if total is None or total >= p * each else total
    )


def _count_allowed(density: Any, n: int, p: int) -> int:
    value = check_real("density", density)
    allowed = int(value * n * p * (1.0 + 1e-12)) if 0.0 < value <= 1.0 else 0  # 0.3 * 10 must allow 3
    if allowed < p:
        raise InvalidInputError(
            f"density is {density}, which allows {allowed} nonzeros in {p} vectors; every vector needs one: give a "
            f"fraction from {1 / n:.3g} to 1."
        )
    return allowed


def _budgets_of(
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
