"""From the state of a search to a bound: the search's own evaluation, quick and without a margin for rounding."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from jacobeig._types import Floats
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers

SMALLEST = 1e-290  # keeps zero out of a division, and the quotient finite


class Settled(NamedTuple):
    """A bound and the multipliers that prove it."""

    bound: float
    multipliers: Multipliers


def settle(S: Floats, budgets: Budgets, found: Multipliers) -> Settled:
    """Return the best bound that Z, B, Q, s and mu give: nu is chosen, B raised and Q completed where they must be.

    The diagonal of Z is chosen so that all rows are worth the same, namely nothing: a row below the others has room
    that costs nothing, and an average of the rows is less than their maximum, which the iterates overshoot.
    """
    B, Z = (found.B, found.Z) if budgets.free else (_raise_pairs(found.Z, found.B), found.Z.copy())
    if not budgets.free:
        np.fill_diagonal(Z, 0.0)
        np.fill_diagonal(Z, -_measure_rows(Z, B, found.s, found.mu, budgets.max_nonzeros))
    return _choose_shift(S, budgets, replace(found, Z=Z, B=B))


def settle_spectrum(S: Floats, budgets: Budgets) -> Settled:
    """Return Ky Fan's bound, the sum of the largest eigenvalues; for free bases, of those that are positive."""
    values, p = np.linalg.eigvalsh(S), budgets.n_components
    nu = max(float(values[-p]), 0.0) if budgets.free else float(values[-p])
    bound = p * nu + float(np.maximum(values - nu, 0.0).sum())
    return Settled(bound, Multipliers.trivial(len(S), nu))


def settle_union(S: Floats, budgets: Budgets) -> Settled:
    """Return the best bound without Z: the K largest variances of (S - nu I)_+, and p nu, for the best nu.

    One eigendecomposition; with nu the p-th eigenvalue and K the order it is Ky Fan's. It holds for all bases.
    """
    values, vectors = np.linalg.eigh(S)
    low = max(float(values[0]), 0.0) if budgets.free else float(values[0])
    return choose_union(budgets, values, vectors.T**2, low)


def choose_union(budgets: Budgets, values: Floats, squares: Floats, low: float) -> Settled:
    """Return that bound for given eigenvalues, and the squares of their vectors in rows; nu is at least `low`."""
    p, n = budgets.n_components, squares.shape[1]
    most = min(budgets.largest_union, n)

    def spread(nu: float) -> Floats:
        above = values > nu
        return np.asarray((values[above] - nu) @ squares[above])

    def measure(nu: float) -> float:
        return p * nu + float(np.partition(spread(nu), n - most)[n - most :].sum())

    high = max(float(values[-p]) if p <= len(values) else low, low)
    nu = min((low, _minimise(measure, low, high), high), key=measure)
    price = max(float(np.partition(spread(nu), n - most)[n - most]), 0.0) if most < n else 0.0
    mu = 0.0 if budgets.total_nonzeros is None else price
    found = replace(Multipliers.trivial(n, nu), s=np.full(n, price), mu=mu)
    return Settled(measure(nu), found)


def _choose_shift(S: Floats, budgets: Budgets, found: Multipliers) -> Settled:
    """Return the bound for the best nu, with a Q that covers the rest."""
    p = budgets.n_components
    cost = found.mu * (budgets.total_nonzeros or 0)
    if budgets.free:
        cost += p * float(_measure_rows(found.Z, found.B, found.s, found.mu, budgets.max_nonzeros).max())
    if found.Q is None:
        values = np.linalg.eigvalsh(S - found.Z)
        return Settled(float(values[-p:].sum()) + cost, replace(found, nu=float(values[-p])))
    values, vectors = np.linalg.eigh(S - found.Z - found.Q)
    squares, diagonal = vectors**2, found.Q.diagonal() - found.s

    def measure(nu: float) -> float:
        return float(p * nu + np.maximum(diagonal + squares @ np.maximum(values - nu, 0.0), 0.0).sum())

    low, high = float(values[max(-2 * p - 1, -len(values))]), float(values[-1])
    nu = _minimise(measure, max(low, 0.0), max(high, 0.0)) if budgets.free else _minimise(measure, low, high)
    above = vectors[:, values > nu]
    Q = found.Q + (above * (values[values > nu] - nu)) @ above.T
    return Settled(measure(nu) + cost, replace(found, nu=nu, Q=Q))


def _minimise(measure: Callable[[float], float], low: float, high: float) -> float:
    """Return where a convex function of one number is least, to about a millionth of the range."""
    if not high > low:
        return high
    unit = max(abs(low), abs(high))  # huge and tiny numbers would not survive the minimiser's products
    found = minimize_scalar(
        lambda x: measure(x * unit) / unit,
        bounds=(low / unit, high / unit),
        method="bounded",
        options={"xatol": 1e-6 * (high - low) / unit},
    )
    return float(found.x) * unit


def _raise_pairs(Z: Floats, B: Floats) -> Floats:
    """Return B with both entries of a pair raised by the same factor, so that their product is Z_ij^2 at least."""
    Z, middle = np.abs(Z), np.sqrt(B * B.T)
    factor = np.where(middle < Z, Z / np.maximum(middle, SMALLEST), 1.0)
    # Where one of the two is (almost) zero the factor would make the other huge.
    raised = np.where(middle > 1e-9 * Z, B * factor, np.maximum(B, Z))
    np.fill_diagonal(raised, 0.0)
    return np.asarray(raised)


def _measure_rows(Z: Floats, B: Floats, s: Floats, mu: float, most: int) -> Floats:
    """Return Z_ii + s_i - mu + the most - 1 largest of (B_ij + s_j - mu)_+ for each i."""
    n, rest = len(Z), min(most, len(Z)) - 1
    rows = Z.diagonal() + s - mu
    if rest == 0:
        return rows
    worth = np.maximum(B + (s - mu), 0.0)
    np.fill_diagonal(worth, 0.0)
    return np.asarray(rows + np.partition(worth, n - rest, axis=1)[:, n - rest :].sum(axis=1))
