"""Jacobi's method of 1846, stopped by sparsity."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_count
from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.results.result import Status
from jacobeig.solve import sparse_eigsh

__all__ = ["classic_jacobi"]


def classic_jacobi(
    matrix: Any, n_components: int, max_nonzeros: int, *, n_rotations: int | None = None
) -> BaselineResult:
    """Orthonormal components by rotations of the largest off-diagonal entry, among all pairs that stay sparse.

    The components are the vectors with the largest diagonal entries when no such pair is left.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric, definite or not.
    n_components, max_nonzeros : int
        Number of components, and the largest number of nonzeros that any vector may have on the way.
    n_rotations : int, optional
        Largest number of rotations; ``20 n log2(n)`` when not given.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import classic_jacobi
    >>> S = np.kron(np.eye(2), np.ones((2, 2))) + np.diag([0.3, 0.2, 0.1, 0.0])
    >>> classic_jacobi(S, 2, 2).eigenvalues.round(4)
    array([2.2512, 2.0512])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    limit = None if n_rotations is None else check_count("n_rotations", n_rotations, 0)
    started = perf_counter()
    if problem.n == 1:  # nothing to rotate
        return record(
            "classic_jacobi", problem, np.ones((1, 1)), started, "Stopped after 0 rotations: there is no pair."
        )
    result = sparse_eigsh(
        problem.matrix,
        problem.n_components,
        pivot="classic",
        max_nonzeros=problem.max_nonzeros,
        n_rotations=limit,
    )
    V = result.vectors.toarray()
    why = "the limit" if result.status is Status.ROTATIONS else "no sparse pair is left"
    return record("classic_jacobi", problem, V, started, f"Stopped after {result.n_rotations} rotations: {why}.")
