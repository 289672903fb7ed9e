"""Full principal components: the reference that no sparse method can pass."""

from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.refinement.spectrum import leading_eigenvectors


@baseline(budget=False)
def pca(task: Task) -> Found:
    """Leading eigenvectors, dense whatever `max_nonzeros` says: it is there so that all methods can be called alike.

    %(asked)s
    %(returned)s

    Examples
    --------
    >>> from jacobeig.comparison.baselines import pca
    >>> pca([[2.0, 1.0], [1.0, 2.0]], 1).eigenvalues.round(12)
    array([3.])
    """
    return Found(leading_eigenvectors(task.matrix, task.n_components), "Exact eigenvectors, not sparse.")
