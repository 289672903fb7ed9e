"""Truncated power iteration."""

import numpy as np

from jacobeig._arguments import check_choice
from jacobeig._types import Floats
from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.comparison.baselines._starts import STARTS, choose_best, make_starts
from jacobeig.refinement.power import power_ascent, swap_ascent
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.refinement.support import refit


@baseline()
def tpower(task: Task, *, start: str = "best", swaps: bool = False, deflation: str = "projection") -> Found:
    """Sparse components by power iteration that keeps the largest entries at each step.

    An indefinite matrix is shifted inside, which changes no maximiser.

    %(asked)s
    start : {"best", "diagonal", "eigenvector"}
        Unit vector at the largest diagonal entry, the leading eigenvector, or the better result of the two.
    swaps : bool
        Go on by exchanging single coordinates, which leaves many poor fixed points.
    %(returned)s

    References
    ----------
    X.-T. Yuan and T. Zhang, "Truncated power method for sparse eigenvalue problems", Journal of Machine Learning
    Research 14, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import tpower
    >>> S = np.diag([1.0, 2.0, 3.0]) + 0.5
    >>> tpower(S, 1, 2).vectors.toarray().ravel().round(3)
    array([0.   , 0.383, 0.924])
    """
    check_choice("start", start, STARTS)

    def find(S: Floats) -> Floats:
        shift = psd_shift(S)
        found = [power_ascent(S, x, task.max_nonzeros, shift) for x in make_starts(S, start)]
        return choose_best(S, [swap_ascent(S, x) if swaps else refit(S, np.flatnonzero(x)) for x in found])

    return Found(task.find_in_turn(find, deflation), "Every component reached a fixed point.")
