"""Adapter for scikit-learn's SparsePCA."""

import warnings
from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_count, check_positive
from jacobeig._types import Floats
from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.errors import MissingExtraError
from jacobeig.refinement.support import keep_per_column

__all__ = ["sklearn_spca"]


def sklearn_spca(
    matrix: Any,
    n_components: int,
    max_nonzeros: int | None = None,
    *,
    alpha: float = 1.0,
    n_iterations: int = 1000,
    rng: int | None = 0,
) -> BaselineResult:
    """Sparse components by l1-penalised dictionary learning, as scikit-learn does it.

    The method has no budget: `alpha`, which is not free of scale, decides how sparse the components are. It sees the
    data only through their Gram matrix, so a square root of the matrix stands for them, once with each sign because
    scikit-learn removes the mean.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real, positive semidefinite.
    n_components : int
        Number of components.
    max_nonzeros : int, optional
        When given, components that come out denser are cut to their largest entries.
    alpha : float
        Penalty; larger is sparser. A component can vanish.
    n_iterations : int
        Largest number of iterations.
    rng : int, optional
        Seed.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import sklearn_spca
    >>> sklearn_spca(np.diag([9.0, 4.0, 1.0]), 1).eigenvalues.round(6)
    array([9.])
    """
    problem = standardise(matrix, n_components, 1 if max_nonzeros is None else max_nonzeros)
    alpha = check_positive("alpha", alpha, "a larger penalty makes sparser components")
    n_iterations = check_count("n_iterations", n_iterations, 1)
    problem.need_semidefinite("sklearn_spca")
    try:
        from sklearn.decomposition import SparsePCA
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "pca") from error
    started = perf_counter()
    model = SparsePCA(problem.n_components, alpha=alpha, max_iter=n_iterations, random_state=rng)
    root = _take_square_root(problem.matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the status says what the warnings would
        model.fit(np.vstack([root, -root]) / np.sqrt(2))
    limit = problem.n if max_nonzeros is None else problem.max_nonzeros
    V = keep_per_column(model.components_.T, np.full(problem.n_components, limit))
    lost = int(np.sum(~V.any(axis=0)))
    status = (
        f"{lost} components vanished: lower alpha." if lost else f"Settled or stopped at {model.n_iter_} iterations."
    )
    return record("sklearn_spca", problem, V, started, status)


def _take_square_root(S: Floats) -> Floats:
    """R with R^T R = S, rows of rounding size left out."""
    values, V = np.linalg.eigh(S)
    kept = values > 1e-12 * values[-1]
    root: Floats = (V[:, kept] * np.sqrt(values[kept])).T
    return root
