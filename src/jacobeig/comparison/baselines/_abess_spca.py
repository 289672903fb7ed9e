"""Adapter for SparsePCA of abess."""

from importlib import import_module

import numpy as np

from jacobeig._arguments import check_count, largest_absolute
from jacobeig._types import Floats
from jacobeig.comparison.baselines._method import Found, Task, baseline

ROUNDING = 1e-14  # of the largest entry, for each feature


@baseline(semidefinite=True, needs="abess.decomposition")
def abess_spca(task: Task, *, n_exchanges: int = 5) -> Found:
    """Sparse components of a positive semidefinite matrix by best-subset selection with splicing, as abess does it.

    %(asked)s
    n_exchanges : int
        Largest number of features that one splicing step exchanges.
    %(returned)s

    References
    ----------
    J. Zhu, C. Wen, J. Zhu, H. Zhang and X. Wang, "A polynomial algorithm for best-subset selection problem",
    Proceedings of the National Academy of Sciences 117, 2020.

    %(example)s
    """
    n_exchanges = check_count("n_exchanges", n_exchanges, 1)
    budgets = np.zeros((task.n, task.n_components), dtype=int)  # abess wants a table of sizes by component
    budgets[task.max_nonzeros - 1] = 1
    model = import_module("abess.decomposition").SparsePCA(support_size=budgets, exchange_num=n_exchanges)
    model.fit(Sigma=_lift(task.matrix), number=task.n_components)
    V = np.asarray(model.coef_, dtype=np.float64).reshape(task.n, task.n_components)
    return Found(V, "Splicing ended for every component.")


def _lift(S: Floats) -> Floats:
    """Return S, shifted if it is singular: abess refuses negative eigenvalues, rounding included.

    A shift changes no maximiser.
    """
    lift = ROUNDING * len(S) * largest_absolute(S)
    return S if np.linalg.eigvalsh(S)[0] > lift else S + 2 * lift * np.eye(len(S))
