"""A sparse matrix seen as a graph: surroundings of nodes, blocks and clusters of them, a filter for the wanted end."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from jacobeig._types import Floats, Integers, Mask
from jacobeig.refinement._quadratic import Matrix, join_rows, locate_rows


class SparseGraph:
    """The graph of a sparse matrix whose wanted eigenvalues are the largest.

    By Gershgorin, N = R^-1 (t - S) has its spectrum in [0, 1], where t bounds that of S and R is diagonal: for a
    negated Laplacian N is half of the random-walk Laplacian. Nodes of many neighbours do not slow a filter in N down.
    Where nodes stand for clusters, the roots of their numbers of nodes (`masses`) take the place of ones in the bound.
    """

    def __init__(self, S: Matrix, masses: Floats | None = None) -> None:
        self.S, self.n = S, int(S.shape[0])
        self.masses = np.ones(self.n) if masses is None else masses
        diagonal = S.diagonal().real
        radius = (abs(S) @ self.masses) / self.masses - np.abs(diagonal)
        self.top = float((diagonal + radius).max())
        self.sizes = self.top - diagonal + radius
        self._place = np.full(self.n, -1, np.int64)  # scratch: -1 between calls

    def spread(self, nodes: Integers, count: int, free: Mask | None = None) -> tuple[Integers, int]:
        """Return the nodes and those around them, until there are `count`, and how many steps that took.

        The last step is taken whole. With `free` only such nodes are added.
        """
        levels, total = [nodes], len(nodes)
        self._place[nodes] = 0
        while total < count:
            near = self.S.indices[locate_rows(self.S, levels[-1])[0]]
            near = near[self._place[near] < 0] if free is None else near[(self._place[near] < 0) & free[near]]
            if len(near) == 0:
                break
            levels.append(np.unique(near).astype(np.int64))
            self._place[levels[-1]] = 0
            total += len(levels[-1])
        found = np.concatenate(levels)
        self._place[found] = -1
        return found, len(levels) - 1

    def take_block(self, nodes: Integers) -> "Block":
        """Return the block of some nodes; the cost follows their edges."""
        size = len(nodes)
        at, counts = locate_rows(self.S, nodes)
        self._place[nodes] = np.arange(size)
        columns = self._place[self.S.indices[at]]
        self._place[nodes] = -1
        return Block(join_rows(self.S, at, counts, columns), self.top, self.sizes[nodes])

    def take_all(self, dtype: type) -> "Block":
        """Return the whole matrix in another precision."""
        kind = np.result_type(dtype, np.complex64) if self.S.dtype.kind == "c" else dtype
        return Block(self.S.astype(kind), self.top, self.sizes.astype(dtype))

    def cluster(self, average: float, rng: np.random.Generator) -> Integers:
        """Return the cluster of each node: pieces of about that many nodes around random ones, whole small parts."""
        seeds = np.flatnonzero(rng.random(self.n) < 1 / average)
        labels = np.full(self.n, -1, np.int64)
        labels[seeds] = np.arange(len(seeds))
        front = seeds
        while len(front):
            at, counts = locate_rows(self.S, front)
            near, owner = self.S.indices[at], np.repeat(labels[front], counts)
            fresh = labels[near] < 0
            front, first = np.unique(near[fresh], return_index=True)
            labels[front] = owner[fresh][first]
        left = np.flatnonzero(labels < 0)
        parts = connected_components(self.S, directed=False)[1][left]
        labels[left] = len(seeds) + np.unique(parts, return_inverse=True)[1]
        return labels

    def coarsen(self, average: float, rng: np.random.Generator) -> tuple["SparseGraph", sparse.csr_array]:
        """Return the graph of clusters of `average` nodes or so, and the map of vectors on them to those on the nodes.

        Its columns are orthonormal, so that it keeps orthonormal vectors so, and quotients.
        """
        labels = self.cluster(average, rng)
        masses = np.sqrt(np.bincount(labels, self.masses**2))
        lift = sparse.csr_array((self.masses / masses[labels], labels, np.arange(self.n + 1)), (self.n, len(masses)))
        return SparseGraph(sparse.csr_array(lift.T @ self.S @ lift), masses), lift


class Block:
    """A principal block of a graph's matrix."""

    def __init__(self, S: Matrix, top: float, sizes: Floats) -> None:
        self.S, self.top, self.sizes = S, top, sizes
        self._scale = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)

    def measure(self, x: Floats) -> float:
        """Return the Rayleigh quotient of a unit vector."""
        return float(np.vdot(x, self.S @ x).real)

    def rate(self, x: Floats) -> float:
        """Return where in the spectrum of N, from 0 to 1, a unit vector lies; 0 is the wanted end."""
        weight = float(np.sum(np.abs(x) ** 2 * self.sizes))
        return max(0.0, self.top - self.measure(x)) / weight if weight > 0 else 0.0

    def smooth(self, X: Floats, degree: int, cut: float) -> Floats:
        """Apply the Chebyshev polynomial in N that damps what lies beyond `cut` most, for its degree."""
        cut = min(cut, 0.9)
        centre, half = (1 + cut) / 2, (1 - cut) / 2
        scale = (self._scale / half).reshape(-1, *[1] * (X.ndim - 1))

        def step(Y: Floats) -> Floats:
            return np.asarray((self.top * Y - self.S @ Y) * scale - (centre / half) * Y)

        before, now = X, step(X)
        for _ in range(degree - 1):
            before, now = now, 2 * step(now) - before
        return now
