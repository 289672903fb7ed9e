"""A source as refinement sees it: products with a few columns, the diagonal, and blocks, in comparable units."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._types import Floats, Integers
from jacobeig.refinement._quadratic import Matrix
from jacobeig.sources import RowSource, SparseRows, check_diagonal
from jacobeig.sources.products import multiply, read_block

SPARSE_SHARE = 0.05  # stored entries up to which sparse products beat dense ones


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceView:
    """The matrix times `factor`: a sign that makes the wanted end the largest, and a power of two against overflow."""

    source: RowSource
    factor: float

    @property
    def n(self) -> int:
        return int(self.source.shape[0])

    @cached_property
    def diagonal(self) -> Floats:
        return self.factor * check_diagonal(self.source, self.source.diagonal()).astype(np.float64)

    @property
    def semidefinite(self) -> bool:
        """Whether the matrix is known to have no negative eigenvalue."""
        return self.factor > 0 and bool(getattr(self.source, "semidefinite", False))

    def multiply(self, V: Any) -> Any:
        """Return the product with a few columns; one pass over data that are read in passes."""
        return self.factor * multiply(self.source, V)

    @cached_property
    def graph(self) -> Matrix | None:
        """The matrix itself, as csr, where it is so sparse that its edges say where vectors lie; else None."""
        if not isinstance(self.source, SparseRows) or self.source.csr.nnz > SPARSE_SHARE * self.n**2:
            return None
        return self.factor * self.source.csr.astype(np.result_type(self.source.dtype, np.float64))

    def multiply_rows(self, rows: Integers, vectors: Floats) -> Any:
        """Return the product with vectors that are zero but on these rows; sparse where the matrix is."""
        if self.graph is not None:
            at, columns = np.nonzero(vectors)
            shape = (self.n, vectors.shape[1])
            return self.graph @ sparse.csr_array((vectors[at, columns], (rows[at], columns)), shape=shape)
        V = np.zeros((self.n, vectors.shape[1]), vectors.dtype)
        V[rows] = vectors
        return self.multiply(V)

    def read_block(self, indices: Integers) -> Matrix:
        """Return the block of some coordinates: sparse where the matrix is, and that saves memory."""
        if self.graph is not None and self.graph.dtype.kind == "f" and len(indices) == self.n:
            return self.graph
        if isinstance(self.source, SparseRows):
            block = self.source.sparse_block(indices)
            if block.nnz < SPARSE_SHARE * len(indices) ** 2 and block.dtype.kind == "f":
                return self.factor * block.astype(np.float64)
        dense = read_block(self.source, indices)
        dense *= self.factor
        return dense
