"""A way in from vectors that are far from orthonormal: orthonormality as a penalty that grows."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from jacobeig._types import Floats, Mask
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._masked_product import MaskedProduct
from jacobeig.refinement._quadratic import Quadratic
from jacobeig.refinement._stiefel import MaskedStiefel, multiply_real


def relax(
    form: Quadratic,
    mask: Mask,
    V: Floats,
    *,
    penalties: tuple[float, ...],
    iterations: int = 30,
    clock: Clock = NO_LIMIT,
) -> Floats:
    """Raise the form / 2 - r / 4 |U^H U - I|^2 over the masked entries, for growing r.

    The penalties are multiples of the largest quotient. The result is almost orthonormal and still captures much:
    repairing V itself at once would throw more away.
    """
    U: Floats = V * mask
    U = U / np.linalg.norm(U, axis=0)
    inner = U.conj().T @ form.multiply(U)
    scale = float(np.abs(np.linalg.eigvalsh((inner + inner.conj().T) / 2)).max())
    space = MaskedStiefel(mask, U.dtype)
    product, u = MaskedProduct(form, space), space.pack(U)
    for penalty in penalties:
        r = penalty * scale

        def loss(reals: Floats, r: float = r) -> tuple[float, Floats]:
            u = reals.view(space.dtype)
            image, gap = product(u), space.residual(u)
            value = r / 4 * multiply_real(gap, gap) - multiply_real(u, image) / 2
            return value, np.asarray(-r * space.combine(u, gap) - image).view(np.float64)

        if clock.expired:
            break
        options: Any = {"maxiter": iterations}
        reals = minimize(
            loss, u.view(np.float64), jac=True, method="L-BFGS-B", options=options, callback=_look_at(clock)
        ).x
        u = np.ascontiguousarray(reals).view(space.dtype)
    return space.unpack(u)


def _look_at(clock: Clock) -> Any:
    """Return a callback that ends a minimisation when time is up."""

    def look(xk: Floats) -> None:
        if clock.expired:
            raise StopIteration

    return look
