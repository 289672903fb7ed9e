"""Find the pair of the largest entry, for Jacobi's rules: the scans of `scan.py`, with simpler scores."""

from typing import Any

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline
from jacobeig._kernels.plane import abs2
from jacobeig._kernels.scan import BLOCK, offer
from jacobeig._kernels.state import Rows, Scalar
from jacobeig._types import NumberArray


@bare_inline
def _find_largest_entry(row: NumberArray, start: int, floor2: float) -> Any:
    """Largest squared modulus over the columns from `start`, and its column; (0, -1) when all are noise."""
    n = np.uint64(row.shape[0])
    t, column = floor2, np.int64(-1)
    for a in range(np.uint64(start), n, BLOCK):
        b = a + BLOCK if a + BLOCK < n else n
        candidates = 0
        for j in range(a, b):  # vectorises
            candidates += abs2(row[j]) > t
        if candidates == 0:
            continue
        for j in range(a, b):
            s2 = abs2(row[j])
            if s2 > t:
                t, column = np.float64(s2), np.int64(j)
    return (t, column) if column >= 0 else (0.0, column)


@bare_call
def rescan_entries(st: Rows, i: int, start: int) -> None:
    """Find the largest entry of row i, from column `start`, again; only where supports may grow so; O(n)."""
    active, order, fill, sizes, best, column = st.active, st.order, st.fill, st.sizes, st.best, st.column
    floor2, limit = st.scalars[Scalar.FLOOR2], st.scalars[Scalar.LIMIT]
    if fill.shape[1] == 0:
        best[i], column[i] = _find_largest_entry(active[i], start, floor2)
    else:
        t, top = 0.0, np.int64(-1)
        for j in range(start, active.shape[1]):
            s2 = np.float64(abs2(active[i, j]))
            if s2 > floor2 and s2 >= t and sizes[i] + fill[i, j] <= limit and (s2 > t or order[j] < order[top]):
                t, top = s2, np.int64(j)
        best[i], column[i] = t, top
    st.stale[i] = False


@bare_inline
def rescore_entries(st: Rows, j: int) -> None:
    """As `rescore_gains`, for the largest entry."""
    active, fill, floor2, limit = st.active, st.fill, st.scalars[Scalar.FLOOR2], st.scalars[Scalar.LIMIT]
    for i in range(j if j < active.shape[0] else active.shape[0]):
        s2 = np.float64(abs2(active[i, j]))
        barred = s2 <= floor2 or (fill.shape[1] > 0 and st.sizes[i] + fill[i, j] > limit)
        offer(st.order, st.best, st.column, st.stale, i, j, 0.0 if barred else s2)
