"""Products of the form with vectors on a mask, of which only the masked entries are wanted."""

from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from jacobeig._arguments import is_sparse
from jacobeig._types import Floats
from jacobeig.refinement._quadratic import Matrix, Quadratic, join_rows, locate_rows
from jacobeig.refinement._stiefel import MaskedStiefel


class MaskedProduct:
    """The masked entries of the form's image: by one product, or by the blocks of S on small supports."""

    def __init__(self, form: Quadratic, space: MaskedStiefel) -> None:
        self.form, self.space = form, space
        self.blocks: list[tuple[Matrix, slice]] = []
        self._weights, self._shifts = form.weights[space.column], form.shifts[space.column]
        if not space.crowded and not is_sparse(form.S):
            parts = [slice(first, last) for first, last in pairwise(space.ends)]
            self.blocks = [(form.take_block(c, space.row[part]), part) for c, part in enumerate(parts)]
        elif not space.crowded:
            self.blocks = [(_join_blocks(form.S, space), slice(None))]

    def __call__(self, u: Floats) -> Floats:
        if self.blocks:
            product = np.concatenate([block @ u[part] for block, part in self.blocks])
        else:
            product = self.space.pack(self.form.S @ self.space.unpack(u))
        return np.asarray(product * self._weights + u * self._shifts)


def _join_blocks(S: Matrix, space: MaskedStiefel) -> csr_array:
    """Return the blocks of a sparse S on all columns' supports, along the diagonal of one matrix.

    They are cut out one by one: what that takes is several times as large as what it gives.
    """
    place, blocks = np.full(S.shape[0], -1, S.indices.dtype), []
    for first, last in pairwise(space.ends):
        rows = space.row[first:last]
        at, counts = locate_rows(S, rows)
        place[rows] = np.arange(len(rows))
        blocks.append(join_rows(S, at, counts, place[S.indices[at]]))
        place[rows] = -1
    return _join_diagonally(blocks)


def _join_diagonally(blocks: list[csr_array]) -> csr_array:
    """Do what `scipy.sparse.block_diag` does, without the row and column of every entry."""
    columns, ends, size, stored = [], [np.zeros(1, np.int32)], 0, 0
    for block in blocks:
        columns.append(block.indices + size)
        ends.append(block.indptr[1:] + stored)
        size, stored = size + block.shape[0], stored + block.nnz
    data = np.concatenate([block.data for block in blocks])
    return csr_array((data, np.concatenate(columns), np.concatenate(ends)), shape=(size, size))
