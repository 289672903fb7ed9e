"""A way in from vectors that are far from orthonormal: orthonormality as a penalty that grows."""

import numpy as np
from scipy.optimize import minimize

from jacobeig._types import Floats, Mask

__all__ = ["relax"]


def relax(S: Floats, mask: Mask, V: Floats, *, penalties: tuple[float, ...], iterations: int = 30) -> Floats:
    """Raise tr(U^T S U) / 2 - r / 4 |U^T U - I|^2 over the masked entries, for growing r.

    The result is almost orthonormal and still captures much: repairing V itself at once would throw more away.

    Parameters
    ----------
    S : (n, n) array
    mask : (n, p) array of bool
    V : (n, p) array
        No column zero on the mask.
    penalties : tuple of float
        The values of r, as multiples of the largest quotient, in the order of use.
    iterations : int
        L-BFGS steps for each penalty.

    Returns
    -------
    (n, p) array
    """
    U: Floats = V * mask
    U = U / np.sqrt(np.sum(U * U, axis=0))
    scale = float(np.abs(np.linalg.eigvalsh(U.T @ (S @ U))).max())
    for penalty in penalties:
        r = penalty * scale

        def loss(u: Floats, r: float = r) -> tuple[float, Floats]:
            W = np.zeros(mask.shape)
            W[mask] = u
            SW, gap = S @ W, W.T @ W - np.eye(mask.shape[1])
            value = r / 4 * np.sum(gap * gap) - np.sum(W * SW) / 2
            gradient: Floats = r * (W @ gap) - SW
            return float(value), np.asarray(gradient[mask])

        U[mask] = minimize(loss, U[mask], jac=True, method="L-BFGS-B", options={"maxiter": iterations}).x
    return U
