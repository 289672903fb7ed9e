"""Bases that need not be orthogonal: the span is judged, not the vectors."""

import numpy as np

from jacobeig._kernels.rows_least_squares import score_rows, solve_rows
from jacobeig._types import Floats, Mask
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._pursuit import Point
from jacobeig.refinement._quadratic import Matrix

RIDGE = 1e-12  # on Gram matrices, relative to their size: columns may become dependent
HUGE = 1e100  # entries that only a singular problem has


def free_basis(S: Matrix, mask: Mask, V0: Floats, *, iterations: int = 500, tol: float = 1e-9) -> Point:
    """Raise the variance captured by the span of V over its masked entries; never worse than V0 on the mask.

    S is positive semidefinite (shift an indefinite matrix first, which changes no maximiser), and no column of V0
    vanishes on the mask.
    """
    return FreeBasis(S, tol=tol).climb(V0 * mask, mask, iterations)


class FreeBasis:
    """Maximise tr((V^T V)^-1 V^T S V): the problem as the search over masks sees it.

    With S = X^T X this is least squares for X = Z V^T over both factors. Given V the scores Z are known, and given Z
    every row of V is a small problem by itself; only Z^T Z and Z^T X are needed, and they follow from S.
    """

    def __init__(self, S: Matrix, *, offset: float = 0.0, tol: float = 1e-7, clock: Clock = NO_LIMIT) -> None:
        self.S, self.offset, self.tol, self.clock = S, offset, tol, clock

    def size(self, value: float) -> float:
        """Return what a rise of the value is compared with: the value without what a shift of S put on it."""
        return abs(value - self.offset)

    def enter(self, V: Floats, mask: Mask) -> Floats | None:
        """Prune to the mask: any basis is feasible."""
        return self.restrict(V, mask)

    def climb(self, V: Floats, mask: Mask, iterations: int) -> Point:
        """Raise the captured variance on the mask by alternating least squares."""
        mask = np.ascontiguousarray(mask)  # one layout: kernels are compiled once
        best = Point(_normalise(V), -np.inf)
        for _ in range(iterations + 1):
            C, B = self._row_problems(V := _normalise(V))
            value = float(np.sum(V * B))
            if not value > best.value + (self.tol * self.size(best.value) if np.isfinite(best.value) else 0.0):
                break
            best = Point(V, value)
            if self.clock.expired:
                break
            V = np.empty_like(V)
            solve_rows(C, B, mask, V)
            if not np.abs(V).max() < HUGE:
                break
        return best

    def can_climb(self, mask: Mask) -> bool:
        """Say yes: there are no equations."""
        return True

    def score(self, V: Floats, mask: Mask) -> Floats:
        """Rate entries exactly, for one entry at a time and the scores held fixed."""
        C, B = self._row_problems(V)
        mask = np.ascontiguousarray(mask)
        solved, worth = np.empty(V.shape), np.empty(V.shape)
        solve_rows(C, B, mask, solved)
        score_rows(C, B, solved, mask, worth)
        return worth

    def price(self, V: Floats, mask: Mask) -> Floats:
        """Return what `score` gives inside the mask."""
        return np.where(mask, self.score(V, mask), -np.inf)

    def separate(self, mask: Mask, wide: Mask, scores: Floats) -> Mask:
        """Return the wider mask as it is: there are no equations."""
        return wide

    def restrict(self, V: Floats, mask: Mask) -> Floats | None:
        """Prune to the mask: there is no constraint to repair."""
        V = V * mask
        return V if V.any(axis=0).all() else None

    def _row_problems(self, V: Floats) -> tuple[Floats, Floats]:
        """Return Z^T Z and X^T Z for the scores Z that go with V."""
        gram = V.T @ V
        gram.flat[:: len(gram) + 1] += RIDGE
        inverse = np.linalg.inv(gram)
        B = self.S @ V @ inverse
        C = inverse @ (V.T @ B)
        C = (C + C.T) / 2
        C.flat[:: len(C) + 1] += RIDGE * np.abs(C).max()
        return C, B


def _normalise(V: Floats) -> Floats:
    return np.ascontiguousarray(V / np.maximum(np.sqrt(np.sum(V * V, axis=0)), 1e-300))
