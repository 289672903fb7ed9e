"""The generic checks of arguments, and the one text for each mistake that several rooms can meet."""

import difflib
import numbers
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._types import Rng
from jacobeig.errors import InvalidInputError, InvalidTypeError, Mention

SHOWN = 5  # names in a message
ALIKE = 0.75  # what a name that was meant has in common with the one given, at least
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


def check_finite(name: str, values: Any, *axes: Any) -> None:
    """Raise at the first entry of an array, dense or sparse, that is nan or infinite.

    Of a part of a matrix, `axes` are the numbers of its rows and of its columns.
    """
    stored = values.data if is_sparse(values) else values
    finite = np.isfinite(stored)
    if finite.all():
        return
    first = np.unravel_index(int(finite.argmin()), finite.shape)
    places = [axis[first] for axis in locate_entries(values)] if is_sparse(values) else first
    at = tuple(int(axis[place]) for axis, place in zip(axes, places, strict=True)) if axes else tuple(map(int, places))
    raise InvalidInputError(
        f"{name} must be finite, but entry {at[0] if len(at) == 1 else at} is {stored[first]}; replace or remove NaN "
        "and inf first."
    )


def require_symmetric(dtype: np.dtype[Any], largest: float, asymmetry: float, row: int, column: int) -> None:
    """Raise if a matrix differs from its (conjugate) transpose, most so at this entry, by more than rounding."""
    tolerance = symmetry_tolerance(dtype, largest)
    if asymmetry <= tolerance:
        return
    kind, remedy = ("Hermitian", "(S + S.conj().T) / 2") if dtype.kind == "c" else ("symmetric", "(S + S.T) / 2")
    raise InvalidInputError(
        f"must be {kind}, but entries ({row}, {column}) and ({column}, {row}) differ by {asymmetry:.3g} "
        f"(at most {tolerance:.3g} is taken for rounding)",
        argument="matrix",
        advice="if the difference is noise, pass " + Mention("symmetrize", True, text=remedy) + ".",
    )


def require_room(name: str, dtype: np.dtype[Any], largest: float, n: int) -> None:
    """Raise if sums over the rows of a matrix of order n whose entries are so large could overflow."""
    most = float(np.finfo(dtype).max) / (4 * n)
    if largest > most:
        wider = ", or convert it to double precision" if np.finfo(dtype).bits == 32 else ""
        raise InvalidInputError(
            f"has entries up to {largest:.3g}, so that sums of {n:,} overflow in {dtype}",
            argument=name,
            advice=f"divide it by its largest entry{wider}.",
        )


def check_count(name: str, value: Any, least: int, most: int | None = None, reason: str = "") -> int:
    """Return `value` as an int from `least` to `most`, or raise; `reason` says where `most` comes from."""
    wanted = f"a whole number from {least}" + ("" if most is None else f" to {most} ({reason})")
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InvalidTypeError(f"is {value!r} ({type(value).__name__})", argument=name, advice=f"give {wanted}.")
    count = int(value)
    if count < least or (most is not None and count > most):
        raise InvalidInputError(f"is {value}", argument=name, advice=f"give {wanted}.")
    return count


def check_components(value: Any, n: int, there: str = "") -> int:
    """Return a number of vectors from 1 to n, or raise; `there` says what there are n of, if not rows of a matrix."""
    p = check_count("n_components", value, 1)
    if p > n:
        there = there or f"the matrix is {n} x {n}"
        raise InvalidInputError(f"is {p}, but {there}:", argument="n_components", advice=f"give at most {n}.")
    return p


def check_positive(name: str, value: Any, remedy: str) -> float:
    """Return `value` as a number above zero, perhaps infinite, or raise."""
    number = check_real(name, value)
    if not number > 0.0:
        raise InvalidInputError(f"is {value!r}", argument=name, advice=f"give a number above 0: {remedy}.")
    return number


def check_time_limit(seconds: Any) -> float | None:
    """Return the seconds that work may take, or raise; None is no limit."""
    return None if seconds is None else check_positive("time_limit", seconds, "seconds, or None for no limit")


def check_real(name: str, value: Any) -> float:
    """Return `value` as a float, or raise."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidTypeError(f"is {value!r} ({type(value).__name__})", argument=name, advice="give a real number.")
    try:
        return float(value)
    except OverflowError as error:
        advice = "give a smaller one."
        raise InvalidInputError("is too large for a floating-point number", argument=name, advice=advice) from error


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Return `values` as an array, or raise where they do not form one."""
    try:
        array = np.asarray(values)
    except Exception as error:  # lists of unequal lengths, foreign objects: NumPy raises what their methods do
        advice = "give an array of numbers."
        raise InvalidTypeError(f"does not form an array ({error})", argument=name, advice=advice) from error
    return array


def as_list(name: str, values: Any, wanted: str) -> list[Any]:
    """Return several values as a list, or raise; `wanted` says what of."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return list(values)
    except TypeError as error:  # what cannot be gone through, or says so only then
        advice = f"give a list of {wanted}."
        raise InvalidTypeError(f"is {values!r} ({type(values).__name__})", argument=name, advice=advice) from error


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, or raise."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInputError(f"is {value!r}", argument=name, advice=f"give one of {', '.join(map(repr, choices))}.")
    return value


def name_type(value: object) -> str:
    """Return what a value is, for a message: "an int", "an ndarray", "a list"."""
    name = type(value).__name__
    return f"{'an' if name.lower().startswith(('a', 'e', 'i', 'o', 'nd')) else 'a'} {name}"


def check_boolean(name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidTypeError(f"is {value!r}", argument=name, advice="give True or False.")
    return bool(value)


def check_callback(callback: Callable[[Any], object] | None) -> Callable[[Any], object] | None:
    """Return `callback` if it can be called, or None."""
    if callback is not None and not callable(callback):
        raise InvalidTypeError(
            f"is {name_type(callback)}", argument="callback", advice="give a function of one argument, or None."
        )
    return callback


def as_generator(rng: Rng) -> np.random.Generator:
    """Return a random generator, or raise."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"is {rng!r}", argument="rng", advice="give a seed, a numpy Generator, or None."
        ) from error


def check_image_shape(shape: Any, n: int) -> tuple[int, int]:
    """Return the height and the width of the image that a vector of length n is, or raise."""
    sizes = tuple(shape) if isinstance(shape, (Sequence, np.ndarray)) else ()
    if len(sizes) != 2 or not all(isinstance(size, numbers.Integral) and int(size) > 0 for size in sizes):
        raise InvalidInputError(f"shape is {shape!r}; give the height and the width of the image that a vector is.")
    height, width = (int(size) for size in sizes)
    if height * width != n:
        raise InvalidInputError(f"shape is {(height, width)}, which has {height * width} pixels; the vectors have {n}.")
    return height, width


def check_places(coordinates: Any, n: int) -> NDArray[np.float64]:
    """Return x and y of each of n coordinates, or raise."""
    try:
        places = np.asarray(coordinates, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"coordinates cannot be read as numbers ({error}); give an array ({n}, 2).") from error
    if places.shape != (n, 2):
        raise InvalidInputError(f"coordinates has shape {places.shape}; give ({n}, 2), a place for each.")
    check_finite("coordinates", places)
    return places


def is_sparse(values: object) -> bool:
    """Whether `values` is a scipy sparse array or matrix.

    Examples
    --------
    >>> from scipy import sparse
    >>> import jacobeig as je
    >>> je.files.is_sparse(sparse.eye_array(3)), je.files.is_sparse([[1.0]])
    (True, False)
    """
    return bool(sparse.issparse(values))


def locate_entries(values: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows and the columns of the stored entries of a sparse array (`coords` came with SciPy 1.13)."""
    entries = values.tocoo()
    return entries.row, entries.col


def find_compressed_fault(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, int]
) -> str | None:
    """Return why arrays are not the parts of a csr matrix of `shape`, or None; scipy's check passes some that crash."""
    if (
        not data.ndim == indices.ndim == indptr.ndim == 1
        or indices.dtype.kind not in "iu"
        or indptr.dtype.kind not in "iu"
    ):
        return "the sparse parts are not one-dimensional, or their indices not whole numbers"
    if len(indptr) != shape[0] + 1 or int(indptr[0]) != 0 or bool(np.any(indptr[1:] < indptr[:-1])):
        return f"the sparse pointers do not rise from 0 over {shape[0]:,} rows or columns"
    if len(indices) != len(data) or int(indptr[-1]) > len(data):
        return f"there are {len(data):,} sparse entries, {len(indices):,} indices, and pointers to {int(indptr[-1]):,}"
    if len(indices) and not (int(indices.min()) >= 0 and int(indices.max()) < shape[1]):
        return f"the sparse indices reach beyond {shape[1]:,}"
    return None


def to_dense(values: Any, name: str = "vectors") -> NDArray[Any]:
    """Return an array of what may be sparse, or raise where there is none."""
    return as_array(name, values.toarray() if is_sparse(values) else values)


def find_closest(name: str, known: Sequence[str]) -> str | None:
    """Return which of the known names was probably meant, if any; a capital letter makes no difference."""
    folded = {other.casefold(): other for other in known}
    return folded.get(next(iter(difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=ALIKE)), ""))


def list_names(names: Iterable[object]) -> str:
    """Return names as a message lists them: the first few, and how many more."""
    every = [repr(str(name)) for name in names]
    more = f" and {len(every) - SHOWN:,} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
