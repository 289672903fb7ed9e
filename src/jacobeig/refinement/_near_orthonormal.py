"""Supports for orthonormal vectors, under one global budget of nonzeros.

Vectors that share a few entries can seldom be orthogonal, so the supports that suit a free basis best suit an
orthonormal one badly. Here every step returns to the nearest orthonormal columns before it is cut to the budget, and
steps shorten: supports settle where little orthogonality is lost by the cut.
"""

import numpy as np

from jacobeig._arguments import is_sparse
from jacobeig._types import Floats
from jacobeig.refinement._budget import LONG
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._quadratic import multiply
from jacobeig.refinement.support import keep_total

FIRST_STEP = 0.5  # 1 is about a power step; from 0.1 to 1 none is best throughout, and they differ by up to a point
# What is left of a step at the end. From 0 to 0.1, what quick refinement captured of 64 pixels and of 120 random
# features moved by at most 0.2 points, without a trend.
LAST_STEP = 0.02


def alternate_orthonormal(
    S: Floats,
    start: Floats,
    nonzeros: int,
    n_iterations: int = 300,
    ramp: int = 120,
    *,
    first: int | None = None,
    patience: int = 30,
    clock: Clock = NO_LIMIT,
) -> Floats:
    """Sparse, nearly orthonormal columns of large variance, at most `nonzeros` entries in all.

    The supports are what counts: a joint solver makes the values exactly orthonormal on them at little loss.

    S is positive semidefinite; the start has independent columns, such as varimax-rotated eigenvectors. Each of at most
    `n_iterations` steps is one product of S with p vectors; the budget falls geometrically from `first` entries (by
    default all n p) over the first `ramp` of them, as a slow fall gives better supports. It ends after `patience` steps
    on one support, in which the values settle: a joint solver starts from them.
    """
    n, p = start.shape
    nonzeros = min(nonzeros, n * p)
    first = n * p if first is None else max(first, nonzeros)
    V, unchanged = _orthonormalise(start), 0
    for t in range(1, n_iterations + 1):
        in_time = t < n_iterations and not clock.expired
        ramped = int(nonzeros * (first / nonzeros) ** max(0.0, 1 - t / ramp)) if in_time and ramp else nonzeros
        previous, V = V, _step(S, V, FIRST_STEP * (1 - t / n_iterations) + LAST_STEP, max(ramped, nonzeros))
        unchanged = unchanged + 1 if np.array_equal(V != 0, previous != 0) else 0
        if not in_time or (t > ramp and unchanged > patience):
            break
    return V


def _step(S: Floats, V: Floats, length: float, nonzeros: int) -> Floats:
    """Gradient step on the orthonormal columns nearest to V, in units of each column's variance, then the cut."""
    turn = _find_turn(V)
    Q = V @ turn
    image = _multiply(S, V, Q, turn)
    inner = Q.T @ image
    variance = np.maximum(inner.diagonal(), max(1e-12 * inner.max(), 1e-300))
    scale = np.sqrt(variance)  # entries of different columns compete in the units of the data
    moved = _orthonormalise(Q + length * (image - Q @ inner) / variance)
    W = keep_total(moved * scale, nonzeros)
    W /= np.linalg.norm(W, axis=0)
    return W


def _multiply(S: Floats, V: Floats, Q: Floats, turn: Floats) -> Floats:
    """Return S Q for Q = V turn, in the precision of S: by the nonzeros of V where S is large and dense."""
    if is_sparse(S) or len(V) <= LONG:
        return np.asarray(S @ Q)
    image: Floats = multiply(S, V.astype(S.dtype, copy=False)).astype(V.dtype, copy=False) @ turn
    return image


def _orthonormalise(V: Floats) -> Floats:
    orthonormal: Floats = V @ _find_turn(V)
    return orthonormal


def _find_turn(V: Floats) -> Floats:
    """Return what turns V into its polar factor; directions that the columns hardly have are left out."""
    values, rotation = np.linalg.eigh(V.T @ V)
    turn: Floats = (rotation / np.sqrt(np.maximum(values, 1e-10 * values[-1]))) @ rotation.T
    return turn
