"""One pair of coordinates: how much its best rotation gains, and that rotation.

The gain is the paper's score of a pair, w (r - delta) / 2 with r = sqrt(delta^2 + 4 |S_ij|^2), w the difference
of the two weights (its equation "badcij"). Written as here it does not cancel.

References
----------
C. Rusu, "An iterative Jacobi-like algorithm to compute a few sparse approximate eigenvectors".
G. H. Golub and C. F. Van Loan, "Matrix Computations", section 8.5: the rotation that diagonalises a pair.
"""

import math
from typing import Any

from jacobeig._kernels._jit import bare_inline


@bare_inline
def abs2(x: Any) -> Any:
    """Squared modulus of a real or complex scalar."""
    return (x * x.conjugate()).real


@bare_inline
def orient(weight: float) -> float:
    """+1 where the first coordinate wants the larger eigenvalue of the pair, -1 where it wants the smaller."""
    return -1.0 if weight < 0.0 else 1.0


@bare_inline
def find_unit_gain(s2: float, delta: float) -> float:
    """(sqrt(delta^2 + 4 s2) - delta) / 2, in the form that does not cancel: the gain for a weight of one."""
    r = math.sqrt(delta * delta + 4.0 * s2)
    if delta > 0.0:
        return 2.0 * s2 / (r + delta)
    return 0.5 * (r - delta)


@bare_inline
def find_rotation(s: Any, delta: float, sign: float) -> Any:
    """Cosine c >= 0 and sine sigma of G = [[c, -conj(sigma)], [sigma, c]] that diagonalises the pair.

    `s` is S_ij and `delta` is sign * (S_ii - S_jj): coordinate i receives the larger eigenvalue when sign = +1.
    S_ij = 0 asks for an exact swap, whose cosine must be 0 and not cos(pi/2).
    """
    modulus = math.sqrt(abs2(s))
    if modulus == 0.0:
        return 0.0, s + 1.0
    r = math.sqrt(delta * delta + 4.0 * modulus * modulus)
    if delta >= 0.0:
        c = math.sqrt(0.5 * (r + delta) / r)
        sine = modulus / (r * c)
    else:
        sine = math.sqrt(0.5 * (r - delta) / r)
        c = modulus / (r * sine)
    return c, s.conjugate() * (sign * sine / modulus)
