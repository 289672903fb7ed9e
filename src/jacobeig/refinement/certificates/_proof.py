"""The bound that given multipliers prove, with every rounding error accounted for: nothing here is used by the search.

For orthonormal U with at most k nonzeros in each of its p columns, and K in all, any symmetric Z, any nu, any Q with
Q >= 0 and Q >= S - Z - nu I (as quadratic forms), any B >= 0 with B_ij B_ji >= Z_ij^2, any s >= 0 and mu >= 0::

    tr(U^T S U) <= p nu + sum_j (Q_jj - s_j)_+ + K mu
                   + p max_i { Z_ii + s_i - mu + the k - 1 largest of (B_ij + s_j - mu)_+ over j != i }

*Proof.* Let P = U U^T, T_c the support of column u_c, and T their union. As tr P = p and P is positive semidefinite,
tr(P S) <= p nu + tr(P Q) + tr(P Z). P is a projection that vanishes outside T, so it lies below the diagonal matrix of
T, and tr(P Q) <= the sum of Q_jj over T <= sum_j (Q_jj - s_j)_+ + the sum over c and j in T_c of s_j. What the nonzeros
cost in mu is at most K mu. So it remains to bound, for each column, u^T Z u + the sum over its support of (s_j - mu).
As 2 |Z_ij u_i u_j| <= B_ij u_i^2 + B_ji u_j^2, that is at most the sum over i of u_i^2 (Z_ii + s_i - mu + the sum over
the other j in the support of (B_ij + s_j - mu)), a mean of terms of which none exceeds the maximum above.

Vectors that are not orthonormal keep the first part: P, the projection on their span, has trace at most p, so nu >= 0
and Z = B = 0 prove the same. With Z = B = s = 0 and nu the p-th largest eigenvalue this is Ky Fan's bound.

Rounding: a Cholesky factorisation that runs to its end proves a matrix positive definite up to a shift that is known
in advance, whatever the order of its sums [1]_; sums of n terms are off by at most n u times the sum of the moduli.

References
----------
.. [1] S. M. Rump, "Verification of positive definiteness", BIT Numerical Mathematics 46, 433-452, 2006.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers
from jacobeig.sources.units import power_of_two_scale

UNIT = 2.0**-53  # the relative error of one operation
TINY = 2.0**-900  # absolute errors of underflow are far below, beside entries of about one
SLACK = 1.0 + 2.0**-40  # covers the products of error terms, which are smaller still


def prove_bound(S: Floats, budgets: Budgets, multipliers: Multipliers) -> float:
    """Return a number that no vectors within the budgets exceed, in exact arithmetic, for a symmetric float64 S."""
    largest = float(np.abs(S).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    down = power_of_two_scale(largest)
    bound = _prove_scaled(S * down, budgets, multipliers.times(down))
    return math.nextafter(bound / down, math.inf)


class Parts(NamedTuple):
    """What a bound is made of, rounded outwards: the diagonal of Q, the prices, nu and the largest row."""

    cover: Floats
    s: Floats
    nu: float
    mu: float
    row: float


def read_parts(S: Floats, budgets: Budgets, given: Multipliers) -> Parts:
    """Return the parts of the bound of a matrix whose largest entry is about one."""
    if budgets.free:  # only this part holds for them
        given = replace(given, Z=np.zeros_like(S), B=np.zeros_like(S), nu=max(given.nu, 0.0))
    s, mu = np.maximum(given.s, 0.0), max(given.mu, 0.0) if budgets.total_nonzeros is not None else 0.0
    row = _bound_rows(given.Z, _repair(given.Z, given.B), s, mu, budgets.max_nonzeros)
    return Parts(_cover(S, given.Z, given.nu, given.Q), s, given.nu, mu, row)


def _prove_scaled(S: Floats, budgets: Budgets, given: Multipliers) -> float:
    p, parts = budgets.n_components, read_parts(S, budgets, given)
    spread = math.fsum(np.maximum(parts.cover - parts.s, 0.0) * (1.0 + 2.0 * UNIT))
    terms = [p * parts.nu, spread, parts.mu * (budgets.total_nonzeros or 0), p * parts.row]
    return math.fsum(terms) + 8.0 * UNIT * math.fsum(map(abs, terms)) + TINY


def _cover(S: Floats, Z: Floats, nu: float, Q: Floats | None) -> Floats:
    """Return the diagonal of a matrix above both 0 and S - Z - nu I: that of Q, raised as far as it needs."""
    Z = (Z + Z.T) / 2
    rest = S - Z - nu * np.eye(len(S))
    if Q is None:
        values, vectors = np.linalg.eigh(rest)
        Q = (vectors * np.maximum(values, 0.0)) @ vectors.T
    Q = (Q + Q.T) / 2
    # Halving sums and three subtractions an entry: the norm of all these errors is at most their largest row sum.
    moduli = np.abs(S) + np.abs(Z) + np.abs(Q) + abs(nu) * np.eye(len(S))
    error = 8.0 * UNIT * float(moduli.sum(axis=1).max()) * SLACK
    lift = max(-least_eigenvalue(Q), -least_eigenvalue(Q - rest), 0.0) + error + TINY
    diagonal = Q.diagonal()
    return np.asarray(diagonal + lift + 4.0 * UNIT * (np.abs(diagonal) + lift))


def least_eigenvalue(M: Floats) -> float:
    """Return a number that no eigenvalue is below, close to the least one if that is about zero or positive."""
    n = len(M)
    if not np.isfinite(M).all():
        return -math.inf
    size = float(np.abs(M.diagonal()).sum()) * SLACK
    unit = (n + 1) * UNIT / (1.0 - (n + 1) * UNIT)
    shift = unit * size + TINY
    while True:
        shifted = M + shift * np.eye(n)
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            shift *= 2.0
            continue
        # The factors' product differs from the matrix by at most unit times its trace, in the spectral norm.
        trace = float(np.abs(shifted.diagonal()).sum()) * SLACK
        return -(shift + unit / (1.0 - unit) * trace + 2.0 * UNIT * trace) * SLACK


def _repair(Z: Floats, B: Floats) -> Floats:
    """Return B, raised wherever B_ij B_ji is not surely at least Z_ij^2."""
    Z, B = np.abs((Z + Z.T) / 2), np.maximum(B, 0.0)
    middle = np.sqrt(B) * np.sqrt(B.T)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        raised = B * np.where(middle < Z, Z / middle, 1.0)
    usable = (middle > TINY) & np.isfinite(raised) & np.isfinite(raised.T)
    return np.asarray(np.where(usable, raised, np.maximum(B, Z)) * (1.0 + 16.0 * UNIT) + TINY)


def _bound_rows(Z: Floats, B: Floats, s: Floats, mu: float, most: int) -> float:
    """Return the largest of Z_ii + s_i - mu + the most - 1 largest of (B_ij + s_j - mu)_+, rounded up."""
    n = len(Z)
    worth = np.maximum(B + s - mu, 0.0)
    np.fill_diagonal(worth, 0.0)
    chosen = np.sort(worth, axis=1)[:, n - min(most, n) + 1 :]
    rows = Z.diagonal() + s - mu + chosen.sum(axis=1)
    largest = np.abs(Z.diagonal()).max() + s.max() + mu + B.max(axis=1)
    return float((rows + (n + 8) * UNIT * (chosen.sum(axis=1) + most * largest) * SLACK).max())
