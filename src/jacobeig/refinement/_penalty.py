"""A way in from vectors that are far from orthonormal: orthonormality as a penalty that grows."""

import numpy as np
from scipy.optimize import minimize

from jacobeig._types import Floats, Mask
from jacobeig.refinement._quadratic import Quadratic

__all__ = ["relax"]


def relax(form: Quadratic, mask: Mask, V: Floats, *, penalties: tuple[float, ...], iterations: int = 30) -> Floats:
    """Raise the form / 2 - r / 4 |U^T U - I|^2 over the masked entries, for growing r.

    The penalties are multiples of the largest quotient. The result is almost orthonormal and still captures much:
    repairing V itself at once would throw more away.
    """
    U: Floats = V * mask
    U = U / np.sqrt(np.sum(U * U, axis=0))
    inner = U.T @ form.multiply(U)
    scale = float(np.abs(np.linalg.eigvalsh((inner + inner.T) / 2)).max())
    for penalty in penalties:
        r = penalty * scale

        def loss(u: Floats, r: float = r) -> tuple[float, Floats]:
            W = np.zeros(mask.shape)
            W[mask] = u
            image, gap = form.multiply(W), W.T @ W - np.eye(mask.shape[1])
            value = r / 4 * np.sum(gap * gap) - np.sum(W * image) / 2
            gradient: Floats = r * (W @ gap) - image
            return float(value), np.asarray(gradient[mask])

        U[mask] = minimize(loss, U[mask], jac=True, method="L-BFGS-B", options={"maxiter": iterations}).x
    return U
