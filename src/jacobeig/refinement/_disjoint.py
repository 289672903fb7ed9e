"""Orthonormal vectors on disjoint supports, by annealing: the best structure known when the budget is very small.

References
----------
S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

import numpy as np

from jacobeig._kernels.anneal import anneal_owners
from jacobeig._types import Floats, Integers
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._quadratic import take_block

DISJOINT = 1.25  # nonzeros per row beyond which disjoint supports leave too much of the budget unused
COOLING = 100.0  # the first temperature over the last
STEPS = 500  # between looks at the clock


def anneal(
    S: Floats,
    V: Floats,
    budget: NonzeroBudget,
    rng: np.random.Generator,
    *,
    steps: int,
    heat: float,
    clock: Clock = NO_LIMIT,
) -> Floats:
    """Return orthonormal vectors with disjoint supports, annealed from those that V suggests until time is up.

    `heat` is the first temperature as a share of the mean quotient. S must be positive semidefinite.
    """
    p = V.shape[1]
    owner = _assign_owners(S, V, budget)
    X, values = _refit(S, owner, p)
    temperatures = heat * values.mean() * np.geomspace(1.0, 1.0 / COOLING, steps)
    n, size, draws = len(owner), np.bincount(owner[owner >= 0], minlength=p), rng.random((steps, p + 2))
    room = np.empty((2, n), np.int64), np.empty((2, n)), np.empty(n), np.empty(p)
    for begin in range(0, steps, STEPS):
        if clock.expired:
            break
        part = slice(begin, begin + STEPS)
        anneal_owners(S, owner, X, values, size, budget.per_column, draws[part], temperatures[part], *room)
    U = np.zeros_like(V)
    rows = np.nonzero(owner >= 0)[0]
    U[rows, owner[rows]] = _refit(S, owner, p)[0][rows]
    return U


def _assign_owners(S: Floats, V: Floats, budget: NonzeroBudget) -> Integers:
    """Give each row to the column that it fits best, as far as the budget goes, and every column a row."""
    n, p = V.shape
    W = np.abs(S @ V) / np.sqrt(np.maximum(np.sum(V * (S @ V), axis=0), 1e-300))
    owner = np.full(n, -1)
    for r in np.argsort(-W.max(axis=1), kind="stable")[: budget.total]:
        room = np.bincount(owner[owner >= 0], minlength=p) < budget.per_column
        if room.any():
            owner[r] = np.where(room, W[r], -1.0).argmax()
    for c in range(p):
        if not (owner == c).any():
            spare = (owner >= 0) & (np.bincount(owner[owner >= 0], minlength=p)[owner] > 1)
            owner[np.where(spare, W[:, c], -1.0).argmax()] = c
    return owner


def _refit(S: Floats, owner: Integers, p: int) -> tuple[Floats, Floats]:
    """Leading eigenvector of S on each column's rows, side by side in one vector, and their eigenvalues."""
    X, values = np.zeros(len(owner)), np.zeros(p)
    for c in range(p):
        rows = np.nonzero(owner == c)[0]
        w, v = np.linalg.eigh(take_block(S, rows))
        X[rows], values[c] = v[:, -1], w[-1]
    return X, values
