"""Parts of a sparse matrix that no entry joins: problems of their own.

A whole part is often an exact eigenvector by itself, as every part of a graph is at the smooth end. Methods that look
at all parts at once miss repeated eigenvalues, and do not leave such a vector again, whatever it takes of a budget.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse.csgraph import connected_components

from jacobeig._types import Floats, Integers
from jacobeig.refinement._quadratic import Matrix, join_rows, locate_rows

ROUNDING = 1e-12  # of the largest absolute row sum, within which eigenvalues count as equal


def split_parts(S: Matrix) -> list[Integers]:
    """Return the rows of each part of a csr matrix."""
    count, labels = connected_components(S, directed=False)
    if count == 1:
        return [np.arange(S.shape[0])]
    return np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])


def find_by_parts(S: Matrix, parts: list[Integers], count: int, find: Callable[[Matrix, int], Floats]) -> Floats:
    """Return leading eigenvectors that lie on one part each, the largest first; `find` gives those of one part.

    Parts are tried in the order of Gershgorin's bounds, of equal ones the smallest first, until no other can do better.
    """
    sizes = np.asarray(abs(S).sum(axis=1)).ravel()
    bounds = S.diagonal().real - np.abs(S.diagonal()) + sizes
    best = np.array([bounds[rows].max() for rows in parts])
    rounding = ROUNDING * (float(sizes.max()) or 1.0)
    found: list[tuple[float, Integers, Floats]] = []
    order = np.lexsort((np.array([len(rows) for rows in parts]), -np.round(best / rounding)))
    for at in order:
        if len(found) == count and found[-1][0] >= best[at] - rounding:
            break
        block = _take_part(S, parts[at])
        V = find(block, min(count, len(parts[at])))
        values = np.sum(V.conj() * (block @ V), axis=0).real
        found += [(float(value), parts[at], column) for value, column in zip(values, V.T, strict=True)]
        found = sorted(found, key=lambda one: -one[0])[:count]
    leading = np.zeros((S.shape[0], count), found[0][2].dtype)
    for c, (_, rows, column) in enumerate(found):
        leading[rows, c] = column
    return leading


def rotate_by_parts(V: Floats, parts: list[Integers], rotate: Callable[[Floats], Floats]) -> Floats:
    """Return vectors that lie on one part each, rotated among those of the same part.

    Rotations start at random: a vector that is constant on its part, as the smoothest of a graph is, would stay so.
    """
    rotated, home, rng = V.copy(), np.empty(len(V), np.int64), np.random.default_rng(0)
    for number, rows in enumerate(parts):
        home[rows] = number
    homes = home[np.abs(V).argmax(axis=0)]
    for number in np.unique(homes):
        columns = np.flatnonzero(homes == number)
        at = np.ix_(parts[number], columns)
        turn = np.linalg.qr(rng.standard_normal((len(columns), len(columns))))[0]
        rotated[at] = rotate(V[at] @ turn)
    return rotated


def _take_part(S: Matrix, rows: Integers) -> Matrix:
    """Return the block of a part, whose rows ascend; the cost follows its entries."""
    at, counts = locate_rows(S, rows)
    return join_rows(S, at, counts, np.searchsorted(rows, S.indices[at]))
