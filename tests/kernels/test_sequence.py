"""Chains applied to vectors and to a diagonal, checked against full matrices."""

import numpy as np
import pytest

from jacobeig._kernels.sequence import analyse, follow_best, synthesise


def chain(n, k, dtype, seed=0):
    rng = np.random.default_rng(seed)
    pivots = np.array([rng.choice(n, 2, replace=False) for _ in range(k)], np.int64).reshape(-1, 2)
    angles, phases = rng.uniform(-1.5, 1.5, k), rng.uniform(0, 6, k) if np.dtype(dtype).kind == "c" else np.zeros(k)
    sines = np.sin(angles) * np.exp(1j * phases)
    return pivots, np.cos(angles), (sines if np.dtype(dtype).kind == "c" else sines.real).astype(dtype)


def product(n, pivots, cosines, sines):
    U = np.eye(n, dtype=sines.dtype)
    for (i, j), c, s in zip(pivots, cosines, sines, strict=True):
        G = np.eye(n, dtype=sines.dtype)
        G[i, i], G[i, j], G[j, i], G[j, j] = c, -np.conj(s), s, c
        U = U @ G
    return U


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("k", [0, 1, 30])
def test_a_chain_applies_its_product_and_the_adjoint_of_it(dtype, k):
    parts = chain(7, k, dtype)
    U = product(7, *parts)
    x = np.random.default_rng(1).standard_normal((7, 3)).astype(dtype)
    forth, back = x.copy(), x.copy()
    synthesise(forth, *parts)
    analyse(back, *parts)
    np.testing.assert_allclose(forth, U @ x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(back, U.conj().T @ x, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n_high", [0, 2, 3])
def test_the_best_entries_are_followed_as_sorting_at_every_step_would(n_high):
    rng = np.random.default_rng(3)
    n, p, k = 8, 3, 60
    weights = np.concatenate([np.sort(rng.random(n_high))[::-1], -np.sort(rng.random(p - n_high))[::-1]])
    pivots = np.array([np.sort(rng.choice(n, 2, replace=False)) for _ in range(k)])
    shifts = rng.integers(-2, 3, k).astype(float)  # whole numbers, so that entries tie
    start = rng.integers(0, 4, n).astype(float)
    sets = [{m} for m in range(n)]
    totals, expected_gains, expected_nonzeros = [n], [], []
    diagonal = start.copy()

    def best():
        order = sorted(range(n), key=lambda m: (-diagonal[m], m))
        return order[:n_high] + order[::-1][: p - n_high]

    before = weights @ diagonal[best()]
    for (i, j), shift in zip(pivots, shifts, strict=True):
        diagonal[i] += shift
        diagonal[j] -= shift
        sets[i] = sets[j] = sets[i] | sets[j]
        totals.append(sum(map(len, sets)))
        after = weights @ diagonal[best()]
        expected_gains.append(after - before)
        expected_nonzeros.append(sum(len(sets[m]) for m in best()))
        before = after
    order = np.array(sorted(range(n), key=lambda m: (-start[m], m)))
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    gains, nonzeros = np.zeros(k), np.zeros(k, np.int64)
    follow_best(
        start, np.ones(n, np.int64), order, rank, pivots, shifts, np.array(totals), weights, n_high, gains, nonzeros
    )
    np.testing.assert_allclose(gains, expected_gains, rtol=0, atol=1e-13)
    assert nonzeros.tolist() == expected_nonzeros
    np.testing.assert_array_equal(start, diagonal)
