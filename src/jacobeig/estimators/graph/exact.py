"""What exact modes of a graph reach, to compare with."""

from typing import Any

import numpy as np

from jacobeig.results.metrics import extreme_eigenvalues

__all__ = ["sum_exact_frequencies"]

# Up to these orders all eigenvalues of a graph are found in a fraction of a second, and in seconds.
TINY_GRAPH, SMALL_GRAPH = 500, 3000
# Up to this order, and this many operations of a banded factorisation (nodes times bandwidth squared), smooth modes are
# found in about two seconds by a sparse one, whose fill the band bounds: 100,000 nodes of a grid, or of sensors. Random
# shortcuts make the band as wide as the graph, and 10,000 nodes with them took more than a minute. Of 1,600 nodes it
# takes 0.1 to 0.3 s in place of 4 s for all eigenvalues.
LARGE_GRAPH, MOST_OPERATIONS = 120_000, 1e11


def sum_exact_frequencies(model: Any) -> float | None:
    """Return the sum of the frequencies of as many exact modes as a fitted `GraphFourier` has, where that is quick.

    Smooth modes are found of larger graphs than others, as long as these are like a map: much larger than the way
    across them is long. A model from a file does not know its graph.
    """
    laplacian = getattr(model, "laplacian_", None)
    if laplacian is None:
        return None
    which, p = model.decomposition_.method.which, model.n_components_
    n, smooth = laplacian.shape[0], which == "SA" and model.laplacian != "ready"
    if smooth and max(TINY_GRAPH, 10 * p) < n and _stays_sparse(laplacian):
        exact = _invert_and_find(laplacian, p, shift=float(np.mean(model.frequencies_)))
    elif n <= SMALL_GRAPH:
        # Products alone converge slowly at the small end of a Laplacian.
        exact = extreme_eigenvalues(laplacian.toarray(), p, which)
    else:
        return None
    return max(0.0, float(np.sum(exact, dtype=np.float64)))  # a Laplacian has no negative ones but by rounding


def _stays_sparse(laplacian: Any) -> bool:
    """Say whether a factorisation is known to be quick, by the band that a good order of the nodes leaves."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n = laplacian.shape[0]
    if n > LARGE_GRAPH:
        return False
    place = np.empty(n, np.int64)
    place[reverse_cuthill_mckee(laplacian.tocsr(), symmetric_mode=True)] = np.arange(n)
    entries = laplacian.tocoo()
    band = int(np.abs(place[entries.row] - place[entries.col]).max(initial=0))
    return bool(n * band**2 <= MOST_OPERATIONS)


def _invert_and_find(laplacian: Any, p: int, shift: float) -> Any:
    """Return the smallest eigenvalues of a semidefinite matrix: the largest of its shifted inverse, found quickly.

    A shift of their own size leaves the wanted ones well apart.
    """
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, splu

    n, shift = laplacian.shape[0], max(shift, 1e-8 * float(laplacian.diagonal().real.mean()), 1e-300)
    shifted = sparse.csc_array(laplacian + shift * sparse.eye_array(n))
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    inverse = LinearOperator((n, n), matvec=factors.solve, dtype=shifted.dtype)
    return 1.0 / extreme_eigenvalues(inverse, p, "LA") - shift
