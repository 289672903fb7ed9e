"""Search for covers: matrices Q >= 0 that prove a bound by cases (see `_cases`), by smoothed quasi-Newton steps."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from jacobeig._types import Floats, Indices
from jacobeig.refinement._clock import Clock

# The width of the smoothing, relative to the largest eigenvalue, from stage to stage: chosen on pitprops, where 1e-3
# leaves less than 0.1% and narrower ones bring nothing at the root; single cases need to be exact.
WIDTHS = (0.03, 0.01, 0.003, 0.001)
CASE_WIDTHS = (0.02, 0.003, 5e-4, 5e-5)
STEPS = 60  # of L-BFGS in a stage
FEWEST, MOST = 200, 800  # supports that a stage looks at: the best ones
WITHIN = 20.0  # widths from the best support, beyond which one weighs nothing


class Cover(NamedTuple):
    """A bound, and the cover and the prices that prove it."""

    bound: float
    Q: Floats
    s: Floats


def take_blocks(M: Floats, supports: Indices) -> Floats:
    """Return the blocks of a matrix on supports of equal size."""
    return np.asarray(M[supports[:, :, np.newaxis], supports[:, np.newaxis, :]])


def measure_supports(S: Floats, supports: Indices, Q: Floats, s: Floats) -> Floats:
    """Return the largest eigenvalue of S - Q on every support, plus its prices."""
    return np.asarray(np.linalg.eigvalsh(take_blocks(S - Q, supports))[:, -1] + s[supports].sum(axis=1))


def improve_cover(S: Floats, p: int, supports: Indices, Q: Floats, s: Floats, clock: Clock) -> Cover:
    """Return a cover for all supports at once, better than the one given if that can be."""
    best, n = _weigh(S, p, supports, Q, s), len(S)
    size = float(np.abs(np.linalg.eigvalsh(S)).max())
    # Q = L L^T and s = r^2 need no constraints; zero would be a point that no step leaves.
    values, vectors = np.linalg.eigh(Q)
    x = np.concatenate([(vectors * np.sqrt(np.maximum(values, 1e-6 * size))).ravel(), np.sqrt(s + 1e-6 * size)])
    for width in WIDTHS:
        if clock.expired:
            break
        Q, s = _unpack(x, n)
        worth = measure_supports(S, supports, Q, s)
        count = min(max(FEWEST, int((worth > worth.max() - WITHIN * width * size).sum())), MOST)
        near = supports[np.argsort(-worth)[:count]]
        x = minimize(_smooth, x, (S, p, near, width * size), "L-BFGS-B", jac=True, options={"maxiter": STEPS}).x
        best = min(best, _weigh(S, p, supports, *_unpack(x, n)), key=lambda cover: cover.bound)
    return best


def _unpack(x: Floats, n: int) -> tuple[Floats, Floats]:
    L = x[: n * n].reshape(n, n)
    return L @ L.T, x[n * n :] ** 2


def _weigh(S: Floats, p: int, supports: Indices, Q: Floats, s: Floats) -> Cover:
    bound = np.maximum(Q.diagonal() - s, 0.0).sum() + p * measure_supports(S, supports, Q, s).max()
    return Cover(float(bound), Q, s)


def _smooth(x: Floats, S: Floats, p: int, supports: Indices, width: float) -> tuple[float, Floats]:
    """Return the bound with its maxima smoothed, and its gradient by L and r."""
    n = len(S)
    L, (Q, s) = x[: n * n].reshape(n, n), _unpack(x, n)
    values, vectors = np.linalg.eigh(take_blocks(S - Q, supports))
    worth, leading = values[:, -1] + s[supports].sum(axis=1), vectors[:, :, -1]
    weights = np.exp((worth - worth.max()) / width)
    total = worth.max() + width * np.log(weights.sum())
    weights *= p / weights.sum()
    excess = Q.diagonal() - s
    shares = expit(excess / width)
    by_Q, by_s = np.diag(shares), -shares
    pulls = weights[:, np.newaxis, np.newaxis] * leading[:, :, np.newaxis] * leading[:, np.newaxis, :]
    np.subtract.at(by_Q, (supports[:, :, np.newaxis], supports[:, np.newaxis, :]), pulls)
    np.add.at(by_s, supports, np.broadcast_to(weights[:, np.newaxis], supports.shape))
    value = p * total + width * np.logaddexp(0.0, excess / width).sum()
    return float(value), np.concatenate([(2.0 * by_Q @ L).ravel(), 2.0 * x[n * n :] * by_s])


def cover_case(S: Floats, case: Indices) -> Cover:
    """Return the cover that proves the least bound for one choice of supports, the rows of `case`."""
    union, places = np.unique(case, return_inverse=True)
    places, block = places.reshape(case.shape), S[np.ix_(union, union)]
    p, m = len(case), len(union)
    values, vectors = np.linalg.eigh(block)
    size = max(float(np.abs(values).max()), np.finfo(float).tiny)
    # Start from the cover of Ky Fan's bound on the union.
    level = values[-p - 1] if m > p else values[0]
    x, zero = (vectors * np.sqrt(np.maximum(values - level, 1e-3 * size))).ravel(), np.zeros(m)
    best = Cover(np.inf, np.zeros((m, m)), zero)
    for width in CASE_WIDTHS:
        x = minimize(_smooth_case, x, (block, places, width * size), "L-BFGS-B", jac=True, options={"maxiter": STEPS}).x
        Q = x.reshape(m, m) @ x.reshape(m, m).T
        bound = float(np.trace(Q) + measure_supports(block, places, Q, zero).sum())
        best = min(best, Cover(bound, Q, zero), key=lambda cover: cover.bound)
    whole = np.zeros_like(S)
    whole[np.ix_(union, union)] = best.Q
    return best._replace(Q=whole)


def _smooth_case(x: Floats, S: Floats, case: Indices, width: float) -> tuple[float, Floats]:
    """Return the bound of one case with its eigenvalues smoothed, and its gradient by L."""
    L = x.reshape(S.shape)
    Q = L @ L.T
    values, vectors = np.linalg.eigh(take_blocks(S - Q, case))
    weights = np.exp((values - values[:, -1:]) / width)
    sums = weights.sum(axis=1)
    total = np.trace(Q) + (values[:, -1] + width * np.log(sums)).sum()
    slope = np.eye(len(S))
    pulls = (vectors * (weights / sums[:, np.newaxis])[:, np.newaxis, :]) @ vectors.transpose(0, 2, 1)
    np.subtract.at(slope, (case[:, :, np.newaxis], case[:, np.newaxis, :]), pulls)
    return float(total), (2.0 * slope @ L).ravel()
