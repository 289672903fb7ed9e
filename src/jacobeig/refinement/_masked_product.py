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
            ends = np.concatenate([[0], np.cumsum(space.mask.sum(axis=0))])
            parts = [slice(first, last) for first, last in pairwise(ends)]
            self.blocks = [(form.take_block(c, space.row[part]), part) for c, part in enumerate(parts)]
        elif not space.crowded:
            self.blocks = [(join_blocks(form.S, space), slice(None))]

    def __call__(self, u: Floats) -> Floats:
        if self.blocks:
            product = np.concatenate([block @ u[part] for block, part in self.blocks])
        else:
            product = self.space.pack(self.form.S @ self.space.unpack(u))
        return np.asarray(product * self._weights + u * self._shifts)


def join_blocks(S: Matrix, space: MaskedStiefel) -> csr_array:
    """Return the blocks of a sparse S on all columns' supports, along the diagonal of one matrix."""
    p = space.mask.shape[1]
    at, counts = locate_rows(S, space.row)
    number = np.full(space.mask.size, -1)
    number[space.row * p + space.column] = np.arange(len(space.row))
    return join_rows(S, at, counts, number[S.indices[at] * p + np.repeat(space.column, counts)])
