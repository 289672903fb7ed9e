"""One column at a time, on a re-chosen support, orthogonal to the others: monotone and exactly orthonormal."""

import numpy as np
from scipy.linalg import qr

from jacobeig._types import Floats, Integers, Mask
from jacobeig.refinement._budget import NonzeroBudget, mask_largest
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._pursuit import Point
from jacobeig.refinement._quadratic import Matrix, Quadratic, find_top, improve_top, take_block

SMALL = 80  # rows up to which a dense eigenproblem beats Lanczos steps
RESTARTS = 3  # of Lanczos steps: the support changes again before a column needs to settle
NEGLIGIBLE = 1e-13  # of the span of the others on a support


def columnwise(
    form: Quadratic,
    U: Floats,
    *,
    mask: Mask | None = None,
    budget: NonzeroBudget | None = None,
    sweeps: int = 20,
    tol: float = 1e-5,
    clock: Clock = NO_LIMIT,
) -> Point:
    """Raise the form by solving for each column in turn, the others fixed; never worse than U.

    U is orthonormal, on the mask if there is one. Without it each column chooses its support again, within the budget
    (by default as many nonzeros as U has).
    """
    budget = NonzeroBudget(total=int(np.count_nonzero(U)), per_column=len(U)) if budget is None else budget
    best = Point(U, form.measure(U))
    for _ in range(sweeps):
        if clock.expired:
            break
        before = best.value
        best = _sweep(form, best.vectors, budget, mask)
        if mask is None and form.plain:
            shifted = _sweep(form, _shift_budget(form, best.vectors, budget), budget, mask)
            best = max(best, shifted, key=lambda point: point.value)
        if best.value - before <= tol * form.size(best.value):
            break
    return best


def _sweep(form: Quadratic, U: Floats, budget: NonzeroBudget, mask: Mask | None) -> Point:
    """Improve every column once; what the budget has to spare goes to the first that can use it."""
    U = U.copy()
    counts = np.count_nonzero(U, axis=0)
    for c in range(U.shape[1]):
        room = min(int(counts[c]) + budget.total - int(counts.sum()), budget.per_column, len(U))
        sign = -1.0 if form.weights[c] < 0 else 1.0
        U[:, c] = _improve(form.S, sign, U, c, None if mask is None else mask[:, c], room)
        counts[c] = np.count_nonzero(U[:, c])
    return Point(U, form.measure(U))


def _shift_budget(form: Quadratic, U: Floats, budget: NonzeroBudget) -> Floats:
    """Let all columns compete for the budget by their pull on the rows; cut those that lose, so that others grow."""
    image = form.multiply(U)
    quotients = np.sum(U.conj() * image, axis=0).real
    pull = image - (U @ (U.conj().T @ image) - U * quotients)
    counts = budget.keep(np.abs(pull) ** 2 / quotients.clip(1e-300), budget.total).sum(axis=0)
    U = U.copy()
    for c in np.nonzero(counts < np.count_nonzero(U, axis=0))[0]:
        rows = np.flatnonzero(mask_largest(np.abs(pull[:, c]), int(counts[c])))
        x = _solve_column(form.S, 1.0, np.delete(U, c, axis=1), rows, U[:, c])
        U[:, c] = U[:, c] if x is None else x
    return U


def _improve(S: Matrix, sign: float, U: Floats, c: int, allowed: Mask | None, room: int) -> Floats:
    """Return a column at least as good as U[:, c]: its support chosen again until the quotient stays."""
    others, best = np.delete(U, c, axis=1), U[:, c]
    image = sign * (S @ best)
    value = float(np.vdot(best, image).real)
    for _ in range(10 if allowed is None else 1):
        pull = image - others @ (others.conj().T @ image)
        rows = np.flatnonzero(mask_largest(np.abs(pull), room) if allowed is None else allowed)
        x = _solve_column(S, sign, others, rows, best)
        if x is None:
            break
        image = sign * (S @ x)
        reached = float(np.vdot(x, image).real)
        if not reached > value + 1e-9 * abs(value):
            break
        best, value = x, reached
    return best


def _solve_column(S: Matrix, sign: float, others: Floats, rows: Integers, guess: Floats) -> Floats | None:
    """Return the unit vector on the rows, orthogonal to the others, with the largest quotient; None without room."""
    block, near = sign * take_block(S, rows), others[rows]
    Q, R, _ = qr(near[:, np.any(near != 0, axis=0)], mode="economic", pivoting=True, check_finite=False)
    span: Floats = np.asarray(Q[:, : int(np.sum(np.abs(R.diagonal()) > NEGLIGIBLE))])
    if span.shape[1] >= len(rows):
        return None
    if len(rows) <= SMALL:
        x = _solve_dense(block, span)
    else:
        x, _ = improve_top(block, guess[rows], restarts=RESTARTS, span=span)
    for _ in range(2):  # once is not enough where x lies almost in the span of the others
        x = x - span @ (span.conj().T @ x)
        x /= np.linalg.norm(x)
    column = np.zeros(len(others), x.dtype)
    column[rows] = x
    return column if np.abs(others.conj().T @ column).max(initial=0.0) < NEGLIGIBLE else None


def _solve_dense(block: Floats, Q: Floats) -> Floats:
    """Leading eigenvector of the block outside the span of Q, by shifting that span below the spectrum."""
    adjoint = Q.conj().T
    kept = block - Q @ (adjoint @ block)
    kept = kept - (kept @ Q) @ adjoint
    kept = kept - 2 * np.abs(block).sum(axis=0).max() * (Q @ adjoint)
    return find_top((kept + kept.conj().T) / 2, 1)[:, 0]
