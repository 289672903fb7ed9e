"""Low-rank spannogram: supports that are the best for a low-rank approximation."""

import itertools
import math

import numpy as np
import scipy.linalg as sla

from jacobeig._arguments import check_count
from jacobeig._kernels.spannogram import turn_around
from jacobeig._types import Floats, Indices, Mask, Rng
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

    %(example)s
    """
    rank = min(check_count("rank", rank, 1), task.n)
    n_samples = check_count("n_samples", n_samples, 1)
    random = make_generator(rng)
    exact = rank <= 2 or math.comb(task.n, rank) << (rank - 1) <= MOST_TIES

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
    inside = _find_best_in_plane(H, nonzeros) if rank == 2 else _find_best_at_ties(H, nonzeros)
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


def _find_best_in_plane(H: Floats, nonzeros: int) -> Mask:
    """Return the best support for H of two columns, as flags."""
    pairs, between = _find_turning_points(H)
    start = np.abs(H @ [np.cos(between[0]), np.sin(between[0])])
    inside, best = _flag_largest(start, nonzeros), np.empty(len(H), np.bool_)
    turn_around(H, pairs, between, inside, best)
    return best


def _flag_largest(values: Floats, count: int) -> Mask:
    """Return flags of as many of the largest entries of each row."""
    flags = np.zeros(values.shape, np.bool_)
    np.put_along_axis(flags, np.argsort(-values, axis=-1, kind="stable")[..., :count], True, axis=-1)
    return flags


def _find_best_at_ties(H: Floats, nonzeros: int) -> Mask:
    """Return the best support, as flags, among those that meet where as many rows as H has columns tie.

    The rows above them are in; the places left are filled with the tied rows in every way.
    """
    rank = H.shape[1]
    products = (H[:, :, np.newaxis] * H[:, np.newaxis]).reshape(len(H), -1)
    ties, directions = _find_ties(H)
    sizes = np.abs(directions @ H.T)
    above = sizes > np.take_along_axis(sizes, ties[:, :1], axis=1) * (1.0 + 1e-9)
    np.put_along_axis(above, ties, False, axis=1)
    places = nonzeros - above.sum(axis=1)
    odd = (places < 0) | (places > rank)  # more rows tie than these
    supports = [_flag_largest(sizes[odd], nonzeros)]
    for choice in itertools.product([False, True], repeat=rank):
        fits = places == sum(choice)
        filled = above[fits]
        np.put_along_axis(filled, ties[fits], np.array(choice), axis=1)
        supports.append(filled)
    inside = np.concatenate(supports)
    grams = (inside @ products).reshape(-1, rank, rank)
    best: Mask = inside[np.argmax(np.linalg.eigvalsh(grams)[:, -1])]
    return best


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
