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


def rate_columns(state: "Rows", wanted: int) -> FloatArray:
    """Return the best gain of each trailing column that has not been read, in single precision; of others -1.

    That of the column `wanted` is infinite.
    As `unit_gains` in fewer passes, for what only has to be put in order.
    """
    p, single = len(state.weights), np.float32
    gains = np.zeros(state.active.shape[1] - p, single)
    for row, weight, d in zip(state.active, state.weights, state.diagonal[:p], strict=True):
        s2 = np.abs(row[p:]).astype(single, copy=False)
        s2 *= s2
        delta = (np.sign(weight) * (d - state.diagonal[p:])).astype(single)
        apart = np.abs(delta)
        unit = 2 * s2 / (np.sqrt(apart * apart + 4 * s2) + apart + np.finfo(single).tiny)
        unit += (apart - delta) / 2
        np.maximum(gains, single(abs(weight)) * unit, out=gains)
    gains[state.slots[p:] >= 0] = -1.0
    gains[wanted - p] = np.inf
    return gains


def find_top(scores: FloatArray, count: int) -> IntArray:
    """Return where the largest positive scores are, at most `count`, the largest first."""
    count = min(count, int(np.count_nonzero(scores > 0.0)))
    top = np.argpartition(-scores, max(count - 1, 0))[:count] if count else np.zeros(0, np.int64)
    return np.asarray(top[np.lexsort((top, -scores[top]))])


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
