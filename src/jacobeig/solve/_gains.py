"""Gains of many pairs at once (eq. badcij), for what is not worth a kernel."""

from typing import TYPE_CHECKING

import numpy as np

from jacobeig._types import FloatArray, IntArray

if TYPE_CHECKING:  # compiled code, which blocks do without
    from jacobeig._kernels.state import Rows


def unit_gains(s2: FloatArray, delta: FloatArray) -> FloatArray:
    """Return (sqrt(delta^2 + 4 s2) - delta) / 2 elementwise, in the form that does not cancel."""
    r = np.sqrt(delta * delta + 4.0 * s2)
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 in the branch that is not taken
        return np.asarray(np.where(delta > 0.0, 2.0 * s2 / (r + delta), 0.5 * (r - delta)))


def guess_next(state: "Rows", wanted: int, count: int) -> IntArray:
    """Return `wanted` and the columns with the next best gains whose rows have not been read, `count` in all."""
    p, n = state.active.shape
    gains = np.zeros(n - p)
    for row, weight, d in zip(state.active, state.weights, state.diagonal[:p], strict=True):
        s2 = np.abs(row[p:].astype(np.complex128 if row.dtype.kind == "c" else np.float64)) ** 2
        np.maximum(gains, abs(weight) * unit_gains(s2, np.sign(weight) * (d - state.diagonal[p:])), out=gains)
    gains[state.slots[p:] >= 0] = -1.0
    gains[wanted - p] = np.inf
    best = p + np.argsort(-gains, kind="stable")[:count]
    return np.asarray(best[gains[best - p] > 0.0])


def score_row(state: "Rows", i: int, floor2: float, limit: float, entries_from: int | None) -> FloatArray:
    """Return the scores of the pairs (i, j), j > i, within the limit of a vector: gains, or entries squared.

    Squares up to `floor2` are noise. Entries count from column `entries_from`; None asks for gains.
    """
    row, rest = state.active[i], slice(i + 1, None)
    s2 = (row * row.conj()).real[rest].astype(np.float64)
    noise = s2 <= floor2
    s2[noise] = 0.0
    if entries_from is None:
        w = np.full(len(s2), state.weights[i])
        w[: len(state.weights) - i - 1] -= state.weights[rest]
        delta = np.where(w < 0.0, -1.0, 1.0) * (state.diagonal[i] - state.diagonal[rest])
        scores = np.asarray(np.abs(w) * unit_gains(s2, delta))
    else:
        scores = s2
        scores[: max(entries_from - i - 1, 0)] = 0.0
    if state.fill.shape[1] > 0:
        added = np.where(noise, state.sizes[rest] - state.sizes[i], state.fill[i, rest])
        scores[state.sizes[i] + added > limit] = 0.0
    return scores
