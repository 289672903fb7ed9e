"""Starts: which p coordinates begin as the vectors."""

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._types import FloatArray, IntArray
from jacobeig.errors import InvalidInputError
from jacobeig.result import best_coordinates

__all__ = ["STARTS", "choose_seeds"]

STARTS = ("natural", "diagonal")


def choose_seeds(start: str | ArrayLike, diagonal: FloatArray, n_components: int, n_high: int) -> tuple[str, IntArray]:
    """Return the name of the start and the seeds, those for the high end of the spectrum first."""
    if not isinstance(start, str):
        return "indices", _checked(start, len(diagonal), n_components)
    if start == "auto":
        start = "diagonal"
    if start == "natural":
        return start, np.arange(n_components, dtype=np.int64)
    if start == "diagonal":
        return start, best_coordinates(diagonal, n_high, n_components - n_high)
    raise InvalidInputError(
        f"start is {start!r}; give 'auto', {', '.join(map(repr, STARTS))}, or an array of {n_components} coordinates."
    )


def _checked(start: ArrayLike, n: int, n_components: int) -> IntArray:
    """Return a user's seeds, or raise for what cannot be seeds."""
    seeds = np.asarray(start)
    if seeds.dtype.kind not in "iu" or seeds.shape != (n_components,):
        raise InvalidInputError(
            f"start has dtype {seeds.dtype} and shape {seeds.shape}; give {n_components} integer coordinates."
        )
    seeds = seeds.astype(np.int64)
    outside = (seeds < 0) | (seeds >= n)
    if outside.any():
        raise InvalidInputError(f"start holds {seeds[outside][0]}; coordinates go from 0 to {n - 1}.")
    values, counts = np.unique(seeds, return_counts=True)
    if len(values) < n_components:
        raise InvalidInputError(
            f"start holds {values[counts > 1][0]} more than once; give {n_components} different ones."
        )
    return seeds
