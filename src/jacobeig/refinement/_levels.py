"""Smooth vectors on a large graph by way of small ones: clusters of its nodes, and clusters of these.

Vectors that vary slowly and lie on many nodes look the same on clusters of nodes. There the whole search costs little.
What it finds is lifted from level to level, smoothed on its supports, made orthonormal again and climbed with: a few
steps do, as it is wrong in nothing but what the clusters could not show.

References
----------
S. Safro, D. Ron and A. Brandt, "Graph minimum linear arrangement by multilevel weighted edge contractions", Journal of
Algorithms 60, 2006 (problems on graphs by coarsening and refinement).

P. Vaněk, J. Mandel and M. Brezina, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
problems", Computing 56, 1996 (lifting from aggregates, then smoothing).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from jacobeig._types import Floats
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._patches import grow_patches
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Aim, Candidate, VectorSearch
from jacobeig.refinement._sparse_graph import SparseGraph

# Tuned on grids and random geometric graphs of 20,000 to a million nodes, ten modes of 30%: with 600 to 3,000 clusters
# sums differ by 3%, and the search on them takes 1 to 4.5 s; with ratios of 5, 9 and 30 by some 5%.
CLUSTERS = 1200  # on the coarsest level
EACH = 60  # clusters at least that a vector lies on
MOST_CLUSTERS = 3000  # beyond, there are too many for vectors to be worth a search on them
RATIO, LEAST_RATIO = 9.0, 4.0  # nodes of a cluster, and how few may be worth it
DEGREE = 12  # of the filter that smooths what is lifted: sees across a cluster
CLIMBS = 15  # steps on each level
# Entries of vectors up to which a level's supports are chosen again: (entries, rounds).
ROUNDS = ((1 << 17, 3), (1 << 19, 1))


class Level(NamedTuple):
    """A graph, and the map of vectors on it to those on the next finer one."""

    graph: SparseGraph
    lift: sparse.csr_array


def plan_levels(S: Matrix, aim: Aim) -> int:
    """Return how many clusters to begin on; 0 where vectors on clusters say nothing of those that are sought.

    They do where the leading vectors are smooth, so where no entry off the diagonal is negative (by Perron and
    Frobenius), and lie on many nodes each.
    """
    n, p = S.shape[0], len(aim.weights)
    smooth = S.dtype.kind == "f" and np.count_nonzero(S.data < 0) == np.count_nonzero(S.diagonal() < 0)
    wanted = max(CLUSTERS, int(np.ceil(EACH * n * p / aim.budget.total)))
    return wanted if smooth and (aim.weights > 0).all() and wanted <= min(MOST_CLUSTERS, n / LEAST_RATIO) else 0


def climb_levels(graph: SparseGraph, aim: Aim, clusters: int, finest: VectorSearch) -> Candidate | None:
    """Return what a search on clusters leads to on the nodes; None where no way up is found."""
    levels = _build_levels(graph, clusters, aim.rng)
    if levels[-1].graph.n > 2 * MOST_CLUSTERS:  # many small parts, which no cluster joins
        return None
    quiet = replace(aim, clock=Clock(None if aim.clock.limit is None else aim.clock.limit - aim.clock.seconds))
    found = _search_coarsest(levels[-1].graph, quiet, graph.n)
    graphs = [graph, *(level.graph for level in levels)]
    for finer, level in zip(graphs[-2::-1], levels[::-1], strict=True):
        search = finest if finer is graph else _open_search(finer, quiet, graph.n)
        point = search.settle_near(_smooth(finer, np.asarray(level.lift @ found.point.vectors)), CLIMBS)
        if point is None:
            return None
        rounds = next((rounds for size, rounds in ROUNDS if point.vectors.size <= size), 0)
        found = search.extend(Candidate("clusters", point), rounds=rounds)
    return found


def _build_levels(graph: SparseGraph, clusters: int, rng: np.random.Generator) -> list[Level]:
    """Return ever coarser levels in even steps."""
    steps = max(1, round(np.log(graph.n / clusters) / np.log(RATIO)))
    ratio, levels = (graph.n / clusters) ** (1 / steps), []
    for _ in range(steps):
        levels.append(Level(*graph.coarsen(ratio, rng)))
        graph = levels[-1].graph
    return levels


def _open_search(graph: SparseGraph, aim: Aim, n: int) -> VectorSearch:
    """Return a search with the share of the budget of n nodes that a level has."""
    budget, share = aim.budget, graph.n / n
    total, each = int(share * budget.total), int(np.ceil(share * budget.per_column))
    return VectorSearch(graph.S, replace(aim, budget=NonzeroBudget(total=total, per_column=each)))


def _search_coarsest(graph: SparseGraph, aim: Aim, n: int) -> Candidate:
    search, p = _open_search(graph, aim, n), len(aim.weights)
    size = min(search.budget.per_column, search.budget.total // p)
    return search.run(grow_patches(graph, aim.weights, size, aim.rng).toarray(), name="patches")


def _smooth(graph: SparseGraph, V: Floats) -> Floats:
    """Damp what is rough in vectors, each on its own support."""
    smooth = np.zeros_like(V)
    for c, column in enumerate(V.T):
        rows = np.flatnonzero(column)
        values = graph.take_block(rows).smooth(column[rows], DEGREE, (1.5 / DEGREE) ** 2)
        smooth[rows, c] = values / np.linalg.norm(values)
    return smooth
