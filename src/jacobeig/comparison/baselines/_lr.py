"""Low-rank spannogram: supports that are the best for a low-rank approximation."""

import itertools
import math

import numpy as np
import scipy.linalg as sla

from jacobeig._arguments import check_count
from jacobeig._kernels.spannogram import best_at_ties, best_in_plane
from jacobeig._types import Floats, Indices, Rng
from jacobeig.comparison.baselines._method import Found, Task, baseline, make_generator
from jacobeig.comparison.baselines._starts import choose_best
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.refinement.support import refit

MOST_TIES = 100_000  # points of an exact search beyond the plane; about a second
JUDGED = 32  # sampled supports whose value on the full matrix is computed


@baseline()
def lr(task: Task, *, rank: int = 2, n_samples: int = 5000, rng: Rng = None, deflation: str = "projection") -> Found:
    """Sparse components whose supports are optimal for a low-rank approximation of the matrix.

    With rank 1 and 2 the support is exactly the best for the approximation; with a larger rank it is while the points
    to visit are few, otherwise random directions of the subspace are tried and improved. An indefinite matrix is
    shifted inside, which changes no maximiser.

    %(asked)s
    rank : int
        Rank of the approximation.
    n_samples : int
        Random directions, where the exact search is too long.
    %(returned)s

    References
    ----------
    D. Papailiopoulos, A. Dimakis and S. Korokythakis, "Sparse PCA through low-rank approximations", International
    Conference on Machine Learning, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import lr
    >>> lr(np.diag([1.0, 2.0, 3.0]) + 0.5, 1, 2).eigenvalues.round(4)
    array([3.7071])
    """
    rank = min(check_count("rank", rank, 1), task.n)
    n_samples = check_count("n_samples", n_samples, 1)
    random = make_generator(rng)
    exact = _is_exact(task.n, rank)

    def find(S: Floats) -> Floats:
        H = factor_low_rank(S, rank)
        if exact:
            return refit(S, find_exact_support(H, task.max_nonzeros))
        supports = sample_supports(H, task.max_nonzeros, n_samples, random)
        return choose_best(S, [refit(S, support) for support in supports])

    how = "are optimal for" if exact else "were found by random directions in"
    return Found(task.find_in_turn(find, deflation), f"Supports {how} the rank-{rank} approximation.")


def factor_low_rank(S: Floats, rank: int) -> Floats:
    """Return H (n, rank) with H H^T the best approximation of S, shifted to be semidefinite."""
    n = S.shape[0]
    values, V = sla.eigh(S, subset_by_index=[n - rank, n - 1], check_finite=False)
    scaled: Floats = V[:, ::-1] * np.sqrt(np.maximum(values[::-1] + psd_shift(S), 0.0))
    return np.ascontiguousarray(scaled)


def find_exact_support(H: Floats, nonzeros: int) -> Indices:
    """Return the support T of that size whose largest singular value ``norm(H[T], 2)`` is the largest of all."""
    n, rank = H.shape
    if nonzeros == n:
        return np.arange(n)
    if rank == 1:
        return np.sort(np.argsort(-np.abs(H[:, 0]), kind="stable")[:nonzeros])
    inside = (
        best_in_plane(H, nonzeros, *_find_turning_points(H)) if rank == 2 else best_at_ties(H, nonzeros, *_find_ties(H))
    )
    return np.flatnonzero(inside)


def sample_supports(H: Floats, nonzeros: int, n_samples: int, rng: np.random.Generator) -> list[Indices]:
    """Return the most promising distinct supports of random directions, each improved by a few exact half-steps."""
    C = rng.standard_normal((H.shape[1], n_samples))
    for _ in range(5):
        W = H @ (C / np.maximum(np.linalg.norm(C, axis=0), 1e-300))
        chosen = np.argpartition(-np.abs(W), nonzeros - 1, axis=0)[:nonzeros]
        kept = np.zeros_like(W)
        np.put_along_axis(kept, chosen, np.take_along_axis(W, chosen, axis=0), axis=0)
        C = H.T @ kept
    value = np.sum(kept * kept, axis=0)
    distinct: dict[bytes, Indices] = {}
    for sample in np.argsort(-value, kind="stable"):
        support = np.sort(chosen[:, sample])
        distinct.setdefault(support.tobytes(), support)
        if len(distinct) == JUDGED:
            break
    return list(distinct.values())


def _is_exact(n: int, rank: int) -> bool:
    return rank <= 2 or math.comb(n, rank) << (rank - 1) <= MOST_TIES


def _find_turning_points(H: Floats) -> tuple[Indices, Floats]:
    """Return pairs of rows in the order in which they tie as a direction turns, and angles between those events."""
    i, j = np.triu_indices(H.shape[0], 1)
    normal = np.concatenate([H[i] - H[j], H[i] + H[j]])
    pairs = np.tile(np.column_stack([i, j]), (2, 1))
    apart = np.linalg.norm(normal, axis=1) > 1e-14 * np.abs(H).max()  # equal rows never change order
    normal, pairs = normal[apart], pairs[apart]
    angles = np.arctan2(-normal[:, 0], normal[:, 1]) % np.pi
    order = np.argsort(angles, kind="stable")
    angles, pairs = angles[order], pairs[order]
    if angles.size == 0:
        return pairs, np.zeros(1)
    around = np.append(angles, angles[0] + np.pi)
    following = around[
        np.searchsorted(around, np.minimum(angles + 1e-12, around[-1]), side="right").clip(max=angles.size)
    ]
    before = (angles[0] + angles[-1] - np.pi) / 2
    return pairs, np.append(before, (angles + following) / 2)


def _find_ties(H: Floats) -> tuple[Indices, Floats]:
    """Return all sets of as many rows as H has columns, with every direction along which they tie."""
    n, rank = H.shape
    subsets = np.array(list(itertools.combinations(range(n), rank)), dtype=np.intp)
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=rank - 1)))
    equations = H[subsets[:, :1]][:, None] - signs[None, :, :, None] * H[subsets[:, 1:]][:, None]
    directions = np.linalg.svd(equations)[2][:, :, -1, :]
    return np.repeat(subsets, len(signs), axis=0), np.ascontiguousarray(directions.reshape(-1, rank))
