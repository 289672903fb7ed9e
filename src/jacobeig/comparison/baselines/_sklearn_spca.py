"""Adapter for scikit-learn's SparsePCA."""

import warnings

import numpy as np

from jacobeig._arguments import check_count, check_positive
from jacobeig._types import Floats
from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.refinement.support import keep_per_column

ROUNDING = 1e-12  # eigenvalues below this share of the largest are left out of the square root


@baseline(semidefinite=True, needs="sklearn.decomposition", budget=False)
def sklearn_spca(task: Task, *, alpha: float = 1.0, n_iterations: int = 1000, rng: int | None = 0) -> Found:
    """Sparse components of a positive semidefinite matrix by l1-penalised dictionary learning, as scikit-learn does it.

    The method has no budget: `alpha`, which is not free of scale, decides how sparse the components are. Those that are
    denser than `max_nonzeros`, when that is given, are cut to their largest entries. It sees the data only through
    their Gram matrix, so a square root of the matrix stands for them, once with each sign because scikit-learn removes
    the mean.

    %(asked)s
    alpha : float
        Penalty; larger is sparser. A component can vanish.
    n_iterations : int
        Largest number of iterations.
    rng : int, optional
        Seed.
    %(returned)s

    References
    ----------
    R. Jenatton, G. Obozinski and F. Bach, "Structured sparse principal component analysis", Artificial Intelligence and
    Statistics, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import sklearn_spca
    >>> sklearn_spca(np.diag([9.0, 4.0, 1.0]), 1).eigenvalues.round(6)
    array([9.])
    """
    from sklearn.decomposition import SparsePCA

    alpha = check_positive("alpha", alpha, "a larger penalty makes sparser components") * np.sqrt(task.scale)
    n_iterations = check_count("n_iterations", n_iterations, 1)
    model = SparsePCA(task.n_components, alpha=alpha, max_iter=n_iterations, random_state=rng)
    root = _take_square_root(task.matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the status says what the warnings would
        model.fit(np.vstack([root, -root]) / np.sqrt(2))
    V = keep_per_column(model.components_.T, np.full(task.n_components, task.max_nonzeros))
    lost = int(np.sum(~V.any(axis=0)))
    ended = f"Settled or stopped at {model.n_iter_} iterations."
    return Found(V, f"{lost} components vanished: lower alpha." if lost else ended)


def _take_square_root(S: Floats) -> Floats:
    """R with R^T R = S, rows of rounding size left out."""
    values, V = np.linalg.eigh(S)
    kept = values > ROUNDING * values[-1]
    root: Floats = (V[:, kept] * np.sqrt(values[kept])).T
    return root
