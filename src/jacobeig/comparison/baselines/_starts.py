"""Where single-component methods begin, and which of their answers they keep."""

from collections.abc import Iterable

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.support import refit

STARTS = ("best", "diagonal", "eigenvector")


def make_starts(S: Floats, start: str) -> list[Floats]:
    """Return unit vectors for a name in `STARTS`; "best" stands for all of them."""
    vectors = []
    if start != "eigenvector":
        vectors.append(np.eye(1, S.shape[0], int(S.diagonal().argmax()))[0])
    if start != "diagonal":
        vectors.append(find_leading_vector(S))
    return vectors


def find_leading_vector(S: Floats) -> Floats:
    """Return the leading eigenvector, by Lanczos from the largest column where the matrix is large."""
    guess = S[:, int(S.diagonal().argmax())]
    return refit(S, np.arange(S.shape[0]), guess if guess.any() else None)


def choose_best(S: Floats, candidates: Iterable[Floats]) -> Floats:
    """Return the unit vector of the largest Rayleigh quotient; the first of equals."""
    return max(candidates, key=lambda x: float(x @ S @ x))
