"""Re-optimise each rotation of a chain given all the others: a trigonometric polynomial of degree 2 in its angle.

With L = G_1 ... G_{q-1}, P = L^H S L and Y = G_{q+1} ... G_k E, the objective tr(diag(alpha) U^H S U) depends on G_q,
acting on coordinates i and j, only through P, B = Y diag(alpha) Y^H and H = P B on those two: up to a constant it is
a cos 2t + b sin 2t + d cos t + e sin t for the angle t. A complex rotation has a phase besides, of which the angle is
the sine: the two are improved in turn, and neither step descends.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jacobeig._kernels._jit import bare_inline, bare_kernel
from jacobeig._types import Floats, Integers

Words = npt.NDArray[np.uint64]

# Starting points of Newton's method: the polynomial has at most two maxima. Not tuned; a test compares what is found
# from them with that of 20,001 points.
GRID = 24
# Turns of phase and angle for a complex rotation; a chain is swept several times, so that few are enough.
TURNS = 4
# Pairs that are checked against the limit on nonzeros, the best first; more cost a pass over the chain each.
CANDIDATES = 8


class Candidates(NamedTuple):
    """Space for the best pairs, their angles, phases and gains, and for what is counted of a chain with one of them."""

    pairs: Integers  # (CANDIDATES, 2)
    angles: Floats
    phases: Floats
    values: Floats
    supports: Words  # (n, words) bitsets
    sizes: Integers  # (p,)


@bare_inline
def rotate_rows(M: Floats, i: int, j: int, c: float, s: Any) -> None:
    """Multiply M from the left by the rotation, in place."""
    for t in range(M.shape[1]):
        x, y = M[i, t], M[j, t]
        M[i, t] = c * x - s.conjugate() * y
        M[j, t] = s * x + c * y


@bare_inline
def conjugate(P: Floats, i: int, j: int, c: float, s: Any) -> None:
    """Replace P by G^H P G, in place."""
    rotate_rows(P, i, j, c, -s)
    for t in range(P.shape[0]):
        x, y = P[t, i], P[t, j]
        P[t, i] = c * x + s * y
        P[t, j] = c * y - s.conjugate() * x


@bare_inline
def best_angle(a: float, b: float, d: float, e: float) -> tuple[float, float]:
    """Return where a cos 2t + b sin 2t + d cos t + e sin t is largest, and its value there."""
    best, angle = -np.inf, 0.0
    for k in range(GRID):
        t = 2 * np.pi * k / GRID
        value = a * np.cos(2 * t) + b * np.sin(2 * t) + d * np.cos(t) + e * np.sin(t)
        if value > best:
            best, angle = value, t
    t = angle
    for _ in range(20):
        c1, s1, c2, s2 = np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t)
        slope = 2 * (b * c2 - a * s2) + e * c1 - d * s1
        bend = -4 * (a * c2 + b * s2) - d * c1 - e * s1
        if not bend < 0:
            break
        change = min(max(-slope / bend, -0.3), 0.3)
        t += change
        if abs(change) < 1e-15:
            break
    value = a * np.cos(2 * t) + b * np.sin(2 * t) + d * np.cos(t) + e * np.sin(t)
    return (t, value) if value > best else (angle, best)


@bare_inline
def gather(P: Any, B: Any, H: Any, i: int, j: int) -> Any:
    """Return the entries at i and j on which a rotation of the two depends."""
    return P[i, i], P[i, j], P[j, j], B[i, i], B[i, j], B[j, j], H[i, i], H[i, j], H[j, i], H[j, j]


@bare_inline
def find_coefficients(entries: Any, phase: Any) -> tuple[float, float, float, float]:
    """Return a, b, d, e from the entries of P, B and H = P B at i and j, for a rotation of that phase (1 if real)."""
    pii, pij, pjj, bii, bij, bjj, hii, hij, hji, hjj = entries
    p, b = (pii - pjj).real / 2, (bii - bjj).real / 2
    x, y = (pij * phase).real, (bij * phase).real
    w11 = hii - pii * bii - pij * bij.conjugate()
    w22 = hjj - pij.conjugate() * bij - pjj * bjj
    w21 = hji - pij.conjugate() * bii - pjj * bij.conjugate()
    w12 = hij - pii * bij - pij * bjj
    across = (w21 * phase.conjugate() - w12 * phase).real
    return 2 * (b * p + y * x), 2 * (b * x - y * p), 2 * (w11 + w22).real, 2 * across


@bare_inline
def turn_phase(entries: Any, c: float, s: Any) -> Any:
    """Return a better phase for a complex rotation: that of the gradient in its sine, shifted so that none descends."""
    pii, pij, pjj, bii, bij, bjj, _, hij, hji, _ = entries
    w21 = hji - pij.conjugate() * bii - pjj * bij.conjugate()
    w12 = hij - pii * bij - pij * bjj
    # P G B on the two coordinates, below and above the diagonal
    below = (pij.conjugate() * c + pjj * s) * bii + (pjj * c - pij.conjugate() * s.conjugate()) * bij.conjugate()
    above = (pii * c + pij * s) * bij + (pij * c - pii * s.conjugate()) * bjj
    shift = abs((pii - pjj) * (bii - bjj)) / 2 + 6 * abs(pij) * abs(bij)
    gradient = below + w21 - (above + w12).conjugate() + shift * s
    size = abs(gradient)
    return gradient / size if size > 0.0 else s * 0.0 + 1.0


@bare_kernel
def sweep_angles(
    P: Floats, Y: Floats, alpha: Floats, pivots: Integers, cosines: Floats, sines: Floats, turns: int, begin: int,
    end: int, near: Floats,
) -> None:  # fmt: skip
    """Re-optimise the angles of the rotations begin..end-1 in turn, pairs kept; O(np) a rotation.

    Before the first rotation P is S and Y is G_1 ... G_k E; after the last P is U^H S U and Y is E. `cosines`,
    `sines` and `near` (2, p) are overwritten. Swaps and identities stay: any other angle would add structural
    nonzeros. Complex rotations get `turns` of phase and angle, real ones 0.
    """
    n, p = Y.shape
    for q in range(begin, end):
        i, j = pivots[q, 0], pivots[q, 1]
        c, s = cosines[q], sines[q]
        rotate_rows(Y, i, j, c, -s)
        if c != 0.0 and s != 0.0:
            near[:] = 0.0
            for r in range(n):
                pi, pj = P[i, r], P[j, r]
                for t in range(p):
                    near[0, t] += pi * Y[r, t]
                    near[1, t] += pj * Y[r, t]
            bii = bij = bjj = hii = hij = hji = hjj = 0 * P[i, j]
            for t in range(p):
                yi, yj = alpha[t] * Y[i, t].conjugate(), alpha[t] * Y[j, t].conjugate()
                bii, bij, bjj = bii + yi * Y[i, t], bij + yj * Y[i, t], bjj + yj * Y[j, t]
                hii, hij = hii + near[0, t] * yi, hij + near[0, t] * yj
                hji, hjj = hji + near[1, t] * yi, hjj + near[1, t] * yj
            entries = P[i, i], P[i, j], P[j, j], bii, bij, bjj, hii, hij, hji, hjj
            phase = s / abs(s) if turns else 0 * s + 1.0
            a, b, d, e = find_coefficients(entries, phase)
            sine = (s * phase.conjugate()).real
            now = a * (c * c - sine * sine) + 2 * b * c * sine + d * c + e * sine
            angle, value = best_angle(a, b, d, e)
            if value > now:
                c, s = np.cos(angle), np.sin(angle) * phase
            for _ in range(turns):
                phase = turn_phase(entries, c, s)
                a, b, d, e = find_coefficients(entries, phase)
                angle, value = best_angle(a, b, d, e)
                c, s = np.cos(angle), np.sin(angle) * phase
        cosines[q], sines[q] = c, s
        conjugate(P, i, j, c, s)


@bare_kernel
def count_structural_nonzeros(
    pivots: Integers, cosines: Floats, sines: Floats, seeds: Integers, supports: Words, sizes: Integers
) -> None:
    """Write to `sizes` the nonzeros that the chain's vectors have in general; `supports` (n bitsets) is overwritten."""
    n, words = supports.shape
    supports[:] = 0
    for r in range(n):
        supports[r, r // 64] = np.uint64(1) << np.uint64(r % 64)
    for q in range(len(pivots)):
        i, j = pivots[q, 0], pivots[q, 1]
        for w in range(words):
            x, y = supports[i, w], supports[j, w]
            if cosines[q] == 0.0:
                supports[i, w], supports[j, w] = y, x
            elif sines[q] != 0.0:
                supports[i, w] = supports[j, w] = x | y
    for t in range(len(seeds)):
        sizes[t] = 0
        for w in range(words):
            word = supports[seeds[t], w]
            while word:
                word &= word - np.uint64(1)
                sizes[t] += 1


@bare_inline
def find_best_pairs(
    P: Floats, B: Floats, H: Floats, turns: int, floor: float, pairs: Integers, angles: Floats, phases: Floats,
    values: Floats,
) -> None:  # fmt: skip
    """Write the pairs whose best angle raises the objective most above the identity's, and by more than `floor`.

    A complex rotation has the phase in which the objective rises most from the identity.
    """
    n = len(P)
    values[:] = floor
    pairs[:] = -1
    for i in range(n):
        for j in range(i + 1, n):
            if B[i, i] == 0.0 and B[j, j] == 0.0:
                continue
            slope = H[j, i] - H[i, j].conjugate()
            phase = slope / abs(slope) if turns and abs(slope) > 0.0 else 0 * slope + 1.0
            a, b, d, e = find_coefficients(gather(P, B, H, i, j), phase)
            if np.sqrt(a * a + b * b) + np.sqrt(d * d + e * e) - a - d <= values[-1]:
                continue
            angle, value = best_angle(a, b, d, e)
            k = len(values) - 1
            if value - a - d <= values[k]:
                continue
            while k > 0 and values[k - 1] < value - a - d:
                values[k], angles[k], phases[k] = values[k - 1], angles[k - 1], phases[k - 1]
                pairs[k, 0], pairs[k, 1] = pairs[k - 1, 0], pairs[k - 1, 1]
                k -= 1
            values[k], angles[k], phases[k] = value - a - d, angle, phase
            pairs[k, 0], pairs[k, 1] = i, j


@bare_kernel
def take_out(Y: Floats, pivots: Integers, cosines: Floats, sines: Floats, q: int) -> None:
    """Take rotation q out of Y = G_q ... G_k E, in place."""
    rotate_rows(Y, pivots[q, 0], pivots[q, 1], cosines[q], -sines[q])


@bare_kernel
def choose_pair(
    P: Floats, B: Floats, H: Floats, pivots: Integers, cosines: Floats, sines: Floats, seeds: Integers, turns: int,
    limit: int, most: int, q: int, candidates: Candidates,
) -> None:  # fmt: skip
    """Give rotation q the best pair and angle, and apply it to P; O(n^2).

    A pair is taken only if the chain's structural nonzeros stay within `limit`, and those of each vector within `most`.
    """
    pairs, angles, phases, values, supports, sizes = candidates
    i, j = pivots[q, 0], pivots[q, 1]
    c, s = cosines[q], sines[q]
    phase = s / abs(s) if turns and abs(s) > 0.0 else 0 * s + 1.0
    a, b, d, e = find_coefficients(gather(P, B, H, i, j), phase)
    sine = (s * phase.conjugate()).real
    now = a * (c * c - sine * sine - 1) + 2 * b * c * sine + d * (c - 1) + e * sine
    find_best_pairs(P, B, H, turns, max(now, 0.0), pairs, angles, phases, values)
    for k in range(len(values)):
        if pairs[k, 0] < 0:
            break
        pivots[q, 0], pivots[q, 1] = pairs[k, 0], pairs[k, 1]
        cosines[q], sines[q] = np.cos(angles[k]), np.sin(angles[k]) * phases[k]
        count_structural_nonzeros(pivots, cosines, sines, seeds, supports, sizes)
        total, longest = sizes[0] * 0, sizes[0]
        for t in range(len(sizes)):
            total += sizes[t]
            longest = max(longest, sizes[t])
        if total <= limit and longest <= most:
            i, j, c, s = pairs[k, 0], pairs[k, 1], cosines[q], sines[q]
            break
    pivots[q, 0], pivots[q, 1] = i, j
    cosines[q], sines[q] = c, s
    conjugate(P, i, j, c, s)
