"""Patches: vectors on disjoint pieces of the graph of a sparse matrix, grown over its edges.

The best vectors of few nonzeros live where a pattern of the wanted end of the spectrum is confined. Filtered noise
says where: what a polynomial of the matrix leaves of random vectors is largest at the nodes that this end favours (dead
ends, borders, clusters). Patches grow from the best of them by truncated power iteration: filter, keep the largest
entries, and so on. Where patches meet, each node goes to the one whose filtered vector is largest there.

References
----------
X.-T. Yuan and T. Zhang, "Truncated power method for sparse eigenvalue problems", Journal of Machine Learning Research
14, 2013.

B. Osting, C. D. White and É. Oudet, "Minimal Dirichlet energy partitions for graphs", SIAM Journal on Scientific
Computing 36, 2014 (nodes go to the largest entry).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from jacobeig._types import Floats, Indices, Integers, Mask
from jacobeig.refinement._sparse_graph import Block, SparseGraph

# Tuned on a mesh and a road-like graph of some thousand nodes and on grids of 20,000 to a million, 10 to 32 patches:
# sums differ by some 5% between any two choices near these, most of it the luck of the seeds.
PROBES = 16  # random vectors that are filtered
NARROW = 1.5  # over the degree, squared: what noise is damped beyond
SPARE = 4.0  # patches grown for each that is kept, where there is room
ROOMY = 0.4  # share of all nodes that the patches may take for there to be room
AROUND = 3.0  # nodes that a patch sees when it grows, for each of its own
CUT = 1.5  # times where the patch lies itself: what growth damps beyond
LARGE, COARSE = 4000, 1000  # nodes of a patch beyond which it is grown on clusters, and how many of these
DEEPEST = 256  # degree of a filter
MOVES, STEPS, SHARES, SETTLES = 3, 12, 20, 10  # of everything, at most
PAYS = 1e-3  # rise, relative to the distance from the end of the spectrum, below which a step is the last
PATIENCE = 2  # sharings without such a rise


class Patch(NamedTuple):
    """A unit vector on some nodes, and its Rayleigh quotient."""

    nodes: Integers
    values: Floats
    quotient: float


def grow_patches(graph: SparseGraph, weights: Floats, size: int, rng: np.random.Generator) -> sparse.csc_array:
    """Return orthonormal vectors on disjoint supports of at most `size`, as many as weights, the best for the largest.

    Negative weights ask for the smallest eigenvalues of the graph's matrix, others for the largest. Where patches of
    that size do not fit beside each other they are smaller.
    """
    n, p = graph.n, len(weights)
    size, free = max(1, min(size, n // p)), np.ones(n, np.bool_)
    patches: list[Patch | None] = [None] * p
    for low in (False, True):
        columns = np.flatnonzero((weights < 0) == low)
        if len(columns) == 0:
            continue
        wanted = SparseGraph(-graph.S, graph.masses) if low else graph
        found = _cover(wanted, len(columns), size, free, rng)
        for column, patch in zip(columns[np.argsort(-np.abs(weights[columns]), kind="stable")], found, strict=True):
            patches[column] = patch
            free[patch.nodes] = False
    return _collect([patch for patch in patches if patch is not None], n)


def _collect(patches: Sequence[Patch], n: int) -> sparse.csc_array:
    ends = np.concatenate([[0], np.cumsum([len(patch.nodes) for patch in patches])])
    data = np.concatenate([patch.values for patch in patches])
    return sparse.csc_array((data, np.concatenate([patch.nodes for patch in patches]), ends), shape=(n, len(patches)))


def _cover(graph: SparseGraph, count: int, size: int, free: Mask, rng: np.random.Generator) -> list[Patch]:
    """Return patches of free nodes, the best first; large ones are grown on clusters of nodes."""
    if size <= LARGE:
        return _grow_all(graph, count, size, free, rng)
    clusters, lift = graph.coarsen(size / COARSE, rng)
    average = graph.n / clusters.n
    usable = np.ones(clusters.n, np.bool_)
    usable[lift.indices[~free]] = False
    coarse = _grow_all(clusters, count, int(size / average), usable, rng)
    prolonged = sparse.csc_array(lift @ _collect(coarse, clusters.n))
    patches = []
    for begin, end in pairwise(prolonged.indptr):
        at = begin + _find_largest(prolonged.data[begin:end], size)
        nodes, values = prolonged.indices[at].astype(np.int64), prolonged.data[at]
        patches.append(Patch(nodes, values / np.linalg.norm(values), 0.0))
    degree = 4 * _choose_degree(graph, int(average), rng)  # what clusters leave rough is no larger than they
    shared = _share_once(graph, patches, size, degree, free)
    return shared if all(len(patch.nodes) for patch in shared) else patches


def _grow_all(graph: SparseGraph, count: int, size: int, free: Mask, rng: np.random.Generator) -> list[Patch]:
    degree = _choose_degree(graph, size, rng)
    roomy = count * size <= ROOMY * graph.n
    wanted, taken, patches = int(count * (SPARE if roomy else 1.0)), ~free, list[Patch]()
    nodes = _rank_nodes(graph, degree, rng)
    while len(patches) < wanted and not taken.all():  # more than once where patches have moved away from their seeds
        for node in nodes:
            if not taken[node]:
                patch = _grow(graph, np.array([node]), size, degree, ~taken)
                taken[patch.nodes] = True
                patches.append(patch)
                if len(patches) == wanted:
                    break
    patches = sorted(patches, key=lambda patch: -patch.quotient)[:count]
    return sorted(_share_out(graph, patches, size, degree, free), key=lambda patch: -patch.quotient)


def _choose_degree(graph: SparseGraph, size: int, rng: np.random.Generator) -> int:
    """Return how many steps from a node a patch typically reaches: filters of that degree can see across it."""
    steps = [graph.spread(np.array([node]), size)[1] for node in rng.integers(graph.n, size=9)]
    return min(max(2, int(np.median(steps))), DEEPEST)


def _rank_nodes(graph: SparseGraph, degree: int, rng: np.random.Generator) -> Indices:
    """Return all nodes, first those where most of filtered noise is left; float32 is precise enough."""
    noise = rng.choice(np.array([-1.0, 1.0], np.float32), size=(graph.n, PROBES))
    left = graph.take_all(np.float32).smooth(noise, min(degree, 64), (NARROW / min(degree, 64)) ** 2)
    return np.argsort(-np.einsum("ij,ij->i", left.conj(), left).real, kind="stable")


def _grow(graph: SparseGraph, seed: Integers, size: int, degree: int, free: Mask) -> Patch:
    """Return the patch of free nodes that truncated power iteration leads to from a seed."""
    nodes = graph.spread(seed, size, free)[0][:size]
    block = graph.take_block(nodes)
    best = _settle(block, nodes, np.full(len(nodes), len(nodes) ** -0.5, graph.S.dtype), degree)
    for _ in range(MOVES):
        around = graph.spread(best.nodes, int(AROUND * size), free)[0]
        if len(around) == len(best.nodes):
            break
        moved = _improve(graph.take_block(around), around, best, size, degree)
        if moved is best:
            break
        best = moved
    return _settle(graph.take_block(best.nodes), best.nodes, best.values, degree)


def _improve(block: Block, around: Integers, patch: Patch, size: int, degree: int) -> Patch:
    """Return a better patch within its surroundings, whose first nodes are its own; the same if there is none."""
    x = np.zeros(len(around), patch.values.dtype)
    x[: len(patch.nodes)] = patch.values
    best, last = patch, -np.inf
    for _ in range(STEPS):
        x = _filter(block, x, degree)
        at = _find_largest(x, size)
        kept = np.zeros_like(x)
        kept[at] = x[at] / np.linalg.norm(x[at])
        x, value = kept, block.measure(kept)
        if value > best.quotient:
            best = Patch(around[at], x[at], value)
        if value <= last + PAYS * (block.top - value):
            break
        last = value
    return best


def _filter(block: Block, x: Floats, degree: int) -> Floats:
    """Turn a unit vector towards the wanted end; one that lies there already stays."""
    rate = block.rate(x)
    if rate <= 1e-14:
        return x
    smooth = block.smooth(x, degree, CUT * rate)
    return np.asarray(smooth / np.linalg.norm(smooth))


def _settle(block: Block, nodes: Integers, x: Floats, degree: int) -> Patch:
    """Return the patch with values closer to the leading eigenvector of its block."""
    value = block.measure(x)
    for _ in range(SETTLES):
        y = _filter(block, x, degree)
        reached = block.measure(y)
        if not reached > value:
            break
        x, rise, value = y, reached - value, reached
        if rise < PAYS * (block.top - value):
            break
    return Patch(nodes, x, value)


def _find_largest(x: Floats, count: int) -> Indices:
    """Return where the largest entries are, zeros left out."""
    size = np.abs(x)
    at = np.argpartition(-size, count - 1)[:count] if len(x) > count else np.arange(len(x))
    return at[size[at] > 0]


def _share_out(graph: SparseGraph, patches: list[Patch], size: int, degree: int, free: Mask) -> list[Patch]:
    """Let all patches see beyond their borders and share the nodes out again, while their sum rises."""
    best, slow = patches, 0
    for _ in range(SHARES):
        patches = _share_once(graph, patches, size, degree, free)
        if any(len(patch.nodes) == 0 for patch in patches):
            break
        before, reached = (sum(patch.quotient for patch in found) for found in (best, patches))
        slow = 0 if reached > before + PAYS * (len(best) * graph.top - reached) else slow + 1
        if reached > before:
            best = patches
        if slow == PATIENCE:
            break
    return best


def _share_once(graph: SparseGraph, patches: list[Patch], size: int, degree: int, free: Mask) -> list[Patch]:
    wide = []
    for patch in patches:
        around = graph.spread(patch.nodes, int(AROUND * size), free)[0]
        x = np.zeros(len(around), patch.values.dtype)
        x[: len(patch.nodes)] = patch.values
        wide.append((around, _filter(graph.take_block(around), x, degree)))
    shared = []
    for (around, x), won in zip(wide, _choose_owners(wide), strict=True):
        at = won[_find_largest(x[won], size)]
        values = x[at] / (np.linalg.norm(x[at]) or 1.0)
        shared.append(_settle(graph.take_block(around[at]), around[at], values, degree))
    return shared


def _choose_owners(wide: Sequence[tuple[Integers, Floats]]) -> list[Indices]:
    """Return for each vector the entries that are the largest of all at their node."""
    nodes = np.concatenate([around for around, _ in wide])
    order = np.lexsort((-np.abs(np.concatenate([x for _, x in wide])), nodes))
    first = np.ones(len(order), np.bool_)
    first[1:] = nodes[order][1:] != nodes[order][:-1]
    won = np.zeros(len(order), np.bool_)
    won[order[first]] = True
    return [np.flatnonzero(part) for part in np.split(won, np.cumsum([len(x) for _, x in wide])[:-1])]
