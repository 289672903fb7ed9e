"""Branch and bound: sparse components proved optimal, or a gap."""

import heapq
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import numpy.typing as npt
import scipy.linalg as sla

from jacobeig._arguments import check_positive
from jacobeig._kernels.branch import bound_support
from jacobeig._types import Floats, Indices
from jacobeig.comparison.baselines._method import Found, Task, baseline
from jacobeig.comparison.baselines._record import OptimalityProof
from jacobeig.comparison.baselines._starts import choose_best, make_starts
from jacobeig.refinement.power import power_ascent, swap_ascent
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.refinement.support import refit

MANY_NODES = 1000  # from here on the search goes deep, to keep memory small
TINY = 1e-300  # keeps the gap of a zero matrix finite


@baseline()
def bb(task: Task, *, time_limit: float = 60.0, tol: float = 1e-6, deflation: str = "projection") -> Found:
    """Sparse components with proof: the best of all supports, or the best found in time and an upper bound.

    An indefinite matrix is shifted inside, which changes no maximiser. The result has a `OptimalityProof` with an upper
    bound and a gap for each component.

    %(asked)s
    time_limit : float
        Seconds for each component.
    tol : float
        Relative gap at which a component counts as optimal.
    %(returned)s

    References
    ----------
    L. Berk and D. Bertsimas, "Certifiably optimal sparse principal component analysis", Mathematical Programming
    Computation 11, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import bb
    >>> result = bb(np.diag([1.0, 2.0, 3.0]) + 0.5, 1, 2)
    >>> result.eigenvalues.round(4)
    array([3.7071])
    >>> result.certificate.optimal
    True
    """
    time_limit = check_positive("time_limit", time_limit, "give the seconds for each component")
    tol = check_positive("tol", tol, "give the relative gap to stop at")
    searches: list[_Search] = []

    def find(S: Floats) -> Floats:
        searches.append(_Search(S, task.max_nonzeros, tol))
        return searches[-1].run(time_limit)

    V = task.find_in_turn(find, deflation)
    certificate = OptimalityProof(
        upper_bound=np.array([search.upper_bound for search in searches]),
        gap=np.array([search.gap for search in searches]),
    )
    proved, nodes = sum(search.gap <= tol for search in searches), sum(search.n_nodes for search in searches)
    return Found(V, f"{proved} of {len(searches)} components proved optimal, {nodes} nodes explored.", certificate)


@dataclass(order=True, frozen=True)
class _Node:
    """Supports that keep the labels (1 in, 0 out, -1 free), sorted by the bound, the largest first."""

    negative_bound: float
    number: int
    labels: npt.NDArray[np.int8] = field(compare=False)
    vector: Floats = field(compare=False)  # leading eigenvector of all that is not out

    @property
    def bound(self) -> float:
        return -self.negative_bound


class _Search:
    """One component: the incumbent, the open nodes, and what can be proved from them."""

    def __init__(self, S: Floats, nonzeros: int, tol: float) -> None:
        self.shift = psd_shift(S)
        self.S = S + self.shift * np.eye(S.shape[0])  # the trace bound needs a semidefinite matrix
        self.nonzeros, self.tol, self.n_nodes, self._n_opened = nonzeros, tol, 0, 0
        self._size = np.abs(self.S)
        self._order = np.argsort(-self._size, axis=1, kind="stable")
        self._diagonal = np.ascontiguousarray(self.S.diagonal())
        self._diagonal_order = np.argsort(-self._diagonal, kind="stable")
        self._best: list[_Node] = []
        self._newest: list[_Node] = []
        ascents = [power_ascent(self.S, x, nonzeros) for x in make_starts(self.S, "best")]
        self.incumbent = choose_best(self.S, [swap_ascent(self.S, x) for x in ascents])
        self.value = float(self.incumbent @ self.S @ self.incumbent)

    @property
    def upper_bound(self) -> float:
        """What no support can pass, without the shift."""
        bounds = [node.bound for node in self._best[:1] + self._newest]
        return max([self.value, *bounds]) - self.shift

    @property
    def gap(self) -> float:
        """Relative distance from the incumbent to the upper bound."""
        upper = self.upper_bound
        return (upper - (self.value - self.shift)) / max(abs(upper), TINY)

    def run(self, time_limit: float) -> Floats:
        """Explore nodes until the gap closes or the time is over."""
        end = perf_counter() + time_limit
        self._open(np.full(self.S.shape[0], -1, np.int8), np.inf)
        while (self._best or self._newest) and perf_counter() < end:
            node = self._newest.pop() if self._newest else heapq.heappop(self._best)
            if self._can_improve(node.bound):
                self.n_nodes += 1
                self._branch(node)
        return self.incumbent

    def _can_improve(self, bound: float) -> bool:
        return bound > self.value + self.tol * max(abs(bound - self.shift), TINY)

    def _branch(self, node: _Node) -> None:
        """Split on the free feature with the largest entry: in, which keeps the eigenvector, or out."""
        free = np.where(node.labels == -1, np.abs(node.vector), -1.0)
        feature = int(free.argmax())
        for label in (0, 1):
            labels = node.labels.copy()
            labels[feature] = label
            self._open(labels, node.bound, node.vector if label else None)

    def _open(self, labels: npt.NDArray[np.int8], bound: float, vector: Floats | None = None) -> None:
        """Bound a new node, try its most promising support, and keep it if it may still hold a better one."""
        allowed = np.flatnonzero(labels)
        n_in = int(np.sum(labels == 1))
        if allowed.size <= self.nonzeros or n_in == self.nonzeros:
            self._consider(allowed if allowed.size <= self.nonzeros else np.flatnonzero(labels == 1))
            return
        cheap = bound_support(self._size, self._order, self._diagonal, self._diagonal_order, labels, self.nonzeros)
        bound = min(bound, cheap)
        if not self._can_improve(bound):
            return
        if vector is None:
            value, vector = self._find_leading(allowed)
            bound = min(bound, value)
        self._consider(self._choose_promising(labels, vector, n_in))
        if self._can_improve(bound):
            self._n_opened += 1
            node = _Node(-bound, self._n_opened, labels, vector)
            if len(self._best) < MANY_NODES:
                heapq.heappush(self._best, node)
            else:
                self._newest.append(node)

    def _find_leading(self, allowed: Indices) -> tuple[float, Floats]:
        """Leading eigenpair by LAPACK: a power iteration would bound from below, which proves nothing."""
        last = allowed.size - 1
        block = self.S[np.ix_(allowed, allowed)]
        value, column = sla.eigh(block, subset_by_index=[last, last], check_finite=False)
        vector = np.zeros(self.S.shape[0])
        vector[allowed] = column[:, 0]
        return float(value[0]) * (1 + 1e-14 * allowed.size), vector

    def _choose_promising(self, labels: npt.NDArray[np.int8], vector: Floats, n_in: int) -> Indices:
        """All that is in, and the free features with the largest entries."""
        free = np.where(labels == -1, np.abs(vector), -1.0)
        chosen = np.argpartition(-free, self.nonzeros - n_in - 1)[: self.nonzeros - n_in]
        return np.append(np.flatnonzero(labels == 1), chosen)

    def _consider(self, support: Indices) -> None:
        if np.linalg.eigvalsh(self.S[np.ix_(support, support)])[-1] > self.value:
            self.incumbent = refit(self.S, support)
            self.value = float(self.incumbent @ self.S @ self.incumbent)
