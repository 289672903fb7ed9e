"""Remark 1: every step pairs each vector with a partner and diagonalises the 2p x 2p block."""

import numpy as np
from scipy.linalg import eigh

from jacobeig._types import BoolArray, FloatArray, IntArray, NumberArray
from jacobeig.results.progress import progress_bar
from jacobeig.results.result import EigenResult, Status, require_chain
from jacobeig.results.rotations import BlockSequence
from jacobeig.solve._gains import unit_gains
from jacobeig.solve._problem import ChainProblem
from jacobeig.solve._source_checks import find_largest
from jacobeig.solve._tolerances import NOISE
from jacobeig.sources import check_rows
from jacobeig.sources.units import power_of_two_scale


class BlockRun:
    """One run by blocks: keeps the rows of the vectors and of every partner so far current, and reads no other."""

    def __init__(self, problem: ChainProblem) -> None:
        self.problem = problem
        self._sign = 1.0 if problem.method.which == "LA" else -1.0
        self._kept = problem.seeds.copy()  # coordinates whose rows are kept, the seeds first
        self._rows = np.empty((0, problem.n), problem.source.dtype)
        self._indices: list[IntArray] = []
        self._blocks: list[NumberArray] = []
        self._shifts: list[FloatArray] = []
        self._gains: list[float] = []
        self._nonzeros: list[int] = []
        rows = self._read(problem.seeds)
        self._largest = find_largest(problem.source, problem.diagonal, rows)
        self._scale = power_of_two_scale(self._largest, rows.dtype)
        self._diagonal = problem.diagonal * self._scale
        self._rows = rows * self._rows.dtype.type(self._scale)
        self._supports = _make_unit_supports(problem.seeds, problem.n)

    def _read(self, coordinates: IntArray) -> NumberArray:
        """Return rows of the matrix as they were before any block."""
        return check_rows(self.problem.source, coordinates, self.problem.source.rows(coordinates))

    def _keep(self, coordinates: IntArray) -> None:
        """Read the rows of new partners and bring them up to date."""
        new = np.setdiff1d(coordinates, self._kept)
        if len(new) == 0:
            return
        rows = self._read(new) * self._rows.dtype.type(self._scale)
        for index, block in zip(self._indices, self._blocks, strict=True):
            rows[:, index] = rows[:, index] @ block
        self._kept = np.concatenate([self._kept, new])
        self._rows = np.concatenate([self._rows, rows])
        self._supports = np.concatenate([self._supports, _make_unit_supports(new, self.problem.n)])
        # by symmetry, and exactly: the rows kept so far are current
        self._rows[-len(new) :, self._kept] = self._rows[:, new].conj().T

    def _find_places(self, coordinates: IntArray) -> IntArray:
        """Return where the rows of coordinates are kept."""
        order = np.argsort(self._kept)
        return order[np.searchsorted(self._kept, coordinates, sorter=order)]

    def _score_pairs(self) -> FloatArray:
        """Return the score of every (vector, coordinate) pair; 0 where there is nothing to gain."""
        p = self.problem.n_components
        s2 = np.abs(self._rows[:p]).astype(np.float64) ** 2
        top = max(self._largest * self._scale, float(np.abs(self._diagonal).max()))
        floor = NOISE * float(np.finfo(self._rows.dtype).eps) * top
        s2[s2 <= floor**2] = 0.0
        delta = self._sign * (self._diagonal[self.problem.seeds][:, np.newaxis] - self._diagonal)
        scores = s2 if self.problem.pivot.name == "offdiagonal" else unit_gains(s2, delta)
        scores[:, self.problem.seeds] = -1.0
        return scores

    def _choose_partners(self, scores: FloatArray, step: int) -> IntArray:
        """Give each vector in turn its best coordinate that is not taken yet."""
        p = self.problem.n_components
        if self.problem.pivot.name == "random":
            rng = np.random.default_rng([self.problem.method.seed, step])
            return rng.choice(np.setdiff1d(np.arange(self.problem.n), self.problem.seeds), p, replace=False)
        partners = np.empty(p, np.int64)
        for i in range(p):
            partners[i] = np.argmax(scores[i])
            scores[:, partners[i]] = -1.0
        return partners

    def drive(self, n_blocks: int, *, progress: bool) -> Status:
        """Take steps until there are `n_blocks`, or nothing is left to gain."""
        with progress_bar("blocks", n_blocks, enabled=progress) as show:
            while len(self._blocks) < n_blocks:
                scores = self._score_pairs()
                if scores.max() <= 0.0:
                    return Status.CONVERGED
                self._step(self._choose_partners(scores, len(self._blocks)))
                show(len(self._blocks))
        return Status.ROTATIONS

    def _step(self, partners: IntArray) -> None:
        """Diagonalise the block of the vectors and their partners."""
        p = self.problem.n_components
        self._keep(partners)
        index = np.concatenate([self.problem.seeds, partners])
        places = self._find_places(index)
        block = self._rows[np.ix_(places, index)].astype(np.result_type(self._rows.dtype, np.float64))
        values, vectors = eigh(block)
        order = np.argsort(-self._sign * values, kind="stable")
        values, vectors = values[order], vectors[:, order]
        self._gains.append(self._sign * float(values[:p].sum() - self._diagonal[self.problem.seeds].sum()))
        self._apply(index, places, values, vectors)

    def _apply(self, index: IntArray, places: IntArray, values: FloatArray, vectors: NumberArray) -> None:
        self._rows[places] = vectors.conj().T @ self._rows[places]
        self._rows[:, index] = self._rows[:, index] @ vectors
        self._rows[np.ix_(places, index)] = np.diag(values)
        self._diagonal[index] = values
        self._supports[places] = _mix_supports(self._supports[places], vectors != 0.0)
        self._indices.append(index)
        self._blocks.append(vectors)
        self._shifts.append(values)
        seeds = self._supports[: self.problem.n_components]
        self._nonzeros.append(int(np.unpackbits(seeds).sum(dtype=np.int64)))

    def follow(self, result: EigenResult) -> bool:
        """Repeat the blocks of an earlier run; whether the diagonal moved as it did then, but for rounding."""
        chain, trail = require_chain(result)
        assert isinstance(chain, BlockSequence)
        for index in chain.indices:
            self._step(index[self.problem.n_components :])
        apart = np.abs(np.array(self._shifts).reshape(trail.shifts.shape) / self._scale - trail.shifts)
        return bool((apart <= np.sqrt(np.finfo(self._rows.dtype).eps) * self._largest).all())

    def result(self, status: Status) -> EigenResult:
        problem, width = self.problem, 2 * self.problem.n_components
        dtype = problem.source.dtype
        exact = np.result_type(dtype, np.float64)
        chain = BlockSequence(
            n=problem.n,
            indices=np.array(self._indices, np.int64).reshape(-1, width),
            blocks=np.array(self._blocks, exact).reshape(-1, width, width),
            coordinates=problem.seeds,
            dtype=dtype,
        )
        trail = problem.leave_trail(np.array(self._shifts, np.float64).reshape(-1, width) / self._scale)
        gains = (np.array(self._gains) / self._scale).astype(np.finfo(dtype).dtype)
        nonzeros = np.array(self._nonzeros, np.int64)
        return EigenResult.from_chain(chain, gains, nonzeros, status, problem.method, trail)


def _make_unit_supports(coordinates: IntArray, n: int) -> NumberArray:
    """Return packed supports of unit vectors."""
    sets = np.zeros((len(coordinates), n), np.bool_)
    sets[np.arange(len(coordinates)), coordinates] = True
    return np.packbits(sets, axis=1)


def _mix_supports(supports: NumberArray, mixes: BoolArray) -> NumberArray:
    """Return for every column of `mixes` the union of the supports that it takes in."""
    return np.stack([np.bitwise_or.reduce(supports[column], axis=0) for column in mixes.T])
