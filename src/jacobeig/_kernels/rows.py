"""One rotation, which reads only the rows it needs (see "How it works" in the documentation).

One step is the paper's: the pair (i, j) with the largest gain, and the 2 x 2 eigenvectors of its block. Here no column
is updated, a departure that saves 2n cache misses a step; and a run stops when no pair gains anything.

A trailing row is read when it is first chosen and afterwards brought up to date by replaying the rotations it has
missed, two of its entries a rotation.

References
----------
C. Rusu, "An iterative Jacobi-like algorithm to compute a few sparse approximate eigenvectors": Algorithm 1, with
Jacobi's rule (1846, "classic") and the author's variants beside it.
"""

from typing import Any

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline
from jacobeig._kernels.plane import abs2, find_rotation, find_unit_gain, orient
from jacobeig._kernels.scan import weigh_pair
from jacobeig._kernels.state import Count, Outcome, Rows, Scalar
from jacobeig._kernels.support import exchange, find_set, insert, merge
from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray, UIntArray


@bare_inline
def _replay(
    row: NumberArray, first: UIntArray, second: UIntArray, cosines: FloatArray, sines: NumberArray, begin: int, end: int
) -> None:
    """Apply the column rotations begin..end-1 to one row.

    Neighbouring rotations mostly share their first coordinate, so its entry stays in a register.
    """
    if begin >= end:
        return
    i = np.uint64(first[begin])
    x = row[i]
    for q in range(np.uint64(begin), np.uint64(end)):
        if np.uint64(first[q]) != i:
            row[i] = x
            i = np.uint64(first[q])
            x = row[i]
        j = np.uint64(second[q])
        c, s, y = cosines[q], sines[q], row[j]
        row[j] = c * y - s.conjugate() * x
        x = row.dtype.type(c * x + s * y)
    row[i] = x


@bare_inline
def _fetch(row: NumberArray, work: NumberArray) -> None:
    """Read a line of cache after the other, four at once: the replay jumps about, and would wait for each of them.

    What is read has to go somewhere, or nothing would be.
    """
    line = 64 // row.itemsize
    a = b = c = d = row[0]
    for m in range(0, row.shape[0] - 3 * line, 4 * line):
        a += row[m]
        b += row[m + line]
        c += row[m + 2 * line]
        d += row[m + 3 * line]
    work[0] = a + b + c + d


@bare_inline
def _rotate_rows(x: NumberArray, y: NumberArray, c: Any, s: Any) -> None:
    """x, y <- G^H applied to the rows x, y."""
    for m in range(x.shape[0]):
        u, v = x[m], y[m]
        x[m] = c * u + s.conjugate() * v
        y[m] = c * v - s * u


@bare_inline
def finish_step(
    weights: FloatArray, adaptive: IntArray, diagonal: FloatArray, scalars: FloatArray, counts: IntArray,
    nonzeros: IntArray, q: int, i: int, j: int, added: float,
) -> None:  # fmt: skip
    """Count step q and the nonzeros that it added, and let the weights of its pair follow the diagonal.

    An adaptive weight is the vector's own diagonal entry, measured from the far end of the spectrum.
    """
    counts[Count.NONZEROS] += np.int64(added)
    nonzeros[q] = counts[Count.NONZEROS]
    counts[Count.STEP] = q + 1
    for m in (i, j):
        side = adaptive[m] if m < weights.shape[0] else 0
        if side != 0:
            weights[m] = diagonal[m] - scalars[Scalar.LOWER if side > 0 else Scalar.UPPER]


@bare_inline
def _raise_floor(scalars: FloatArray, stale: BoolArray, entry: float) -> None:
    """Rounding noise grows with the largest entry: keep TOP, a power of two, above it, and FLOOR2 in proportion.

    Diagonal entries grow towards the eigenvalues, which may be n times the largest entry of the matrix. A higher
    floor only lowers scores, so those known so far stay upper bounds.
    """
    if entry > scalars[Scalar.TOP]:
        while entry > scalars[Scalar.TOP]:
            scalars[Scalar.TOP] *= 2.0
            scalars[Scalar.FLOOR2] *= 4.0
        for i in range(stale.shape[0]):
            stale[i] = True


@bare_call
def turn(
    active: NumberArray, diagonal: FloatArray, weights: FloatArray, stale: BoolArray, first: UIntArray,
    second: UIntArray, cosines: FloatArray, sines: NumberArray, shifts: FloatArray, gains: FloatArray,
    scalars: FloatArray, q: int, i: int, j: int, swap: bool,
) -> Any:  # fmt: skip
    """Write down as step q the best rotation of the pair (i, j), and move the diagonal.

    Returns its cosine and sine. May raise the floor.
    """
    s, w = active[i, j] * sines.dtype.type(0.0 if swap else 1.0), weigh_pair(weights, i, j)
    sign = orient(w)
    if w == 0.0 and diagonal[i] < diagonal[j]:  # classic Jacobi wants no order: take the smaller angle
        sign = -1.0
    delta = sign * (diagonal[i] - diagonal[j])
    c, sigma = find_rotation(s, delta, sign)
    g = find_unit_gain(abs2(s), delta)
    # one by one: a tuple of six would take as long to compile as the rest
    first[q] = i
    second[q] = j
    cosines[q] = c
    sines[q] = sigma
    shifts[q] = sign * g
    gains[q] = abs(w) * g
    if swap:
        diagonal[i], diagonal[j] = diagonal[j], diagonal[i]
    else:
        diagonal[i] += sign * g
        diagonal[j] -= sign * g
    mine, other = abs(diagonal[i]), abs(diagonal[j])
    _raise_floor(scalars, stale, mine if mine > other else other)
    return c, sigma


@bare_call
def _hold_row(
    matrix: NumberArray, order: IntArray, rows: NumberArray, slots: IntArray, owners: IntArray, supports: UIntArray,
    counts: IntArray, scalars: FloatArray, p: int, j: int,
) -> int:  # fmt: skip
    """Make sure that the row of j is kept here; what the caller has to see to, if it is not."""
    if j < p or slots[j] >= 0:
        return Outcome.CHUNK_DONE
    slot, source = counts[Count.TOUCHED], order[j]
    if matrix.shape[0] == 0:
        counts[Count.WANTED] = j
        return Outcome.NEED_ROW
    if slot == rows.shape[0]:
        return Outcome.NEED_SPACE
    for m in range(order.shape[0]):
        rows[slot, m] = matrix[source, order[m]] * scalars[Scalar.SCALE]
    slots[j], owners[slot] = slot, j
    insert(supports, p + slot, j)
    counts[Count.TOUCHED] = slot + 1
    return Outcome.CHUNK_DONE


@bare_call
def rotate(st: Rows, q: int, i: int, j: int, swap: bool, added: float, room: float) -> int:
    """Take step q: rotate the pair (i, j), unless it adds more than `room` nonzeros or the row of j cannot be kept yet.

    Costs O(n + rotations missed by row j). Scores are left to the caller.
    """
    if added > room:
        return Outcome.DENSITY
    matrix, order, active, diagonal, weights, adaptive, _, _, _, stale = st[:10]
    rows, slots, current, work, supports, sizes, owners, _, news = st[10:19]
    first, second, cosines, sines, shifts, gains, nonzeros, counts, scalars = st[19:]
    p = active.shape[0]
    missing = _hold_row(matrix, order, rows, slots, owners, supports, counts, scalars, p, j)
    if missing != Outcome.CHUNK_DONE:
        return missing

    # 1. Bring row j up to date.
    x = active[i]
    if j < p:
        y = active[j]
    else:
        y = rows[slots[j]]
        _fetch(y, work)
        _replay(y, first, second, cosines, sines, current[j], q)
        for a in range(p):  # by symmetry, and exactly: these are kept current
            y[a] = active[a, j].conjugate()
        y[j] = diagonal[j]
        current[j] = q + 1

    # 2. The best rotation of the pair, and what it does to the diagonal.
    c, sigma = turn(
        active, diagonal, weights, stale, first, second, cosines, sines, shifts, gains, scalars, q, i, j, swap
    )

    # 3. Rows i and j, and by symmetry columns i and j of the other active rows.
    _rotate_rows(x, y, c, sigma)
    x[i] = diagonal[i]
    x[j] = 0.0
    y[i] = 0.0
    y[j] = diagonal[j]
    for a in range(p):
        if a != i and a != j:
            active[a, i] = x[a].conjugate()
            active[a, j] = y[a].conjugate()

    # 4. Supports, counts and weights.
    if swap:
        exchange(supports, i, find_set(slots, p, j))
        sizes[i], sizes[j] = sizes[j], sizes[i]
    else:
        sizes[i] = merge(supports, i, find_set(slots, p, j), news)
        sizes[j] = sizes[i]
    finish_step(weights, adaptive, diagonal, scalars, counts, nonzeros, q, i, j, added)
    return Outcome.CHUNK_DONE
