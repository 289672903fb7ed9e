"""Propositions 3, 4 and 5 of the paper as functions, with its slips corrected."""

import math

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError

__all__ = ["DELTA", "expected_fill", "gain_lower_bound", "rotations_covered", "trace_lower_bound"]

# 1 / golden ratio: the constant delta of Propositions 3 and 4.
DELTA = 2.0 / (1.0 + math.sqrt(5.0))


def _find_ends(eigenvalues: ArrayLike) -> tuple[float, float]:
    values = np.asarray(eigenvalues, dtype=float)
    largest, smallest = float(values.max()), float(values.min())
    if smallest <= 0.0:
        raise InvalidInputError(
            f"the smallest eigenvalue is {smallest:g}; the bounds are for positive definite matrices."
        )
    return largest, smallest


def gain_lower_bound(eigenvalues: ArrayLike) -> float:
    """Return Proposition 3's lower bound delta lambda_n / kappa of a gain.

    It holds, for weights of one, for pairs of a vector and another coordinate (i <= p < j) whose off-diagonal entry is
    at least the smallest eigenvalue in absolute value.

    Parameters
    ----------
    eigenvalues : array_like
        The spectrum, or its two ends, of a positive definite matrix.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> from jacobeig.results.bounds import gain_lower_bound
    >>> round(gain_lower_bound([4.0, 2.0]), 3)
    0.618
    """
    largest, smallest = _find_ends(eigenvalues)
    return DELTA * smallest * smallest / largest


def trace_lower_bound(trace: float, n_rotations: int, n: int, n_components: int, eigenvalues: ArrayLike) -> float:
    """Return Proposition 4's lower bound (1 + delta / (p n kappa^2))^k tr(A S) of the captured trace.

    Parameters
    ----------
    trace : float
        Trace captured by the start.
    n_rotations : int
        Number k of rotations, each on a pair as in `gain_lower_bound`.
    n, n_components : int
        Order of the matrix, number p of vectors.
    eigenvalues : array_like
        As for `gain_lower_bound`.

    Returns
    -------
    float
        What the trace is after `n_rotations`, at least.

    Examples
    --------
    >>> from jacobeig.results.bounds import trace_lower_bound
    >>> trace_lower_bound(3.0, 0, 10, 2, [4.0, 2.0])
    3.0
    """
    return trace * math.exp(n_rotations * _measure_growth(n, n_components, eigenvalues))


def rotations_covered(trace: float, n: int, n_components: int, eigenvalues: ArrayLike) -> int:
    """Return the largest k that Proposition 4 can hold for, because the trace cannot pass the sum of p eigenvalues.

    Parameters
    ----------
    trace : float
        Trace captured by the start.
    n, n_components : int
        Order of the matrix, number p of vectors.
    eigenvalues : array_like (n,)
        The whole spectrum of a positive definite matrix.

    Returns
    -------
    int
        The number of rotations.

    Examples
    --------
    >>> from jacobeig.results.bounds import rotations_covered
    >>> rotations_covered(3.0, 2, 1, [4.0, 2.0])
    3
    """
    best = float(np.sort(np.asarray(eigenvalues, dtype=float))[::-1][:n_components].sum())
    return max(0, math.floor(math.log(best / trace) / _measure_growth(n, n_components, eigenvalues)))


def _measure_growth(n: int, n_components: int, eigenvalues: ArrayLike) -> float:
    largest, smallest = _find_ends(eigenvalues)
    return math.log1p(DELTA * smallest * smallest / (n_components * n * largest * largest))


def expected_fill(n: int, n_rotations: int | ArrayLike) -> FloatArray:
    """Return Proposition 5's expected fraction of nonzero off-diagonal entries of a randomly rotated diagonal matrix.

    The recurrence of its proof, p' = p + 4 (n - 2) / (n (n - 1)) p (1 - p) + 2 (1 - p) / (n (n - 1)), is followed
    exactly; its solution is the sigmoid that the proposition states.

    Parameters
    ----------
    n : int
        Order of the matrix, at least 2.
    n_rotations : int or array_like of int
        After how many rotations.

    Returns
    -------
    ndarray
        Fractions between 0 and 1, one for each number of rotations.

    Examples
    --------
    >>> from jacobeig.results.bounds import expected_fill
    >>> expected_fill(64, [0, 64, 640]).round(3)
    array([0.   , 0.273, 1.   ])
    """
    steps = np.atleast_1d(np.asarray(n_rotations))
    fill = np.zeros(int(steps.max(initial=0)) + 1)
    for q in range(len(fill) - 1):
        p = fill[q]
        fill[q + 1] = p + 4.0 * (n - 2) / (n * (n - 1)) * p * (1.0 - p) + 2.0 * (1.0 - p) / (n * (n - 1))
    return np.asarray(fill[steps])
