"""Coordinate-wise optimality by swaps (Beck and Vaisbourd 2016)."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_choice, check_count
from jacobeig._types import Floats
from jacobeig.comparison.baselines._problem import generator, standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.comparison.baselines._starts import choose_best, find_leading_vector
from jacobeig.comparison.baselines.deflation import DEFLATIONS
from jacobeig.refinement.power import deflated_components, swap_ascent
from jacobeig.refinement.support import keep_vector

__all__ = ["cd"]


def cd(
    matrix: Any,
    n_components: int,
    max_nonzeros: int,
    *,
    rule: str = "pcw",
    n_starts: int = 1,
    rng: np.random.Generator | int | None = None,
    deflation: str = "projection",
) -> BaselineResult:
    """Sparse components that no exchange of one coordinate improves.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric, definite or not.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each.
    rule : {"pcw", "gcw"}
        Partial: the first improving swap, leaving from the smallest entry up. Greedy: the best of all swaps.
    n_starts : int
        The thresholded leading eigenvector is the first start; the others are random supports.
    rng : Generator or int, optional
        For the random starts.
    deflation : str
        A name in `jacobeig.baselines.deflation.DEFLATIONS`.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import cd
    >>> S = np.diag([1.0, 2.0, 3.0]) + 0.5
    >>> cd(S, 1, 2, rule="gcw").eigenvalues.round(4)
    array([3.7071])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    first = check_choice("rule", rule, ("pcw", "gcw")) == "pcw"
    n_starts = check_count("n_starts", n_starts, 1)
    random = generator(rng)
    deflate = DEFLATIONS[check_choice("deflation", deflation, DEFLATIONS)]
    started = perf_counter()

    def solve(S: Floats, _: int) -> Floats:
        starts = [find_leading_vector(S)] + [random.standard_normal(problem.n) for _ in range(n_starts - 1)]
        return choose_best(S, [swap_ascent(S, keep_vector(x, problem.max_nonzeros), first=first) for x in starts])

    V = deflated_components(problem.matrix, problem.n_components, solve, deflate)
    return record("cd", problem, V, started, "No exchange of one coordinate improves any component.")
