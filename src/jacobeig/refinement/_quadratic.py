"""The quadratic form that a refinement raises: a dense or sparse matrix, and a weight and shift for each column."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from jacobeig._arguments import is_sparse, largest_absolute
from jacobeig._types import Floats, Indices, Integers
from jacobeig.sources.krylov import build_krylov

Matrix: TypeAlias = Any  # a dense float64 array, or a scipy csr_array

KRYLOV = 12  # products before a restart
# Share of nonzeros in vectors up to which a large dense matrix is multiplied row by row as they ask for it: at order
# 4,096 and twenty vectors that took 3 ms at 1%, 14 at 5% and 25 at 10%, and a product of dense matrices 31.
FEW_NONZEROS, LARGE = 0.08, 1024
SETTLED = 1e-9  # residual of an eigenvector, relative to the largest eigenvalue


@dataclass(frozen=True, kw_only=True, eq=False)
class Quadratic:
    """The sum over columns of weight_c u_c^H S u_c + shift_c, which is what tr(U^H S U) is for weights of one.

    The shifts make every column's matrix positive semidefinite. On unit vectors they are constants, which are left out
    of what a rise is compared with (`offset`).
    """

    S: Matrix
    weights: Floats
    shifts: Floats
    offset: float
    _known: dict[int, tuple[Integers, Floats]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def make_plain(cls, S: Matrix, n_components: int, offset: float = 0.0) -> "Quadratic":
        """Return tr(U^T S U), of which `offset` is a constant that the matrix has got on its diagonal."""
        return cls(S=S, weights=np.ones(n_components), shifts=np.zeros(n_components), offset=offset)

    @property
    def plain(self) -> bool:
        """Whether all columns count alike, so that only their span matters."""
        return bool((self.weights == self.weights[0]).all())

    def multiply(self, V: Floats) -> Floats:
        """Return the image of all columns."""
        return np.asarray(multiply(self.S, V) * self.weights + V * self.shifts)

    def diagonal(self) -> Floats:
        """Return what each single entry has on the diagonal of its column's matrix, (n, p)."""
        return np.asarray(self.S.diagonal().real[:, None] * self.weights + self.shifts)

    def largest_diagonal(self) -> float:
        """Return the largest absolute entry of `diagonal`, which takes as much memory as the vectors."""
        diagonal = self.S.diagonal().real
        ends = np.array([[diagonal.min()], [diagonal.max()]])
        return float(np.abs(ends * self.weights + self.shifts).max())

    def take_block(self, column: int, rows: Integers) -> Floats:
        """Return S[rows, rows] of a dense S for one column, whose rows ascend.

        What was taken for the column last is kept: on the way down supports are nested, and a block is read from the
        one before it, which is near, instead of from all over S.
        """
        known, block = self._known.get(column, (rows[:0], np.empty((0, 0))))
        at = np.searchsorted(known, rows)
        if len(known) and np.array_equal(known.take(at, mode="clip"), rows):
            block = block if len(rows) == len(known) else take_block(block, at)
        else:
            block = take_block(self.S, rows)
        self._known[column] = rows, block
        return block

    def measure(self, V: Floats) -> float:
        """Return the value of orthonormal vectors."""
        return float(np.sum(V.conj() * self.multiply(V)).real)

    def size(self, value: float) -> float:
        """Return what a rise of the value is compared with: the value itself, without the shifts."""
        return abs(value - self.offset)


def multiply(S: Matrix, V: Floats) -> Floats:
    """Return S V; of a large dense S only the rows that V meets are read."""
    if is_sparse(S) or len(S) <= LARGE or S.dtype.kind == "c" or np.count_nonzero(V) > FEW_NONZEROS * V.size:
        return np.asarray(S @ V)
    return np.ascontiguousarray((sparse.csr_array(V.T) @ S).T)


def take_block(S: Matrix, rows: Indices | Integers) -> Floats:
    """Return S[rows, rows] as a dense array."""
    if is_sparse(S):
        return np.asarray(S[rows][:, rows].toarray())
    return np.asarray(S[np.ix_(rows, rows)])


def locate_rows(S: Matrix, rows: Integers) -> tuple[Integers, Integers]:
    """Return where the entries of some rows of a csr matrix are stored, and how many each row has."""
    begin = S.indptr[rows].astype(np.int64)
    counts = S.indptr[rows + 1] - begin
    ends = np.cumsum(counts)
    return np.arange(int(counts.sum())) + np.repeat(begin - (ends - counts), counts), counts


def join_rows(S: Matrix, at: Integers, counts: Integers, columns: Integers) -> sparse.csr_array:
    """Return a square matrix of located entries in other columns; negative ones are left out."""
    size, inside = len(counts), columns >= 0
    kept = np.bincount(np.repeat(np.arange(size), counts)[inside], minlength=size)
    ends = np.concatenate([[0], np.cumsum(kept)])
    return sparse.csr_array((S.data[at[inside]], columns[inside], ends), shape=(size, size))


def find_top(block: Floats, n_vectors: int) -> Floats:
    """Return the eigenvectors of the largest eigenvalues of a dense block, the largest first."""
    last = len(block) - 1
    try:
        V = eigh(block, subset_by_index=[last + 1 - n_vectors, last], check_finite=False)[1]
    except np.linalg.LinAlgError:
        V = block[:, :0]
    if V.shape[1] < n_vectors:  # asked for by index, LAPACK may lose some of a repeated eigenvalue, or give up
        V = np.linalg.eigh(block)[1][:, -n_vectors:]
    return np.asarray(V[:, ::-1])


def improve_top(block: Floats, x: Floats, *, restarts: int, span: Floats | None = None) -> tuple[Floats, bool]:
    """Improve x towards the leading eigenvector of a dense block outside a span, and say whether it has settled there.

    By restarted Lanczos steps: the quotient never falls below that of x, projected.
    """
    for _ in range(restarts):
        space = build_krylov(block.__matmul__, x[:, None], KRYLOV, span)
        if not len(space.basis):
            break
        values, mix = np.linalg.eigh(space.inner, UPLO="U")
        x = mix[:, -1] @ space.basis
        if space.outside * abs(mix[-1, -1]) <= SETTLED * np.abs(values).max():
            return x, True
    return x, False


def add_to_diagonal(S: Matrix, shift: float, *, overwrite: bool = False) -> Matrix:
    """Return S + shift I; a dense S may be overwritten with it."""
    if is_sparse(S):
        return sparse.csr_array(S + shift * sparse.eye_array(S.shape[0], format="csr"))
    shifted = S if overwrite else S.copy()
    shifted.flat[:: len(S) + 1] += shift
    return shifted


def find_largest_entry(S: Matrix) -> float:
    return largest_absolute(S.data if is_sparse(S) else S)
