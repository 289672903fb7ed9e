"""Refinement without the whole matrix: on a working set of coordinates, tested against all others, and extended.

The search needs products with p columns, the diagonal, and the block of the set. A coordinate outside that would enter
one column turns it in the plane of the column and its unit vector, so the best gain of every single entry is exactly
known from one product: an eigenvalue of a 2 x 2 matrix. The set is complete when no such gain pays for the cheapest
entry that it would replace.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from jacobeig._arguments import to_dense
from jacobeig._types import Floats, Integers
from jacobeig.refinement._basis import entry_losses, make_basis
from jacobeig.refinement._budget import mask_largest
from jacobeig.refinement._quadratic import Matrix
from jacobeig.refinement._search import Aim, Candidate, VectorSearch
from jacobeig.refinement._source_view import SourceView
from jacobeig.refinement._stages import raise_not_a_stage, recall_arrays, recall_stage, require
from jacobeig.sources.krylov import build_krylov
from jacobeig.sources.memory import available_memory

# Who is in the set matters more than its size: on 64 x 6,830 data with 300 nonzeros, sets of 800 by gain alone stayed
# at .3395 of full PCA, half by gain and half by leverage reached .3499; sets of 1,500 were slower and no better.
SMALLEST = 800
# A set needs room to choose: with 300 beyond the nonzeros, ten components of 100 among 20,000 features, in factors of
# falling strength, captured less (53,170) than the chain of the whole matrix (55,760), with these 57,851. Not more, as
# blocks grow with the square: 2.5 times and 1,000 took up to twice as long, for 0 to 1.2% more under a limit on each
# column and about as much without one.
TIMES, ROOM = 2.0, 700
# Extensions of a set at most. On 1,000 texts of 4,000 words with 150 nonzeros a component, one captured 5.5086, two
# 5.5108, four and eight 5.5120 in 1.5 times the time; with 30 nonzeros, and on 80 samples of 3,000 features, all did
# the same.
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


class Searched(NamedTuple):
    """What the search of one set has found."""

    rows: Integers
    vectors: Floats
    start: str
    captured: float
    complete: bool


class WorkingSet:
    """Refinement of p vectors on sets of coordinates of one source."""

    def __init__(self, view: SourceView, aim: Aim) -> None:
        self.view, self.aim = view, aim
        total = aim.budget.total
        wanted = min(view.n, max(SMALLEST, min(int(TIMES * total), total + ROOM)))
        self.size = min(wanted, self._fit_memory())
        self.shrunk = self.size < wanted

    def _fit_memory(self) -> int:
        """Return the order of a block that half of the free memory has room for, with the copies of a search."""
        free = available_memory()
        return self.view.n if free is None else max(2, int(np.sqrt(free / 2 / (4 * 8))))

    @cached_property
    def leverage(self) -> Floats:
        """How much of the wanted eigenvectors lies on each coordinate, roughly."""
        return recall_arrays(self.aim.clock, "leverage", lambda: _measure_leverage(self.view, self.aim.weights))

    def choose_first(self) -> Integers:
        """Return a set to start a chain on: the coordinates of the largest leverage, and of the largest diagonal."""
        if self.size >= self.view.n:
            return np.arange(self.view.n)
        variance = np.abs(self.view.diagonal) if (self.aim.weights < 0).any() else self.view.diagonal
        share = self.size - self.size // 4
        return np.flatnonzero(mask_largest(self.leverage, share) | mask_largest(variance, share))

    def start_from(self, make: Callable[[Matrix], Floats]) -> Refined:
        """Refine what `make` gives for the block of a first set, chosen by leverage and the diagonal."""
        return self._go_on(self._recall("first set", lambda: self._begin(make)))

    def _begin(self, make: Callable[[Matrix], Floats]) -> Searched:
        W = self.choose_first()
        S = self.view.read_block(W)
        start = make(S)
        return self._wrap(W, self._open_search(W, S).run(start))

    def refine(self, rows: Integers, vectors: Floats) -> Refined:
        """Refine vectors that are nonzero on `rows` only; never worse than they are."""
        return self._go_on(self._recall("first set", lambda: self._begin_from(rows, vectors)))

    def _begin_from(self, rows: Integers, vectors: Floats) -> Searched:
        W = self.choose_around(rows, vectors)
        return self._wrap(W, self._open_search(W).run(embed(W, rows, vectors)))

    def choose_around(self, rows: Integers, vectors: Floats) -> Integers:
        """Return a set around vectors on `rows`: theirs, and the coordinates that gain most or have most leverage."""
        if self.size >= self.view.n:
            return np.arange(self.view.n)
        gains = self._rate_outside(rows, vectors)
        heavy = np.flatnonzero(mask_largest(self.leverage, self.size // 2))
        return np.union1d(self._extend(rows[vectors.any(axis=1)], gains), heavy)

    def _go_on(self, first: Searched) -> Refined:
        """Extend the set by what would pay, and search on, until nothing outside would pay."""
        found = first
        for number in range(ROUNDS[self.aim.effort]):
            if self.aim.clock.expired:
                break
            before, found = found, self._recall(f"round {number}", partial(self._extend_and_search, found))
            if found.complete or found.captured <= before.captured + PAYS * abs(found.captured):
                break
        return Refined(
            rows=found.rows, vectors=found.vectors, start=first.start, complete=found.complete, shrunk=self.shrunk
        )

    def _extend_and_search(self, found: Searched) -> Searched:
        """Search on from vectors, on a set with the coordinates that would pay; complete when there are none."""
        if len(found.rows) == self.view.n:
            return found._replace(complete=True)
        gains = self._rate_outside(found.rows, found.vectors)
        gains[found.rows] = -np.inf
        if not (gains > 0).any():
            return found._replace(complete=True)
        W = self._extend(found.rows[found.vectors.any(axis=1)], gains)
        return self._wrap(W, self._open_search(W).go_on(embed(W, found.rows, found.vectors)))

    def _open_search(self, W: Integers, S: Matrix | None = None) -> VectorSearch:
        """Return a search on a set, whose block is read unless it is given, and is the search's own from then on."""
        S = self.view.read_block(W) if S is None else S
        self.aim.clock.rows = W
        return VectorSearch(S, self.aim, semidefinite=self.view.semidefinite, overwrite=True)

    def _wrap(self, W: Integers, found: Candidate) -> Searched:
        return Searched(W, found.point.vectors, found.start, found.point.value - self.aim.clock.offset, False)

    def _recall(self, name: str, make: Callable[[], Searched]) -> Searched:
        """Search a set, unless that is done already."""
        return recall_stage(self.aim.clock, self.aim.rng, name, make, Searched._asdict, self._read_searched)

    def _read_searched(self, noted: Mapping[str, Any]) -> Searched:
        rows = require(noted, "rows", (None,), "i")
        vectors = require(noted, "vectors", (len(rows), len(self.aim.weights)))
        if rows.min(initial=0) < 0 or rows.max(initial=0) >= self.view.n or (np.diff(rows) <= 0).any():
            raise_not_a_stage("its rows are not those of the matrix")
        captured, complete = float(require(noted, "captured", ())), bool(require(noted, "complete", (), "b"))
        return Searched(rows, vectors, str(noted.get("start")), captured, complete)

    def _extend(self, rows: Integers, gains: Floats) -> Integers:
        """Return a set with the coordinates outside that gain most."""
        best = mask_largest(gains, self.size // 2) & (gains > -np.inf)
        return np.union1d(rows, np.flatnonzero(best))

    def _rate_outside(self, rows: Integers, vectors: Floats) -> Floats:
        """Return for each coordinate what its best entry gains beyond the cheapest it would replace; -inf inside."""
        used = vectors.any(axis=1)
        rows, vectors = rows[used], vectors[used]
        image = self.view.multiply_rows(rows, vectors)
        inside = to_dense(image[rows])
        signs = np.where(self.aim.weights < 0, -1.0, 1.0)
        prices = self._price_entries(vectors, inside, rows)
        if self.aim.orthonormal:
            directions, quotients = image, np.sum(vectors.conj() * inside, axis=0).real
        else:
            basis = make_basis(vectors, inside)
            directions, quotients = image @ basis.dual, basis.quotients
        best = np.full(self.view.n, -np.inf)
        for begin in range(0, self.view.n, CHUNK):
            part = slice(begin, begin + CHUNK)
            half = (quotients - self.view.diagonal[part, None]) / 2 * signs
            b2 = np.abs(to_dense(directions[part])) ** 2
            root = np.sqrt(half**2 + b2)
            gain = np.where(half > 0, b2 / np.maximum(root + np.abs(half), 1e-300), root - half)
            best[part] = (gain * np.abs(self.aim.weights) - prices).max(axis=1)
        best[rows] = -np.inf
        return best

    def _price_entries(self, vectors: Floats, image: Floats, rows: Integers) -> Floats:
        """Return what each column must give up to take one more entry: nothing while the budget has room."""
        counts = np.count_nonzero(vectors, axis=0)
        if np.iscomplexobj(vectors):
            losses = np.abs(vectors) ** 2 * np.abs(np.sum(vectors.conj() * image, axis=0))
        else:
            losses = entry_losses(self.view.diagonal[rows], make_basis(vectors, image), CHUNK) * self.aim.weights
            np.abs(losses, out=losses)
        cheapest = np.where(vectors != 0, losses, np.inf).min(axis=0)
        full = counts.sum() >= self.aim.budget.total
        return np.where(counts >= self.aim.budget.per_column, cheapest, cheapest.min() if full else 0.0)


def embed(W: Integers, rows: Integers, vectors: Floats) -> Floats:
    """Return vectors on some rows as vectors on a larger set W, ascending."""
    U = np.zeros((len(W), vectors.shape[1]), vectors.dtype)
    used = vectors.any(axis=1)
    U[np.searchsorted(W, rows[used])] = vectors[used]
    return U


def _measure_leverage(view: SourceView, weights: Floats) -> Floats:
    """Return the row norms of the leading Ritz vectors, scaled by the roots of their values, from a Krylov space.

    For negative weights the space of the other end is added.
    """
    n, width = view.n, min(view.n, len(weights) + SPARE)
    dtype = np.result_type(view.source.dtype, np.float64)
    start = np.random.default_rng(0).standard_normal((n, width)).astype(dtype)
    space = build_krylov(view.multiply, start, KRYLOV)
    values, mix = np.linalg.eigh(space.inner, UPLO="U")
    n_low = int((weights < 0).sum())
    chosen = np.concatenate([np.arange(len(values) - (len(weights) - n_low), len(values)), np.arange(n_low)])
    return np.asarray(np.linalg.norm((space.basis.T @ mix[:, chosen]) * np.sqrt(np.abs(values[chosen])), axis=1))
