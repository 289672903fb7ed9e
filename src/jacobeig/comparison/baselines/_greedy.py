"""Forward greedy selection (Moghaddam et al. 2006) and its approximate path (d'Aspremont et al. 2008)."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_choice, check_count
from jacobeig._kernels.greedy import best_addition
from jacobeig._types import Floats, Indices
from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.comparison.baselines._starts import choose_best
from jacobeig.comparison.baselines.deflation import DEFLATIONS
from jacobeig.refinement.power import deflated_components
from jacobeig.refinement.support import refit

__all__ = ["greedy"]


def greedy(
    matrix: Any,
    n_components: int,
    max_nonzeros: int,
    *,
    rule: str = "forward",
    n_seeds: int = 3,
    deflation: str = "projection",
) -> BaselineResult:
    """Sparse components built up one feature at a time.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric, definite or not.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each.
    rule : {"forward", "path"}
        Add the feature that raises the leading eigenvalue most, found exactly through a secular equation; or, cheaper,
        the one most correlated with the present component (PathSPCA).
    n_seeds : int
        Runs for each component: from the best pair, then from the features of largest diagonal entry. Equal diagonal
        entries make the first pick arbitrary, so one seed can be poor.
    deflation : str
        A name in `jacobeig.baselines.deflation.DEFLATIONS`.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import greedy
    >>> S = np.diag([1.0, 2.0, 3.0]) + 0.5
    >>> greedy(S, 1, 2).eigenvalues.round(4)
    array([3.7071])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    add = {"forward": _add_exactly, "path": _add_correlated}[check_choice("rule", rule, ("forward", "path"))]
    n_seeds = check_count("n_seeds", n_seeds, 1)
    deflate = DEFLATIONS[check_choice("deflation", deflation, DEFLATIONS)]
    started = perf_counter()

    def solve(S: Floats, _: int) -> Floats:
        found = []
        for seed in _seeds(S, n_seeds, problem.max_nonzeros):
            support = seed
            while support.size < problem.max_nonzeros:
                support = np.append(support, add(S, support))
            found.append(refit(S, support))
        return choose_best(S, found)

    V = deflated_components(problem.matrix, problem.n_components, solve, deflate)
    return record("greedy", problem, V, started, "Every support was built up to its size.")


def _seeds(S: Floats, n_seeds: int, max_nonzeros: int) -> list[Indices]:
    """Best pair, then single features by their diagonal entries."""
    singles = [np.array([j]) for j in np.argsort(-S.diagonal(), kind="stable")[:n_seeds]]
    if max_nonzeros == 1 or S.shape[0] == 1:
        return singles
    a, b = S.diagonal()[:, None], S.diagonal()[None, :]
    pairs = (a + b) / 2 + np.sqrt(((a - b) / 2) ** 2 + S**2)
    np.fill_diagonal(pairs, -np.inf)
    best = np.array(np.unravel_index(int(pairs.argmax()), pairs.shape))
    return [best, *singles][:n_seeds]


def _add_exactly(S: Floats, support: Indices) -> int:
    values, V = np.linalg.eigh(S[np.ix_(support, support)])
    inside = np.zeros(S.shape[0], np.bool_)
    inside[support] = True
    couplings = (S[:, support] @ V) ** 2
    return int(best_addition(values, couplings, np.ascontiguousarray(S.diagonal()), inside)[0])


def _add_correlated(S: Floats, support: Indices) -> int:
    correlation = np.abs(S @ refit(S, support))
    correlation[support] = -1.0
    return int(correlation.argmax())
