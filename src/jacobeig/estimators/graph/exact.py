"""What exact modes of a graph reach, to compare with."""

from typing import Any

import numpy as np

from jacobeig.results.metrics import extreme_eigenvalues

__all__ = ["sum_exact_frequencies"]

# Up to this order all eigenvalues of a graph are found in seconds.
SMALL_GRAPH = 3000


def sum_exact_frequencies(model: Any) -> float | None:
    """Return the sum of the frequencies of as many exact modes.

    Parameters
    ----------
    model : GraphFourier
        Fitted.

    Returns
    -------
    float or None
        None if the graph is too large to find it quickly, or is not known, as after `load`.

    Examples
    --------
    >>> import networkx as nx
    >>> import jacobeig as je
    >>> from jacobeig.estimators.graph.exact import sum_exact_frequencies
    >>> fourier = je.GraphFourier(3, density=0.5).fit(nx.cycle_graph(8))
    >>> bool(fourier.frequencies_.sum() >= sum_exact_frequencies(fourier))
    True
    """
    laplacian = getattr(model, "laplacian_", None)
    if laplacian is None or laplacian.shape[0] > SMALL_GRAPH:
        return None
    # Products alone converge slowly at the small end of a Laplacian.
    exact = extreme_eigenvalues(laplacian.toarray(), model.n_components_, model.decomposition_.method.which)
    return max(0.0, float(np.sum(exact, dtype=np.float64)))  # a Laplacian has no negative ones but by rounding
