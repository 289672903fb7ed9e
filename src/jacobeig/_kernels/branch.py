"""Cheap upper bounds for branch and bound over supports."""

import numpy as np
import numpy.typing as npt

from jacobeig._kernels._jit import bare_call, bare_kernel
from jacobeig._types import Floats, Indices


@bare_kernel
def bound_support(
    size: Floats, order: Indices, diagonal: Floats, diagonal_order: Indices, labels: npt.NDArray[np.int8], k: int
) -> float:
    """Bound the leading eigenvalue over all supports of k features that keep the labels (1 in, 0 out, -1 free).

    The smaller of the trace bound (for semidefinite matrices) and the largest absolute row sum that a support can
    have. `size` is abs(S), and each row of `order` sorts that row of it downwards. Changes nothing; O(n^2).
    """
    n = labels.shape[0]
    n_in = 0
    for i in range(n):
        if labels[i] == 1:
            n_in += 1
    bound = 0.0
    for i in range(n):
        if labels[i] != 0:
            bound = max(bound, _sum_row(size[i], order[i], labels, i, k - n_in))
    return min(bound, _sum_trace(diagonal, diagonal_order, labels, k - n_in))


@bare_call
def _sum_row(row: Floats, order: Indices, labels: npt.NDArray[np.int8], i: int, places: int) -> float:
    """Largest absolute sum of row i over a support that contains i."""
    total = 0.0
    if labels[i] == -1:
        total += row[i]
        places -= 1
    for j in range(row.shape[0]):
        if labels[j] == 1:
            total += row[j]
    for position in range(row.shape[0]):
        if places <= 0:
            break
        j = order[position]
        if labels[j] == -1 and j != i:
            total += row[j]
            places -= 1
    return total


@bare_call
def _sum_trace(diagonal: Floats, order: Indices, labels: npt.NDArray[np.int8], places: int) -> float:
    """Largest trace of a support."""
    total = 0.0
    for position in range(diagonal.shape[0]):
        j = order[position]
        if labels[j] == 1:
            total += diagonal[j]
        elif labels[j] == -1 and places > 0:
            total += diagonal[j]
            places -= 1
    return total
