"""Eigenvectors cut to their largest entries, as they are or after a varimax rotation."""

import numpy as np

from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.refinement import spectrum
from jacobeig.refinement.support import keep_per_column


@baseline()
def threshold(task: Task) -> Found:
    """Leading eigenvectors, the largest entries of each kept.

    %(asked)s
    %(returned)s

    References
    ----------
    J. Cadima and I. T. Jolliffe, "Loadings and correlations in the interpretation of principal components", Journal of
    Applied Statistics 22, 1995 (which warns of it).

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import threshold
    >>> threshold(np.diag([1.0, 2.0, 3.0]) + 0.5, 1, 1).eigenvalues
    array([3.5])
    """
    top = spectrum.leading_eigenvectors(task.matrix, task.n_components)
    V = keep_per_column(top, np.full(task.n_components, task.max_nonzeros))
    return Found(V, "Eigenvectors cut to their largest entries.")


@baseline()
def varimax_threshold(task: Task) -> Found:
    """Leading eigenvectors rotated by varimax, the largest entries of each kept.

    %(asked)s
    %(returned)s

    References
    ----------
    H. F. Kaiser, "The varimax criterion for analytic rotation in factor analysis", Psychometrika 23, 1958.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import varimax_threshold
    >>> varimax_threshold(np.kron(np.eye(2), np.ones((2, 2))), 2, 2).eigenvalues.round(12)
    array([2., 2.])
    """
    V = spectrum.varimax_threshold(task.matrix, task.n_components, task.n_components * task.max_nonzeros)
    return Found(V, "Rotated eigenvectors cut to their largest entries.")
