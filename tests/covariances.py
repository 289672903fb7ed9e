"""Covariances of several kinds to refine on, and how far vectors are from what they should be."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Matrices: TypeAlias = Callable[[int], Array]


def random_matrix(n: int, seed: int = 0) -> Array:
    X = np.random.default_rng(seed).standard_normal((n, n))
    return X @ X.T


def low_rank_matrix(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, 6)) * np.arange(6, 0, -1)
    return L @ L.T + 3 * np.eye(n)


def smooth_matrix(n: int, seed: int = 0) -> Array:
    lag = np.subtract.outer(np.arange(n), np.arange(n))
    return 0.9 ** np.abs(lag)


def block_matrix(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    S = np.eye(n)
    for first in range(0, n, 5):
        S[first : first + 5, first : first + 5] += rng.uniform(0.5, 2.0)
    return S


def count_matrix(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n, 0.1), size=8)
    X = rng.poisson(30 * rng.dirichlet(np.full(8, 0.2), size=100) @ topics).astype(float)
    X -= X.mean(axis=0)
    return np.asarray(X.T @ X)


MATRICES: list[Matrices] = [random_matrix, low_rank_matrix, smooth_matrix, block_matrix, count_matrix]


def trace(S: Array, U: Array) -> float:
    return float(np.sum(U * (S @ U)))


def orthonormality_error(U: Array) -> float:
    return float(np.abs(U.T @ U - np.eye(U.shape[1])).max())


def sparse_orthonormal(n: int, p: int, rotations: int, seed: int = 0) -> Array:
    """A product of random rotations applied to unit vectors: sparse, orthonormal, supports that overlap."""
    rng = np.random.default_rng(seed)
    U = np.eye(n)[:, rng.permutation(n)[:p]]
    for _ in range(rotations):
        i, j = rng.choice(n, 2, replace=False)
        c, s = np.cos(1.0), np.sin(1.0)
        U[[i, j]] = np.array([[c, -s], [s, c]]) @ U[[i, j]]
    return U
