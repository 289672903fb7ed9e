"""Rows of a scipy sparse array or matrix."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import (
    check_finite,
    check_square,
    largest_absolute,
    locate_entries,
    require_room,
    require_symmetric,
    working_dtype,
)
from jacobeig.errors import InvalidInputError
from jacobeig.sources._protocol import share_attributes

__all__ = ["FORM_UP_TO", "SparseRows", "canonical_csr"]

# Up to this order a dense copy is small (32 MB), and compiled code that reads it is faster than anything sparse.
FORM_UP_TO = 2048


@share_attributes
class SparseRows:
    """Rows of a symmetric or Hermitian sparse matrix, which is not changed.

    Parameters
    ----------
    matrix : scipy sparse array or matrix (n, n)
        Any format and dtype of numbers; converted once to canonical CSR (sorted, duplicates summed, no stored zeros),
        without a copy if it already is.

    Attributes
    ----------
    %(square)s
    csr : scipy.sparse.csr_array
        The canonical form; not to be written to, as it may share memory with `matrix`.
    %(cheap)s
    largest : float or None
        The largest absolute entry, once `check` has found it.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from jacobeig.sources import SparseRows
    >>> source = SparseRows(sparse.csr_array([[2, 1, 0], [1, 2, 1], [0, 1, 2]]))
    >>> source.rows(np.array([1]))
    array([[1., 2., 1.]])
    """

    batch = 1

    def __init__(self, matrix: Any) -> None:
        self.shape = check_square(matrix.shape)
        self.csr = canonical_csr(matrix)
        self.dtype: np.dtype[Any] = self.csr.dtype
        self.largest: float | None = None
        self.passes = 0

    def __repr__(self) -> str:
        return f"SparseRows(shape={self.shape}, dtype={self.dtype}, stored={self.csr.nnz})"

    def diagonal(self) -> NDArray[Any]:
        """Return the n diagonal entries as real numbers."""
        return np.array(self.csr.diagonal().real)

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices` as a dense array (len(indices), n)."""
        rows = np.zeros((len(indices), self.shape[1]), self.dtype)
        begin, end = self.csr.indptr[indices], self.csr.indptr[indices + 1]
        for row, a, b in zip(rows, begin.tolist(), end.tolist(), strict=True):  # csr[indices] takes 50 us a row
            row[self.csr.indices[a:b]] = self.csr.data[a:b]
        return rows

    def product(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return S V."""
        self.passes += 1
        return np.asarray(self.csr @ V.astype(self.dtype, copy=False))

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return S[W, W] as a dense array."""
        return np.asarray(self.sparse_block(indices).toarray())

    def sparse_block(self, indices: NDArray[np.int64]) -> sparse.csr_array:
        """Return S[W, W] with only the entries that are stored."""
        block: sparse.csr_array = self.csr[indices][:, indices]
        return block

    @property
    def direct(self) -> NDArray[Any] | None:
        """The matrix as compiled code can read it, a dense copy, read-only, where it is small; else None."""
        if self.shape[0] > FORM_UP_TO:
            return None
        dense: NDArray[Any] = self.csr.toarray(order="C")
        dense.flags.writeable = False
        return dense

    def norm_bound(self) -> float:
        """Return Gershgorin's bound of the largest absolute eigenvalue."""
        return float(abs(self.csr).sum(axis=1).max())

    def check(self) -> float:
        """Return the largest absolute entry after checking that all are finite, and equal their mirror images."""
        check_finite("matrix", self.csr)
        largest = largest_absolute(self.csr.data)
        require_room("matrix", self.dtype, largest, self.shape[0])
        difference = abs(self.csr - self.csr.conj().T.tocsr())
        if difference.nnz:
            row, column = (int(axis[difference.data.argmax()]) for axis in locate_entries(difference))
            require_symmetric(self.dtype, largest, largest_absolute(difference.data), row, column)
        self.largest = largest
        return largest


def canonical_csr(matrix: Any, name: str = "matrix") -> Any:
    """Return `matrix` as a `csr_array` of a working dtype: sorted, duplicates summed, no stored zeros.

    Shares memory with `matrix` if nothing has to be done; never changes it.
    """
    dtype = working_dtype(matrix.dtype, name)
    _check_format(matrix, name)
    csr = sparse.csr_array(matrix).astype(dtype, copy=False)
    # Summing duplicates and dropping zeros work in place, and csr may be a view of the user's matrix.
    if not csr.has_canonical_format or np.count_nonzero(csr.data) < csr.nnz:
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    return csr


def _check_format(matrix: Any, name: str) -> None:
    """Raise for a compressed matrix whose indices SciPy would follow out of bounds."""
    if getattr(matrix, "format", None) not in ("csr", "csc", "bsr"):
        return
    try:
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(
            f"is a damaged {matrix.format} matrix ({error})", argument=name, advice="build it again from its entries."
        ) from error
