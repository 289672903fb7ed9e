"""Covariances gathered from batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from jacobeig.errors import InvalidInputError, InvalidTypeError, TooLargeError
from jacobeig.sources import CovarianceStream, RowSource, as_source, memory


def data(m, n=6, mean=0.0, seed=0):
    return np.random.default_rng(seed).standard_normal((m, n)) + mean


def streamed(X, cuts):
    stream = CovarianceStream()
    for batch in np.split(X, cuts):
        stream.partial_fit(batch)
    return stream


@given(
    m=st.integers(2, 60),
    cuts=st.lists(st.integers(1, 59), max_size=6, unique=True).map(sorted),
    mean=st.sampled_from([0.0, 3.0, 1e6]),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_batches_give_the_covariance_of_all_samples(m, cuts, mean, seed):
    X = data(m, mean=mean, seed=seed)
    stream = streamed(X, [cut for cut in cuts if cut < m])
    np.testing.assert_allclose(stream.covariance, np.cov(X - mean, rowvar=False), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(stream.mean_, X.mean(axis=0), rtol=1e-14, atol=1e-14)
    assert stream.n_samples == m


def test_a_mean_a_million_times_the_spread_costs_no_digits():
    X = data(5000, mean=1e6)
    expected = np.cov(X - 1e6, rowvar=False)
    np.testing.assert_allclose(streamed(X, range(100, 5000, 100)).covariance, expected, atol=1e-12)


@given(a=st.integers(0, 30), b=st.integers(2, 30), mean=st.sampled_from([0.0, 1e4]), seed=st.integers(0, 2**32 - 1))
def test_merging_two_streams_equals_one(a, b, mean, seed):
    X = data(a + b, mean=mean, seed=seed)
    first, second = CovarianceStream(), CovarianceStream().partial_fit(X[a:])
    if a:
        first.partial_fit(X[:a])
    before = second.covariance
    merged = first.merge(second)
    assert merged is first
    np.testing.assert_allclose(merged.covariance, np.cov(X - mean, rowvar=False), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(second.covariance, before)


def test_merging_a_stream_that_saw_nothing_changes_nothing():
    stream = CovarianceStream().partial_fit(data(5))
    before = stream.covariance
    np.testing.assert_array_equal(stream.merge(CovarianceStream()).covariance, before)


def test_a_merged_stream_does_not_change_with_the_other():
    first, second = CovarianceStream(), CovarianceStream().partial_fit(data(5))
    first.merge(second)
    before = first.covariance
    second.partial_fit(data(3, seed=1))
    np.testing.assert_array_equal(first.covariance, before)


def test_sparse_and_single_precision_batches_are_summed_in_double():
    X = np.random.default_rng(0).poisson(0.3, (90, 6)).astype(np.float32)
    stream = CovarianceStream().partial_fit(sparse.csr_array(X[:40])).partial_fit(X[40:]).covariance
    np.testing.assert_allclose(stream, np.cov(X.astype(float), rowvar=False), atol=1e-13)


def test_it_is_a_row_source():
    X = data(50, mean=2.0)
    stream = streamed(X, [20])
    covariance = np.cov(X, rowvar=False)
    assert isinstance(stream, RowSource)
    assert as_source(stream) is stream
    assert stream.shape == (6, 6)
    np.testing.assert_allclose(stream.rows(np.array([5, 0])), covariance[[5, 0]], atol=1e-13)
    np.testing.assert_allclose(stream.diagonal(), np.diag(covariance), rtol=1e-12)
    assert stream.norm_bound() >= np.linalg.eigvalsh(covariance)[-1]


def test_ddof_is_that_of_numpy():
    X = data(8)
    stream = CovarianceStream(ddof=0).partial_fit(X)
    np.testing.assert_allclose(stream.covariance, np.cov(X, rowvar=False, ddof=0), atol=1e-13)


def test_repr_says_what_it_has_seen():
    assert repr(CovarianceStream()) == "CovarianceStream(n_samples=0)"
    assert repr(streamed(data(4), [])) == "CovarianceStream(n_samples=4, n_features=6)"


def test_a_stream_that_saw_nothing_says_so():
    with pytest.raises(InvalidInputError, match=r"no samples yet: call partial_fit"):
        as_source(CovarianceStream())
    with pytest.raises(InvalidInputError, match="no samples yet"):
        _ = CovarianceStream().covariance


def test_one_sample_has_no_covariance():
    stream = CovarianceStream().partial_fit(data(1))
    np.testing.assert_array_equal(stream.mean_, data(1)[0])
    with pytest.raises(InvalidInputError, match=r"seen 1 samples.*needs 2"):
        _ = stream.covariance


def test_batches_that_do_not_fit_together_are_refused_and_leave_the_stream_as_it_was():
    stream = CovarianceStream().partial_fit(data(5))
    with pytest.raises(InvalidInputError, match="has 4 features, but the stream has 6"):
        stream.partial_fit(data(5, n=4))
    with pytest.raises(InvalidInputError, match="has 4 features, but the stream has 6"):
        stream.merge(CovarianceStream().partial_fit(data(5, n=4)))
    with pytest.raises(InvalidTypeError, match="CovarianceStream, not an ndarray"):
        stream.merge(np.eye(6))
    with pytest.raises(InvalidInputError, match="entry"):
        stream.partial_fit(np.full((2, 6), np.nan))
    assert stream.n_samples == 5


@pytest.mark.parametrize(("batch", "problem"), [(np.ones(6), "2-D"), (np.ones((0, 6)), "empty")])
def test_what_is_not_a_batch_is_refused(batch, problem):
    with pytest.raises(InvalidInputError, match=problem):
        CovarianceStream().partial_fit(batch)


def test_features_whose_products_do_not_fit_in_memory_are_refused(monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    with pytest.raises(TooLargeError, match=r"products of 6 features would take.*GramRows.*; or select"):
        CovarianceStream().partial_fit(data(5))
