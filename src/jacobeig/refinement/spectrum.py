"""Starts from the leading eigenvectors, as they are, rotated, and thresholded.

References
----------
H. F. Kaiser, "The varimax criterion for analytic rotation in factor analysis", Psychometrika 23, 1958.
"""

import numpy as np
import scipy.linalg as sla
from scipy.sparse.linalg import eigsh

from jacobeig._arguments import is_sparse
from jacobeig._types import Floats
from jacobeig.refinement._budget import LONG
from jacobeig.refinement._parts import find_by_parts, split_parts
from jacobeig.refinement._quadratic import Matrix, add_to_diagonal, find_top
from jacobeig.refinement.support import keep_per_column, split_budget
from jacobeig.sources.krylov import build_krylov

__all__ = ["find_rough_leading", "leading_eigenvectors", "psd_shift", "quotients", "varimax", "varimax_threshold"]

DENSE_SOLVED = 1024  # the order beyond which a few eigenvectors are found by products instead of LAPACK
ROUGH_STEPS, SPARE = 8, 8  # block products, and columns beyond those wanted
# Of Lanczos' method for the least eigenvalue of a long matrix. On five of order 2,500 to 4,096 the bound was too low by
# 1.1% of the largest eigenvalue at most, after 12 steps by 1.9; a Cholesky factor takes five times as long.
SHIFT_STEPS = 24
DENSE_UP_TO = 200  # the order up to which a sparse matrix is quicker solved as a dense one


def leading_eigenvectors(S: Matrix, n_components: int) -> Floats:
    """Eigenvectors of the largest eigenvalues, in descending order, the largest entry of each positive."""
    if is_sparse(S):
        V = find_by_parts(S, split_parts(S), n_components, _find_sparse_leading)
    elif len(S) > DENSE_SOLVED and n_components < len(S) // 10:
        V = _find_by_products(S, n_components)
    else:
        V = find_top(S, n_components)
    largest = V[np.abs(V).argmax(axis=0), np.arange(n_components)]
    return np.ascontiguousarray(V * np.where(largest.real < 0, -1.0, 1.0))


def _find_by_products(S: Floats, n_components: int) -> Floats:
    """Return leading eigenvectors of a large dense matrix by Lanczos steps, which here cost less than LAPACK."""
    start = np.random.default_rng(0).standard_normal(len(S))
    values, V = eigsh(S, n_components, which="LA", v0=start, tol=1e-8)
    return np.asarray(V[:, np.argsort(-values, kind="stable")])


def _find_sparse_leading(S: Matrix, n_components: int) -> Floats:
    """Return leading eigenvectors of a sparse matrix, by shift and invert just above its spectrum."""
    n = S.shape[0]
    if n <= max(DENSE_UP_TO, 4 * n_components):
        return np.linalg.eigh(S.toarray())[1][:, ::-1][:, :n_components]
    top = float((np.asarray(abs(S).sum(axis=1)).ravel() - np.abs(S.diagonal()) + S.diagonal().real).max())
    start = np.random.default_rng(0).standard_normal(n)
    # some more than wanted: repeated ones are found late, after others beyond them
    values, V = eigsh(S, n_components + SPARE, sigma=top * (1 + 1e-6), which="LM", v0=start, tol=1e-6)
    return np.asarray(V[:, np.argsort(-values, kind="stable")[:n_components]])


def psd_shift(S: Matrix, *, semidefinite: bool = False) -> float:
    """Smallest c >= 0 that makes S + c I positive semidefinite, to rounding; of a long S, to single precision.

    `semidefinite` says that S is so but for the rounding of its entries, which spares a long one a factorisation.
    The shift changes no maximiser over unit vectors or orthonormal bases, and power-like steps then never descend.
    """
    if is_sparse(S):  # Gershgorin's bound: far off it would slow power-like steps, but a factor of two does not
        radius = np.asarray(abs(S).sum(axis=1)).ravel() - np.abs(S.diagonal())
        return max(0.0, float((radius - S.diagonal().real).max()))
    scale = float(np.abs(S.diagonal()).max(initial=0.0))
    if len(S) > LONG:
        margin = 1e-6 * scale * len(S)
        return margin if semidefinite else _find_rough_shift(S, margin)
    trial = add_to_diagonal(S, 1e-12 * scale * S.shape[0])
    try:
        sla.cholesky(
            trial, overwrite_a=True, check_finite=False
        )  # cheaper than an eigenvalue (a quarter at n = 1024), and enough for a covariance
    except np.linalg.LinAlgError:
        return max(0.0, -float(sla.eigvalsh(S, subset_by_index=[0, 0], check_finite=False)[0]))
    return 0.0


def _find_rough_shift(S: Floats, margin: float) -> float:
    """Return a shift that makes a long S positive semidefinite, more than needed by up to the margin or a little.

    An eigenvalue lies within the residual of the least Ritz value, and in practice none below. What that is too much is
    nothing beside the leading eigenvalues, of which single precision is exact enough too.
    """
    rough = S.astype(np.complex64 if np.iscomplexobj(S) else np.float32)
    start = np.random.default_rng(0).standard_normal((len(S), 1)).astype(rough.dtype)
    space = build_krylov(rough.__matmul__, start, SHIFT_STEPS)
    values, mix = np.linalg.eigh(space.inner, UPLO="U")
    return max(margin, space.outside * float(np.abs(mix[-1, 0])) - float(values[0]))


def find_rough_leading(S: Floats, n_components: int) -> Floats:
    """Return orthonormal vectors near the leading eigenvectors of a long dense matrix, from a few block products."""
    start = np.random.default_rng(0).standard_normal((len(S), n_components + SPARE)).astype(S.dtype)
    space = build_krylov(S.__matmul__, start, ROUGH_STEPS)
    mix = np.linalg.eigh(space.inner, UPLO="U")[1][:, ::-1][:, :n_components]
    return np.linalg.qr((space.basis.T @ mix).astype(np.float64))[0]


def quotients(S: Matrix, V: Floats) -> Floats:
    """Rayleigh quotient of each column."""
    values: Floats = np.sum(V * (S @ V), axis=0) / np.sum(V * V, axis=0)
    return values


def varimax(V: Floats, n_iterations: int = 200) -> Floats:
    """Rotate orthonormal columns so that the variance of their squared entries is largest: few large, many small."""
    R, total = np.eye(V.shape[1]), 0.0
    for _ in range(n_iterations):
        L = V @ R
        squares = L * L
        u, s, vt = np.linalg.svd(V.T @ (L * (squares - squares.mean(axis=0))))
        R = u @ vt
        if s.sum() < total * (1 + 1e-8):
            break
        total = s.sum()
    return V @ R


def varimax_threshold(S: Floats, n_components: int, nonzeros: int, top: Floats | None = None) -> Floats:
    """Varimax-rotated leading eigenvectors, the largest entries of each kept.

    The values stay as they are: each column refitted by itself would turn towards the first eigenvector.
    `top` are the leading eigenvectors when they are known already.
    """
    top = leading_eigenvectors(S, n_components) if top is None else top
    rotated = varimax(top)
    rotated = rotated[:, np.argsort(-quotients(S, rotated), kind="stable")]
    return keep_per_column(rotated, split_budget(nonzeros, n_components, S.shape[0]))
