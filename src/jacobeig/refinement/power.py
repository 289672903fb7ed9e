"""Truncated power iteration, swaps of single coordinates, and several components by deflation.

References
----------
X.-T. Yuan and T. Zhang, "Truncated power method for sparse eigenvalue problems", Journal of Machine Learning Research
14, 2013.

A. Beck and Y. Vaisbourd, "The sparse principal component analysis problem: optimality conditions and algorithms",
Journal of Optimization Theory and Applications 170, 2016 (the swaps).

L. Mackey, "Deflation methods for sparse PCA", Advances in Neural Information Processing Systems 21, 2008.
"""

from collections.abc import Callable

import numpy as np

from jacobeig._kernels.swaps import find_swap
from jacobeig._types import Floats, Integers
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement.spectrum import leading_eigenvectors, psd_shift
from jacobeig.refinement.support import keep_vector, refit, split_budget

__all__ = ["ascend", "find_by_deflation", "power_ascent", "project_out", "swap_ascent", "truncated_power"]

SOLVED = 1e-10  # relative rise below which a swap is rounding


def project_out(S: Floats, x: Floats) -> Floats:
    """Projection deflation: S seen from the orthogonal complement of a unit vector."""
    Sx = S @ x
    deflated = S - np.outer(x, Sx) - np.outer(Sx, x)
    deflated += (x @ Sx) * np.outer(x, x)
    return deflated


def power_ascent(S: Floats, x: Floats, nonzeros: int, shift: float = 0.0, n_iterations: int = 300) -> Floats:
    """Multiply, keep the largest entries, normalise, until the value settles (truncated power iteration).

    Never descends when S + shift I is positive semidefinite.
    """
    return ascend(lambda x, support: x[support] @ S[support] + shift * x, x, nonzeros, n_iterations)


def ascend(multiply: Callable[[Floats, Integers], Floats], x: Floats, nonzeros: int, n_iterations: int) -> Floats:
    """Run the same iteration with any product: `multiply` is given a vector and its support."""
    x = keep_vector(x, nonzeros)
    x, value = x / np.linalg.norm(x), -np.inf
    for _ in range(n_iterations):
        y = multiply(x, np.flatnonzero(x))
        previous, value = value, float(np.vdot(x, y).real)
        if value - previous <= SOLVED * abs(value) or not y.any():
            break
        x = keep_vector(y, nonzeros)
        x /= np.linalg.norm(x)
    return x


def swap_ascent(S: Floats, x: Floats, *, first: bool = True) -> Floats:
    """Exchange coordinates, refitting after each swap, until no single swap raises the Rayleigh quotient.

    `first` takes the first improving swap, leaving from the smallest entry up (PCW); otherwise the best one (GCW).
    """
    x = refit(S, np.flatnonzero(x), x)
    for _ in range(10 * x.size):  # every swap rises, so this ends anyway; rounding might not agree
        g = S @ x
        support = np.flatnonzero(x)
        leaving = support[np.argsort(np.abs(x[support]), kind="stable")]
        i, j, _ = find_swap(S, x, g, leaving, SOLVED * abs(float(x @ g)), first)
        if i < 0:
            break
        guess = x.copy()
        guess[j] = np.copysign(x[i], x[i] * (g[j] - x[i] * S[i, j]))
        guess[i] = 0.0
        x = refit(S, np.flatnonzero(guess), guess)
    return x


def find_by_deflation(
    S: Floats,
    n_components: int,
    solve: Callable[[Floats, int], Floats],
    deflate: Callable[[Floats, Floats], Floats] | None = None,
) -> Floats:
    """One component after another: ``solve(deflated matrix, component)`` gives a unit vector, which is then removed.

    ``deflate(matrix, found)`` removes the last column of those found so far; projection unless said otherwise.
    """
    V = np.zeros((S.shape[0], n_components))
    for t in range(n_components):
        V[:, t] = solve(S, t)
        if t + 1 < n_components:
            S = project_out(S, V[:, t]) if deflate is None else deflate(S, V[:, : t + 1])
    return V


def truncated_power(
    S: Floats, n_components: int, nonzeros: int, top: Floats | None = None, clock: Clock = NO_LIMIT
) -> Floats:
    """Sparse components one by one, by truncated power iteration with swaps and projection deflation.

    `top` are the leading eigenvectors when they are known already: each component starts from the direction that is
    best among them after deflation.
    """
    top = leading_eigenvectors(S, n_components) if top is None else top
    budgets = split_budget(nonzeros, n_components, S.shape[0])
    shift = psd_shift(S)  # projection never lowers the least eigenvalue below min(0, its value before)

    def solve(deflated: Floats, t: int) -> Floats:
        small = top.T @ deflated @ top
        start = top @ np.linalg.eigh(small)[1][:, -1]
        if clock.expired:
            return keep_vector(start, int(budgets[t]))
        return swap_ascent(deflated, power_ascent(deflated, start, int(budgets[t]), shift))

    return find_by_deflation(S, n_components, solve)
