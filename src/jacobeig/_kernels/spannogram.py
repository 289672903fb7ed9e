"""Supports that are the largest entries of some vector in a low-dimensional subspace (Papailiopoulos et al. 2013)."""

import numpy as np
import numpy.typing as npt

from jacobeig._kernels._jit import inline, kernel

__all__ = ["best_at_ties", "best_in_plane"]


@kernel
def best_in_plane(
    H: npt.NDArray[np.float64],
    k: int,
    pairs: npt.NDArray[np.intp],
    between: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Best support of k rows for H of two columns, as flags.

    As the direction c turns by half a circle, two rows change order in ``abs(H @ c)`` at known angles. `pairs` lists
    them in that order and `between` has, for each, an angle after it and before the next; its first entry is where
    the turn begins, before all pairs. Only a change across place k alters the support, so each event costs O(1).
    """
    n = H.shape[0]
    inside = np.zeros(n, np.bool_)
    start = np.abs(H[:, 0] * np.cos(between[0]) + H[:, 1] * np.sin(between[0]))
    for i in np.argsort(-start)[:k]:
        inside[i] = True
    a, b, d = 0.0, 0.0, 0.0
    for i in range(n):
        if inside[i]:
            a += H[i, 0] * H[i, 0]
            b += H[i, 0] * H[i, 1]
            d += H[i, 1] * H[i, 1]
    best = a + d + np.sqrt((a - d) ** 2 + 4.0 * b * b)
    best_inside = inside.copy()
    for event in range(pairs.shape[0]):
        i, j = pairs[event, 0], pairs[event, 1]
        if inside[i] == inside[j]:
            continue
        if inside[j]:
            i, j = j, i
        c, s = np.cos(between[event + 1]), np.sin(between[event + 1])
        # Where several pairs meet at one angle their order is arbitrary: swap only what is swapped afterwards.
        if abs(H[j, 0] * c + H[j, 1] * s) <= abs(H[i, 0] * c + H[i, 1] * s):
            continue
        inside[i], inside[j] = False, True
        a += H[j, 0] * H[j, 0] - H[i, 0] * H[i, 0]
        b += H[j, 0] * H[j, 1] - H[i, 0] * H[i, 1]
        d += H[j, 1] * H[j, 1] - H[i, 1] * H[i, 1]
        value = a + d + np.sqrt((a - d) ** 2 + 4.0 * b * b)
        if value > best * (1.0 + 1e-12):
            best = value
            best_inside[:] = inside
    return best_inside


@kernel
def best_at_ties(
    H: npt.NDArray[np.float64],
    k: int,
    ties: npt.NDArray[np.intp],
    directions: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Best support of k rows, as flags, among those that meet at the given directions.

    Row t of `ties` names as many rows of H as it has columns, all of one size along ``directions[t]``. The rows above
    them are in; the places left are filled with the tied rows in every way.
    """
    n, d = H.shape
    best = -np.inf
    best_inside = np.zeros(n, np.bool_)
    inside = np.zeros(n, np.bool_)
    for t in range(ties.shape[0]):
        size = np.abs(H @ directions[t])
        level = size[ties[t, 0]] * (1.0 + 1e-9)
        above = size > level
        for m in range(d):
            above[ties[t, m]] = False
        places = k - above.sum()
        if places < 0 or places > d:
            inside[:] = False
            for i in np.argsort(-size)[:k]:
                inside[i] = True
            value = _square_leading(H, inside)
            if value > best:
                best = value
                best_inside[:] = inside
            continue
        for choice in range(1 << d):
            count = 0
            inside[:] = above
            for m in range(d):
                if choice >> m & 1:
                    inside[ties[t, m]] = True
                    count += 1
            if count == places:
                value = _square_leading(H, inside)
                if value > best:
                    best = value
                    best_inside[:] = inside
    return best_inside


@inline
def _square_leading(H: npt.NDArray[np.float64], inside: npt.NDArray[np.bool_]) -> float:
    """Largest squared singular value of the rows that are in."""
    d = H.shape[1]
    gram = np.zeros((d, d))
    for i in range(H.shape[0]):
        if inside[i]:
            for a in range(d):
                for b in range(d):
                    gram[a, b] += H[i, a] * H[i, b]
    return float(np.linalg.eigvalsh(gram)[-1])
