"""Bitsets, checked against Python's sets."""

import numpy as np
import pytest
from compiled import from_python
from hypothesis import given
from hypothesis import strategies as st

from jacobeig._kernels.support import (
    _popcount,
    count_added,
    count_union,
    count_words,
    exchange,
    find_set,
    insert,
    merge,
    update_fill,
)

_popcount, count_added, exchange, insert = from_python(_popcount, count_added, exchange, insert)
merge, find_set, count_union, update_fill = from_python(merge, find_set, count_union, update_fill)

N = 130
members = st.sets(st.integers(0, N - 1), max_size=40)


def packed(sets):
    bits = np.zeros((len(sets), count_words(N)), np.uint64)
    for a, contents in enumerate(sets):
        for coordinate in contents:
            insert(bits, a, coordinate)
    return bits


def unpacked(bits):
    return [{m for m in range(N) if (int(row[m // 64]) >> (m % 64)) & 1} for row in bits]


@given(x=st.integers(0, 2**64 - 1))
def test_popcount_counts_the_bits_of_a_word(x):
    assert _popcount(np.uint64(x)) == x.bit_count()


@pytest.mark.parametrize("x", [0, 1, 2**63, 2**64 - 1, 0xAAAAAAAAAAAAAAAA])
def test_popcount_counts_the_bits_of_extreme_words(x):
    assert _popcount(np.uint64(x)) == x.bit_count()


@pytest.mark.parametrize(("n", "words"), [(1, 1), (63, 1), (64, 1), (65, 2), (128, 2), (129, 3)])
def test_a_set_takes_a_word_for_every_64_coordinates(n, words):
    assert count_words(n) == words


@given(a=members, b=members)
def test_unions_merges_and_exchanges_are_those_of_sets(a, b):
    bits = packed([a, b])
    assert unpacked(bits) == [a, b]
    assert count_union(bits, 0, 1) == len(a | b)
    news = np.zeros((2, count_words(N)), np.uint64)
    assert merge(bits, 0, 1, news) == len(a | b)
    assert unpacked(bits) == [a | b, a | b]
    assert unpacked(news) == [b - a, a - b]
    other = packed([a, b])
    exchange(other, 0, 1)
    assert unpacked(other) == [b, a]


@given(
    p=st.integers(1, 4),
    n=st.sampled_from([5, 7, 9, 150]),
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 149), st.booleans())),
)
def test_fill_and_added_nonzeros_follow_the_sets_through_rotations_and_swaps(p, n, steps):
    sets = [{m} for m in range(n)]
    bits, sizes = np.zeros((n, count_words(n)), np.uint64), np.ones(n)
    slots, owners = np.full(n, -1, np.int64), np.zeros(n - p, np.int64)
    fill, news = np.ones((p, n), np.float32), np.zeros((3, count_words(n)), np.uint64)
    for i in range(p):
        insert(bits, i, i)
        fill[i, i] = 0.0
    touched = 0
    for i, j, swap in steps:
        i, j = i % p, j % n
        if j <= i:
            continue
        expected = (0 if j < p else len(sets[j]) - len(sets[i])) if swap else len(sets[i] | sets[j]) - len(sets[i])
        if j < p and not swap:
            expected += len(sets[i] | sets[j]) - len(sets[j])
        assert count_added(bits, slots, sizes, p, i, j, swap) == expected
        if j >= p and slots[j] < 0:
            slots[j], owners[touched] = touched, j
            insert(bits, p + touched, j)
            touched += 1
        if swap:
            exchange(bits, i, find_set(slots, p, j))
            sizes[i], sizes[j] = sizes[j], sizes[i]
            sets[i], sets[j] = sets[j], sets[i]
        else:
            sizes[i] = sizes[j] = merge(bits, i, find_set(slots, p, j), news)
            sets[i] = sets[j] = sets[i] | sets[j]
        update_fill(fill, bits, owners, touched, news, i, j, swap)
        assert sizes.tolist() == [len(s) for s in sets]
        assert fill.tolist() == [[len(sets[m] - sets[a]) for m in range(n)] for a in range(p)]
