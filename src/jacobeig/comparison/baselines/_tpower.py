"""Truncated power iteration (Yuan and Zhang 2013)."""

from time import perf_counter
from typing import Any

import numpy as np

from jacobeig._arguments import check_choice
from jacobeig._types import Floats
from jacobeig.comparison.baselines._problem import standardise
from jacobeig.comparison.baselines._record import BaselineResult, record
from jacobeig.comparison.baselines._starts import STARTS, choose_best, make_starts
from jacobeig.comparison.baselines.deflation import DEFLATIONS
from jacobeig.refinement.power import deflated_components, power_ascent, swap_ascent
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.refinement.support import refit

__all__ = ["tpower"]


def tpower(
    matrix: Any,
    n_components: int,
    max_nonzeros: int,
    *,
    start: str = "best",
    swaps: bool = False,
    deflation: str = "projection",
) -> BaselineResult:
    """Sparse components by power iteration that keeps the largest entries at each step.

    Parameters
    ----------
    matrix : (n, n) array or sparse matrix
        Real symmetric. An indefinite one is shifted inside, which changes no maximiser.
    n_components, max_nonzeros : int
        Number of components, and nonzeros of each.
    start : {"best", "diagonal", "eigenvector"}
        Unit vector at the largest diagonal entry, the leading eigenvector, or the better result of the two.
    swaps : bool
        Go on by exchanging single coordinates, which leaves many poor fixed points.
    deflation : str
        A name in `jacobeig.baselines.deflation.DEFLATIONS`.

    Returns
    -------
    BaselineResult

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import tpower
    >>> S = np.diag([1.0, 2.0, 3.0]) + 0.5
    >>> tpower(S, 1, 2).vectors.toarray().ravel().round(3)
    array([0.   , 0.383, 0.924])
    """
    problem = standardise(matrix, n_components, max_nonzeros)
    check_choice("start", start, STARTS)
    deflate = DEFLATIONS[check_choice("deflation", deflation, DEFLATIONS)]
    started = perf_counter()

    def solve(S: Floats, _: int) -> Floats:
        shift = psd_shift(S)
        found = [power_ascent(S, x, problem.max_nonzeros, shift) for x in make_starts(S, start)]
        found = [swap_ascent(S, x) if swaps else refit(S, np.flatnonzero(x)) for x in found]
        return choose_best(S, found)

    V = deflated_components(problem.matrix, problem.n_components, solve, deflate)
    return record("tpower", problem, V, started, "Every component reached a fixed point.")
