"""The fewest components that explain a share of the variance."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from jacobeig._arguments import to_dense
from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca._latent import Latent
from jacobeig.results.result import EigenResult

# Up to this order the eigenvalues, which say how few components can be enough, cost less than a fit.
MOST_EXACT = 1000


def is_share(n_components: object) -> bool:
    """Whether a number of components is meant as a share of the variance; raise for a fraction that is none."""
    if isinstance(n_components, (bool, numbers.Integral)) or not isinstance(n_components, numbers.Real):
        return False
    if not 0.0 < float(n_components) < 1.0:
        raise InvalidInputError(
            f"is {n_components}",
            argument="n_components",
            advice="give a whole number, or a share of the variance above 0 and below 1.",
        )
    return True


def find_fewest(share: float, source: Any, solve: Callable[[int], EigenResult]) -> EigenResult:
    """Return the result with the fewest vectors that explain a share of the trace.

    Fewer than full PCA needs are not tried. From there steps double until the share is reached, then the last is
    halved: more components explain more, so few fits find the fewest.
    """
    n = source.shape[0]
    wanted = share * float(source.diagonal().sum(dtype=np.float64)) * (1.0 - 1e-12)

    def fit(count: int) -> tuple[EigenResult, bool]:
        result = solve(count)
        return result, float(np.trace(Latent.of(source, result.vectors).covariance)) >= wanted

    low, step = _bound_below(source, wanted) - 1, 1
    found, enough = fit(low + 1)
    while not enough:
        low, step = low + step, 2 * step
        found, enough = fit(min(low + step, n))
        if low + step >= n:
            break  # with all of them there is no choice
    high = found.vectors.shape[1]
    while high - low > 1:
        middle = (low + high) // 2
        tried, enough = fit(middle)
        low, high, found = (low, middle, tried) if enough else (middle, high, found)
    return found


def _bound_below(source: Any, wanted: float) -> int:
    """Return how many exact eigenvectors explain as much: no other vectors are fewer."""
    n: int = source.shape[0]
    if n > MOST_EXACT:
        return 1
    values = np.linalg.eigvalsh(to_dense(source.rows(np.arange(n))).astype(np.float64))[::-1]
    return min(n, int(np.searchsorted(np.cumsum(values), wanted * (1.0 - 1e-9))) + 1)
