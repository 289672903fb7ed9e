"""Project samples on sparse vectors: gathers, four at a time so that additions do not wait for each other."""

from jacobeig._kernels._jit import inline, kernel
from jacobeig._types import IntArray, NumberArray, UIntArray

__all__ = ["project"]


@kernel
def project(X: NumberArray, starts: IntArray, indices: UIntArray, values: NumberArray, out: NumberArray) -> None:
    """Out <- X V, one sample a row, for V (n, p) with column t in values[starts[t] : starts[t + 1]]; writes `out`.

    Costs a multiplication for each nonzero of V and each sample, and reads no other entry of X.
    """
    m = 0
    while m + 4 <= X.shape[0]:
        _four_samples(X, m, starts, indices, values, out)
        m += 4
    while m < X.shape[0]:
        _one_sample(X, m, starts, indices, values, out)
        m += 1


@inline
def _four_samples(
    X: NumberArray, m: int, starts: IntArray, indices: UIntArray, values: NumberArray, out: NumberArray
) -> None:
    zero = out.dtype.type(0)
    for t in range(out.shape[1]):
        a, b, c, d = zero, zero, zero, zero
        for q in range(starts[t], starts[t + 1]):
            j, value = indices[q], values[q]
            a += X[m, j] * value
            b += X[m + 1, j] * value
            c += X[m + 2, j] * value
            d += X[m + 3, j] * value
        out[m, t], out[m + 1, t], out[m + 2, t], out[m + 3, t] = a, b, c, d


@inline
def _one_sample(
    X: NumberArray, m: int, starts: IntArray, indices: UIntArray, values: NumberArray, out: NumberArray
) -> None:
    zero = out.dtype.type(0)
    for t in range(out.shape[1]):
        a, b, c, d = zero, zero, zero, zero
        q, end = starts[t], starts[t + 1]
        while q + 4 <= end:
            a += X[m, indices[q]] * values[q]
            b += X[m, indices[q + 1]] * values[q + 1]
            c += X[m, indices[q + 2]] * values[q + 2]
            d += X[m, indices[q + 3]] * values[q + 3]
            q += 4
        while q < end:
            a += X[m, indices[q]] * values[q]
            q += 1
        out[m, t] = (a + b) + (c + d)
