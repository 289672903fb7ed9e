"""Adapter for SparsePCA of abess."""

from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_count
from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.errors import MissingExtraError

__all__ = ["abess_spca"]


def abess_spca(matrix: Any, n_components: int, max_nonzeros: int, *, n_exchanges: int = 5) -> BaselineResult:
    """Sparse components by best-subset selection with splicing, as abess does it.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real, positive semidefinite.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each.
    n_exchanges : int
        Largest number of features that one splicing step exchanges.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import abess_spca
    >>> S = np.diag([1.0, 2.0, 3.0]) + 0.5
    >>> abess_spca(S, 1, 2).eigenvalues.round(4)
    array([3.7071])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    n_exchanges = check_count("n_exchanges", n_exchanges, 1)
    problem.need_semidefinite("abess_spca")
    try:
        decomposition = import_module("abess.decomposition")
    except ImportError as error:
        raise MissingExtraError("abess", "baselines") from error
    started = perf_counter()
    budgets = np.zeros((problem.n, problem.n_components), dtype=int)  # abess wants a table of sizes by component
    budgets[problem.max_nonzeros - 1] = 1
    model = decomposition.SparsePCA(support_size=budgets, exchange_num=n_exchanges)
    model.fit(Sigma=problem.matrix, number=problem.n_components)
    V = np.asarray(model.coef_, dtype=np.float64).reshape(problem.n, problem.n_components)
    return record("abess_spca", problem, V, started, "Splicing ended for every component.")
