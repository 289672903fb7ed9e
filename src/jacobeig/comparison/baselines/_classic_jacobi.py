"""Jacobi's method of 1846, stopped by sparsity."""

import numpy as np

from jacobeig._arguments import check_count
from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.results.result import Status
from jacobeig.solve import sparse_eigsh


@baseline()
def classic_jacobi(task: Task, *, n_rotations: int | None = None) -> Found:
    """Orthonormal components by rotations of the largest off-diagonal entry, among all pairs that stay sparse.

    The components are the vectors with the largest diagonal entries when no such pair is left. No vector has more than
    `max_nonzeros` nonzeros on the way.

    %(asked)s
    n_rotations : int, optional
        Largest number of rotations; ``20 n log2(n)`` when not given.
    %(returned)s

    References
    ----------
    C. G. J. Jacobi, "Über ein leichtes Verfahren, die in der Theorie der Säcularstörungen vorkommenden Gleichungen
    numerisch aufzulösen", Journal für die reine und angewandte Mathematik 30, 1846.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import classic_jacobi
    >>> S = np.kron(np.eye(2), np.ones((2, 2))) + np.diag([0.3, 0.2, 0.1, 0.0])
    >>> classic_jacobi(S, 2, 2).eigenvalues.round(4)
    array([2.2512, 2.0512])
    """
    limit = None if n_rotations is None else check_count("n_rotations", n_rotations, 0)
    if task.n == 1:
        return Found(np.ones((1, 1)), "Stopped after 0 rotations: there is no pair.")
    result = sparse_eigsh(
        task.matrix, task.n_components, pivot="classic", max_nonzeros=task.max_nonzeros, n_rotations=limit
    )
    why = "the limit" if result.status is Status.ROTATIONS else "no sparse pair is left"
    return Found(result.vectors.toarray(), f"Stopped after {result.n_rotations} rotations: {why}.")
