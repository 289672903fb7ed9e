"""Polish a chain: each rotation re-optimised given the others, their number and the factored form kept."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from jacobeig._kernels.polish import apply_chain, count_structural_nonzeros, sweep_angles, sweep_pairs
from jacobeig._types import Floats, Integers
from jacobeig.errors import InvalidInputError

__all__ = ["PolishedChain", "chain_vectors", "polish_chain"]


@dataclass(frozen=True, kw_only=True)
class PolishedChain:
    """A polished chain.

    Attributes
    ----------
    pivots : (k, 2) array of int
        The coordinates of each rotation.
    cosines, sines : (k,) arrays
        Each rotation maps e_i to c e_i + s e_j, and e_j to c e_j - s e_i; c >= 0.
    objectives : (m + 1,) array
        The weighted trace at first and after each sweep; it never falls.
    """

    pivots: Integers
    cosines: Floats
    sines: Floats
    objectives: Floats


def chain_vectors(pivots: Integers, cosines: Floats, sines: Floats, seeds: npt.ArrayLike, n: int) -> Floats:
    """Return G_1 ... G_k E, the n x p vectors of a chain."""
    seeds = np.asarray(seeds)
    vectors = np.zeros((n, len(seeds)))
    vectors[seeds, np.arange(len(seeds))] = 1.0
    apply_chain(pivots, cosines, sines, vectors)
    return vectors


def polish_chain(
    S: npt.ArrayLike,
    pivots: npt.ArrayLike,
    cosines: npt.ArrayLike,
    sines: npt.ArrayLike,
    seeds: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    pairs: Literal["keep", "choose"] = "keep",
    sweeps: int = 10,
    tol: float = 1e-6,
) -> PolishedChain:
    """Raise the weighted trace of a chain's vectors by re-optimising its rotations one after the other.

    Parameters
    ----------
    S : (n, n) array
        Real symmetric.
    pivots : (k, 2) array of int
    cosines, sines : (k,) arrays
        The chain: rotation q maps e_i to c e_i + s e_j, where i, j = pivots[q].
    seeds : (p,) array of int
        The coordinates whose unit vectors the chain turns into the vectors.
    weights : (p,) array, optional
        Weight of each vector; all one by default.
    pairs : {"keep", "choose"}
        Keep the pair of each rotation, at O(np) each, or choose it again among all, at O(n^2 p).
    sweeps, tol
        Passes over the chain at most, and the relative rise below which they end.

    Returns
    -------
    PolishedChain
        As many rotations as before, and no more structural nonzeros in the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig._polish import polish_chain
    >>> S = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> chain = polish_chain(S, [[0, 1]], [0.9], [np.sqrt(0.19)], [0])
    >>> bool(np.isclose(chain.objectives[-1], np.linalg.eigvalsh(S)[-1]))
    True
    """
    if pairs not in ("keep", "choose"):
        raise InvalidInputError(f'pairs: expected "keep" or "choose", got {pairs!r}.')
    S = np.ascontiguousarray(S, dtype=np.float64)
    seeds = np.asarray(seeds, dtype=np.int64)
    alpha = np.ones(len(seeds)) if weights is None else np.asarray(weights, dtype=np.float64)
    pivots = np.array(pivots, dtype=np.int64).reshape(-1, 2)
    cosines, sines = np.array(cosines, dtype=np.float64), np.array(sines, dtype=np.float64)
    supports = np.empty((len(S), (len(S) + 63) // 64), np.uint64)
    limit = count_structural_nonzeros(pivots, cosines, sines, seeds, supports)
    Y = chain_vectors(pivots, cosines, sines, seeds, len(S))
    objectives = [_objective(S, Y, alpha)]
    for _ in range(sweeps):
        P = S.copy()
        if pairs == "keep":
            sweep_angles(P, Y, alpha, pivots, cosines, sines)
        else:
            sweep_pairs(P, Y, alpha, pivots, cosines, sines, seeds, limit, supports)
        Y = chain_vectors(pivots, cosines, sines, seeds, len(S))
        objectives.append(_objective(S, Y, alpha))
        if objectives[-1] - objectives[-2] <= tol * abs(objectives[-1]):
            break
    _make_cosines_positive(pivots, cosines, sines, len(S))
    return PolishedChain(pivots=pivots, cosines=cosines, sines=sines, objectives=np.array(objectives))


def _objective(S: Floats, U: Floats, alpha: Floats) -> float:
    return float(np.sum(U * (S @ U), axis=0) @ alpha)


def _make_cosines_positive(pivots: Integers, cosines: Floats, sines: Floats, n: int) -> None:
    """Push signs through the chain to its end, in place: there they only flip whole vectors."""
    sign = np.ones(n)
    for q, (i, j) in enumerate(pivots):
        sines[q] *= sign[i] * sign[j]
        if cosines[q] < 0 or (cosines[q] == 0 and sines[q] < 0):
            cosines[q], sines[q] = -cosines[q], -sines[q]
            sign[i], sign[j] = -sign[i], -sign[j]
