"""Full principal components: the reference that no sparse method can pass."""

from time import perf_counter
from typing import Any

from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.refinement.spectrum import leading_eigenvectors

__all__ = ["pca"]


def pca(matrix: Any, n_components: int, max_nonzeros: int | None = None) -> BaselineResult:
    """Leading eigenvectors, dense whatever `max_nonzeros` says.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric.
    n_components : int
        Number of eigenvectors.
    max_nonzeros : int, optional
        Not used; it is here so that all methods can be called alike.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> from jacobeig.comparison.baselines import pca
    >>> pca([[2.0, 1.0], [1.0, 2.0]], 1).eigenvalues.round(12)
    array([3.])
    """
    problem = standardise(matrix, n_components, 1 if max_nonzeros is None else max_nonzeros)
    started = perf_counter()
    V = leading_eigenvectors(problem.matrix, problem.n_components)
    return record("pca", problem, V, started, "Exact eigenvectors, not sparse.")
