"""Rows of covariances and correlations of data matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import draw_sparse
from scipy import sparse

from jacobeig.errors import InvalidInputError, InvalidTypeError, TooLargeError
from jacobeig.sources import GramRows, RowSource, _data, _gram, as_source, memory


def data(m=60, n=9, mean=0.0, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((m, n)) @ rng.standard_normal((n, n)) + mean).astype(dtype)


def counts(m=80, n=12, seed=0):
    """Sparse counts with one full column far from zero and one empty column."""
    X = np.random.default_rng(seed).poisson(0.2, (m, n)).astype(float)
    X[:, 2] += 1e6
    X[:, 5] = 0.0
    return X


def reference(X, *, center=True, scale=False, ddof=None):
    """The definition, in extended precision."""
    X = np.asarray(X, dtype=np.longdouble)
    ddof = int(center) if ddof is None else ddof
    X = X - X.mean(axis=0) if center else X
    S = X.T @ X / (len(X) - ddof)
    if scale:
        S /= np.sqrt(np.outer(np.diag(S), np.diag(S)))
    return S.astype(np.float64)


def assert_rows_close(actual, expected, indices, rtol):
    """Compare relative to the root of the product of the two variances: what rounding can be judged by."""
    size = np.sqrt(np.diag(expected))
    floor = size.max() * 1e-3
    scale = np.outer(np.maximum(size, floor), np.maximum(size, floor))
    np.testing.assert_array_less(np.abs(actual - expected[indices]), rtol * scale[indices])


def wrap(X, kind, tmp_path):
    if kind == "memmap":
        np.save(tmp_path / "x.npy", X)
        return np.load(tmp_path / "x.npy", mmap_mode="r")
    wrappers = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sparse.csr_array, "coo": sparse.coo_matrix}
    return wrappers[kind](X)


@pytest.mark.parametrize("kind", ["C", "F", "memmap", "csr", "coo"])
@pytest.mark.parametrize("form", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"scale": True}, {"center": False}, {"center": False, "scale": True}, {"ddof": 0}]
)
@pytest.mark.parametrize("mean", [0.0, 10.0, 1e6])
def test_rows_diagonal_and_bound_are_those_of_the_definition(kind, form, options, mean, tmp_path):
    X = data(mean=mean)
    expected = reference(X, **options)
    source = GramRows(wrap(X, kind, tmp_path), form=form, **options)
    indices = np.array([8, 0, 3])
    rows = source.rows(indices)
    assert isinstance(source, RowSource)
    assert rows.flags.c_contiguous
    assert_rows_close(rows, expected, indices, 1e-12)
    np.testing.assert_allclose(source.diagonal(), np.diag(expected), rtol=1e-12)
    assert source.norm_bound() >= np.linalg.eigvalsh(expected)[-1] * (1 - 1e-12)


@pytest.mark.parametrize("mean", [0.0, 1.0, 1e6])
def test_covariances_equal_those_of_numpy(mean):
    X = data(mean=mean)
    np.testing.assert_allclose(GramRows(X).rows(np.arange(9)), np.cov(X, rowvar=False), rtol=1e-11, atol=1e-12)
    correlation = GramRows(X, scale=True).rows(np.arange(9))
    np.testing.assert_allclose(correlation, np.corrcoef(X, rowvar=False), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("form", [False, True])
@pytest.mark.parametrize("options", [{}, {"center": False}])
def test_sparse_counts_with_a_full_column_far_from_zero_keep_their_digits(form, options):
    X = counts()
    source = GramRows(sparse.csr_array(X), form=form, **options)
    assert_rows_close(source.rows(np.arange(12)), reference(X, **options), np.arange(12), 1e-12)


def test_sparse_data_are_never_made_dense():
    X = draw_sparse((3000, 5000), 1e-3, 0)
    source = GramRows(X, form=False)
    stored = source._scatter._data._by_sample.nnz
    assert stored == X.nnz
    rows = source.rows(np.array([17, 4000]))
    apart = X.toarray() - X.mean(axis=0)
    expected = apart[:, [17, 4000]].T @ apart / 2999
    np.testing.assert_allclose(rows, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("mean", [0.0, 30.0, 1000.0])
@pytest.mark.parametrize("kind", ["C", "csr"])
def test_float32_stays_float32_and_keeps_its_digits(mean, kind, tmp_path):
    X = data(m=500, mean=mean, dtype=np.float32)
    source = GramRows(wrap(X, kind, tmp_path), form=False)
    rows = source.rows(np.arange(9))
    assert rows.dtype == source.dtype == source.diagonal().dtype == np.float32
    assert_rows_close(rows, reference(X), np.arange(9), 100 * np.finfo(np.float32).eps)


@pytest.mark.parametrize(("dtype", "expected"), [(np.float16, np.float32), (np.uint8, np.float64), (bool, np.float64)])
def test_other_dtypes_are_converted_as_they_are_read(dtype, expected):
    X = np.random.default_rng(0).integers(0, 2, (50, 4)).astype(dtype)
    source = GramRows(X, form=False)
    assert source.dtype == expected
    assert_rows_close(source.rows(np.arange(4)), reference(X), np.arange(4), 1e-6)


@given(
    m=st.integers(2, 40),
    n=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    means=st.sampled_from([0.0, 10.0, 1e5]),
    share=st.sampled_from([0.5, 1.0]),
    is_sparse=st.booleans(),
    form=st.booleans(),
)
def test_any_shape_and_any_mixture_of_means_gives_the_covariance(m, n, seed, means, share, is_sparse, form):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) + means * (rng.random(n) < share)
    source = GramRows(sparse.csr_array(X) if is_sparse else X, form=form)
    indices = rng.integers(0, n, size=3)
    assert_rows_close(source.rows(indices), reference(X), indices, 1e-12)


@pytest.mark.parametrize("mean", [0.3, 10.0, 1e6])
def test_products_with_a_constant_column_are_exactly_zero(mean):
    X = data(mean=mean)
    X[:, 4] = mean / 3
    for form in (False, True):
        rows = GramRows(X, form=form).rows(np.arange(9))
        np.testing.assert_array_equal(rows[4], 0.0)
        np.testing.assert_array_equal(rows[:, 4], 0.0)


def test_small_tiles_give_the_same_as_one(monkeypatch):
    X, expected = data(m=103, n=23, mean=1e4), GramRows(data(m=103, n=23, mean=1e4), form=False)
    for name, size in {"TILE_SAMPLES": 10, "TILE_FEATURES": 7, "TILE_ENTRIES": 70, "BLOCK_ENTRIES": 50}.items():
        monkeypatch.setattr(_data, name, size)
    for form in (False, True):
        source = GramRows(X, form=form)
        assert_rows_close(source.rows(np.arange(23)), reference(X), np.arange(23), 1e-12)
        np.testing.assert_allclose(source.mean_, expected.mean_, rtol=1e-15)


def test_attributes_say_what_was_subtracted_and_divided_by():
    X = data(mean=5.0)
    source = GramRows(X, scale=True)
    assert source.n_samples == 60
    assert source.shape == (9, 9)
    np.testing.assert_allclose(source.mean_, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(source.scale_, X.std(axis=0, ddof=1), rtol=1e-13)
    np.testing.assert_array_equal(source.diagonal(), np.ones(9))
    plain = GramRows(X, center=False)
    np.testing.assert_array_equal(plain.mean_, np.zeros(9))
    np.testing.assert_array_equal(plain.scale_, np.ones(9))
    assert repr(plain) == "GramRows(shape=(9, 9), dtype=float64, n_samples=60)"


def test_rows_are_fresh_and_agree_with_the_diagonal():
    for form in (False, True):
        source = GramRows(data(), form=form)
        indices = np.array([4, 4, 1])
        rows = source.rows(indices)
        np.testing.assert_array_equal(rows[np.arange(3), indices], source.diagonal()[indices])
        before = rows.copy()
        rows[...] = 0
        source.diagonal()[...] = 0
        np.testing.assert_array_equal(source.rows(indices), before)


def test_all_rows_are_formed_only_for_few_features(monkeypatch):
    assert GramRows(data()).batch == 1
    monkeypatch.setattr(_data.DenseData, "form_up_to", 8)
    assert GramRows(data()).batch == _data.DenseData.batch
    assert GramRows(data(n=8), form=False).batch == _data.DenseData.batch


def test_forming_what_does_not_fit_is_refused_with_two_ways_out(monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    monkeypatch.setattr(_gram, "available_memory", lambda: 100)
    assert GramRows(data()).batch > 1
    with pytest.raises(TooLargeError, match=r"9 x 9 covariance of X would take .* GB.*form=False.*; or convert"):
        GramRows(data(), form=True).rows(np.array([0]))


def test_it_is_taken_as_a_source_as_it_is():
    source = GramRows(data())
    assert as_source(source) is source


@pytest.mark.parametrize("wrapper", [np.asarray, sparse.csr_array])
def test_one_row_has_no_covariance(wrapper):
    with pytest.raises(InvalidInputError, match=r"one row.*transposed"):
        GramRows(wrapper(np.ones((1, 5))))


def test_ddof_that_leaves_no_samples_is_refused():
    with pytest.raises(InvalidInputError, match=r"3 rows.*ddof=3"):
        GramRows(np.ones((3, 2)), ddof=3)


@pytest.mark.parametrize("wrapper", [np.asarray, sparse.csr_array])
def test_constant_columns_are_divided_by_one_and_keep_no_variance(wrapper):
    X = data()
    X[:, 3], X[:, 7] = 0.1, 0.0
    source = GramRows(wrapper(X), scale=True)
    constant = np.isin(np.arange(9), [3, 7])
    assert np.array_equal(source.scale_ == 1.0, constant)
    assert np.allclose(source.diagonal(), ~constant, rtol=0, atol=1e-30)
    assert np.allclose(source.rows(np.array([3, 7])), 0.0, rtol=0, atol=1e-15)
    assert np.allclose(GramRows(wrapper(np.ones((5, 40))), scale=True).diagonal(), 0.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("wrapper", [np.asarray, np.asfortranarray, sparse.csc_array])
def test_entries_that_are_not_finite_are_found(value, wrapper):
    X = data()
    X[17, 4] = X[40, 2] = value
    with pytest.raises(InvalidInputError, match=rf"X must be finite, but entry \(17, 4\) is {value}"):
        GramRows(wrapper(X))


@pytest.mark.parametrize("wrapper", [np.asarray, sparse.csr_array])
def test_squares_that_overflow_are_refused(wrapper):
    with pytest.raises(InvalidInputError, match="overflow"):
        GramRows(wrapper(np.array([[1e200], [-1e200]])))


@pytest.mark.parametrize("X", [np.ones(5), np.ones((2, 3, 4)), np.float64(3.0)])
def test_what_is_not_a_table_is_refused_with_its_shape(X):
    with pytest.raises(InvalidInputError, match=r"2-D \(samples x features\), but its shape is"):
        GramRows(X)


def test_empty_data_are_refused():
    with pytest.raises(InvalidInputError, match=r"empty.*\(0, 3\)"):
        GramRows(np.ones((0, 3)))


@pytest.mark.parametrize(
    ("X", "problem"),
    [
        (np.array([["a", "b"]], dtype=object), "object.*does not hold numbers"),
        (np.ones((3, 2), complex), "complex128.*only real"),
        (np.ma.masked_array(np.ones((3, 2))), "masked"),
        ("X.npy", "str; accepted are"),
        (None, "NoneType; accepted are"),
    ],
)
def test_what_does_not_hold_real_numbers_is_refused(X, problem):
    with pytest.raises(InvalidTypeError, match=problem):
        GramRows(X)
