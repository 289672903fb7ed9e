"""The weights of the vectors, by the name of their target or as the user gives them."""

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._arguments import as_array, check_finite
from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.results.ends import count_wanted_high
from jacobeig.solve.targets import TARGETS


def seed_weights(target: str | ArrayLike, n_components: int, which: str) -> tuple[str, FloatArray]:
    """Return the name of the target and the weight of each seed, high seeds first.

    The weights of `"adaptive"` follow the run; those returned for it only carry the signs.
    """
    if not isinstance(target, str):
        return "array", _check_weights(target, n_components, which)
    if target not in TARGETS:
        raise InvalidInputError(
            f"is {target!r}", argument="target", advice=f"give one of {', '.join(map(repr, TARGETS))}, or an array."
        )
    n_high = count_wanted_high(which, n_components)
    ends = (n_high, n_components - n_high)
    if target == "log":
        high, low = (np.log2(np.arange(size + 1, 1, -1)) for size in ends)
    else:
        high, low = (np.ones(size) for size in ends)
    return target, np.concatenate([high, -low])


def _check_weights(target: ArrayLike, n_components: int, which: str) -> FloatArray:
    """Return a user's weights, or raise for what cannot be a target."""
    given = as_array("target", target)
    if given.dtype.kind not in "biuf":
        raise InvalidTypeError(f"target has dtype {given.dtype}; give real numbers, one for each component.")
    weights = given.astype(np.float64)
    if weights.shape != (n_components,):
        raise InvalidInputError(
            f"target has shape {weights.shape}; give one weight for each of the {n_components} components."
        )
    check_finite("target", weights)
    wrong = weights < 0.0 if which == "LA" else weights > 0.0 if which == "SA" else np.zeros(n_components, bool)
    if wrong.any():
        sign = ">= 0" if which == "LA" else "<= 0"
        raise InvalidInputError(
            f"target holds {weights[wrong][0]:g}, but which={which!r} needs weights {sign}; "
            "use which='BE' for weights of both signs."
        )
    if not weights.any():
        raise InvalidInputError("target is zero everywhere, so no vector is wanted; give at least one nonzero weight.")
    return weights.copy()
