"""What every source checks, with one wording: dtype, squareness, finite entries, symmetry."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import InvalidInputError, InvalidTypeError

__all__ = [
    "WORKING_DTYPES",
    "check_square",
    "largest_absolute",
    "raise_not_finite",
    "raise_not_symmetric",
    "symmetry_tolerance",
    "working_dtype",
]

WORKING_DTYPES = tuple(np.dtype(kind) for kind in (np.float32, np.float64, np.complex64, np.complex128))


def working_dtype(dtype: np.dtype[Any], name: str = "matrix") -> np.dtype[Any]:
    """Return the dtype that entries of `dtype` are computed in, or raise for entries that are not numbers."""
    if dtype.kind in "biu":
        return np.dtype(np.float64)
    if dtype.kind == "f":
        return np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
    if dtype.kind == "c":
        return np.dtype(np.complex64 if dtype.itemsize <= 8 else np.complex128)
    raise InvalidTypeError(
        f"{name} has dtype {dtype}, which does not hold numbers: convert it first, for example {name}.astype(float)."
    )


def symmetry_tolerance(dtype: np.dtype[Any], largest: float) -> float:
    """Return the asymmetry that rounding explains: 100 eps of the entries' own precision, times the largest one."""
    precision = dtype if dtype.kind in "fc" else np.dtype(np.float64)
    eps = max(float(np.finfo(precision).eps), float(np.finfo(working_dtype(precision)).eps))
    return 100 * eps * largest


def check_square(shape: tuple[int, ...], name: str = "matrix") -> tuple[int, int]:
    """Return `shape` as (n, n) with n > 0, or raise saying what came instead."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InvalidInputError(
            f"{name} must be square, but its shape is {tuple(shape)}; "
            "for a data matrix (samples x features) pass jacobeig.sources.GramRows(X)."
        )
    if shape[0] == 0:
        raise InvalidInputError(f"{name} is empty: its shape is {tuple(shape)}; it needs at least one row.")
    return int(shape[0]), int(shape[1])


def largest_absolute(block: NDArray[Any]) -> float:
    """Return the largest absolute value of `block`, nan if it has one, 0 if it is empty."""
    if block.size == 0:
        return 0.0
    if block.dtype.kind == "c":
        return float(np.abs(block).max())
    # Two reductions read the block twice from cache but write nothing, unlike abs.
    return float(np.maximum(block.max(), -block.min()))


def raise_not_finite(row: int, column: int, value: complex, name: str = "matrix") -> NoReturn:
    """Raise the error for a nan or infinite entry."""
    raise InvalidInputError(
        f"{name} must be finite, but entry ({row}, {column}) is {value}; replace or remove such entries first."
    )


def raise_not_symmetric(asymmetry: float, row: int, column: int, tolerance: float, *, hermitian: bool) -> NoReturn:
    """Raise the error for a matrix that differs from its (conjugate) transpose by more than rounding."""
    kind, remedy = ("Hermitian", "(S + S.conj().T) / 2") if hermitian else ("symmetric", "(S + S.T) / 2")
    raise InvalidInputError(
        f"matrix must be {kind}, but entries ({row}, {column}) and ({column}, {row}) differ by {asymmetry:.3g} "
        f"(at most {tolerance:.3g} is taken for rounding); if the difference is noise, pass {remedy}."
    )
