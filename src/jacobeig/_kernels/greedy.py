"""Which feature raises the leading eigenvalue of a support most when it is added."""

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_kernel
from jacobeig._types import Floats, Mask


@bare_kernel
def find_addition(values: Floats, couplings: Floats, diagonal: Floats, inside: Mask) -> tuple[int, float]:
    """Best feature to add, and the leading eigenvalue then.

    `values` are the eigenvalues of the support, upwards, and ``couplings[j]`` the squared inner products of feature j's
    column with its eigenvectors. Adding a feature borders a diagonal matrix, so the new eigenvalue is the largest root
    of a secular equation: O(s) a feature instead of an eigenproblem. Changes nothing.
    """
    top = values[-1]
    best_j, best = -1, -np.inf
    for j in range(diagonal.shape[0]):
        if inside[j]:
            continue
        if _find_larger_eigenvalue(top, diagonal[j], couplings[j].sum()) <= best:
            continue
        value = _find_secular_root(values, couplings[j], diagonal[j])
        if value > best:
            best_j, best = j, value
    return best_j, best


@bare_call
def _find_larger_eigenvalue(a: float, b: float, squared: float) -> float:
    """Larger eigenvalue of the 2 x 2 matrix with diagonal a, b and the given squared off-diagonal entry."""
    half = (a - b) / 2.0
    return (a + b) / 2.0 + float(np.sqrt(half * half + squared))


@bare_call
def _find_secular_root(values: Floats, coupling: Floats, corner: float) -> float:
    """Largest eigenvalue of diag(values) bordered by a column; Newton from below, where it is monotone."""
    root = _find_larger_eigenvalue(values[-1], corner, coupling[-1])
    for _ in range(60):
        residual = root - corner
        slope = 1.0
        for m in range(values.shape[0]):
            if coupling[m] > 0.0:
                gap = root - values[m]
                if gap <= 0.0:
                    return root
                residual -= coupling[m] / gap
                slope += coupling[m] / (gap * gap)
        step = -residual / slope
        root += step
        if step <= 1e-13 * abs(root):
            break
    return root
