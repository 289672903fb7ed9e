"""The bound that covers prove by cases, one for each choice of supports; nothing here is used by the search.

For any Q >= 0 (as a quadratic form) and orthonormal u_1, ..., u_p with supports in T_1, ..., T_p, whose union is T::

    tr(U^T S U) <= sum over j in T of Q_jj + sum over c of lambda_max((S - Q)[T_c])

because U U^T lies below the diagonal matrix of T. With prices s >= 0 the first sum is at most sum_j (Q_jj - s_j)_+ and
the prices of all T_c, so that the choices of supports which may capture more than a target are those for which the
h(T_c) = lambda_max((S - Q)[T_c]) + sum over T_c of s_j add up to enough: few, where the bound is good. Each of them may
have a cover Q of its own, and its bound is the least over all covers.

Eigenvalues are rounded up by the residual of the decomposition and by how far its vectors are from orthonormal.
"""

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from jacobeig._types import Floats, Indices, Mask
from jacobeig.refinement.certificates._proof import UNIT, least_eigenvalue
from jacobeig.sources.units import power_of_two_scale

BATCH = 20_000  # blocks decomposed at a time, for memory
MOST_CASES = 20_000_000  # indices of supports that may be held at once: more than any certificate of ours needs


def prove_by_cases(S: Floats, p: int, k: int, covers: Floats, s: Floats, target: float) -> float:
    """Return `target`, or what the covers prove where that is more, for p vectors of k nonzeros and a symmetric S."""
    largest = float(np.abs(S).max(initial=0.0))
    if largest == 0.0:
        return max(target, 0.0)
    down = power_of_two_scale(largest)
    left = _prove_scaled(S * down, p, k, covers * down, np.maximum(s, 0.0) * down, target * down)
    return max(target, math.nextafter(left / down, math.inf))


def _prove_scaled(S: Floats, p: int, k: int, covers: Floats, s: Floats, target: float) -> float:
    """Return the largest bound of a case that is above the target; -inf if there is none."""
    n = len(S)
    size = float(np.abs(S).sum(axis=1).max()) + float(np.abs(covers).sum(axis=2).max(initial=0.0)) + float(s.sum())
    margin = 64.0 * (n + p) * UNIT * p * size
    covers = np.array([_lift(Q) for Q in covers])
    supports = np.array(list(combinations(range(n), k)), dtype=np.intp)
    worth = _bound_eigenvalues(S - covers[0], supports) + s[supports].sum(axis=1)
    fixed = float(np.maximum(covers[0].diagonal() - s, 0.0).sum())
    order = np.argsort(-worth)
    cases = _list_cases(worth[order], p, target - fixed - margin)
    if cases is None:
        return math.inf
    supports = supports[order[: int(cases.max(initial=-1)) + 1]]
    return _bound_cases(S, covers, supports, cases, target - margin) + margin


def _lift(Q: Floats) -> Floats:
    """Return the cover, symmetric and raised where it is not surely positive semidefinite."""
    Q = (Q + Q.T) / 2
    return np.asarray(Q + 2.0 * max(-least_eigenvalue(Q), 0.0) * np.eye(len(Q)))


def _bound_eigenvalues(M: Floats, supports: Indices) -> Floats:
    """Return a number that no eigenvalue of the block of each support exceeds."""
    found = [np.empty(0)]
    for first in range(0, len(supports), BATCH):
        part = supports[first : first + BATCH]
        blocks = M[part[:, :, np.newaxis], part[:, np.newaxis, :]]
        values, vectors = np.linalg.eigh(blocks)
        turned = vectors.transpose(0, 2, 1)
        residual = np.linalg.norm(blocks - (vectors * values[:, np.newaxis, :]) @ turned, axis=(1, 2))
        skew = np.linalg.norm(turned @ vectors - np.eye(part.shape[1]), axis=(1, 2))
        largest = np.abs(values).max(axis=1)
        rounding = 32.0 * part.shape[1] ** 2 * UNIT * (largest + np.abs(blocks).max(axis=(1, 2)))
        found.append(values[:, -1] + residual + skew * largest + rounding)
    return np.concatenate(found)


def _list_cases(worth: Floats, p: int, least: float) -> NDArray[np.intp] | None:
    """Return all p indices, in rising order, whose worths (which descend) add up to `least`; None if too many do."""
    cases, sums = np.zeros((1, 0), dtype=np.intp), np.zeros(1)
    for chosen in range(p):
        from_ = cases[:, -1] if chosen else np.zeros(1, dtype=np.intp)
        # The rest are worth at most as much each as the next one.
        needed = (least - sums) / (p - chosen)
        counts = np.maximum(np.searchsorted(-worth, -needed, side="right") - from_, 0)
        if counts.sum() * (chosen + 1) > MOST_CASES:
            return None
        rows = np.repeat(np.arange(len(cases)), counts)
        offsets = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        following = from_[rows] + offsets
        cases, sums = np.column_stack([cases[rows], following]), sums[rows] + worth[following]
    return np.asarray(cases)


def _bound_cases(S: Floats, covers: Floats, supports: Indices, cases: Indices, target: float) -> float:
    """Return the largest over the cases of the least bound that a cover gives; -inf if none is above the target."""
    used: Mask = np.zeros((len(supports), len(S)), dtype=np.bool_)
    if len(supports):
        np.put_along_axis(used, supports, True, axis=1)
    unions: Mask = np.asarray(used[cases].any(axis=1))
    bounds = np.full(len(cases), np.inf)
    for Q in covers:
        bounds = np.minimum(bounds, _bound_eigenvalues(S - Q, supports)[cases].sum(axis=1) + unions @ Q.diagonal())
        above = bounds > target
        cases, unions, bounds = cases[above], unions[above], bounds[above]
    return float(bounds.max(initial=-np.inf))
