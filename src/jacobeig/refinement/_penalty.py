"""A way in from vectors that are far from orthonormal: orthonormality as a penalty that grows."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from jacobeig._types import Floats, Mask
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._masked_product import MaskedProduct
from jacobeig.refinement._quadratic import Quadratic
from jacobeig.refinement._stiefel import MaskedStiefel


def relax(
    form: Quadratic,
    mask: Mask,
    V: Floats,
    *,
    penalties: tuple[float, ...],
    iterations: int = 30,
    clock: Clock = NO_LIMIT,
) -> Floats:
    """Raise the form / 2 - r / 4 |U^T U - I|^2 over the masked entries, for growing r.

    The penalties are multiples of the largest quotient. The result is almost orthonormal and still captures much:
    repairing V itself at once would throw more away.
    """
    U: Floats = V * mask
    U = U / np.sqrt(np.sum(U * U, axis=0))
    inner = U.T @ form.multiply(U)
    scale = float(np.abs(np.linalg.eigvalsh((inner + inner.T) / 2)).max())
    space = MaskedStiefel(mask)
    product, u = MaskedProduct(form, space), space.pack(U)
    for penalty in penalties:
        r = penalty * scale

        def loss(u: Floats, r: float = r) -> tuple[float, Floats]:
            image, gap = product(u), space.residual(u)
            value = r / 4 * float(gap @ gap) - float(u @ image) / 2
            return value, np.asarray(-r * space.combine(u, gap) - image)

        if clock.expired:
            break
        options: Any = {"maxiter": iterations}
        u = minimize(loss, u, jac=True, method="L-BFGS-B", options=options, callback=_look_at(clock)).x
    return space.unpack(u)


def _look_at(clock: Clock) -> Any:
    """Return a callback that ends a minimisation when time is up."""

    def look(xk: Floats) -> None:
        if clock.expired:
            raise StopIteration

    return look
