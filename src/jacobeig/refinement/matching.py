"""Disjoint supports: features matched to components, alternating with the best directions.

References
----------
M. Asteris, D. Papailiopoulos, A. Kyrillidis and A. G. Dimakis, "Sparse PCA via bipartite matchings", Advances in
Neural Information Processing Systems 28, 2015.
"""

import numpy as np

from jacobeig._kernels.assignment import assign
from jacobeig._types import Floats, Indices
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement.spectrum import leading_eigenvectors, psd_shift, quotients, varimax
from jacobeig.refinement.support import refit_columns, split_budget

__all__ = ["bipartite_matching"]

SPARE_RANK = 2  # with as many eigenvectors as components, disjoint optima can be out of reach
TINY = 1e-300  # keeps a division by the norm of a vanished column finite


def bipartite_matching(
    S: Floats,
    n_components: int,
    nonzeros: int,
    rng: np.random.Generator | int | None = None,
    n_starts: int = 20,
    shift: float | None = None,
    clock: Clock = NO_LIMIT,
) -> Floats | None:
    """Orthonormal columns with disjoint supports, or None when the budget passes n and no such columns exist.

    For given directions the best supports are a maximum-weight matching, for given supports the best directions are
    leading eigenvectors: both steps are exact, so the sum of the Rayleigh quotients rises until it settles. The
    varimax-rotated eigenvectors are the first start, and `n_starts` - 1 random directions of a slightly larger leading
    subspace the others. Without `rng` the seed is 0.
    """
    n = S.shape[0]
    if nonzeros > n:
        return None
    rng = np.random.default_rng(0 if rng is None else rng)
    rank = min(n, n_components + SPARE_RANK)
    top = leading_eigenvectors(S, rank)
    shift = psd_shift(S) if shift is None else shift
    scaled = top * np.sqrt(np.maximum(quotients(S, top) + shift, 0.0))
    budgets = split_budget(nonzeros, n_components, n)
    best, best_value = None, -np.inf
    for t in range(n_starts):
        if t > 0 and clock.expired:
            break
        mixing = rng.standard_normal((rank, n_components))
        W = varimax(top[:, :n_components]) if t == 0 else scaled @ (mixing / np.linalg.norm(mixing, axis=0))
        V = _alternate_matching(scaled, W, budgets, clock)
        value = float(quotients(S, V).sum())
        if value > best_value:
            best, best_value = V, value
    return None if best is None else _settle(S, best, budgets, shift, clock)


def _alternate_matching(H: Floats, W: Floats, budgets: Indices, clock: Clock, n_iterations: int = 100) -> Floats:
    """Alternate on the low-rank matrix H H^T, where a step is cheap: match, then C = H^T X with unit columns."""
    X, value = _match(W, budgets), -np.inf
    for _ in range(n_iterations):
        C = H.T @ X
        previous, value = value, float(np.sum(C * C))
        if value <= previous * (1 + 1e-9) or clock.expired:
            break
        X = _match(H @ (C / np.maximum(np.linalg.norm(C, axis=0), TINY)), budgets)
    return X


def _settle(S: Floats, X: Floats, budgets: Indices, shift: float, clock: Clock, n_iterations: int = 20) -> Floats:
    """Finish on S itself, with exact directions on each support."""
    X = refit_columns(S, X)
    value = float(quotients(S, X).sum())
    for _ in range(n_iterations):
        if clock.expired:
            break
        W = S @ X + shift * X
        trial = refit_columns(S, _match(W / np.sqrt(np.maximum(np.sum(X * W, axis=0), TINY)), budgets))
        trial_value = float(quotients(S, trial).sum())
        if trial_value <= value * (1 + 1e-12):
            break
        X, value = trial, trial_value
    return X


def _match(W: Floats, budgets: Indices) -> Floats:
    """Entries of W on the matching of largest total squared weight, the columns normalised."""
    n, p = W.shape
    weights = np.zeros((n, p + 1))
    np.multiply(W, W, out=weights[:, :p])
    owner = assign(weights, np.append(budgets, n - budgets.sum()))
    taken = np.flatnonzero(owner < p)
    X = np.zeros((n, p))
    values = W[taken, owner[taken]]
    # A matched entry stays in the support even when its weight is zero: the refit may use it.
    X[taken, owner[taken]] = np.where(values == 0.0, 1e-30 * (np.abs(W).max() or 1.0), values)
    X /= np.linalg.norm(X, axis=0)
    return X
