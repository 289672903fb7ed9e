"""Chains of rotations: sparse orthonormal vectors in factored form."""

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from jacobeig._types import FloatArray, IntArray, NumberArray
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError
from jacobeig.results.archive import read_archive, write_archive

__all__ = ["BlockSequence", "RotationSequence"]


class _Chain(ABC):
    """What both kinds of chain share: the p vectors U_p = G_1 G_2 ... G_k E, given how G_1 ... G_k is applied."""

    _parts: ClassVar[tuple[str, ...]]
    n: int
    coordinates: IntArray
    dtype: np.dtype[Any]

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def _sequence_dtype(self) -> np.dtype[Any]:
        """Of the numbers that make up the chain."""

    @property
    @abstractmethod
    def _mixed(self) -> IntArray:
        """The coordinates that each factor mixes."""

    @abstractmethod
    def _consistent(self) -> bool:
        """Whether the shapes of the parts agree."""

    @abstractmethod
    def _synthesise(self, y: NumberArray) -> None:
        """In place: y <- G_1 ... G_k y on the touched coordinates."""

    @abstractmethod
    def _analyse(self, x: NumberArray) -> None:
        """In place: x <- G_k^H ... G_1^H x on the touched coordinates."""

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

    def _local(self, coordinates: IntArray) -> IntArray:
        """Places of coordinates among the touched ones."""
        return np.searchsorted(self._touched, coordinates).astype(np.int64)

    def _block(self, values: ArrayLike, length: int, name: str) -> NDArray[Any]:
        """Return `values` as (length, columns), or raise naming both lengths."""
        array = np.asarray(values)
        if array.ndim not in (1, 2) or array.shape[0] != length:
            raise InvalidInputError(f"{name} has shape {array.shape}; expected ({length},) or ({length}, any number).")
        return array.reshape(length, -1)

    def analyse(self, X: ArrayLike) -> NDArray[Any]:
        """Return U_p^H X: the coefficients of X on the p vectors, without forming them.

        Parameters
        ----------
        X : array_like (n,) or (n, m)
            One vector, or one a column.

        Returns
        -------
        ndarray (p,) or (p, m)
            In the order of `coordinates`.
        """
        X = np.asarray(X)
        block = self._block(X, self.n, "X")
        x = np.ascontiguousarray(block[self._touched], dtype=np.result_type(self._sequence_dtype, X.dtype))
        self._analyse(x)
        result = x[self._local(self.coordinates)].astype(np.result_type(self.dtype, X.dtype), copy=False)
        return result.reshape(self.n_components, *X.shape[1:])

    def synthesise(self, Y: ArrayLike) -> NDArray[Any]:
        """Return U_p Y: the combinations of the p vectors with coefficients Y, without forming them.

        Parameters
        ----------
        Y : array_like (p,) or (p, m)
            One set of coefficients, or one a column.

        Returns
        -------
        ndarray (n,) or (n, m)
            Zero outside the coordinates that the chain touches.
        """
        Y = np.asarray(Y)
        block = self._block(Y, self.n_components, "Y")
        y = np.zeros((len(self._touched), block.shape[1]), dtype=np.result_type(self._sequence_dtype, Y.dtype))
        y[self._local(self.coordinates)] = block
        self._synthesise(y)
        result = np.zeros((self.n, block.shape[1]), dtype=np.result_type(self.dtype, Y.dtype))
        result[self._touched] = y
        return result.reshape(self.n, *Y.shape[1:])

    def to_sparse(self) -> sparse.csc_array:
        """Return the p vectors as a sparse array (n, p) without explicit zeros; O(p) a rotation, never O(n)."""
        y = np.zeros((len(self._touched), self.n_components), dtype=self._sequence_dtype)
        y[self._local(self.coordinates), np.arange(self.n_components)] = 1.0
        self._synthesise(y)
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
        return replace(self, coordinates=coordinates)  # type: ignore[type-var]  # every chain is a dataclass

    def _check_length(self, length: Any) -> None:
        if isinstance(length, bool) or not isinstance(length, Integral):
            raise InvalidTypeError(f"n_rotations is {length!r} ({type(length).__name__}); give a whole number.")
        if not 0 <= int(length) <= len(self):
            raise InvalidInputError(f"n_rotations is {length}; this chain has {len(self)}: give 0 to {len(self)}.")

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a file must hold of it; an empty array carries n and dtype."""
        return {name: getattr(self, name) for name in self._parts} | {"empty": np.empty((0, self.n), self.dtype)}

    @classmethod
    def _from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        """Rebuild it from a file's arrays; what could not be applied safely is refused."""
        try:
            n, dtype = arrays["empty"].shape[1], arrays["empty"].dtype
            chain = cls(n=n, dtype=dtype, **{name: arrays[name] for name in cls._parts})  # type: ignore[call-arg]  # a dataclass
            places = np.concatenate([chain._mixed.ravel(), chain.coordinates])
            sound = chain._consistent() and dtype.kind in "fc" and places.dtype.kind == "i"
            sound = sound and bool(np.all((places >= 0) & (places < n)))
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise FileFormatError(f"the file lacks a part of a {cls.__name__} ({error}).") from error
        if not sound:
            raise FileFormatError(f"the file's {cls.__name__} is not consistent; it has been damaged or changed.")
        return chain

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chain to an npz file (no pickle), to be read by `load`."""
        write_archive(path, type(self).__name__, self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a chain that `save` wrote."""
        _, arrays, _ = read_archive(path, cls.__name__)
        return cls._from_arrays(arrays)


@dataclass(frozen=True, kw_only=True, eq=False)
class RotationSequence(_Chain):
    """The vectors of a run as its chain of plane rotations.

    They are U_p = G_1 G_2 ... G_k E. Each G acts on two coordinates (i, j) as [[c, -conj(s)], [s, c]]; column t of E is
    the unit vector of ``coordinates[t]``. Applying it costs 6 operations a rotation whatever n is, and its vectors are
    orthonormal to rounding whatever their density.

    Parameters
    ----------
    n : int
        Length of the vectors.
    pivots : ndarray (k, 2) of int
        The pairs (i, j), in the matrix's own coordinates from 0.
    cosines : ndarray (k,)
        c >= 0. Zero marks an exact swap.
    sines : ndarray (k,)
        s, complex where the matrix is.
    coordinates : ndarray (p,) of int
        The coordinate that each column ends on.
    dtype : dtype
        Of the vectors; the rotations themselves are in double precision.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> chain = je.sparse_eigsh(np.array([[2.0, 1.0], [1.0, 2.0]]), 1).rotations
    >>> len(chain), chain.pivots.tolist()
    (1, [[0, 1]])
    >>> chain.analyse([1.0, 1.0]).round(3)
    array([1.414])
    >>> chain.to_sparse().toarray().round(3).ravel()
    array([0.707, 0.707])
    """

    _parts = ("pivots", "cosines", "sines", "coordinates")
    n: int
    pivots: IntArray
    cosines: FloatArray
    sines: NumberArray
    coordinates: IntArray
    dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float64))

    def __len__(self) -> int:
        return len(self.cosines)

    def __repr__(self) -> str:
        return f"RotationSequence({len(self)} rotations, {self.n_components} vectors of length {self.n}, {self.dtype})"

    @property
    def _sequence_dtype(self) -> np.dtype[Any]:
        return self.sines.dtype

    @property
    def angles(self) -> FloatArray:
        """Angles of the rotations in (-pi/2, pi/2]; complex rotations carry their sign in `phases`."""
        sines = np.abs(self.sines) if np.iscomplexobj(self.sines) else self.sines
        return np.arctan2(sines, self.cosines)

    @property
    def phases(self) -> FloatArray:
        """Phases phi of complex rotations [[c, -s exp(i phi)], [s exp(-i phi), c]]; zeros where they are real."""
        return -np.angle(self.sines) if np.iscomplexobj(self.sines) else np.zeros(len(self))

    @property
    def flops(self) -> int:
        """Floating-point operations to apply the chain to one real vector (one complex vector if it is complex)."""
        each = 20 if np.iscomplexobj(self.sines) else 6
        return each * int(np.count_nonzero(self.cosines))

    @property
    def _mixed(self) -> IntArray:
        return self.pivots

    def _consistent(self) -> bool:
        k = len(self.cosines)
        numbers = self.cosines.dtype.kind == "f" and self.sines.dtype.kind in "fc"
        return numbers and self.pivots.shape == (k, 2) and self.sines.shape == self.cosines.shape == (k,)

    @cached_property
    def _local_pivots(self) -> IntArray:
        return self._local(self.pivots)

    def _synthesise(self, y: NumberArray) -> None:
        from jacobeig._kernels.sequence import synthesise

        synthesise(y, self._local_pivots, self.cosines, self.sines)

    def _analyse(self, x: NumberArray) -> None:
        from jacobeig._kernels.sequence import analyse

        analyse(x, self._local_pivots, self.cosines, self.sines)

    def truncate(self, n_rotations: int) -> Self:
        """Return the chain of the first rotations only, with the same coordinates."""
        self._check_length(n_rotations)
        return replace(
            self,
            pivots=self.pivots[:n_rotations],
            cosines=self.cosines[:n_rotations],
            sines=self.sines[:n_rotations],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockSequence(_Chain):
    """The vectors of a block run (Remark 1) as its orthogonal blocks; the same methods as `RotationSequence`.

    Parameters
    ----------
    n : int
        Length of the vectors.
    indices : ndarray (b, 2p) of int
        The coordinates that each block mixes.
    blocks : ndarray (b, 2p, 2p)
        The orthogonal (unitary) matrices: G_q has ``blocks[q]`` on the rows and columns ``indices[q]``.
    coordinates : ndarray (p,) of int
        The coordinate that each column ends on.
    dtype : dtype
        Of the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> chain = je.block_eigsh(np.diag([1.0, 2.0, 3.0, 4.0]) + 0.1, 2, n_blocks=3).rotations
    >>> len(chain), chain.shape
    (1, (4, 2))
    """

    _parts = ("indices", "blocks", "coordinates")
    n: int
    indices: IntArray
    blocks: NumberArray
    coordinates: IntArray
    dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float64))

    def __len__(self) -> int:
        return len(self.blocks)

    def __repr__(self) -> str:
        return f"BlockSequence({len(self)} blocks, {self.n_components} vectors of length {self.n}, {self.dtype})"

    @property
    def _sequence_dtype(self) -> np.dtype[Any]:
        return self.blocks.dtype

    @property
    def flops(self) -> int:
        """Floating-point operations to apply the chain to one vector."""
        return 2 * self.blocks.size * (4 if np.iscomplexobj(self.blocks) else 1)

    @property
    def _mixed(self) -> IntArray:
        return self.indices

    def _consistent(self) -> bool:
        b, width = len(self.blocks), 2 * self.n_components
        numbers = self.blocks.dtype.kind in "fc"
        return numbers and self.indices.shape == (b, width) and self.blocks.shape == (b, width, width)

    def _synthesise(self, y: NumberArray) -> None:
        for index, block in zip(self._local(self.indices)[::-1], self.blocks[::-1], strict=True):
            y[index] = block @ y[index]

    def _analyse(self, x: NumberArray) -> None:
        for index, block in zip(self._local(self.indices), self.blocks, strict=True):
            x[index] = block.conj().T @ x[index]

    def truncate(self, n_rotations: int) -> Self:
        """Return the chain of the first blocks only, with the same coordinates."""
        self._check_length(n_rotations)
        return replace(self, indices=self.indices[:n_rotations], blocks=self.blocks[:n_rotations])
