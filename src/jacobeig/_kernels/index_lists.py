"""Sets of coordinates as lists: a few that change all the time, and many that are put away until they are needed."""

from typing import NamedTuple

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline
from jacobeig._types import BoolArray, IntArray, UIntArray

# Two lists are merged by a pass over all coordinates if that is at most this many times as long as both.
_DENSE = 8


class Sets(NamedTuple):
    """A few sets of coordinates. Each is a list in any order, with a flag for every coordinate that is in it."""

    members: UIntArray  # (sets, capacity)
    inside: BoolArray  # (sets, capacity)
    sizes: IntArray  # (sets,)


class Store(NamedTuple):
    """One list for every coordinate, put away one behind the other in an array that the caller lets grow."""

    items: UIntArray  # (space,)
    begin: IntArray  # (capacity,) where the list of a coordinate begins,
    length: IntArray  # how many items it has,
    room: IntArray  # and how many it may have before it must move
    used: IntArray  # (1,) items taken, those of lists that have moved included


@bare_inline
def include(sets: Sets, a: int, m: int) -> None:
    """Put coordinate m into set a, unless it is there."""
    if not sets.inside[a, m]:
        sets.inside[a, m] = True
        sets.members[a, sets.sizes[a]] = m
        sets.sizes[a] += 1


@bare_call
def clear(sets: Sets, a: int) -> None:
    """Empty set a; O(its size)."""
    for t in range(sets.sizes[a]):
        sets.inside[a, sets.members[a, t]] = False
    sets.sizes[a] = 0


@bare_call
def unite(sets: Sets, a: int, b: int, n: int) -> None:
    """Replace both sets by their union, as a rotation does to two rows and to the supports of two vectors.

    Where they hold much of the n coordinates there are, both come out in ascending order: what is then gathered along
    them is read in the order of memory.
    """
    if _DENSE * (sets.sizes[a] + sets.sizes[b]) < n:
        for t in range(sets.sizes[b]):
            include(sets, a, sets.members[b, t])
        for t in range(sets.sizes[a]):
            include(sets, b, sets.members[a, t])
        return
    size = np.int64(0)
    for m in range(n):
        if sets.inside[a, m] or sets.inside[b, m]:
            sets.inside[a, m] = sets.inside[b, m] = True
            sets.members[a, size] = sets.members[b, size] = m
            size += 1
    sets.sizes[a] = sets.sizes[b] = size


@bare_call
def exchange(sets: Sets, a: int, b: int) -> None:
    """Exchange two sets, as a swap does."""
    longest = max(sets.sizes[a], sets.sizes[b])
    for r in (a, b):
        for t in range(sets.sizes[r]):
            sets.inside[r, sets.members[r, t]] = False
    for t in range(longest):
        sets.members[a, t], sets.members[b, t] = sets.members[b, t], sets.members[a, t]
    sets.sizes[a], sets.sizes[b] = sets.sizes[b], sets.sizes[a]
    for r in (a, b):
        for t in range(sets.sizes[r]):
            sets.inside[r, sets.members[r, t]] = True


@bare_inline
def reserve(store: Store, m: int, length: int) -> int:
    """Where the new list of coordinate m begins; the caller has seen to the space.

    A list gets no spare room the first time, because most are written once; one that moves gets half as much again.
    """
    if length > store.room[m]:
        room = length if store.room[m] == 0 else length + length // 2
        store.begin[m], store.room[m] = store.used[0], room
        store.used[0] += room
    store.length[m] = length
    return np.int64(store.begin[m])
