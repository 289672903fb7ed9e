"""Supports: which entries are kept, how many each column gets, and the best values on them."""

import numpy as np

from jacobeig._types import Floats, Indices
from jacobeig.refinement._quadratic import Matrix, find_top, take_block

__all__ = ["keep_per_column", "keep_total", "keep_vector", "refit", "refit_columns", "split_budget"]

KRYLOV_SIZE = 12  # products before a restart
SMALL_BLOCK = 128  # LAPACK was twice as fast at 51, a warm start four times at 512; too close to call between


def split_budget(nonzeros: int, n_components: int, n: int) -> Indices:
    """Split a total as evenly as it goes, the earlier columns taking what is left over; none passes n."""
    share, rest = divmod(min(nonzeros, n * n_components), n_components)
    return np.where(np.arange(n_components) < rest, share + 1, share)


def keep_vector(x: Floats, nonzeros: int) -> Floats:
    """Zero all but the largest entries by magnitude; of equal entries the first are kept."""
    kept = np.zeros_like(x)
    order = np.argsort(-np.abs(x), kind="stable")[:nonzeros]
    kept[order] = x[order]
    return kept


def keep_per_column(V: Floats, budgets: Indices) -> Floats:
    """Apply `keep_vector` to each column with its own budget."""
    return np.column_stack([keep_vector(column, budget) for column, budget in zip(V.T, budgets, strict=True)])


def keep_total(V: Floats, nonzeros: int) -> Floats:
    """Keep the largest entries of the whole matrix, exactly so many of them, but never lose a column entirely."""
    n, p = V.shape
    if nonzeros >= n * p:
        return V
    size = np.abs(V)
    size[size.argmax(axis=0), np.arange(p)] = np.inf
    kept = np.zeros(n * p)
    chosen = np.argpartition(size, n * p - nonzeros, axis=None)[n * p - nonzeros :]
    kept[chosen] = V.ravel()[chosen]
    return kept.reshape(n, p)


def refit(S: Matrix, support: Indices, guess: Floats | None = None) -> Floats:
    """Leading eigenvector of ``S[support, support]``, embedded in R^n, its largest entry positive.

    With a guess (a vector of length n, not orthogonal to the answer) a large block is solved by restarted Lanczos.
    """
    block = take_block(S, support)
    values = None
    if guess is not None and support.size > SMALL_BLOCK:
        values = _run_lanczos(block, guess[support])
    if values is None:
        values = find_top(block, 1)[:, 0]
    x = np.zeros(S.shape[0])
    x[support] = values if values[np.abs(values).argmax()] > 0 else -values
    return x


def refit_columns(S: Matrix, V: Floats) -> Floats:
    """Refit every column on its own support."""
    return np.column_stack([refit(S, np.flatnonzero(column)) for column in V.T])


def _run_lanczos(block: Floats, x: Floats, restarts: int = 20, tol: float = 1e-9) -> Floats | None:
    """Improve x to the leading eigenvector of a dense block; None when it has not settled."""
    for _ in range(restarts):
        basis, image = _build_krylov(block, x)
        small = basis @ image.T
        ritz, rotation = np.linalg.eigh((small + small.T) / 2)
        x, y = rotation[:, -1] @ basis, rotation[:, -1] @ image
        if np.linalg.norm(y - ritz[-1] * x) <= tol * np.abs(ritz).max():
            return x
    return None


def _build_krylov(block: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Orthonormal Krylov basis (as rows) and its image, stopping early when the space is invariant."""
    size = min(KRYLOV_SIZE, x.size)
    basis, image = np.empty((size, x.size)), np.empty((size, x.size))
    basis[0] = x / np.linalg.norm(x)
    for m in range(size):
        image[m] = block @ basis[m]
        if m + 1 == size:
            break
        rest = image[m].copy()
        for _ in range(2):  # twice is enough for orthogonality to machine precision
            rest -= (basis[: m + 1] @ rest) @ basis[: m + 1]
        length = np.linalg.norm(rest)
        if length <= 1e-14 * np.linalg.norm(image[m]):
            return basis[: m + 1], image[: m + 1]
        basis[m + 1] = rest / length
    return basis, image
