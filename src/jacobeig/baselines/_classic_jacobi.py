"""Jacobi's method of 1846, stopped by sparsity."""

import math
from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._kernels.classic import classic_rotations
from jacobeig.baselines._problem import check_count, standardise
from jacobeig.baselines._record import BaselineResult, record

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
    >>> from jacobeig.baselines import classic_jacobi
    >>> S = np.kron(np.eye(2), np.ones((2, 2))) + np.diag([0.3, 0.2, 0.1, 0.0])
    >>> classic_jacobi(S, 2, 2).eigenvalues.round(4)
    array([2.2512, 2.0512])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    n = problem.n
    default = 20 * n * max(1, math.ceil(math.log2(n)))
    limit = default if n_rotations is None else check_count("n_rotations", n_rotations, 0)
    started = perf_counter()
    S, Ut, support = problem.matrix.copy(), np.eye(n), np.eye(n, dtype=np.bool_)
    done = classic_rotations(S, Ut, support, problem.max_nonzeros, limit)
    best = np.argsort(-S.diagonal(), kind="stable")[: problem.n_components]
    why = "the limit" if done == limit else "no sparse pair is left"
    return record("classic_jacobi", problem, Ut[best].T, started, f"Stopped after {done} rotations: {why}.")
