"""What vectors capture on every choice of supports: obvious, and independent of the library."""

from itertools import combinations

import numpy as np

FORBIDDEN = 1e3  # what a direction along the other vectors costs, for a matrix of norm about one


def all_supports(n, k):
    return np.array(list(combinations(range(n), k)), dtype=int).reshape(-1, k)


def all_choices(n, sizes, most, rng):
    """Supports of the given sizes, one a vector: all choices of them, or `most` at random where there are more."""
    supports = [all_supports(n, k) for k in sizes]
    shape = tuple(map(len, supports))
    total = int(np.prod(shape))
    chosen = np.arange(total) if total <= most else np.random.default_rng(rng).integers(0, total, most)
    return [rows[i] for rows, i in zip(supports, np.unravel_index(chosen, shape), strict=True)]


def climb(S, choices, sweeps=2):
    """Orthonormal vectors (m, n, p) on each choice of supports, one after the other and then each again.

    The second value tells where every vector found room.
    """
    m, n, p = len(choices[0]), len(S), len(choices)
    U, places, fits = np.zeros((m, n, p)), np.arange(m)[:, None], np.ones(m, dtype=bool)
    for sweep in range(sweeps):
        for c, rows in enumerate(choices):
            others = np.delete(U, c, axis=2) if sweep else U[:, :, :c]
            left, sizes, _ = np.linalg.svd(others[places, rows], full_matrices=False)
            span = left * (sizes > 1e-9)[:, None, :]
            room = np.eye(rows.shape[1]) - span @ span.transpose(0, 2, 1)
            block = room @ S[rows[:, :, None], rows[:, None, :]] @ room - FORBIDDEN * (np.eye(rows.shape[1]) - room)
            values, vectors = np.linalg.eigh((block + block.transpose(0, 2, 1)) / 2)
            fits &= values[:, -1] > -FORBIDDEN / 2
            U[:, :, c] = 0.0
            U[places, rows, c] = vectors[:, :, -1]
    return U, fits


def best_captured(S, sizes, most=4000, rng=0):
    """The most that orthonormal vectors with this many nonzeros are seen to capture."""
    scale = max(np.abs(S).max(), 1e-300)
    U, fits = climb(S / scale, all_choices(len(S), sizes, most, rng))
    values = np.einsum("mip,ij,mjp->m", U, S / scale, U)
    return values[fits].max(initial=-np.inf) * scale
