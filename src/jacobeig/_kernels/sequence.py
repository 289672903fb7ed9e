"""Apply a chain of rotations to vectors, and follow what it does to a diagonal."""

import numpy as np

from jacobeig._kernels._jit import inline, kernel
from jacobeig._types import FloatArray, IntArray, NumberArray

__all__ = ["analyse", "follow_best", "follow_diagonal", "synthesise"]


@kernel
def synthesise(y: NumberArray, pivots: IntArray, cosines: FloatArray, sines: NumberArray) -> None:
    """y <- G_1 G_2 ... G_k y, in place, from the last rotation back; O(columns of y) a rotation."""
    for q in range(pivots.shape[0] - 1, -1, -1):
        i, j, c, s = pivots[q, 0], pivots[q, 1], cosines[q], sines[q]
        for t in range(y.shape[1]):
            u, v = y[i, t], y[j, t]
            y[i, t] = c * u - np.conj(s) * v
            y[j, t] = s * u + c * v


@kernel
def analyse(x: NumberArray, pivots: IntArray, cosines: FloatArray, sines: NumberArray) -> None:
    """x <- G_k^H ... G_2^H G_1^H x, in place; O(columns of x) a rotation."""
    for q in range(pivots.shape[0]):
        i, j, c, s = pivots[q, 0], pivots[q, 1], cosines[q], sines[q]
        for t in range(x.shape[1]):
            u, v = x[i, t], x[j, t]
            x[i, t] = c * u + np.conj(s) * v
            x[j, t] = c * v - s * u


@inline
def _shift(diagonal: FloatArray, i: int, j: int, cosine: float, shift: float) -> None:
    """What one rotation does to the diagonal, in the very operations of the run."""
    if cosine == 0.0:
        diagonal[i], diagonal[j] = diagonal[j], diagonal[i]
    else:
        diagonal[i] += shift
        diagonal[j] -= shift


@kernel
def follow_diagonal(diagonal: FloatArray, pivots: IntArray, cosines: FloatArray, shifts: FloatArray) -> None:
    """Bring a diagonal from before the rotations to after them, in place."""
    for q in range(pivots.shape[0]):
        _shift(diagonal, pivots[q, 0], pivots[q, 1], cosines[q], shifts[q])


@inline
def _captured(diagonal: FloatArray, sizes: IntArray, weights: FloatArray, n_high: int) -> tuple[float, int]:
    """Sum of weights times the best diagonal entries, and the nonzeros of their vectors.

    The first `n_high` weights take entries from the top down, the others from the bottom up.
    """
    order = np.argsort(diagonal, kind="mergesort")
    total, nonzeros = 0.0, 0
    for t in range(weights.shape[0]):
        m = order[order.shape[0] - 1 - t] if t < n_high else order[t - n_high]
        total += weights[t] * diagonal[m]
        nonzeros += sizes[m]
    return total, nonzeros


@kernel
def follow_best(
    diagonal: FloatArray,
    sizes: IntArray,
    pivots: IntArray,
    shifts: FloatArray,
    totals: IntArray,
    weights: FloatArray,
    n_high: int,
    gains: FloatArray,
    nonzeros: IntArray,
) -> None:
    """After each rotation of classic Jacobi: the rise of the p best entries' sum, and their vectors' nonzeros.

    `totals` counts the nonzeros of all n vectors, before the first rotation and after each. `diagonal` and `sizes`
    are brought along in place.
    """
    before, _ = _captured(diagonal, sizes, weights, n_high)
    for q in range(pivots.shape[0]):
        i, j = pivots[q, 0], pivots[q, 1]
        diagonal[i] += shifts[q]
        diagonal[j] -= shifts[q]
        union = (totals[q + 1] - totals[q] + sizes[i] + sizes[j]) // 2
        sizes[i] = sizes[j] = union
        after, nonzeros[q] = _captured(diagonal, sizes, weights, n_high)
        gains[q] = after - before
        before = after
