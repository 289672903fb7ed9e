"""Components that no exchange of one coordinate improves."""

from jacobeig._arguments import check_choice, check_count
from jacobeig._types import Floats, Rng
from jacobeig.comparison.baselines._method import Found, Task, baseline, make_generator
from jacobeig.comparison.baselines._starts import choose_best, find_leading_vector
from jacobeig.refinement.power import swap_ascent
from jacobeig.refinement.support import keep_vector


@baseline()
def cd(task: Task, *, rule: str = "pcw", n_starts: int = 1, rng: Rng = None, deflation: str = "projection") -> Found:
    """Sparse components that no exchange of one coordinate improves (coordinate-wise optimality).

    %(asked)s
    rule : {"pcw", "gcw"}
        Partial: the first improving swap, leaving from the smallest entry up. Greedy: the best of all swaps.
    n_starts : int
        The thresholded leading eigenvector is the first start; the others are random supports.
    %(returned)s

    References
    ----------
    A. Beck and Y. Vaisbourd, "The sparse principal component analysis problem: optimality conditions and algorithms",
    Journal of Optimization Theory and Applications 170, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import cd
    >>> cd(np.diag([1.0, 2.0, 3.0]) + 0.5, 1, 2, rule="gcw").eigenvalues.round(4)
    array([3.7071])
    """
    first = check_choice("rule", rule, ("pcw", "gcw")) == "pcw"
    n_starts = check_count("n_starts", n_starts, 1)
    random = make_generator(rng)

    def find(S: Floats) -> Floats:
        starts = [find_leading_vector(S)] + [random.standard_normal(task.n) for _ in range(n_starts - 1)]
        return choose_best(S, [swap_ascent(S, keep_vector(x, task.max_nonzeros), first=first) for x in starts])

    return Found(task.find_in_turn(find, deflation), "No exchange of one coordinate improves any component.")
