"""Jacobi's own rule, the largest off-diagonal entry, among pairs whose vectors stay sparse."""

import numpy as np
import numpy.typing as npt

from jacobeig._kernels._jit import inline, kernel

__all__ = ["classic_rotations"]


@kernel
def classic_rotations(
    S: npt.NDArray[np.float64],
    Ut: npt.NDArray[np.float64],
    support: npt.NDArray[np.bool_],
    max_nonzeros: int,
    max_rotations: int,
) -> int:
    """Rotate until no admissible pair has an entry above rounding; the number of rotations made.

    S becomes U^T S U, the rows of `Ut` the vectors and `support` their supports. A pair is admissible when the union
    of its two supports has at most `max_nonzeros` members. O(n) a rotation, but for rows that lose their best entry.
    """
    n = S.shape[0]
    floor = np.finfo(np.float64).eps * np.abs(S).max()
    best = np.empty(n)
    where = np.empty(n, np.intp)
    for i in range(n):
        _scan(S, support, i, max_nonzeros, best, where)
    for rotation in range(max_rotations):
        i = int(np.argmax(best))
        if best[i] <= floor:
            return rotation
        j = where[i]
        _rotate(S, Ut, support, i, j)
        for row in range(n):
            if row in (i, j) or where[row] in (i, j):
                _scan(S, support, row, max_nonzeros, best, where)
            else:
                for column in (i, j):
                    _compare(S, support, row, column, max_nonzeros, best, where)
    return max_rotations


@inline
def _scan(
    S: npt.NDArray[np.float64],
    support: npt.NDArray[np.bool_],
    row: int,
    max_nonzeros: int,
    best: npt.NDArray[np.float64],
    where: npt.NDArray[np.intp],
) -> None:
    """Find the largest admissible entry right of the diagonal."""
    best[row], where[row] = 0.0, -1
    for column in range(row + 1, S.shape[0]):
        _compare(S, support, row, column, max_nonzeros, best, where)


@inline
def _compare(
    S: npt.NDArray[np.float64],
    support: npt.NDArray[np.bool_],
    row: int,
    column: int,
    max_nonzeros: int,
    best: npt.NDArray[np.float64],
    where: npt.NDArray[np.intp],
) -> None:
    """Let one entry compete; supports are only counted when it is larger."""
    if column > row and abs(S[row, column]) > best[row]:
        union = 0
        for m in range(support.shape[1]):
            union += support[row, m] | support[column, m]
        if union <= max_nonzeros:
            best[row], where[row] = abs(S[row, column]), column


@inline
def _rotate(
    S: npt.NDArray[np.float64], Ut: npt.NDArray[np.float64], support: npt.NDArray[np.bool_], i: int, j: int
) -> None:
    """Make S[i, j] zero by the smaller of the two angles."""
    tau = (S[j, j] - S[i, i]) / (2.0 * S[i, j])
    t = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + np.sqrt(1.0 + tau * tau))
    c = 1.0 / np.sqrt(1.0 + t * t)
    s = t * c
    for m in range(S.shape[0]):
        a, b = S[i, m], S[j, m]
        S[i, m], S[j, m] = c * a - s * b, s * a + c * b
        a, b = Ut[i, m], Ut[j, m]
        Ut[i, m], Ut[j, m] = c * a - s * b, s * a + c * b
        either = support[i, m] | support[j, m]
        support[i, m], support[j, m] = either, either
    for m in range(S.shape[0]):
        a, b = S[m, i], S[m, j]
        S[m, i], S[m, j] = c * a - s * b, s * a + c * b
    S[i, j], S[j, i] = 0.0, 0.0
