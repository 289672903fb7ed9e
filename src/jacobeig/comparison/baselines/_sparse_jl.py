"""Sparse Johnson-Lindenstrauss projections, which look at nothing but the size of the matrix."""

import numpy as np

from jacobeig._arguments import check_count
from jacobeig._types import Floats, Rng
from jacobeig.comparison.baselines._method import Found, Task, baseline, make_generator
from jacobeig.errors import InvalidInputError


@baseline()
def sparse_jl(task: Task, *, rng: Rng = None) -> Found:
    """Random sparse directions that know nothing of the matrix but its size.

    Every feature takes part in equally many components, as many as the budget allows, and the load is the same for all
    components, so that none passes `max_nonzeros`, which must be at least n / `n_components`. Multiply the projection
    by ``sqrt(n / n_components)`` to keep lengths on average.

    %(asked)s
    %(returned)s

    References
    ----------
    D. M. Kane and J. Nelson, "Sparser Johnson-Lindenstrauss transforms", Journal of the ACM 61, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import sparse_jl
    >>> sparse_jl(np.eye(12), 4, 6, rng=0).density
    0.5
    """
    random = make_generator(rng)
    n, p = task.n, task.n_components
    per_round = -(-n // p)
    if per_round > task.max_nonzeros:
        raise InvalidInputError(
            f"max_nonzeros must be at least n / n_components, here {per_round}, for sparse_jl to use every feature; "
            f"got {task.max_nonzeros}: raise it or ask for more components."
        )
    repeats = max(s for s in range(1, p + 1) if s == 1 or -(-n * s // p) <= task.max_nonzeros)
    V = sparse_jl_matrix(p, n, repeats, rng=random).T
    return Found(V, f"Every feature takes part in {repeats} of {p} components.")


def sparse_jl_matrix(n_rows: int, n_columns: int, per_column: int, *, rng: Rng = None) -> Floats:
    """Random matrix whose columns have exactly `per_column` entries, each plus or minus ``1 / sqrt(per_column)``.

    The rows have equally many entries, give or take one. Squared lengths are kept on average.

    Parameters
    ----------
    n_rows, n_columns : int
        Dimension after and before the projection.
    per_column : int
        Entries of each column, at most `n_rows`.
    rng : Generator or int, optional
        Source of the random entries.

    Returns
    -------
    (n_rows, n_columns) array

    Examples
    --------
    >>> from jacobeig.comparison.baselines import sparse_jl_matrix
    >>> (sparse_jl_matrix(4, 8, 2, rng=0) != 0).sum(axis=0)
    array([2, 2, 2, 2, 2, 2, 2, 2])
    """
    n_rows = check_count("n_rows", n_rows, 1)
    n_columns = check_count("n_columns", n_columns, 1)
    per_column = check_count("per_column", per_column, 1, n_rows, "the number of rows")
    random = make_generator(rng)
    # Deal consecutive rows to the columns in a random order, as cards: rows of one column differ, and loads are even.
    dealt = np.arange(n_columns * per_column).reshape(n_columns, per_column) % n_rows
    rows = random.permutation(n_rows)[dealt[random.permutation(n_columns)]]
    matrix = np.zeros((n_rows, n_columns))
    signs = random.choice([-1.0, 1.0], size=rows.shape)
    matrix[rows, np.arange(n_columns)[:, None]] = signs / np.sqrt(per_column)
    return matrix
