"""Project samples on sparse vectors: gathers, four at a time so that additions do not wait for each other."""

import numpy as np

from jacobeig._kernels._jit import bare_kernel
from jacobeig._types import NumberArray, UIntArray

# Signed indices would cost half as much again, for wrapping around below zero.
_1, _2, _3, _4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@bare_kernel
def project(X: NumberArray, starts: UIntArray, indices: UIntArray, values: NumberArray, out: NumberArray) -> None:
    """Out <- X V, one sample a row, for V (n, p) with column t in values[starts[t] : starts[t + 1]]; writes `out`.

    Costs a multiplication for each nonzero of V and each sample, and reads no other entry of X.
    """
    m, n_samples, p, zero = np.uint64(0), np.uint64(X.shape[0]), np.uint64(out.shape[1]), out.dtype.type(0)
    while m + _4 <= n_samples:  # four samples at once
        for t in range(p):
            a, b, c, d = zero, zero, zero, zero
            for q in range(starts[t], starts[t + _1]):
                j, value = indices[q], values[q]
                a += X[m, j] * value
                b += X[m + _1, j] * value
                c += X[m + _2, j] * value
                d += X[m + _3, j] * value
            out[m, t], out[m + _1, t], out[m + _2, t], out[m + _3, t] = a, b, c, d
        m += _4
    while m < n_samples:  # four entries of each that is left at once
        for t in range(p):
            a, b, c, d = zero, zero, zero, zero
            q, end = starts[t], starts[t + _1]
            while q + _4 <= end:
                a += X[m, indices[q]] * values[q]
                b += X[m, indices[q + _1]] * values[q + _1]
                c += X[m, indices[q + _2]] * values[q + _2]
                d += X[m, indices[q + _3]] * values[q + _3]
                q += _4
            while q < end:
                a += X[m, indices[q]] * values[q]
                q += _1
            out[m, t] = (a + b) + (c + d)
        m += _1
