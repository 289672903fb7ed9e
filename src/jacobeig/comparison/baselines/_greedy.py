"""Features added one at a time, exactly or by correlation."""

import numpy as np

from jacobeig._arguments import check_choice, check_count
from jacobeig._kernels.greedy import find_addition
from jacobeig._types import Floats, Indices
from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.comparison.baselines._starts import choose_best
from jacobeig.refinement.support import refit


@baseline()
def greedy(task: Task, *, rule: str = "forward", n_seeds: int = 3, deflation: str = "projection") -> Found:
    """Sparse components built up one feature at a time.

    %(asked)s
    rule : {"forward", "path"}
        Add the feature that raises the leading eigenvalue most, found exactly through a secular equation; or, cheaper,
        the one most correlated with the present component (PathSPCA).
    n_seeds : int
        Runs for each component: from the best pair, then from the features of largest diagonal entry. Equal diagonal
        entries make the first pick arbitrary, so one seed can be poor.
    %(returned)s

    References
    ----------
    B. Moghaddam, Y. Weiss and S. Avidan, "Spectral bounds for sparse PCA: exact and greedy algorithms", Advances in
    Neural Information Processing Systems 18, 2006.

    A. d'Aspremont, F. Bach and L. El Ghaoui, "Optimal solutions for sparse principal component analysis", Journal of
    Machine Learning Research 9, 2008.

    %(example)s
    """
    add = {"forward": _add_exactly, "path": _add_correlated}[check_choice("rule", rule, ("forward", "path"))]
    n_seeds = check_count("n_seeds", n_seeds, 1)

    def find(S: Floats) -> Floats:
        found = []
        for support in _choose_seeds(S, n_seeds, task.max_nonzeros):
            while support.size < task.max_nonzeros:
                support = np.append(support, add(S, support))
            found.append(refit(S, support))
        return choose_best(S, found)

    return Found(task.find_in_turn(find, deflation), "Every support was built up to its size.")


def _choose_seeds(S: Floats, n_seeds: int, max_nonzeros: int) -> list[Indices]:
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
    return int(find_addition(values, couplings, np.ascontiguousarray(S.diagonal()), inside)[0])


def _add_correlated(S: Floats, support: Indices) -> int:
    correlation = np.abs(S @ refit(S, support))
    correlation[support] = -1.0
    return int(correlation.argmax())
