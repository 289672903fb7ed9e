"""Matrices to try things on: generators only, nothing is fetched."""

import numpy as np

from jacobeig._types import FloatArray, Rng
from jacobeig.errors import InvalidInputError

__all__ = ["community_laplacian", "random_covariance"]


def random_covariance(n: int, rank: int | None = None, rng: Rng = None) -> FloatArray:
    """Return S = X X^T with standard normal X (n x n), the random matrices of the paper.

    Parameters
    ----------
    n : int
        Order of the matrix.
    rank : int, optional
        Keep only this many of its largest eigenvalues, as in the paper's low-rank experiment.
    rng : int, Generator or None, optional
        Seed or generator.

    Returns
    -------
    ndarray (n, n)
        Symmetric positive semidefinite.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import random_covariance
    >>> int(np.linalg.matrix_rank(random_covariance(30, rank=4, rng=0)))
    4
    """
    X = np.random.default_rng(rng).standard_normal((n, n))
    S: FloatArray = X @ X.T
    if rank is None:
        return S
    if not 1 <= rank <= n:
        raise InvalidInputError(f"rank is {rank}; give 1 to {n}.")
    values, vectors = np.linalg.eigh(S)
    root = vectors[:, -rank:] * np.sqrt(values[-rank:])
    low: FloatArray = root @ root.T
    return (low + low.T) / 2


def community_laplacian(n: int = 256, rng: Rng = None) -> FloatArray:
    """Return the Laplacian of a random graph with about sqrt(n) / 2 dense communities and few edges between them.

    Parameters
    ----------
    n : int, default 256
        Number of nodes.
    rng : int, Generator or None, optional
        Seed or generator.

    Returns
    -------
    ndarray (n, n)
        Combinatorial Laplacian D - A of a graph with edges of weight one.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import community_laplacian
    >>> L = community_laplacian(64, rng=0)
    >>> bool(np.allclose(L.sum(axis=0), 0.0))
    True
    """
    generator = np.random.default_rng(rng)
    community = np.sort(generator.integers(max(2, round(np.sqrt(n) / 2)), size=n))
    inside = community[:, np.newaxis] == community
    edges = generator.random((n, n)) < np.where(inside, 0.5, 1.0 / n)
    adjacency = np.triu(edges, 1).astype(float)
    adjacency += adjacency.T
    laplacian: FloatArray = np.diag(adjacency.sum(axis=0)) - adjacency
    return laplacian
