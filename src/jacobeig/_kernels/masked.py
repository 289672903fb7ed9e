"""Kernels for U^H U = I on masked entries: its derivative J, the adjoint of J, and the normal matrix J J^T.

The masked entries are packed column by column; row r holds the entries ``entries[offsets[r] : offsets[r + 1]]``, and
entry e lies in column ``column[e]``. An equation is a pair (s, t) of columns that share a row, numbered by
``equation[s, t]``; equations with s != t carry a factor sqrt(2), so that packing keeps inner products. Columns that
share no row are orthogonal whatever their values, and have no equation. Within a row, entries come in the order of
their columns; an equation is that of its upper entry, s < t. The first two kernels take complex entries too.
"""

import math

from jacobeig._kernels._jit import bare_kernel
from jacobeig._types import Floats, Integers, Mask

_HALF = math.sqrt(0.5)


@bare_kernel
def apply_derivative(
    u: Floats, v: Floats, entries: Integers, offsets: Integers, column: Integers, equation: Integers, out: Floats
) -> None:
    """Add the Hermitian part of U^H V, packed, to `out`; costs the sum over rows of their masked entries squared."""
    for r in range(len(offsets) - 1):
        for a in range(offsets[r], offsets[r + 1]):
            x = entries[a]
            for b in range(offsets[r], offsets[r + 1]):
                y = entries[b]
                if a < b:
                    out[equation[column[x], column[y]]] += _HALF * u[x].conjugate() * v[y]
                elif a > b:
                    out[equation[column[x], column[y]]] += _HALF * u[x] * v[y].conjugate()
                else:
                    out[equation[column[x], column[y]]] += (u[x].conjugate() * v[y]).real


@bare_kernel
def apply_adjoint(
    u: Floats, z: Floats, entries: Integers, offsets: Integers, column: Integers, equation: Integers, out: Floats
) -> None:
    """Write the masked entries of U Z, Z Hermitian and packed as `z`, to `out`; costs as `apply_derivative`."""
    for r in range(len(offsets) - 1):
        for a in range(offsets[r], offsets[r + 1]):
            x = entries[a]
            total = u[x] * z[equation[column[x], column[x]]]
            for b in range(offsets[r], offsets[r + 1]):
                y = entries[b]
                entry = z[equation[column[x], column[y]]]
                if b < a:
                    total += _HALF * u[y] * entry
                elif b > a:
                    total += _HALF * u[y] * entry.conjugate()
            out[x] = total


@bare_kernel
def fill_normal_matrix(
    u: Floats, entries: Integers, offsets: Integers, column: Integers, equation: Integers, out: Floats
) -> None:
    """Add the lower triangle of J J^T to `out`; costs the sum over rows of their masked entries cubed."""
    for r in range(len(offsets) - 1):
        for t in range(offsets[r], offsets[r + 1]):
            x = entries[t]
            for a in range(offsets[r], offsets[r + 1]):
                left = equation[column[x], column[entries[a]]]
                value = u[entries[a]] if a == t else _HALF * u[entries[a]]
                for b in range(offsets[r], offsets[r + 1]):
                    right = equation[column[x], column[entries[b]]]
                    if right <= left:
                        out[left, right] += value * (u[entries[b]] if b == t else _HALF * u[entries[b]])


@bare_kernel
def fill_hermitian_matrices(
    u: Floats, entries: Integers, offsets: Integers, column: Integers, equation: Integers, straight: Floats,
    flipped: Floats,
) -> None:  # fmt: skip
    """Add to `straight` and `flipped` the A and C of J J^T z = A z + C conj(z), for complex entries; costs as above.

    The equation of a column with itself is real, so it has half of its coefficients in each.
    """
    for r in range(len(offsets) - 1):
        for t in range(offsets[r], offsets[r + 1]):
            x = entries[t]
            for a in range(offsets[r], offsets[r + 1]):
                left = equation[column[x], column[entries[a]]]
                weight = 1.0 if a == t else _HALF
                for b in range(offsets[r], offsets[r + 1]):
                    right = equation[column[x], column[entries[b]]]
                    value = u[entries[a]].conjugate() * u[entries[b]] * (weight if b == t else weight * _HALF)
                    if a == t or b == t:
                        # the equation on the left, or the number on the right, is real
                        half = 0.5 * (value if a <= t else value.conjugate())
                        other = half.conjugate() if a == t else half
                        turned = (b > t) != (a > t)
                        if a == t and b == t:
                            half, other = half.real + 0.0j, half.real + 0.0j
                        if turned:
                            flipped[left, right] += half
                            straight[left, right] += other
                        else:
                            straight[left, right] += half
                            flipped[left, right] += other
                    elif a > t:
                        if b > t:
                            straight[left, right] += value.conjugate()
                        else:
                            flipped[left, right] += value.conjugate()
                    elif b > t:
                        flipped[left, right] += value
                    else:
                        straight[left, right] += value


@bare_kernel
def gather_normal_matrix(grams: Floats, equation: Integers, out: Floats) -> None:
    """Add the lower triangle of J J^T to `out` from ``grams[t]`` = U^T diag(mask[:, t]) U; costs p cubed."""
    p = len(equation)
    for t in range(p):
        for a in range(p):
            left = equation[a, t]
            for b in range(p):
                right = equation[b, t]
                if 0 <= right <= left:
                    weight = (1.0 if a == t else _HALF) * (1.0 if b == t else _HALF)
                    out[left, right] += weight * grams[t, a, b]


@bare_kernel
def drop_lone_overlaps(U: Floats, mask: Mask) -> None:
    """Where two columns share exactly one row, orthogonality needs a zero there: unmask the smaller entry, in place."""
    n, p = U.shape
    changed = True
    while changed:
        changed = False
        for s in range(p):
            for t in range(s + 1, p):
                shared, row = 0, 0
                for r in range(n):
                    if mask[r, s] and mask[r, t]:
                        shared += 1
                        row = r
                        if shared > 1:
                            break
                if shared == 1:
                    mask[row, s if abs(U[row, s]) < abs(U[row, t]) else t] = False
                    changed = True


@bare_kernel
def drop_new_overlaps(mask: Mask, wide: Mask, scores: Floats) -> None:
    """Where two columns of a wider mask meet in new entries only, unmask the worse of each two, in place.

    Their equation is flat there: no step along its derivative leads back to orthogonality, so none could be taken.
    """
    n, p = mask.shape
    changed = True
    while changed:
        changed = False
        for s in range(p):
            for t in range(s + 1, p):
                shared, first, known = 0, n, False
                for r in range(n):
                    if wide[r, s] and wide[r, t]:
                        shared, first = shared + 1, min(first, r)
                        if mask[r, s] or mask[r, t]:
                            known = True
                            break
                if known or shared == 0:
                    continue
                for r in range(first, n):
                    if wide[r, s] and wide[r, t]:
                        wide[r, s if scores[r, s] < scores[r, t] else t] = False
                changed = True
