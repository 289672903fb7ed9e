"""What all chains share: how they are checked, applied and kept in files."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from jacobeig._arguments import WORKING_DTYPES, as_array, check_count
from jacobeig._types import FloatArray, IntArray, NumberArray, PathLike
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, JacobeigError
from jacobeig.results.archive import read_archive, write_archive

# What rotations too small to change a large entry fail to take from it adds up: after 10^7 rotations norms were off by
# 7e-13. Columns whose norm has come further from 1 than this are scaled back; most chains are not touched.
MOST_DRIFT = 1e-13
# How far factors may be from orthogonal: those of a run are so to 1e-15, those written by hand to their printed digits.
MOST_ERROR = 1e-8


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Chain(ABC):
    """What both kinds of chain share: the p vectors U_p = G_1 G_2 ... G_k E, given how G_1 ... G_k is applied."""

    _factors: ClassVar[str]  # what they are called
    # What they are made of, one entry per factor: the coordinates that it mixes, then its numbers; last, `coordinates`.
    _parts: ClassVar[tuple[str, ...]]
    n: int
    coordinates: IntArray
    dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float64))

    @abstractmethod
    def _standardise(self) -> None:
        """Make every part an array of the type that compiled code takes, or raise."""

    @abstractmethod
    def _check_factors(self) -> None:
        """Raise unless the factors have matching shapes, mix different coordinates, and are orthogonal."""

    @abstractmethod
    def _synthesise(self, y: NumberArray) -> None:
        """In place: y <- G_1 ... G_k y on the touched coordinates."""

    @abstractmethod
    def _analyse(self, x: NumberArray) -> None:
        """In place: x <- G_k^H ... G_1^H x on the touched coordinates."""

    def __len__(self) -> int:
        return len(getattr(self, self._parts[1]))

    def __repr__(self) -> str:
        what = f"{len(self)} {self._factors}, {self.n_components} vectors of length {self.n}"
        return f"{type(self).__name__}({what}, {self.dtype})"

    @property
    def _mixed(self) -> IntArray:
        mixed: IntArray = getattr(self, self._parts[0])
        return mixed

    @property
    def _sequence_dtype(self) -> np.dtype[Any]:
        """Of the numbers that make up the chain."""
        dtype: np.dtype[Any] = getattr(self, self._parts[-2]).dtype
        return dtype

    def __post_init__(self) -> None:
        self._set(n=check_count("n", self.n, 1), coordinates=as_integers("coordinates", self.coordinates))
        self._set(dtype=_check_dtype(self.dtype))
        self._standardise()
        self.check()

    def _set(self, **parts: Any) -> None:
        for name, part in parts.items():
            object.__setattr__(self, name, part)  # the dataclass is frozen for everyone else

    def check(self) -> None:
        """Raise for what compiled code could not follow; O(length of the chain).

        Chains are checked when they are made. Their arrays can be written to, so whoever hands them to compiled code
        checks again.
        """
        if self.coordinates.ndim != 1 or len(np.unique(self.coordinates)) < len(self.coordinates):
            raise InvalidInputError("coordinates must be a list of different numbers, one for each vector.")
        for name, places in (("coordinates", self.coordinates), (self._parts[0], self._mixed)):
            if places.size and not (places.min() >= 0 and places.max() < self.n):
                raise InvalidInputError(f"{name} goes from {places.min()} to {places.max()}; give 0 to {self.n - 1}.")
        self._check_factors()

    @cached_property
    def _touched(self) -> IntArray:
        """Coordinates that the chain can change or that a column ends on, ascending."""
        return np.unique(np.concatenate([self._mixed.ravel(), self.coordinates])).astype(np.int64)

    @property
    def n_components(self) -> int:
        """Number of vectors."""
        return len(self.coordinates)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (n, p) of the matrix of vectors."""
        return self.n, self.n_components

    def _locate(self, coordinates: IntArray) -> IntArray:
        """Places of coordinates among the touched ones, whatever was written into a chain since it was checked."""
        touched = self._touched
        # long chains leave no gaps, and looking up takes 40 ns each
        gaps = not len(touched) or touched[-1] - touched[0] >= len(touched)
        places = np.searchsorted(touched, coordinates) if gaps else np.maximum(coordinates - touched[0], 0)
        return np.minimum(places, len(touched) - 1)

    def _as_block(self, values: NDArray[Any], length: int, name: str) -> NDArray[Any]:
        """Return `values` as (length, columns), or raise naming both lengths."""
        if values.ndim not in (1, 2) or values.shape[0] != length:
            raise InvalidInputError(f"{name} has shape {values.shape}; expected ({length},) or ({length}, any number).")
        return values.reshape(length, -1)

    def analyse(self, X: ArrayLike) -> NDArray[Any]:
        """Return U_p^H X: the coefficients of X on the p vectors, without forming them.

        Parameters
        ----------
        X : array_like (n,) or (n, m)
            One vector, or one per column.

        Returns
        -------
        ndarray (p,) or (p, m)
            In the order of `coordinates`.
        """
        X = _read_numbers("X", X)
        block = self._as_block(X, self.n, "X")
        x = np.ascontiguousarray(block[self._touched], dtype=np.result_type(self._sequence_dtype, X.dtype))
        self._analyse(x)
        result = x[self._locate(self.coordinates)].astype(np.result_type(self.dtype, X.dtype), copy=False)
        return result.reshape(self.n_components, *X.shape[1:])

    def synthesise(self, Y: ArrayLike) -> NDArray[Any]:
        """Return U_p Y: the combinations of the p vectors with coefficients Y, without forming them.

        Parameters
        ----------
        Y : array_like (p,) or (p, m)
            One set of coefficients, or one per column.

        Returns
        -------
        ndarray (n,) or (n, m)
            Zero outside the coordinates that the chain touches.
        """
        Y = _read_numbers("Y", Y)
        block = self._as_block(Y, self.n_components, "Y")
        y = np.zeros((len(self._touched), block.shape[1]), dtype=np.result_type(self._sequence_dtype, Y.dtype))
        y[self._locate(self.coordinates)] = block
        self._synthesise(y)
        result = np.zeros((self.n, block.shape[1]), dtype=np.result_type(self.dtype, Y.dtype))
        result[self._touched] = y
        return result.reshape(self.n, *Y.shape[1:])

    def to_sparse(self) -> sparse.csc_array:
        """Return the p vectors as a sparse array (n, p) without explicit zeros; O(p) a rotation, never O(n)."""
        y = np.zeros((len(self._touched), self.n_components), dtype=self._sequence_dtype)
        y[self._locate(self.coordinates), np.arange(self.n_components)] = 1.0
        self._synthesise(y)
        _restore_norms(y)
        local = sparse.csc_array(y.astype(self.dtype, copy=False))
        rows = self._touched[local.indices].astype(local.indices.dtype)
        return sparse.csc_array((local.data, rows, local.indptr), shape=self.shape)

    def aslinearoperator(self) -> LinearOperator:
        """Return U_p as a scipy LinearOperator (n, p) that applies the chain."""
        return LinearOperator(
            shape=self.shape,
            dtype=self.dtype,
            matvec=lambda y: self.synthesise(np.ravel(y)),
            rmatvec=lambda x: self.analyse(np.ravel(x)),
            matmat=self.synthesise,
            rmatmat=self.analyse,
        )

    def with_coordinates(self, coordinates: IntArray) -> Self:
        """Return the same chain with its columns taken at other coordinates."""
        return replace(self, coordinates=coordinates)

    def truncate(self, n_rotations: int) -> Self:
        """Return the chain of the first rotations (or blocks) only, with the same coordinates."""
        first = check_count("n_rotations", n_rotations, 0, len(self), f"this chain has {len(self)}")
        factors = {name: getattr(self, name)[:first] for name in self._parts[:-1]}
        return replace(self, **factors)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a file must hold of it; an empty array carries n and dtype."""
        return {name: getattr(self, name) for name in self._parts} | {"empty": np.empty((0, self.n), self.dtype)}

    @classmethod
    def _from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        """Rebuild it from a file's arrays; what could not be applied safely is refused."""
        try:
            n, dtype = arrays["empty"].shape[1], arrays["empty"].dtype
            return cls(n=n, dtype=dtype, **{name: arrays[name] for name in cls._parts})
        except JacobeigError as error:
            raise FileFormatError(f"the file's {cls.__name__} is not consistent: {error}") from error
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise FileFormatError(f"the file lacks a part of a {cls.__name__} ({error}).") from error

    def save(self, path: PathLike) -> None:
        """Write the chain to an npz file (no pickle), to be read by `load`."""
        write_archive(path, type(self).__name__, self._arrays())

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a chain that `save` wrote."""
        _, arrays, _ = read_archive(path, cls.__name__)
        return cls._from_arrays(arrays)


def _restore_norms(vectors: NumberArray) -> None:
    """Scale back, in place, the columns whose norms have drifted from 1."""
    norms = np.linalg.norm(vectors, axis=0)
    vectors /= np.where(np.abs(norms - 1.0) > MOST_DRIFT, norms, 1.0)


def as_integers(name: str, values: ArrayLike) -> IntArray:
    """Return coordinates as compiled code takes them, or raise."""
    array = as_array(name, values)
    if array.dtype.kind not in "iu" and array.size:
        raise InvalidTypeError(f"{name} has dtype {array.dtype}; give integers.")
    return np.ascontiguousarray(array, dtype=np.int64)


def as_numbers(name: str, values: ArrayLike, *, real: bool = False) -> NumberArray:
    """Return numbers as compiled code takes them, in double precision, or raise."""
    array = _read_numbers(name, values)
    if array.dtype.kind == "c" and real:
        raise InvalidTypeError(f"{name} has dtype {array.dtype}; give real numbers.")
    return np.ascontiguousarray(array, dtype=np.complex128 if array.dtype.kind == "c" else np.float64)


def _read_numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    array = as_array(name, values)
    if array.dtype.kind not in "biufc":
        raise InvalidTypeError(f"{name} has dtype {array.dtype}; give an array of numbers.")
    return array


def _check_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the dtype of vectors, or raise for one that they cannot have."""
    for known in WORKING_DTYPES:
        if isinstance(dtype, (np.dtype, type, str)) and dtype in (known, known.type, known.name):
            return known
    raise InvalidTypeError(f"dtype is {dtype!r}; give one of {', '.join(map(str, WORKING_DTYPES))}.")


def require_orthogonal(errors: FloatArray, name: str) -> None:
    if not (errors <= MOST_ERROR).all():  # so written that nan fails too
        raise InvalidInputError(f"{name} are not rotations: they differ from orthogonal ones by {errors.max():.2g}.")
