"""Supports of vectors as bitsets: row r of `sets` holds one bit a coordinate, 64 to a word."""

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_inline, compile_wrapping
from jacobeig._types import FloatArray, IntArray, UIntArray

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES = np.uint64(0x0101010101010101)


def count_words(n: int) -> int:
    """Words that a set of n coordinates takes."""
    return (n + 63) // 64


def start_sets(sets: UIntArray, rows: IntArray, coordinates: IntArray) -> None:
    """Add one coordinate to each of some sets. Not compiled: for Python, `insert` would be compiled once more."""
    sets[rows, coordinates // 64] |= np.uint64(1) << (coordinates % 64).astype(np.uint64)


@compile_wrapping
def _popcount(x: np.uint64) -> np.int64:
    """Bits set in one word. LLVM makes one instruction of this form, in which the product adds up the bytes."""
    x = x - ((x >> np.uint64(1)) & _M1)
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return np.int64((x * _ONES) >> np.uint64(56))


@bare_inline
def insert(sets: UIntArray, a: int, coordinate: int) -> None:
    """Add one coordinate to set a."""
    sets[a, coordinate // 64] |= np.uint64(1) << np.uint64(coordinate % 64)


@bare_inline
def count_union(sets: UIntArray, a: int, b: int) -> int:
    """Coordinates in set a or set b."""
    count = np.int64(0)
    for w in range(sets.shape[1]):
        count += _popcount(sets[a, w] | sets[b, w])
    return count


@bare_call
def merge(sets: UIntArray, a: int, b: int, news: UIntArray) -> int:
    """Replace both sets by their union, as a rotation does to the supports of two vectors; its size.

    `news` receives what each of the two has gained.
    """
    count = np.int64(0)
    for w in range(sets.shape[1]):
        union = sets[a, w] | sets[b, w]
        news[0, w], news[1, w] = union & ~sets[a, w], union & ~sets[b, w]
        sets[a, w] = sets[b, w] = union
        count += _popcount(union)
    return count


@bare_inline
def exchange(sets: UIntArray, a: int, b: int) -> None:
    """Exchange two sets, as a swap does."""
    for w in range(sets.shape[1]):
        sets[a, w], sets[b, w] = sets[b, w], sets[a, w]


@bare_inline
def find_set(slots: IntArray, p: int, j: int) -> int:
    """Set that holds the support of an active or touched coordinate's vector."""
    return j if j < p else p + slots[j]


@bare_call
def count_added(sets: UIntArray, slots: IntArray, sizes: FloatArray, p: int, i: int, j: int, swap: bool) -> float:
    """How many nonzeros the p vectors gain when (i, j) is rotated; O(n / 64)."""
    if swap:
        return 0.0 if j < p else sizes[j] - sizes[i]
    if j >= p and slots[j] < 0:
        return 1.0
    union = np.float64(count_union(sets, i, find_set(slots, p, j)))
    return 2.0 * union - sizes[i] - sizes[j] if j < p else union - sizes[i]


@bare_inline
def _count_missing(sets: UIntArray, a: int, b: int) -> float:
    """Size of b without a."""
    count = np.int64(0)
    for w in range(sets.shape[1]):
        count += _popcount(sets[b, w] & ~sets[a, w])
    return np.float64(count)


@bare_call
def _count_gained(sets: UIntArray, gained: UIntArray, words: UIntArray, n_gained: int, b: int) -> float:
    """How many of the gained coordinates set b has."""
    count = np.int64(0)
    for k in range(n_gained):
        count += _popcount(gained[words[k]] & sets[b, words[k]])
    return np.float64(count)


@bare_inline
def _list_gained(gained: UIntArray, words: UIntArray) -> int:
    """Write down the numbers of the words that are not empty; how many they are."""
    n_gained = 0
    for w in range(gained.shape[0]):
        if gained[w] != np.uint64(0):
            words[n_gained] = w
            n_gained += 1
    return n_gained


@bare_inline
def _refill_swapped(fill: FloatArray, sets: UIntArray, owners: IntArray, n_touched: int, i: int, j: int) -> None:
    """As `update_fill`, after the sets of i and j were exchanged; O(touched * n / 64)."""
    p = fill.shape[0]
    for a in range(p):
        fill[a, i], fill[a, j] = fill[a, j], fill[a, i]
    for a in (i, j):
        for b in range(p + n_touched if a < p else 0):
            fill[a, b if b < p else owners[b - p]] = _count_missing(sets, a, b)


@bare_call
def _take_gained(
    row: FloatArray, sets: UIntArray, owners: IntArray, p: int, n_touched: int, gained: np.uint64, w: int
) -> None:
    """What a set has gained, in word w, it would no longer take over from the others."""
    for b in range(p + n_touched):
        shared = gained & sets[b, w]
        if shared != np.uint64(0):
            row[b if b < p else owners[b - p]] -= np.float64(_popcount(shared))


@bare_call
def update_fill(
    fill: FloatArray, sets: UIntArray, owners: IntArray, n_touched: int, news: UIntArray, i: int, j: int, swap: bool
) -> None:
    """Keep fill[a, m] = |supp_m without supp_a| after (i, j) was rotated, for every active a.

    `news[0]` and `news[1]` hold what the sets of i and j have gained, `news[2]` is scratch. Most rotations that a
    budget allows add nothing to an active set, and cost O(p + n / 64); others O(touched * words of news) more, and
    swaps O(touched * n / 64).
    """
    if swap:
        _refill_swapped(fill, sets, owners, n_touched, i, j)
        return
    p, words = fill.shape[0], news[2]
    for side in range(2):
        a, gained = (i if side == 0 else j), news[side]
        for w in range(gained.shape[0] if a < p else 0):
            if gained[w] != np.uint64(0):
                _take_gained(fill[a], sets, owners, p, n_touched, gained[w], w)
    n_gained = _list_gained(news[0], words)
    total = _count_gained(sets, news[0], words, n_gained, i)
    for a in range(p):  # both sets are their union now
        fill[a, i] += total - _count_gained(sets, news[0], words, n_gained, a)
        if a in (i, j):
            fill[a, i] = 0.0
        fill[a, j] = fill[a, i]
