"""Classic Jacobi chooses its vectors at the end: which columns lie at the wanted end after each rotation."""

from typing import Any

import numpy as np

from jacobeig._kernels.sequence import follow_best
from jacobeig._kernels.state import Count, Rows
from jacobeig.results.ends import count_high, find_best_coordinates
from jacobeig.solve._problem import ChainProblem
from jacobeig.solve._state import require

_REACHED = ("gains", "nonzeros", "_diagonal", "_sizes", "_order", "_rank")


class Ranking:
    """The p best columns of a classic run, what they gain at each rotation, and their nonzeros."""

    def __init__(self, problem: ChainProblem, state: Rows) -> None:
        self._state, self._weights, n = state, problem.weights, problem.n
        self.gains, self.nonzeros = np.zeros(0), np.zeros(0, np.int64)
        self._n_high = count_high(self._weights, problem.method.which)
        self._diagonal, self._sizes = state.diagonal.copy(), np.ones(n, np.int64)
        self._order, self._rank = find_best_coordinates(self._diagonal, n, 0), np.empty(n, np.int64)
        self._rank[self._order] = np.arange(n)

    def follow(self, begin: int, max_nonzeros: int | None) -> int:
        """Catch up from step `begin`; return how many rotations stay within the budget."""
        state, end = self._state, int(self._state.counts[Count.STEP])
        gains, nonzeros = np.zeros(end - begin), np.zeros(end - begin, np.int64)
        before = state.nonzeros[begin - 1] if begin else len(self._order)
        totals = np.concatenate([[before], state.nonzeros[begin:end]])
        pivots = np.stack([state.first[begin:end], state.second[begin:end]], axis=1).astype(np.int64)
        follow_best(
            self._diagonal, self._sizes, self._order, self._rank, pivots, state.shifts[begin:end], totals,
            self._weights, self._n_high, gains, nonzeros,
        )  # fmt: skip
        self.gains, self.nonzeros = np.append(self.gains, gains), np.append(self.nonzeros, nonzeros)
        over = np.flatnonzero(nonzeros > (max_nonzeros if max_nonzeros is not None else np.inf))
        return begin + int(over[0]) if len(over) else end

    def capture(self) -> dict[str, Any]:
        return {f"ranking.{name}": getattr(self, name) for name in _REACHED}

    def restore(self, state: Rows, arrays: dict[str, Any]) -> None:
        """Go on from what was captured, beside the state that was captured with it."""
        n, k = len(self._order), int(state.counts[Count.STEP])
        reached = {name: arrays.get(f"ranking.{name}", np.zeros(0)) for name in _REACHED}
        for name, array in reached.items():
            kind, length = getattr(self, name).dtype, k if name in ("gains", "nonzeros") else n
            require(array.dtype == kind and array.shape == (length,), "its ranking does not fit")
        order = reached["_order"]
        require(np.array_equal(np.sort(order), np.arange(n)), "its ranking is none")
        require(np.array_equal(reached["_rank"][order], np.arange(n)), "its ranking contradicts itself")
        self._state = state
        for name, array in reached.items():
            setattr(self, name, np.require(array, requirements=("C", "W", "O")))

    def sum_captured(self) -> float:
        low = len(self._weights) - self._n_high
        return float(self._diagonal[self._order[: self._n_high]].sum() + self._diagonal[self._order[::-1][:low]].sum())
