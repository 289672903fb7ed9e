"""The one door of the refinement: arguments checked and put in standard form."""

import numpy as np
import numpy.typing as npt

from jacobeig._refinement._budget import Budget
from jacobeig._types import Floats
from jacobeig.errors import InvalidInputError, InvalidTypeError

__all__ = ["check_budget", "check_matrix", "check_vectors"]


def check_matrix(S: npt.ArrayLike) -> Floats:
    """Return S as a float64 array, symmetric to the last bit."""
    S = np.asarray(S)
    if np.iscomplexobj(S):
        raise InvalidTypeError("S: refinement works on real matrices; got a complex one. Refine its real embedding.")
    S = np.ascontiguousarray(S, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1]:
        raise InvalidInputError(f"S: expected a square matrix, got shape {S.shape}.")
    if not np.isfinite(S).all():
        raise InvalidInputError("S: has entries that are not finite; remove or impute them first.")
    if np.abs(S - S.T).max(initial=0.0) > 1e-8 * np.abs(S).max(initial=0.0):
        raise InvalidInputError("S: is not symmetric; pass (S + S.T) / 2 if that is what you mean.")
    return np.asarray((S + S.T) / 2)


def check_vectors(U: npt.ArrayLike, n: int, *, orthonormal: bool) -> Floats:
    """Return U as a float64 array of n rows; refuse vectors that are not orthonormal where they must be."""
    if np.iscomplexobj(U):
        raise InvalidTypeError("U: refinement works on real vectors; got complex ones.")
    U = np.ascontiguousarray(U, dtype=np.float64)
    if U.ndim != 2 or U.shape[0] != n or not 1 <= U.shape[1] <= n:
        raise InvalidInputError(f"U: expected shape ({n}, p) with 1 <= p <= {n}, got {U.shape}.")
    if not np.isfinite(U).all() or not U.any(axis=0).all():
        raise InvalidInputError("U: every column must be finite and have a nonzero.")
    error = float(np.abs(U.T @ U - np.eye(U.shape[1])).max())
    if orthonormal and error > 1e-8:
        raise InvalidInputError(f"U: its columns are not orthonormal (error {error:.1e}); pass orthonormal=False.")
    return U


def check_budget(nonzeros: int, max_nonzeros: int | None, n: int, p: int) -> Budget:
    """Return the budget, no larger than the vectors themselves."""
    if nonzeros < p:
        raise InvalidInputError(f"nonzeros: {p} vectors need at least one nonzero each, got {nonzeros}.")
    if max_nonzeros is not None and max_nonzeros < 1:
        raise InvalidInputError(f"max_nonzeros: a vector needs at least one nonzero, got {max_nonzeros}.")
    per_column = n if max_nonzeros is None else min(int(max_nonzeros), n)
    return Budget(total=min(int(nonzeros), p * per_column), per_column=per_column)
