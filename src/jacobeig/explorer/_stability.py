"""How often features are chosen again, beside the loadings of a page."""

from typing import Any

import numpy as np

from jacobeig._arguments import name_type
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.explorer._data import list_coordinates
from jacobeig.explorer._packing import pack
from jacobeig.explorer._states import State
from jacobeig.explorer._subject import Subject


def check_stability(subject: Subject, stability: Any) -> Any:
    """Return what the user gives about stability if it is about these vectors, or raise."""
    if stability is None:
        return None
    if not hasattr(stability, "frequencies"):
        raise InvalidTypeError(
            f"is {name_type(stability)}", argument="stability", advice="give what JacobiPCA.stability returned."
        )
    n, p = subject.vectors.shape
    if stability.frequencies.shape != (p, n):
        raise InvalidInputError(
            f"is about {stability.frequencies.shape} components and features, but the page about {(p, n)}",
            argument="stability",
            advice="give that of the same model.",
        )
    return stability


def collect_stability(stability: Any, subject: Subject, states: list[State]) -> dict[str, Any]:
    """Return the share of refits for every component and every feature that the page knows, one after the other."""
    listed = list_coordinates(states, subject.vectors.shape[0])
    return {
        "refits": len(stability.similarities),
        "share": float(stability.share),
        "values": pack(stability.frequencies[:, listed].astype(np.float32).ravel()),
    }
