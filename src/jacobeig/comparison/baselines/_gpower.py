"""Generalised power method, one component at a time."""

import numpy as np

from jacobeig._arguments import check_choice, check_count
from jacobeig._types import Floats
from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.comparison.baselines._starts import choose_best
from jacobeig.refinement.support import refit

# Relative rise of the objective at which the ascent stops. On digits, pitprops and a random matrix, at 3 and 8
# nonzeros, 1e-7 gave the same supports, and 1e-12 captured 0.4 points less and 0.9 more in two of twelve cases.
SETTLED = 1e-9
TINY = 1e-300  # keeps the scores of a zero matrix finite


@baseline(semidefinite=True)
def gpower(task: Task, *, penalty: str = "l0", n_bisections: int = 40) -> Found:
    """Sparse components by maximising a convex, penalised variance, its penalty found by bisection.

    The matrix must be positive semidefinite: a shift would change what the penalty means. Some cardinalities are
    reached by no penalty; the component then has fewer nonzeros than allowed. Values are refitted on the support that
    the penalty chose. Components are removed by projection, the method's own deflation.

    %(asked)s
    penalty : {"l0", "l1"}
        On the number of nonzeros or on the sum of magnitudes.
    n_bisections : int
        Steps of the search for the penalty of each component.
    %(returned)s

    References
    ----------
    M. Journée, Y. Nesterov, P. Richtárik and R. Sepulchre, "Generalized power method for sparse principal component
    analysis", Journal of Machine Learning Research 11, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import gpower
    >>> S = np.array([[3.0, 0.2, 1.0], [0.2, 1.0, 0.1], [1.0, 0.1, 2.0]])
    >>> gpower(S, 1, 2, penalty="l1").vectors.toarray().ravel().round(3)
    array([0.851, 0.   , 0.526])
    """
    check_choice("penalty", penalty, ("l0", "l1"))
    n_bisections = check_count("n_bisections", n_bisections, 1)
    V = task.find_in_turn(lambda S: _search_penalty(S, task.max_nonzeros, penalty, n_bisections))
    short = int(np.sum(np.count_nonzero(V, axis=0) < task.max_nonzeros))
    status = f"{short} components have fewer nonzeros than allowed: no penalty gives more." if short else ""
    return Found(V, status or "Every component has the nonzeros that were asked for.")


def _search_penalty(S: Floats, nonzeros: int, penalty: str, n_bisections: int) -> Floats:
    """Best component within the budget among those on the bisection's path."""
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
    scores = S[peak] / np.sqrt(max(S[peak, peak], TINY))
    value = -np.inf
    for _ in range(n_iterations):
        excess = np.abs(scores) - gamma if penalty == "l1" else scores**2 - gamma
        t = np.where(excess > 0, np.copysign(excess, scores) if penalty == "l1" else scores, 0.0)
        previous, value = value, float(np.sum(np.maximum(excess, 0.0) ** (2 if penalty == "l1" else 1)))
        support = np.flatnonzero(t)
        if support.size == 0 or value <= previous * (1 + SETTLED):
            break
        image = t[support] @ S[support]
        scores = image / np.sqrt(max(float(image @ t), TINY))
    return t
