"""The most wanted diagonal entries of many coordinates, found in O(log n) when one entry changes.

Two tournaments, one for each end of the spectrum: leaf m is coordinate m, or -1 where it does not take part, and every
node above holds the better of its two children, the left (lower) one where they tie.
"""

from typing import NamedTuple

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline, bare_kernel
from jacobeig._types import FloatArray, NumberArray


class Tournament(NamedTuple):
    """Nodes are numbered from the root 1; the children of v are 2v and 2v + 1; the leaves fill the second half."""

    entries: FloatArray  # (n,) by coordinate of the matrix
    high: NumberArray  # (2 * leaves,) int32, won by the largest entry
    low: NumberArray  # (2 * leaves,) int32, won by the smallest


def count_leaves(n: int) -> int:
    """The power of two that holds n leaves, so that leaves stand in the order of their coordinates."""
    return 1 << max(n - 1, 0).bit_length()


@bare_inline
def _decide(tournament: Tournament, v: int) -> None:
    """Let the children of node v meet."""
    entries, high, low = tournament
    a, b = high[2 * v], high[2 * v + 1]
    high[v] = b if a < 0 or (b >= 0 and entries[b] > entries[a]) else a
    a, b = low[2 * v], low[2 * v + 1]
    low[v] = b if a < 0 or (b >= 0 and entries[b] < entries[a]) else a


@bare_kernel
def play(tournament: Tournament) -> None:
    """Decide every node, given the leaves; O(n)."""
    for v in range(tournament.high.shape[0] // 2 - 1, 0, -1):
        _decide(tournament, v)


@bare_call
def replay_match(tournament: Tournament, coordinate: int, entry: float) -> None:
    """Change one entry and decide every match that it plays again."""
    tournament.entries[coordinate] = entry
    v = (tournament.high.shape[0] // 2 + coordinate) // 2
    while v > 0:
        _decide(tournament, v)
        v //= 2


@bare_inline
def find_next_node(v: int) -> int:
    """The node that follows v and everything below it when nodes are visited from left to right; 0 after the last."""
    while v % 2 == 1:
        v //= 2
    return np.int64(v + 1 if v > 0 else 0)
