"""Refinement without the whole matrix: on a working set of coordinates, tested against all others, and extended.

The search needs products with p columns, the diagonal, and the block of the set. A coordinate outside that would enter
one column turns it in the plane of the column and its unit vector, so the best gain of every single entry is exactly
known from one product: an eigenvalue of a 2 x 2 matrix. The set is complete when no such gain pays for the cheapest
entry that it would replace.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jacobeig._types import Floats, Indices, Integers
from jacobeig.refinement._basis import entry_moves, make_basis
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Candidate, VectorSearch
from jacobeig.refinement._view import SourceView
from jacobeig.sources.memory import available_memory

__all__ = ["Refined", "WorkingSet"]

# Who is in the set matters more than its size: on 64 x 6,830 data with 300 nonzeros, sets of 800 by gain alone stayed
# at .3395 of full PCA, half by gain and half by leverage reached .3499; sets of 1,500 were slower and no better.
SMALLEST = 800
TIMES = 1.5  # the nonzeros of the budget that a set has room for
ROUNDS = {"quick": 2, "best": 8}
PAYS = 1e-4  # relative rise of a round below which the next is not worth its passes
KRYLOV = 4  # products for the leading subspace: with 3, 391 of the 400 coordinates of most leverage were found
SPARE = 8  # columns of that subspace beyond one for each vector
CHUNK = 1 << 16  # rows of gains that are held at once


@dataclass(frozen=True, kw_only=True, eq=False)
class Refined:
    """Refined vectors on a set of rows, where they came from, and whether the set was found complete."""

    rows: Integers
    vectors: Floats
    start: str
    complete: bool
    shrunk: bool


class WorkingSet:
    """Refinement of p vectors on sets of coordinates of one source."""

    def __init__(
        self,
        view: SourceView,
        weights: Floats,
        budget: NonzeroBudget,
        clock: Clock,
        rng: np.random.Generator,
        *,
        orthonormal: bool,
        effort: str,
    ) -> None:
        self.view, self.weights, self.budget, self.clock, self.rng = view, weights, budget, clock, rng
        self.orthonormal, self.effort = orthonormal, effort
        wanted = min(view.n, max(SMALLEST, int(TIMES * budget.total)))
        self.size = min(wanted, _fit_memory(view.n))
        self.shrunk = self.size < wanted
        self._leverage: Floats | None = None

    @property
    def leverage(self) -> Floats:
        """How much of the wanted eigenvectors lies on each coordinate, roughly."""
        if self._leverage is None:
            self._leverage = _measure_leverage(self.view, self.weights)
        return self._leverage

    def choose_first(self) -> Integers:
        """Return a set to start a chain on: the coordinates of the largest leverage, and of the largest diagonal."""
        if self.size >= self.view.n:
            return np.arange(self.view.n)
        variance = np.abs(self.view.diagonal) if (self.weights < 0).any() else self.view.diagonal
        share = self.size - self.size // 4
        return np.union1d(_take_largest(self.leverage, share), _take_largest(variance, share))

    def start_from(self, make: Callable[[Matrix], Floats]) -> Refined:
        """Refine what `make` gives for the block of a first set, chosen by leverage and the diagonal."""
        W = self.choose_first()
        S = self.view.read_block(W)
        return self._go_on(W, self._open_search(S).run(make(S)))

    def refine(self, rows: Integers, vectors: Floats) -> Refined:
        """Refine vectors that are nonzero on `rows` only; never worse than they are."""
        gains = self._rate_outside(rows, vectors)
        W = np.union1d(self._extend(rows[vectors.any(axis=1)], gains), _take_largest(self.leverage, self.size // 2))
        return self._go_on(W, self._open_search(self.view.read_block(W)).run(_embed(W, rows, vectors)))

    def _go_on(self, rows: Integers, found: Candidate) -> Refined:
        """Extend the set by what would pay, and search on, until nothing outside would pay."""
        start, vectors, complete = found.start, found.point.vectors, False
        captured = found.point.value - self.clock.offset
        for _ in range(ROUNDS[self.effort]):
            if self.clock.expired:
                break
            gains = self._rate_outside(rows, vectors)
            gains[rows] = -np.inf
            complete = not (gains > 0).any()
            if complete:
                break
            W = self._extend(rows, gains)
            found = self._open_search(self.view.read_block(W)).go_on(_embed(W, rows, vectors))
            rows, vectors = W, found.point.vectors
            before, captured = captured, found.point.value - self.clock.offset
            if captured <= before + PAYS * abs(captured):
                break
        return Refined(rows=rows, vectors=vectors, start=start, complete=complete, shrunk=self.shrunk)

    def _extend(self, rows: Integers, gains: Floats) -> Integers:
        """Return a set with the coordinates outside that gain most."""
        best = _take_largest(gains, self.size // 2)
        return np.union1d(rows, best[gains[best] > -np.inf])

    def _open_search(self, S: Matrix) -> VectorSearch:
        budget = self.budget.limit(S.shape[0])
        return VectorSearch(
            S, self.weights, budget, self.clock, self.rng, orthonormal=self.orthonormal,
            effort=self.effort,
        )  # fmt: skip

    def _rate_outside(self, rows: Integers, vectors: Floats) -> Floats:
        """Return for each coordinate what its best entry gains beyond the cheapest it would replace; -inf inside."""
        used = vectors.any(axis=1)
        V = np.zeros((self.view.n, vectors.shape[1]), vectors.dtype)
        V[rows] = vectors
        image = self.view.multiply(V)
        signs = np.where(self.weights < 0, -1.0, 1.0)
        prices = self._price_entries(vectors[used], image[rows[used]], rows[used])
        if self.orthonormal:
            directions, quotients = image, np.sum(V.conj() * image, axis=0).real
        else:
            basis = make_basis(vectors[used], image[rows[used]])
            directions, quotients = image @ basis.dual, basis.quotients
        best = np.full(self.view.n, -np.inf)
        for begin in range(0, self.view.n, CHUNK):
            part = slice(begin, begin + CHUNK)
            half = (quotients - self.view.diagonal[part, None]) / 2 * signs
            b2 = np.abs(directions[part]) ** 2
            root = np.sqrt(half**2 + b2)
            gain = np.where(half > 0, b2 / np.maximum(root + np.abs(half), 1e-300), root - half)
            best[part] = (gain * np.abs(self.weights) - prices).max(axis=1)
        best[rows[used]] = -np.inf
        return best

    def _price_entries(self, vectors: Floats, image: Floats, rows: Integers) -> Floats:
        """Return what each column must give up to take one more entry: nothing while the budget has room."""
        counts = np.count_nonzero(vectors, axis=0)
        if np.iscomplexobj(vectors):
            losses = np.abs(vectors) ** 2 * np.abs(np.sum(vectors.conj() * image, axis=0))
        else:
            losses = np.abs(entry_moves(self.view.diagonal[rows], make_basis(vectors, image)).loss * self.weights)
        cheapest = np.where(vectors != 0, losses, np.inf).min(axis=0)
        full = counts.sum() >= self.budget.total
        return np.where(counts >= self.budget.per_column, cheapest, cheapest.min() if full else 0.0)


def _embed(W: Integers, rows: Integers, vectors: Floats) -> Floats:
    """Return vectors on some rows as vectors on a larger set W, ascending."""
    U = np.zeros((len(W), vectors.shape[1]), vectors.dtype)
    used = vectors.any(axis=1)
    U[np.searchsorted(W, rows[used])] = vectors[used]
    return U


def _take_largest(values: Floats, count: int) -> Indices:
    """Return where the largest values are; ties go to the first."""
    return np.argsort(-values, kind="stable")[:count]


def _fit_memory(n: int) -> int:
    """Return the order of a block that half of the free memory has room for, with the copies that a search makes."""
    free = available_memory()
    return n if free is None else max(2, int(np.sqrt(free / 2 / (4 * 8))))


def _measure_leverage(view: SourceView, weights: Floats) -> Floats:
    """Return the row norms of the leading Ritz vectors, scaled by the roots of their values, from a block Krylov space.

    For negative weights the space of the other end is added.
    """
    n, width = view.n, min(view.n, len(weights) + SPARE)
    dtype = np.result_type(view.source.dtype, np.float64)
    start = np.random.default_rng(0).standard_normal((n, width)).astype(dtype)
    Q = np.linalg.qr(start)[0]
    basis, images = [], []
    for _ in range(KRYLOV):
        image = view.multiply(Q)
        basis.append(Q)
        images.append(image)
        rest = image
        for _ in range(2):
            for B in basis:
                rest = rest - B @ (B.conj().T @ rest)
        Q = np.linalg.qr(rest)[0]
    B, SB = np.concatenate(basis, axis=1), np.concatenate(images, axis=1)
    inner = B.conj().T @ SB
    values, mix = np.linalg.eigh((inner + inner.conj().T) / 2)
    n_low = int((weights < 0).sum())
    chosen = np.concatenate([np.arange(len(values) - (len(weights) - n_low), len(values)), np.arange(n_low)])
    return np.asarray(np.linalg.norm((B @ mix[:, chosen]) * np.sqrt(np.abs(values[chosen])), axis=1))
