"""The bound of more features than samples: from the samples themselves, so that no n x n matrix is formed.

For S = Y^T Y with m samples in the rows of Y, and any m x m matrix L with L L^T <= I and L^T Y Y^T L <= nu I (as
quadratic forms), Q = Y^T (I - L L^T) Y is at least 0, and at least S - nu I because S - Q = Y^T L L^T Y has the
eigenvalues of L^T Y Y^T L besides zeros. So p nu and the largest Q_jj, as many as the vectors can use together, bound
what these capture: the bound of `_proof` without Z and B. The best L shrinks the eigenvalues above nu to nu.

Rounding: products of length m and n are off by at most (their length) u times the products of the norms, and
Cholesky factorisations prove the two inequalities as in `_proof`.
"""

import math

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.refinement.certificates._proof import SLACK, TINY, UNIT, least_eigenvalue
from jacobeig.refinement.certificates._settle import Settled, choose_union
from jacobeig.sources.units import power_of_two_scale


def bound_samples(Y: Floats, budgets: Budgets) -> Settled:
    """Return the best bound of this kind; the largest variances alone, or Ky Fan's, at worst."""
    values, vectors = np.linalg.eigh(Y @ Y.T)
    kept = values > 1e-12 * max(values[-1], np.finfo(float).tiny)
    values, along = values[kept], vectors[:, kept].T @ Y
    return choose_union(budgets, values, along**2 / values[:, np.newaxis], 0.0)


def prove_by_samples(Y: Floats, budgets: Budgets, nu: float, s: Floats, mu: float) -> float:
    """Return a number that no vectors within the budgets exceed, in exact arithmetic, of the matrix Y^T Y."""
    largest = float(np.abs(Y).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    down = power_of_two_scale(largest)
    nu, s, mu = max(nu, 0.0) * down * down, np.maximum(s, 0.0) * down * down, max(mu, 0.0) * down * down
    nu, cover = _cover_samples(Y * down, nu)
    mu = mu if budgets.total_nonzeros is not None else 0.0
    spread = math.fsum(np.maximum(cover - s, 0.0) * (1.0 + 2.0 * UNIT))
    p, most = budgets.n_components, min(budgets.max_nonzeros, len(s))
    rest = np.sort(s - mu)[::-1][:most]
    row = float(rest[0]) + math.fsum(np.maximum(rest[1:], 0.0))
    parts = [p * nu, spread, mu * (budgets.total_nonzeros or 0), p * row]
    bound = math.fsum(parts) + 16.0 * UNIT * math.fsum([*map(abs, parts), p * most * float(s.max() + mu)]) + TINY
    return math.nextafter(bound / down / down, math.inf)


def _cover_samples(Y: Floats, nu: float) -> tuple[float, Floats]:
    """Return a nu that is proved, and the diagonal of a Q that is at least 0 and S - nu I, rounded up."""
    m, n = Y.shape
    norms = np.einsum("ij,ij->j", Y, Y) * (1.0 + 2.0 * m * UNIT)
    if nu == 0.0:  # Q = S
        return 0.0, norms
    total = float(norms.sum()) * SLACK
    G = Y @ Y.T
    values, vectors = np.linalg.eigh(G)
    L = vectors * np.sqrt(nu / np.maximum(values, nu))
    size = float(np.einsum("ij,ij->", L, L)) * SLACK  # the squared Frobenius norm, about m at most
    # L L^T may exceed I, and L^T G L nu I, by rounding: both are raised by as much, and by what the products are off.
    product = L @ L.T
    excess = max(-least_eigenvalue(np.eye(m) - (product + product.T) / 2), 0.0) + 4.0 * (m + 2) * UNIT * (size + 1.0)
    inner = L.T @ (G @ L)
    error = 4.0 * UNIT * SLACK * ((n + 2) + 2 * (m + 2) * size) * total
    proved = nu + max(-least_eigenvalue(nu * np.eye(m) - (inner + inner.T) / 2), 0.0) + error
    along = L.T @ Y
    squares = np.einsum("ij,ij->j", along, along)
    rounding = 4.0 * UNIT * SLACK * (m + 8) * (2.0 + 2.0 * math.sqrt(size)) * norms
    return proved * SLACK, np.maximum((1.0 + excess) * norms - squares, 0.0) + rounding
