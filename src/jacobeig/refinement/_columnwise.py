"""One column at a time, on a re-chosen support, orthogonal to the others: monotone and exactly orthonormal."""

import numpy as np
from scipy.linalg import eigh, qr

from jacobeig._types import Floats, Integers, Mask
from jacobeig.refinement._budget import Budget
from jacobeig.refinement._pursuit import Point

__all__ = ["columnwise"]

SMALL = 80  # rows up to which a dense eigenproblem beats Lanczos steps
KRYLOV = 10  # Lanczos steps before a restart
NEGLIGIBLE = 1e-13  # of the span of the others on a support


def columnwise(
    S: Floats,
    U: Floats,
    *,
    mask: Mask | None = None,
    nonzeros: int | None = None,
    max_nonzeros: int | None = None,
    sweeps: int = 20,
    tol: float = 1e-5,
) -> Point:
    """Raise tr(U^T S U) by solving for each column in turn, the others fixed.

    Parameters
    ----------
    S : (n, n) array
    U : (n, p) array
        Orthonormal, within the budgets or on the mask.
    mask : (n, p) array of bool, optional
        Supports to keep to. Without it each column chooses its own again.
    nonzeros, max_nonzeros : int, optional
        Nonzeros at most in all (those of U by default) and in each column. Ignored with a mask.
    sweeps, tol
        Sweeps at most, and the relative rise below which they end.

    Returns
    -------
    Point
        Orthonormal vectors, never worse than U, and their trace.
    """
    n = len(S)
    total = int(np.count_nonzero(U)) if nonzeros is None else nonzeros
    budget = Budget(total=total, per_column=n if max_nonzeros is None else max_nonzeros)
    best = Point(U, float(np.sum(U * (S @ U))))
    for _ in range(sweeps):
        before = best.value
        best = _sweep(S, best.vectors, budget, mask)
        if mask is None:
            shifted = _sweep(S, _shift_budget(S, best.vectors, budget), budget, mask)
            best = max(best, shifted, key=lambda point: point.value)
        if best.value - before <= tol * abs(best.value):
            break
    return best


def _sweep(S: Floats, U: Floats, budget: Budget, mask: Mask | None) -> Point:
    """Improve every column once; what the budget has to spare goes to the first that can use it."""
    U = U.copy()
    counts = np.count_nonzero(U, axis=0)
    for c in range(U.shape[1]):
        room = min(int(counts[c]) + budget.total - int(counts.sum()), budget.per_column, len(S))
        U[:, c] = _improve(S, U, c, None if mask is None else mask[:, c], room)
        counts[c] = np.count_nonzero(U[:, c])
    return Point(U, float(np.sum(U * (S @ U))))


def _shift_budget(S: Floats, U: Floats, budget: Budget) -> Floats:
    """Let all columns compete for the budget by their pull on the rows; cut those that lose, so that others grow."""
    pull = S @ U
    pull -= U @ (U.T @ pull) - U * np.sum(U * pull, axis=0)
    counts = budget.keep(pull * pull / np.sum(U * (S @ U), axis=0).clip(1e-300), budget.total).sum(axis=0)
    U = U.copy()
    for c in np.nonzero(counts < np.count_nonzero(U, axis=0))[0]:
        rows = np.argpartition(-np.abs(pull[:, c]), counts[c] - 1)[: counts[c]]
        x = _solve_column(S, np.delete(U, c, axis=1), rows, U[:, c])
        U[:, c] = U[:, c] if x is None else x
    return U


def _improve(S: Floats, U: Floats, c: int, allowed: Mask | None, room: int) -> Floats:
    """Return a column at least as good as U[:, c]: its support chosen again until the quotient stays."""
    others, best = np.delete(U, c, axis=1), U[:, c]
    value = float(best @ S @ best)
    for _ in range(10 if allowed is None else 1):
        pull = S @ best
        pull -= others @ (others.T @ pull)
        rows = np.argpartition(-np.abs(pull), room - 1)[:room] if allowed is None else np.nonzero(allowed)[0]
        x = _solve_column(S, others, rows, best)
        if x is None or not x @ S @ x > value + 1e-9 * abs(value):
            break
        best, value = x, float(x @ S @ x)
    return best


def _solve_column(S: Floats, others: Floats, rows: Integers, guess: Floats) -> Floats | None:
    """Return the unit vector on the rows, orthogonal to the others, with the largest quotient; None without room."""
    block, near = S[np.ix_(rows, rows)], others[rows]
    Q, R, _ = qr(near[:, np.any(near != 0, axis=0)], mode="economic", pivoting=True, check_finite=False)
    span: Floats = np.asarray(Q[:, : int(np.sum(np.abs(R.diagonal()) > NEGLIGIBLE))], dtype=np.float64)
    if span.shape[1] >= len(rows):
        return None
    x = _solve_dense(block, span) if len(rows) <= SMALL else _run_lanczos(block, span, guess[rows])
    for _ in range(2):  # once is not enough where x lies almost in the span of the others
        x = x - span @ (span.T @ x)
        x /= np.linalg.norm(x)
    column = np.zeros(len(S))
    column[rows] = x
    return column if np.abs(others.T @ column).max(initial=0.0) < NEGLIGIBLE else None


def _solve_dense(block: Floats, Q: Floats) -> Floats:
    """Leading eigenvector of the block outside the span of Q, by shifting that span below the spectrum."""
    kept = block - Q @ (Q.T @ block)
    kept -= (kept @ Q) @ Q.T
    kept -= 2 * np.abs(block).sum(axis=0).max() * (Q @ Q.T)
    last = len(block) - 1
    return np.asarray(eigh((kept + kept.T) / 2, subset_by_index=[last, last], check_finite=False)[1][:, 0])


def _run_lanczos(block: Floats, Q: Floats, x: Floats, restarts: int = 3) -> Floats:
    """Improve x towards the same by restarted Lanczos steps: the quotient never falls below that of x projected."""
    for _ in range(restarts):
        basis = np.zeros((KRYLOV, len(x)))
        direction = x
        for k in range(KRYLOV):
            for _ in range(2):
                direction = direction - Q @ (Q.T @ direction)
                direction = direction - basis[:k].T @ (basis[:k] @ direction)
            size = np.linalg.norm(direction)
            if size <= 1e-10:
                basis = basis[:k]
                break
            basis[k] = direction / size
            direction = block @ basis[k]
            direction = direction / max(float(np.linalg.norm(direction)), 1e-300)
        if len(basis) == 0:
            return x
        x = basis.T @ np.linalg.eigh(basis @ block @ basis.T)[1][:, -1]
    return x
