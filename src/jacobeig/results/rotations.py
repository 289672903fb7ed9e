"""Chains of rotations: sparse orthonormal vectors in factored form."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jacobeig._docs import share_docs
from jacobeig._types import FloatArray, IntArray, NumberArray
from jacobeig.errors import InvalidInputError
from jacobeig.results._chain import Chain, as_integers, as_numbers, require_orthogonal
from jacobeig.results.interrupts import cut_into_parts

__all__ = ["BlockSequence", "RotationSequence"]

share_vectors = share_docs(
    vectors="""
n : int
    Length of the vectors.
coordinates : ndarray (p,) of int
    The coordinate that each column ends on.
dtype : dtype
    Of the vectors; the chain itself is in double precision.
"""
)


@share_vectors
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RotationSequence(Chain):
    """The vectors of a run as its chain of plane rotations.

    They are U_p = G_1 G_2 ... G_k E. Each G acts on two coordinates (i, j) as [[c, -conj(s)], [s, c]]; column t of E is
    the unit vector of ``coordinates[t]``. Applying it costs 6 operations a rotation (8 at small angles, to keep norms)
    whatever n is, and its vectors are orthonormal to rounding whatever their density.

    Parameters
    ----------
    %(vectors)s
    pivots : ndarray (k, 2) of int
        The pairs (i, j), in the matrix's own coordinates from 0.
    cosines : ndarray (k,)
        c >= 0. Zero marks an exact swap.
    sines : ndarray (k,)
        s, complex where the matrix is.

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

    _factors = "rotations"
    _parts = ("pivots", "cosines", "sines", "coordinates")
    pivots: IntArray
    cosines: FloatArray
    sines: NumberArray

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

    def _standardise(self) -> None:
        self._set(
            pivots=as_integers("pivots", self.pivots),
            cosines=as_numbers("cosines", self.cosines, real=True),
            sines=as_numbers("sines", self.sines),
        )

    def _check_factors(self) -> None:
        k, pivots = len(self), self.pivots
        if not (pivots.shape == (k, 2) and self.sines.shape == self.cosines.shape == (k,)):
            raise InvalidInputError(
                f"pivots has shape {pivots.shape}, cosines {self.cosines.shape} and sines {self.sines.shape}; give "
                "(k, 2), (k,) and (k,)."
            )
        if (pivots[:, 0] == pivots[:, 1]).any():
            raise InvalidInputError("pivots has a pair of equal coordinates; a rotation needs two different ones.")
        with np.errstate(over="ignore"):
            lengths = self.cosines**2 + (self.sines * self.sines.conj()).real
        require_orthogonal(np.abs(lengths - 1.0), "cosines and sines")

    @cached_property
    def _local_pivots(self) -> IntArray:
        return self._locate(self.pivots)

    def _synthesise(self, y: NumberArray) -> None:
        from jacobeig._kernels.sequence import synthesise

        for part in reversed(list(cut_into_parts(len(self), 8 * y.shape[1]))):
            synthesise(y, self._local_pivots[part], self.cosines[part], self.sines[part])

    def _analyse(self, x: NumberArray) -> None:
        from jacobeig._kernels.sequence import analyse

        for part in cut_into_parts(len(self), 8 * x.shape[1]):
            analyse(x, self._local_pivots[part], self.cosines[part], self.sines[part])


@share_vectors
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BlockSequence(Chain):
    """The vectors of a block run (Remark 1) as its orthogonal blocks; the same methods as `RotationSequence`.

    Parameters
    ----------
    %(vectors)s
    indices : ndarray (b, 2p) of int
        The coordinates that each block mixes.
    blocks : ndarray (b, 2p, 2p)
        The orthogonal (unitary) matrices: G_q has ``blocks[q]`` on the rows and columns ``indices[q]``.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> chain = je.block_eigsh(np.diag([1.0, 2.0, 3.0, 4.0]) + 0.1, 2, n_blocks=3).rotations
    >>> len(chain), chain.shape
    (1, (4, 2))
    """

    _factors = "blocks"
    _parts = ("indices", "blocks", "coordinates")
    indices: IntArray
    blocks: NumberArray

    @property
    def flops(self) -> int:
        """Floating-point operations to apply the chain to one vector."""
        return 2 * self.blocks.size * (4 if np.iscomplexobj(self.blocks) else 1)

    def _standardise(self) -> None:
        self._set(indices=as_integers("indices", self.indices), blocks=as_numbers("blocks", self.blocks))

    def _check_factors(self) -> None:
        b, width = len(self), 2 * self.n_components
        if self.indices.shape != (b, width) or self.blocks.shape != (b, width, width):
            raise InvalidInputError(
                f"indices has shape {self.indices.shape} and blocks {self.blocks.shape}; for {self.n_components} "
                f"vectors give (b, {width}) and (b, {width}, {width})."
            )
        if (np.diff(np.sort(self.indices, axis=1), axis=1) == 0).any():
            raise InvalidInputError("indices names a coordinate twice in one block; give different ones.")
        with np.errstate(over="ignore", invalid="ignore"):
            gram = np.swapaxes(self.blocks.conj(), 1, 2) @ self.blocks
        require_orthogonal(np.abs(gram - np.eye(width)), "blocks")

    def _synthesise(self, y: NumberArray) -> None:
        for index, block in zip(self._locate(self.indices)[::-1], self.blocks[::-1], strict=True):
            y[index] = block @ y[index]

    def _analyse(self, x: NumberArray) -> None:
        for index, block in zip(self._locate(self.indices), self.blocks, strict=True):
            x[index] = block.conj().T @ x[index]
