"""Generalised power method, single component (Journee, Nesterov, Richtarik and Sepulchre 2010)."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_choice, check_count
from jacobeig._types import Floats
from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.comparison.baselines._starts import choose_best
from jacobeig.refinement.power import deflated_components
from jacobeig.refinement.support import refit

__all__ = ["gpower"]


def gpower(
    matrix: Any, n_components: int, max_nonzeros: int, *, penalty: str = "l0", n_bisections: int = 40
) -> BaselineResult:
    """Sparse components by maximising a convex, penalised variance, its penalty found by bisection.

    Some cardinalities are reached by no penalty; the component then has fewer nonzeros than allowed. Values are
    refitted on the support that the penalty chose. Components are removed by projection, the method's own deflation.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real, positive semidefinite: a shift would change what the penalty means.
    n_components, max_nonzeros : int
        Number of components, and the largest number of nonzeros of each.
    penalty : {"l0", "l1"}
        On the number of nonzeros or on the sum of magnitudes.
    n_bisections : int
        Steps of the search for the penalty of each component.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import gpower
    >>> S = np.array([[3.0, 0.2, 1.0], [0.2, 1.0, 0.1], [1.0, 0.1, 2.0]])
    >>> gpower(S, 1, 2, penalty="l1").vectors.toarray().ravel().round(3)
    array([0.851, 0.   , 0.526])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    check_choice("penalty", penalty, ("l0", "l1"))
    n_bisections = check_count("n_bisections", n_bisections, 1)
    problem.need_semidefinite("gpower")
    started = perf_counter()

    def solve(S: Floats, _: int) -> Floats:
        return _search_penalty(S, problem.max_nonzeros, penalty, n_bisections)

    V = deflated_components(problem.matrix, problem.n_components, solve)
    short = int(np.sum(np.count_nonzero(V, axis=0) < problem.max_nonzeros))
    status = f"{short} components have fewer nonzeros than allowed: no penalty gives more." if short else ""
    return record("gpower", problem, V, started, status or "Every component has the nonzeros that were asked for.")


def _search_penalty(S: Floats, nonzeros: int, penalty: str, n_bisections: int) -> Floats:
    """Best component with at most so many nonzeros among those on the bisection's path."""
    largest = float(S.diagonal().max())
    low, high = 0.0, np.sqrt(largest) if penalty == "l1" else largest
    # The largest diagonal entry alone is what the largest penalty leaves.
    found = [np.eye(1, S.shape[0], int(S.diagonal().argmax()))[0]]
    for _ in range(n_bisections):
        gamma = (low + high) / 2
        support = np.flatnonzero(_ascend(S, gamma, penalty))
        if support.size > nonzeros:
            low = gamma
            continue
        high = gamma
        if support.size:
            found.append(refit(S, support))
        if support.size == nonzeros:
            break
    return choose_best(S, found)


def _ascend(S: Floats, gamma: float, penalty: str, n_iterations: int = 1000) -> Floats:
    """Run the power step for one penalty; all in terms of S, for the data enter only through S = A^T A."""
    peak = int(S.diagonal().argmax())
    scores = S[peak] / np.sqrt(max(S[peak, peak], 1e-300))
    value = -np.inf
    for _ in range(n_iterations):
        excess = np.abs(scores) - gamma if penalty == "l1" else scores**2 - gamma
        t = np.where(excess > 0, np.copysign(excess, scores) if penalty == "l1" else scores, 0.0)
        previous, value = value, float(np.sum(np.maximum(excess, 0.0) ** (2 if penalty == "l1" else 1)))
        support = np.flatnonzero(t)
        if support.size == 0 or value <= previous * (1 + 1e-9):
            break
        image = t[support] @ S[support]
        scores = image / np.sqrt(max(float(image @ t), 1e-300))
    return t
