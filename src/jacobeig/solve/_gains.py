"""Gains of many pairs at once (eq. badcij), for what is not worth a kernel."""

from typing import TYPE_CHECKING

import numpy as np

from jacobeig._types import FloatArray, IntArray

if TYPE_CHECKING:  # compiled code, which blocks do without
    from jacobeig._kernels.rows import Rows

__all__ = ["guess_next", "unit_gains"]


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
