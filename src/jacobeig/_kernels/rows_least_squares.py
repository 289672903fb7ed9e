"""Kernels for the rows of a masked basis: each row is a small least-squares problem with the same Gram matrix."""

import numpy as np

from jacobeig._kernels._jit import bare_kernel
from jacobeig._types import Floats, Integers, Mask

TINY = 1e-12  # a pivot below this share of its diagonal entry is rounding: the columns are dependent


def solve_rows(C: Floats, B: Floats, mask: Mask, out: Floats) -> None:
    """Write to row r of `out` the v on mask[r] that maximises 2 v.B[r] - v.C v; costs k^3 / 6 for k masked entries."""
    p = len(C)
    out[:] = 0.0
    _solve_rows(C, B, mask, out, np.empty((p, p)), np.empty(p), np.empty(p, np.intp))


@bare_kernel
def _solve_rows(C: Floats, B: Floats, mask: Mask, out: Floats, L: Floats, x: Floats, active: Integers) -> None:
    """Fill the masked entries of `out`; the last three arguments are scratch."""
    n, p = B.shape
    for r in range(n):
        k = 0
        for c in range(p):
            if mask[r, c]:
                active[k] = c
                k += 1
        for a in range(k):
            for b in range(a + 1):
                total = C[active[a], active[b]]
                for c in range(b):
                    total -= L[a, c] * L[b, c]
                L[a, b] = np.sqrt(max(total, TINY * C[active[a], active[a]])) if a == b else total / L[b, b]
            total = B[r, active[a]]
            for c in range(a):
                total -= L[a, c] * x[c]
            x[a] = total / L[a, a]
        for a in range(k - 1, -1, -1):
            for c in range(a + 1, k):
                x[a] -= L[c, a] * x[c]
            x[a] /= L[a, a]
            out[r, active[a]] = x[a]


def score_rows(C: Floats, B: Floats, V: Floats, mask: Mask, out: Floats) -> None:
    """Write to `out` what each entry is worth: masked, the loss if it went; unmasked, the gain if it came.

    Both are exact for the one entry with the rest of its row solved again. Rows of V must solve their problems.
    """
    _score_rows(C, B, V, mask, out, np.empty(C.shape))


@bare_kernel
def _score_rows(C: Floats, B: Floats, V: Floats, mask: Mask, out: Floats, G: Floats) -> None:
    """Fill `out`; `G` is scratch."""
    n, p = B.shape
    for r in range(n):
        # sweeping the masked pivots of C leaves the inverse on the mask and Schur complements off it
        for a in range(p):
            for b in range(p):
                G[a, b] = C[a, b]
        for k in range(p):
            if mask[r, k]:
                pivot = 1.0 / max(G[k, k], TINY * C[k, k])
                for a in range(p):
                    if a != k:
                        factor = G[a, k] * pivot
                        for b in range(p):
                            if b != k:
                                G[a, b] -= factor * G[k, b]
                        G[a, k] = factor
                for b in range(p):
                    if b != k:
                        G[k, b] *= -pivot
                G[k, k] = pivot
        for t in range(p):
            if mask[r, t]:
                out[r, t] = V[r, t] ** 2 / G[t, t]
            else:
                slope = B[r, t]
                for k in range(p):
                    slope -= C[t, k] * V[r, k]
                out[r, t] = slope * slope / max(G[t, t], TINY * C[t, t])
