"""Walk a given chain of rotations over a matrix: what each one does to the diagonal and to the supports."""

from jacobeig._kernels._jit import bare_kernel
from jacobeig._kernels.support import merge
from jacobeig._types import BoolArray, FloatArray, IntArray, UIntArray


@bare_kernel
def walk_chain(
    S: FloatArray, pivots: IntArray, cosines: FloatArray, sines: FloatArray, weights: FloatArray, wanted: BoolArray,
    sets: UIntArray, news: UIntArray, sizes: IntArray, shifts: FloatArray, gains: FloatArray, nonzeros: IntArray,
) -> None:  # fmt: skip
    """Fill `shifts`, `gains` and `nonzeros` for every rotation; O(n) each.

    `S` (symmetric or Hermitian, rotated in place), `sets` (n bitsets) and `sizes` are brought along. `weights` (n,) is
    the target at the seeds, 0 elsewhere. `nonzeros` counts the vectors that are `wanted`, a zero weight or not.
    """
    n = S.shape[0]
    total = 0
    for m in range(n):
        total += sizes[m] if wanted[m] else 0
    for q in range(pivots.shape[0]):
        i, j, c, s = pivots[q, 0], pivots[q, 1], cosines[q], sines[q]
        before = S[i, i]
        for m in range(n):
            u, v = S[i, m], S[j, m]
            S[i, m], S[j, m] = c * u + s.conjugate() * v, c * v - s * u
        for m in range(n):
            u, v = S[m, i], S[m, j]
            S[m, i], S[m, j] = c * u + s * v, c * v - s.conjugate() * u
        shifts[q] = (S[i, i] - before).real
        gains[q] = (weights[i] - weights[j]) * shifts[q]
        for m in (i, j):
            total -= sizes[m] if wanted[m] else 0
        if c == 0.0:
            sizes[i], sizes[j] = sizes[j], sizes[i]
            for w in range(sets.shape[1]):
                sets[i, w], sets[j, w] = sets[j, w], sets[i, w]
        elif s != 0.0:
            sizes[i] = sizes[j] = merge(sets, i, j, news)
        for m in (i, j):
            total += sizes[m] if wanted[m] else 0
        nonzeros[q] = total
