"""Sweeps over a chain: each rotation re-optimised given the others, their number and the factored form kept."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._kernels.polish import (
    CANDIDATES,
    TURNS,
    Candidates,
    choose_pair,
    count_structural_nonzeros,
    sweep_angles,
    take_out,
)
from jacobeig._types import Floats, Integers
from jacobeig.results.interrupts import cut_into_parts
from jacobeig.results.rotations import RotationSequence

# Relative rise of a sweep below which the sweeps end; not tuned.
SETTLED = 1e-6


def polish_chain(
    S: Floats, chain: RotationSequence, weights: Floats, *, pairs: str, n_sweeps: int, max_nonzeros: int | None
) -> Iterator[RotationSequence]:
    """Raise the weighted trace of a chain's vectors: as many rotations as before, and no more nonzeros.

    No vector gets more than `max_nonzeros`, if there is such a limit, which the chain given keeps. Gives the chain
    after each sweep that did not lower it. A sweep keeps the pair of every rotation, at O(n p) each, or chooses it
    again among all, at O(n^2 p).
    """
    vectors = _form_vectors(chain)
    value, allowed = _measure_trace(S, vectors, weights), np.count_nonzero(vectors)
    most = chain.n if max_nonzeros is None else max_nonzeros
    sizes = np.empty(chain.n_components, np.int64)
    count_structural_nonzeros(*_copy_parts(chain), chain.coordinates, _make_supports(chain.n), sizes)
    limits = None if pairs == "keep" else (int(sizes.sum()), max(most, int(sizes.max())))
    for _ in range(n_sweeps):
        swept = _sweep(S, chain, vectors, weights, limits)
        vectors = _form_vectors(swept)
        before, value = value, _measure_trace(S, vectors, weights)
        # Entries that cancelled by chance need not do so at other angles; and no sweep may lose, not even by rounding.
        counts = np.count_nonzero(vectors, axis=0)
        if value < before or counts.sum() > allowed or counts.max() > most:
            break
        chain = swept
        yield chain
        if value - before <= SETTLED * abs(value):
            break


def _sweep(
    S: Floats, chain: RotationSequence, vectors: Floats, weights: Floats, limits: tuple[int, int] | None
) -> RotationSequence:
    """Return the chain after one sweep, which may choose pairs again within limits on nonzeros, in all and of each."""
    (n, p), P = vectors.shape, S.copy()
    pivots, cosines, sines = parts = _copy_parts(chain)
    turns = TURNS if np.iscomplexobj(sines) else 0
    if limits is None:
        for part in cut_into_parts(len(chain), 4 * n * p):
            sweep_angles(P, vectors, weights, *parts, turns, part.start, part.stop, np.empty((2, p), P.dtype))
    else:
        candidates = Candidates(
            np.empty((CANDIDATES, 2), np.int64), np.empty(CANDIDATES), np.empty(CANDIDATES, P.dtype),
            np.empty(CANDIDATES), _make_supports(n), np.empty(p, np.int64),
        )  # fmt: skip
        for q in range(len(chain)):
            take_out(vectors, *parts, q)
            weighted = (vectors * weights).conj().T
            B, H = vectors @ weighted, (P @ vectors) @ weighted
            choose_pair(P, B, H, *parts, chain.coordinates, turns, *limits, q, candidates)
    return replace(chain, pivots=pivots, cosines=cosines, sines=sines)


def _copy_parts(chain: RotationSequence) -> tuple[Integers, Any, Any]:
    return chain.pivots.copy(), chain.cosines.copy(), chain.sines.copy()


def _make_supports(n: int) -> NDArray[np.uint64]:
    """Return space for n bitsets."""
    return np.empty((n, (n + 63) // 64), np.uint64)


def _form_vectors(chain: RotationSequence) -> Floats:
    vectors: Floats = chain.synthesise(np.eye(chain.n_components))
    return vectors


def _measure_trace(S: Floats, U: Floats, weights: Floats) -> float:
    return float(np.sum(U.conj() * (S @ U), axis=0).real @ weights)


def make_cosines_positive(chain: RotationSequence) -> RotationSequence:
    """Push signs through the chain to its end: there they only flip whole vectors."""
    pivots, cosines, sines = _copy_parts(chain)
    sign = np.ones(chain.n)
    for q, (i, j) in enumerate(pivots):
        sines[q] *= sign[i] * sign[j]
        if cosines[q] < 0 or (cosines[q] == 0 and sines[q].real < 0):
            cosines[q], sines[q] = -cosines[q], -sines[q]
            sign[i], sign[j] = -sign[i], -sign[j]
    return replace(chain, cosines=cosines, sines=sines)
