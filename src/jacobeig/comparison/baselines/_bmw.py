"""Disjoint supports by bipartite matchings."""

import numpy as np

from jacobeig._arguments import check_count
from jacobeig._types import Rng
from jacobeig.comparison.baselines._method import Found, Task, baseline, make_generator
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.matching import bipartite_matching
from jacobeig.results.metrics import rayleigh_quotients


@baseline()
def bmw(task: Task, *, n_starts: int = 20, rng: Rng = None) -> Found:
    """Orthonormal components on disjoint supports, by alternating matchings and eigenvectors.

    The published method tries all directions of a net, which is out of reach beyond a few components; here the
    directions of random starts are improved in turn with the matching, and neither step ever descends. An indefinite
    matrix is shifted inside, which changes no maximiser. `n_components` times `max_nonzeros` is at most n.

    %(asked)s
    n_starts : int
        Varimax-rotated eigenvectors first, random directions after.
    %(returned)s

    References
    ----------
    M. Asteris, D. Papailiopoulos, A. Kyrillidis and A. G. Dimakis, "Sparse PCA via bipartite matchings", Advances in
    Neural Information Processing Systems 28, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import bmw
    >>> S = np.kron(np.eye(2), np.ones((2, 2))) + np.diag([0.3, 0.2, 0.1, 0.0])
    >>> (bmw(S, 2, 2).vectors.toarray().T != 0).tolist()
    [[True, True, False, False], [False, False, True, True]]
    """
    n_starts, random = check_count("n_starts", n_starts, 1), make_generator(rng)
    nonzeros = task.n_components * task.max_nonzeros
    V = bipartite_matching(task.matrix, task.n_components, nonzeros, random, n_starts)
    if V is None:
        raise InvalidInputError(
            f"bmw needs n_components * max_nonzeros <= n = {task.n} for disjoint supports; got {nonzeros}: "
            f"ask for at most {task.n // task.n_components} nonzeros."
        )
    order = np.argsort(-rayleigh_quotients(task.matrix, V), kind="stable")
    return Found(V[:, order], "The best of the starts settled.")
