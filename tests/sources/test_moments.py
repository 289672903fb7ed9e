"""Means and sums of squares that merge without loss."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jacobeig.sources._moments import Moments


def full(X):
    offset = (X - X[0]).mean(axis=0)
    apart = X - X[0] - offset
    return Moments(count=len(X), origin=X[0], offset=offset, scatter=apart.T @ apart)


def test_a_constant_column_has_exactly_no_spread_and_exactly_its_value_as_mean():
    moments = Moments.of_columns(np.full((1000, 1), 0.1)).merge(Moments.of_columns(np.full((77, 1), 0.1)))
    assert moments.mean[0] == 0.1
    assert moments.scatter[0] == 0.0


def test_a_mean_a_million_times_the_spread_costs_no_digits():
    noise = np.random.default_rng(0).standard_normal((4000, 3))
    X = noise + 1e6
    exact = (X - 1e6).var(axis=0) * len(X)
    np.testing.assert_allclose(Moments.of_columns(X).scatter, exact, rtol=1e-13)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 1e6]))
def test_merging_equals_computing_at_once_for_squares_and_for_products(a, b, seed, mean):
    X = np.random.default_rng(seed).standard_normal((a + b, 3)) + mean
    squares = Moments.of_columns(X[:a]).merge(Moments.of_columns(X[a:]))
    products = full(X[:a]).merge(full(X[a:]))
    expected = full(X)
    atol = 1e-13 * max(1.0, expected.scatter.diagonal().max())
    assert squares.count == products.count == a + b
    np.testing.assert_allclose(squares.mean, X.mean(axis=0), rtol=1e-14, atol=1e-14)
    few_ulps = 4 * np.finfo(float).eps * np.abs(X).max()  # each mean is a sum of entries, rounded a few times
    np.testing.assert_allclose(squares.mean_from(expected.mean), 0.0, atol=few_ulps)
    np.testing.assert_allclose(squares.scatter, expected.scatter.diagonal(), atol=atol)
    np.testing.assert_allclose(products.scatter, expected.scatter, atol=atol)
