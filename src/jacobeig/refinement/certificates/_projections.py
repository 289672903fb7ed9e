"""The nearest points of the sets that the search goes back and forth between."""

from typing import NamedTuple

import numpy as np

from jacobeig._kernels import budget_rows
from jacobeig._types import Floats

BISECTIONS = 60  # of a price: to the last bit
SMALLEST = 1e-290  # keeps zero out of a division, and the quotient finite


class Columns(NamedTuple):
    """Nearest weights and uses of the features, and the prices that the constraints have."""

    weights: Floats
    uses: Floats
    prices: Floats
    price: float


def threshold_sum(values: Floats, total: float) -> float:
    """Return the theta for which the values minus theta, clipped to [0, 1], sum to `total` (from 0 to their number)."""
    points = np.sort(np.concatenate([values, values - 1.0]))
    low, high = 0, len(points) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _sum_clipped(values, points[middle]) >= total else (low, middle)
    above, below = _sum_clipped(values, points[low]), _sum_clipped(values, points[high])
    share = (above - total) / (above - below) if above > below else 0.0
    return float(points[low] + min(max(share, 0.0), 1.0) * (points[high] - points[low]))


def _sum_clipped(values: Floats, theta: float) -> float:
    return float(np.clip(values - theta, 0.0, 1.0).sum())


def project_rows(V: Floats, most: int) -> Floats:
    """Return the nearest W with 0 <= W_ij <= W_ii and a sum over j of at most `most` W_ii; O(n^2 log n)."""
    n = len(V)
    ranked = np.where(np.eye(n, dtype=np.bool_), np.inf, V)
    ranked.sort(axis=1)
    out = np.empty_like(V)
    budget_rows.project_rows(V, np.ascontiguousarray(ranked[:, : n - 1]), np.empty(n), most, out)
    return out


def project_spectrum(A: Floats, p: int) -> Floats:
    """Return the nearest matrix with eigenvalues from 0 to 1 and trace p, by one eigendecomposition [1]_.

    References
    ----------
    .. [1] V. Q. Vu, J. Cho, J. Lei, K. Rohe, "Fantope projection and selection", NeurIPS 2013.
    """
    values, vectors = np.linalg.eigh(A)
    kept = np.clip(values - threshold_sum(values, p), 0.0, 1.0)
    basis = vectors[:, kept > 0.0]
    return np.asarray((basis * kept[kept > 0.0]) @ basis.T)


def project_semidefinite(A: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix, from whichever side has fewer eigenvalues."""
    values, vectors = np.linalg.eigh(A)
    first = int(np.searchsorted(values, 0.0))
    if 2 * first < len(values):
        return np.asarray(A - (vectors[:, :first] * values[:first]) @ vectors[:, :first].T)
    return np.asarray((vectors[:, first:] * values[first:]) @ vectors[:, first:].T)


def project_pairs(X: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """Return the nearest X and Y with X_ij^2 <= Y_ij Y_ji.

    X is symmetric, Y has no sign. With u and v the half sum and the half difference of Y_ij and Y_ji that is the
    second-order cone |(X, v)| <= u. Diagonals are to be set by the caller.
    """
    u, v = (Y + Y.T) / 2, (Y - Y.T) / 2
    r = np.hypot(X, v)
    top = np.where(r <= u, u, np.maximum((u + r) / 2, 0.0))
    share = np.minimum(top / np.maximum(r, SMALLEST), 1.0)
    return X * share, top + v * share


def project_columns(W: Floats, t: Floats, total: float | None) -> Columns:
    """Return the nearest W and t with t_j <= 1, t_j <= the sum of column j, and the sum of W at most `total`."""
    n, sums = len(t), W.sum(axis=0)
    low, high = 0.0, 0.0
    if total is not None and sums.sum() + n * _price_columns(sums, t, n).sum() > total:
        high = float(np.abs(W).max() + np.abs(t).max() + 1.0)  # then columns sum to what their features use, or less
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            shifted = sums - n * middle
            above = shifted.sum() + n * _price_columns(shifted, t, n).sum() > total
            low, high = (middle, high) if above else (low, middle)
    prices = _price_columns(sums - n * high, t, n)
    return Columns(W + (prices - high), np.minimum(t - prices, 1.0), prices, high)


def _price_columns(sums: Floats, t: Floats, n: int) -> Floats:
    """Return what every entry of a column must rise by, so that it sums to what its feature uses."""
    prices = np.maximum((t - sums) / (n + 1), 0.0)
    return np.where(t - prices > 1.0, np.maximum((1.0 - sums) / n, 0.0), prices)
