"""Starts: which p coordinates begin as the vectors.

References
----------
H. Harbrecht, M. Peters and R. Schneider, "On the low-rank approximation by the pivoted Cholesky decomposition", Applied
Numerical Mathematics 62, 2012.
"""

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._arguments import as_array
from jacobeig._types import FloatArray, IntArray
from jacobeig.errors import InvalidInputError
from jacobeig.results.ends import find_best_coordinates
from jacobeig.solve._source_checks import bound_norm
from jacobeig.sources import RowSource, check_rows

__all__ = ["STARTS", "choose_seeds", "pivot_cholesky"]

# Which coordinates each takes.
STARTS = {
    "natural": "the first coordinates",
    "diagonal": "the most extreme diagonal entries",
    "cholesky": "Cholesky: coordinates that matter and are unlike each other",
}
# Below this fraction of the largest entry, what is left of the diagonal is rounding: some 500 eps. Not sensitive: seeds
# are only ever chosen otherwise where the matrix has rank below p.
_NOISE = 1e-13


def choose_seeds(
    start: str | ArrayLike, source: RowSource, diagonal: FloatArray, n_components: int, n_high: int, *,
    scant: bool = False,
) -> tuple[str, IntArray]:  # fmt: skip
    """Return the name of the start and the seeds, those for the high end of the spectrum first.

    With a `scant` budget most vectors must stay as they start, so only the size of the diagonal counts.
    """
    if not isinstance(start, str):
        return "indices", _check_seeds(start, len(diagonal), n_components)
    if start == "auto":
        start = "diagonal" if scant else "cholesky"
    if start == "natural":
        return start, np.arange(n_components, dtype=np.int64)
    if start == "diagonal":
        return start, find_best_coordinates(diagonal, n_high, n_components - n_high)
    if start == "cholesky":
        high = pivot_cholesky(source, diagonal, n_high, low=False, taken=np.empty(0, np.int64))
        return start, np.concatenate(
            [high, pivot_cholesky(source, diagonal, n_components - n_high, low=True, taken=high)]
        )
    raise InvalidInputError(
        f"start is {start!r}; give 'auto', {', '.join(map(repr, STARTS))}, or an array of {n_components} coordinates."
    )


def pivot_cholesky(source: RowSource, diagonal: FloatArray, n_seeds: int, *, low: bool, taken: IntArray) -> IntArray:
    """Return seeds that are large and different: each has the largest diagonal entry left by those before it.

    For the low end the matrix is c I - S, with c a bound of the spectrum. When an indefinite matrix leaves no positive
    entry, the rest are taken by diagonal. Reads one row a seed; O(n p^2).
    """
    if n_seeds == 0:
        return np.empty(0, np.int64)
    bound = bound_norm(source) if low else 0.0
    top = float(diagonal.max()) if bound is None else bound  # without a bound it still tells what is small
    scale = max(float(np.abs(diagonal).max()), top) or 1.0  # products of huge entries must not overflow
    shift = top / scale
    sign = -1.0 if low else 1.0
    wanted = sign * diagonal / scale + shift
    left = wanted.copy()
    left[taken] = -np.inf
    factor = np.zeros((n_seeds, len(diagonal)), np.result_type(source.dtype, np.float64))
    seeds = np.empty(n_seeds, np.int64)
    for t in range(n_seeds):
        seeds[t] = j = int(np.argmax(left))
        if not left[j] > _NOISE * wanted.max():
            break
        row = check_rows(source, seeds[t : t + 1], source.rows(seeds[t : t + 1]))[0].astype(factor.dtype)
        if not left[j] * scale > _NOISE * np.abs(row).max():  # its square root would blow the row up
            break
        row = sign * row / scale
        row[j] += shift
        factor[t] = (row - factor[:t, j].conj() @ factor[:t]) / np.sqrt(left[j])
        left -= np.abs(factor[t]) ** 2
        left[j] = -np.inf
    else:
        return seeds
    rest = np.setdiff1d(np.lexsort((np.arange(len(wanted)), -wanted)), [*seeds[:t], *taken], assume_unique=True)
    seeds[t:] = rest[: n_seeds - t]
    return seeds


def _check_seeds(start: ArrayLike, n: int, n_components: int) -> IntArray:
    """Return a user's seeds, or raise for what cannot be seeds."""
    seeds = as_array("start", start)
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
