"""Supports: which entries are kept, how many each column gets, and the best values on them."""

import numpy as np

from jacobeig._types import Floats, Indices
from jacobeig.refinement._budget import NonzeroBudget, mask_largest
from jacobeig.refinement._quadratic import Matrix, find_top, improve_top, take_block

__all__ = ["keep_per_column", "keep_total", "keep_vector", "refit", "refit_columns", "split_budget"]

SMALL_BLOCK = 128  # LAPACK was twice as fast at 51, a warm start four times at 512; too close to call between
RESTARTS = 20  # of Lanczos steps, before LAPACK is asked after all


def split_budget(nonzeros: int, n_components: int, n: int) -> Indices:
    """Split a total as evenly as it goes, the earlier columns taking what is left over; none passes n."""
    share, rest = divmod(min(nonzeros, n * n_components), n_components)
    return np.where(np.arange(n_components) < rest, share + 1, share)


def keep_vector(x: Floats, nonzeros: int) -> Floats:
    """Zero all but the largest entries by magnitude; of equal entries the first are kept."""
    return np.where(mask_largest(np.abs(x), nonzeros), x, 0.0)


def keep_per_column(V: Floats, budgets: Indices) -> Floats:
    """Apply `keep_vector` to each column with its own budget."""
    return np.column_stack([keep_vector(column, budget) for column, budget in zip(V.T, budgets, strict=True)])


def keep_total(V: Floats, nonzeros: int) -> Floats:
    """Zero all but the largest entries of the whole matrix, but never lose a column entirely."""
    return np.where(NonzeroBudget(total=nonzeros, per_column=len(V)).keep(np.abs(V), nonzeros), V, 0.0)


def refit(S: Matrix, support: Indices, guess: Floats | None = None) -> Floats:
    """Leading eigenvector of ``S[support, support]``, embedded in R^n, its largest entry positive.

    With a guess (a vector of length n, not orthogonal to the answer) a large block is solved by restarted Lanczos.
    """
    block = take_block(S, support)
    settled = False
    if guess is not None and support.size > SMALL_BLOCK:
        values, settled = improve_top(block, guess[support], restarts=RESTARTS)
    if not settled:
        values = find_top(block, 1)[:, 0]
    x = np.zeros(S.shape[0])
    x[support] = values if values[np.abs(values).argmax()] > 0 else -values
    return x


def refit_columns(S: Matrix, V: Floats) -> Floats:
    """Refit every column on its own support."""
    return np.column_stack([refit(S, np.flatnonzero(column)) for column in V.T])
