"""Krylov spaces: what repeated products with a matrix make of a few vectors, by Lanczos' method.

References
----------
C. Lanczos, "An iteration method for the solution of the eigenvalue problem of linear differential and integral
operators", Journal of Research of the National Bureau of Standards 45, 1950.

G. H. Golub and R. Underwood, "The block Lanczos method for computing eigenvalues", Mathematical Software III, 1977.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.sources.units import measure_norm

__all__ = ["KrylovSpace", "build_krylov"]


@dataclass(frozen=True, kw_only=True, eq=False)
class KrylovSpace:
    """An orthonormal basis (m, n), the matrix seen from it (m, m), and the size of what the last product left outside.

    Of `inner`, which is Hermitian, only the upper triangle is there: pass ``UPLO="U"`` to `numpy.linalg.eigh`.
    """

    basis: NDArray[Any]
    inner: NDArray[Any]
    outside: float


def build_krylov(
    multiply: Callable[[NDArray[Any]], NDArray[Any]], start: NDArray[Any], steps: int, span: NDArray[Any] | None = None
) -> KrylovSpace:
    """Return the space of the columns of `start` after some steps, orthogonal to the orthonormal columns of `span`.

    It has fewer dimensions where products no longer leave it, and none where `start` lies in the span.
    """
    n, width = start.shape
    most = min(steps, n // width) * width
    basis, inner = np.empty((most, n), start.dtype), np.zeros((most, width + most), start.dtype)
    m, image = 0, start
    while True:
        known, rest = basis[:m], image
        for _ in range(2):  # twice is enough for orthogonality to rounding
            if span is not None:
                rest = rest - span @ (span.conj().T @ rest)
            seen = known.conj() @ rest
            rest = rest - known.T @ seen
            inner[:m, m : m + width] += seen
        outside = measure_norm(rest)
        if m == most or outside <= np.finfo(start.dtype).eps ** (2 / 3) * measure_norm(image):
            return KrylovSpace(basis=known, inner=inner[:m, width : width + m], outside=outside)
        new = rest / outside if width == 1 else np.linalg.qr(rest)[0]
        basis[m : m + width] = new.T
        m, image = m + width, multiply(new)
