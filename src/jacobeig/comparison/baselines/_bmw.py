"""Disjoint supports by bipartite matchings (Asteris, Papailiopoulos, Kyrillidis and Dimakis 2015)."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_count
from jacobeig.comparison.baselines._problem import generator, standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.matching import bipartite_matching

__all__ = ["bmw"]


def bmw(
    matrix: Any,
    n_components: int,
    max_nonzeros: int,
    *,
    n_starts: int = 20,
    rng: np.random.Generator | int | None = None,
) -> BaselineResult:
    """Orthonormal components on disjoint supports, by alternating matchings and eigenvectors.

    The published method tries all directions of a net, which is out of reach beyond a few components; here the
    directions of random starts are improved in turn with the matching, and neither step ever descends.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric. An indefinite one is shifted inside, which changes no maximiser.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each; their product is at most n.
    n_starts : int
        Varimax-rotated eigenvectors first, random directions after.
    rng : Generator or int, optional
        For the random directions.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import bmw
    >>> S = np.kron(np.eye(2), np.ones((2, 2))) + np.diag([0.3, 0.2, 0.1, 0.0])
    >>> bmw(S, 2, 2).vectors.toarray().round(1) != 0
    array([[ True, False],
           [ True, False],
           [False,  True],
           [False,  True]])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    n_starts = check_count("n_starts", n_starts, 1)
    random = generator(rng)
    started = perf_counter()
    nonzeros = problem.n_components * problem.max_nonzeros
    V = bipartite_matching(problem.matrix, problem.n_components, nonzeros, random, n_starts)
    if V is None:
        raise InvalidInputError(
            f"bmw needs n_components * max_nonzeros <= n = {problem.n} for disjoint supports; got {nonzeros}: "
            f"ask for at most {problem.n // problem.n_components} nonzeros."
        )
    V = V[:, np.argsort(-np.sum(V * (problem.matrix @ V), axis=0), kind="stable")]
    return record("bmw", problem, V, started, "The best of the starts settled.")
