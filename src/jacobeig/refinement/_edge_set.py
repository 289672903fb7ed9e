"""Working sets on a sparse matrix: they follow the supports over the edges of its graph.

An entry can only gain where its coordinate is a neighbour of the column's support, or where its own diagonal entry is
better than the column's quotient. So the set is the supports and what surrounds them, and patches grown over the edges
take the place of a chain as the start; or, where vectors lie on many nodes of a large graph, clusters of them do.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from jacobeig._types import Floats, Integers
from jacobeig.refinement._levels import climb_levels, plan_levels
from jacobeig.refinement._patches import grow_patches
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Aim
from jacobeig.refinement._source_view import SourceView
from jacobeig.refinement._sparse_graph import SparseGraph
from jacobeig.refinement._working_set import Searched, WorkingSet, embed
from jacobeig.sources.memory import available_memory

AROUND = 2.0  # coordinates in a set for each nonzero of the budget
COPIES = 20  # of the vectors on a set, which a search holds
# Bytes of a climb over clusters for each entry of the vectors and for each nonzero, by its peaks with 10 and 32 vectors
# of a million nodes, three nonzeros a node; and the share of the free memory that it may take.
ENTRY, NONZERO, MOST_OF = 30, 400, 0.8


class EdgeSet(WorkingSet):
    """Refinement of p vectors on sets of coordinates of a sparse matrix."""

    def __init__(self, view: SourceView, aim: Aim) -> None:
        super().__init__(view, aim)
        self.graph = SparseGraph(view.graph)

    def _fit_memory(self) -> int:
        """Return how many coordinates of dense vectors half of the free memory has room for, with their copies."""
        free = available_memory()
        return self.view.n if free is None else max(2, int(free / 2 / (COPIES * 8 * len(self.aim.weights))))

    def _begin(self, make: Callable[[Matrix], Floats]) -> Searched:
        """Search from clusters or patches; what else could be made of a first set costs more and is worse."""
        found = self._climb_levels()
        if found is not None:
            return found
        patches = self._grow_patches()
        W = self._surround(patches.indices.astype(np.int64))
        return self._wrap(W, self._open_search(W).run(patches[W].toarray(), name="patches"))

    def _begin_from(self, rows: Integers, vectors: Floats) -> Searched:
        """Search from vectors that are nonzero on `rows` only, and from clusters or patches."""
        found = self._climb_levels()
        if found is not None:
            search = self._open_search(found.rows)
            return self._wrap(found.rows, search.run(embed(found.rows, rows, vectors), {found.start: found.vectors}))
        patches = self._grow_patches()
        W = self._surround(np.concatenate([rows, patches.indices.astype(np.int64)]))
        given, more = embed(W, rows, vectors), {"patches": patches[W].toarray()}
        return self._wrap(W, self._open_search(W).run(given, more))

    def _climb_levels(self) -> Searched | None:
        """Return what clusters of nodes lead to, on all nodes, where that is a way."""
        clusters, free = plan_levels(self.graph.S, self.aim), available_memory()
        entries, nonzeros = self.view.n * len(self.aim.weights), self.aim.budget.total
        if clusters == 0 or (free is not None and ENTRY * entries + NONZERO * nonzeros > MOST_OF * free):
            return None
        W = np.arange(self.view.n)
        found = climb_levels(self.graph, self.aim, clusters, self._open_search(W))
        return None if found is None else self._wrap(W, found)

    def _grow_patches(self) -> sparse.csc_array:
        budget, p = self.aim.budget, len(self.aim.weights)
        size = min(budget.per_column, budget.total // p)
        return grow_patches(self.graph, self.aim.weights, size, self.aim.rng)

    def _surround(self, rows: Integers) -> Integers:
        """Return a set around these rows, ascending: everything, if that is not much more."""
        wanted = min(int(AROUND * self.aim.budget.total), self._fit_memory())
        if wanted >= self.view.n:
            return np.arange(self.view.n)
        return np.sort(self.graph.spread(np.unique(rows), wanted)[0])
