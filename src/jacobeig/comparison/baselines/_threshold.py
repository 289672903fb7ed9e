"""Eigenvectors cut to their largest entries, as they are or after a varimax rotation."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.refinement import spectrum
from jacobeig.refinement.support import keep_per_column

__all__ = ["threshold", "varimax_threshold"]


def threshold(matrix: Any, n_components: int, max_nonzeros: int) -> BaselineResult:
    """Leading eigenvectors, the largest entries of each kept.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import threshold
    >>> threshold(np.diag([1.0, 2.0, 3.0]) + 0.5, 1, 1).eigenvalues
    array([3.5])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    started = perf_counter()
    top = spectrum.leading_eigenvectors(problem.matrix, problem.n_components)
    V = keep_per_column(top, np.full(problem.n_components, problem.max_nonzeros))
    return record("threshold", problem, V, started, "Eigenvectors cut to their largest entries.")


def varimax_threshold(matrix: Any, n_components: int, max_nonzeros: int) -> BaselineResult:
    """Leading eigenvectors rotated by varimax, the largest entries of each kept.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import varimax_threshold
    >>> S = np.kron(np.eye(2), np.ones((2, 2)))
    >>> varimax_threshold(S, 2, 2).eigenvalues.round(12)
    array([2., 2.])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    started = perf_counter()
    nonzeros = problem.n_components * problem.max_nonzeros
    V = spectrum.varimax_threshold(problem.matrix, problem.n_components, nonzeros)
    return record("varimax_threshold", problem, V, started, "Rotated eigenvectors cut to their largest entries.")
