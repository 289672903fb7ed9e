"""Sweeps over a chain: each rotation re-optimised given the others, their number and the factored form kept."""

from dataclasses import replace

import numpy as np

from jacobeig._kernels.polish import count_structural_nonzeros, sweep_angles, sweep_pairs
from jacobeig._types import Floats, Integers
from jacobeig.results.rotations import RotationSequence

__all__ = ["polish_chain"]

SETTLED = 1e-6  # relative rise of a sweep below which the sweeps end


def polish_chain(S: Floats, chain: RotationSequence, weights: Floats, *, pairs: str, n_sweeps: int) -> RotationSequence:
    """Raise the weighted trace of a chain's vectors: as many rotations as before, and no more structural nonzeros.

    Each sweep keeps the pair of every rotation, at O(n p) each, or chooses it again among all, at O(n^2 p).
    """
    n, seeds = len(S), chain.coordinates
    supports = np.empty((n, (n + 63) // 64), np.uint64)
    chain = replace(chain, pivots=chain.pivots.copy(), cosines=chain.cosines.copy(), sines=chain.sines.copy())
    parts: tuple[Integers, Floats, Floats] = (chain.pivots, chain.cosines, chain.sines)  # type: ignore[assignment]  # they are double
    limit = count_structural_nonzeros(*parts, seeds, supports)
    vectors = _form_vectors(chain)
    value = _weighted_trace(S, vectors, weights)
    for _ in range(n_sweeps):
        if pairs == "keep":
            sweep_angles(S.copy(), vectors, weights, *parts)
        else:
            sweep_pairs(S.copy(), vectors, weights, *parts, seeds, limit, supports)
        chain = replace(chain)  # the pivots may have changed, and with them what the chain remembers of them
        vectors = _form_vectors(chain)
        before, value = value, _weighted_trace(S, vectors, weights)
        if value - before <= SETTLED * abs(value):
            break
    _make_cosines_positive(*parts, n)
    return replace(chain)


def _form_vectors(chain: RotationSequence) -> Floats:
    vectors: Floats = chain.synthesise(np.eye(chain.n_components))
    return vectors


def _weighted_trace(S: Floats, U: Floats, weights: Floats) -> float:
    return float(np.sum(U * (S @ U), axis=0) @ weights)


def _make_cosines_positive(pivots: Integers, cosines: Floats, sines: Floats, n: int) -> None:
    """Push signs through the chain to its end, in place: there they only flip whole vectors."""
    sign = np.ones(n)
    for q, (i, j) in enumerate(pivots):
        sines[q] *= sign[i] * sign[j]
        if cosines[q] < 0 or (cosines[q] == 0 and sines[q] < 0):
            cosines[q], sines[q] = -cosines[q], -sines[q]
            sign[i], sign[j] = -sign[i], -sign[j]
