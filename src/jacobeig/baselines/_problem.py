"""The one door of the baselines: every argument is checked and standardised here."""

import operator
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from jacobeig._masks._spectrum import psd_shift
from jacobeig._types import Floats
from jacobeig.errors import InvalidInputError, InvalidTypeError

__all__ = ["Problem", "check_choice", "check_count", "check_positive", "generator", "standardise"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """A symmetric matrix in float64 and what is asked of it."""

    matrix: Floats
    n_components: int
    max_nonzeros: int

    @property
    def n(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[0])

    def need_semidefinite(self, method: str) -> None:
        """Refuse an indefinite matrix, for methods whose answer a shift would change."""
        shift = psd_shift(self.matrix)
        if shift > 1e-10 * np.abs(self.matrix).max():
            raise InvalidInputError(
                f"{method} needs a positive semidefinite matrix, but the least eigenvalue is {-shift:.6g}: "
                "give a covariance or Gram matrix, or choose another method."
            )


def standardise(matrix: Any, n_components: Any, max_nonzeros: Any) -> Problem:
    """Check the three arguments that all baselines share."""
    S = _real_symmetric(matrix)
    n = S.shape[0]
    return Problem(
        matrix=S,
        n_components=check_count("n_components", n_components, 1, n, "the size of the matrix"),
        max_nonzeros=check_count("max_nonzeros", max_nonzeros, 1, n, "the size of the matrix"),
    )


def check_count(name: str, value: Any, low: int, high: int | None = None, reason: str = "") -> int:
    """Return an integer within its bounds."""
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool | np.bool_):
        raise InvalidTypeError(f"{name} must be an integer; got {value!r} of type {type(value).__name__}.")
    if high is None and count < low:
        raise InvalidInputError(f"{name} must be at least {low}; got {count}.")
    if high is not None and not low <= count <= high:
        raise InvalidInputError(f"{name} must be from {low} to {high} ({reason}); got {count}.")
    return count


def check_positive(name: str, value: Any, remedy: str) -> float:
    """Return a finite or infinite number above zero."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidTypeError(f"{name} must be a number; got {value!r} of type {type(value).__name__}: {remedy}.")
    if not value > 0:
        raise InvalidInputError(f"{name} must be above 0; got {value!r}: {remedy}.")
    return float(value)


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return one of the names."""
    known = ", ".join(repr(choice) for choice in choices)
    if not isinstance(value, str):
        raise InvalidTypeError(f"{name} must be a string; got {value!r} of type {type(value).__name__}: use {known}.")
    if value not in choices:
        raise InvalidInputError(f"{name} must be one of {known}; got {value!r}.")
    return value


def generator(rng: Any) -> np.random.Generator:
    """Return a random generator; None is seed 0, so that results can be repeated."""
    try:
        return np.random.default_rng(0 if rng is None else rng)
    except TypeError as error:
        raise InvalidTypeError(f"rng must be None, a seed or a numpy Generator; got {rng!r}.") from error
    except ValueError as error:
        raise InvalidInputError(f"rng must be a seed of at least 0; got {rng!r}.") from error


def _real_symmetric(matrix: Any) -> Floats:
    given = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    if given.dtype.kind not in "biuf":
        raise InvalidTypeError(
            f"matrix must hold real numbers; got dtype {given.dtype}: give a dense array or a scipy sparse matrix."
        )
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.shape[0] == 0:
        raise InvalidInputError(
            f"matrix must be square and not empty; got shape {given.shape}: for data X give X.T @ X or its covariance."
        )
    S = np.ascontiguousarray(given, dtype=np.float64)
    if not np.isfinite(S).all():
        raise InvalidInputError("matrix has NaN or infinite entries: remove or impute them first.")
    eps = np.finfo(given.dtype).eps if given.dtype.kind == "f" else np.finfo(np.float64).eps
    skew = float(np.abs(S - S.T).max())
    if skew > 1e3 * eps * np.abs(S).max():
        raise InvalidInputError(
            f"matrix must be symmetric; two opposite entries differ by {skew:.3g}: "
            "give (matrix + matrix.T) / 2 if that is meant."
        )
    return S if skew == 0.0 else (S + S.T) / 2
