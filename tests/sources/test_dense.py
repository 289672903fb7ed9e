"""Dense arrays and memory maps as row sources."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources import DenseRows
from jacobeig.sources._symmetry import COMPILED


def symmetric(n, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal((n, n))
    return (a + a.conj().T).astype(dtype)


@pytest.mark.parametrize(
    ("given_dtype", "expected"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.complex64, np.complex64),
        (np.complex128, np.complex128),
        (np.float16, np.float32),
        (np.longdouble, np.float64),
        (np.clongdouble, np.complex128),
        (np.int8, np.float64),
        (np.uint64, np.float64),
        (np.bool_, np.float64),
        (">f4", np.float32),
        (">f8", np.float64),
    ],
)
def test_every_dtype_of_numbers_becomes_one_of_the_four_that_are_computed_with(given_dtype, expected):
    source = DenseRows(np.eye(3).astype(given_dtype))
    rows = source.rows(np.array([0, 2]))
    assert source.dtype == rows.dtype == expected
    assert source.dtype.isnative
    assert source.diagonal().dtype == np.finfo(expected).dtype
    assert source.check() == 1.0
    assert source.norm_bound() == 1.0


@pytest.mark.parametrize("array", [np.array([[None]]), np.array([["1"]]), np.array([["2020-01-01"]], dtype="M8[D]")])
def test_entries_that_are_not_numbers_are_refused(array):
    with pytest.raises(InvalidTypeError, match=r"does not hold numbers.*astype"):
        DenseRows(array)


def test_a_masked_array_is_refused_with_the_remedy():
    with pytest.raises(InvalidTypeError, match="filled"):
        DenseRows(np.ma.masked_array(np.eye(2), mask=[[True, False], [False, False]]))


@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 2, 2), ()])
def test_what_is_not_square_is_refused_with_its_shape(shape):
    with pytest.raises(InvalidInputError, match=r"square.*\(.*GramRows"):
        DenseRows(np.ones(shape))


def test_an_empty_matrix_is_refused():
    with pytest.raises(InvalidInputError, match="empty"):
        DenseRows(np.ones((0, 0)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.int64])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "matrix"])
def test_rows_and_diagonal_are_those_of_the_array_in_every_layout(dtype, layout):
    expected = symmetric(7, np.float64 if dtype is np.int64 else dtype)
    expected = (3 * expected).astype(dtype)
    array = {
        "C": expected,
        "F": np.asfortranarray(expected),
        "strided": np.repeat(np.repeat(expected, 2, axis=0), 2, axis=1)[::2, ::2],
        "reversed": expected[::-1, ::-1].copy()[::-1, ::-1],
        "matrix": expected.view(np.matrix),
    }[layout]
    source = DenseRows(array)
    indices = np.array([5, 0, 5])
    rows = source.rows(indices)
    assert rows.flags.c_contiguous
    assert rows.flags.owndata or rows.base is not array
    np.testing.assert_array_equal(rows, expected[indices])
    np.testing.assert_array_equal(source.diagonal(), np.diag(expected).real)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_fresh_so_that_changing_them_leaves_the_matrix_alone(order):
    array = np.array(symmetric(4), order=order)
    before = array.copy()
    source = DenseRows(array)
    source.rows(np.arange(4))[...] = 0
    source.diagonal()[...] = 0
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 600])
@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_check_returns_the_largest_absolute_entry(n, dtype):
    array = symmetric(n, dtype)
    assert DenseRows(array).check() == pytest.approx(np.abs(array).max(), rel=1e-6)


@given(
    n=st.integers(1, 600),
    where=st.tuples(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True)),
    value=st.sampled_from([np.nan, np.inf, -np.inf]),
    dtype=st.sampled_from([np.float32, np.float64, np.complex64]),
    order=st.sampled_from("CF"),
    both=st.booleans(),
)
def test_check_says_where_the_first_entry_that_is_not_finite_is(n, where, value, dtype, order, both):
    row, column = int(where[0] * n), int(where[1] * n)
    array = np.zeros((n, n), dtype=dtype, order=order)
    array[row, column] = value
    if both:
        array[column, row] = value
        row, column = min(row, column), max(row, column)
    with pytest.raises(InvalidInputError, match=rf"entry \({row}, {column}\) is"):
        DenseRows(array).check()


@given(
    n=st.integers(2, 600),
    where=st.tuples(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True)),
    dtype=st.sampled_from([np.float32, np.float64, np.complex128, np.int16, np.uint8]),
)
def test_check_finds_the_largest_asymmetry_and_says_where(n, where, dtype):
    row, column = int(where[0] * n), int(where[1] * n)
    if row == column:
        column = (row + 1) % n
    array = np.ones((n, n), dtype=dtype)
    array[row, column] = 3
    i, j = min(row, column), max(row, column)
    with pytest.raises(InvalidInputError, match=rf"\(({i}, {j}|{j}, {i})\).*differ by 2"):
        DenseRows(array).check()


def test_rounding_is_not_taken_for_asymmetry_but_what_exceeds_it_is():
    array = 1e6 * symmetric(300)
    largest = np.abs(array).max()
    array[3, 280] += 50 * np.finfo(float).eps * largest
    DenseRows(array).check()
    array[3, 280] += 200 * np.finfo(float).eps * largest
    with pytest.raises(InvalidInputError, match=r"\(3, 280\) and \(280, 3\).*S \+ S\.T"):
        DenseRows(array).check()


@given(
    n=st.integers(1, 300),
    where=st.tuples(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True)),
    value=st.sampled_from([0.0, -0.0, 1e-15, 1e-3, 1e6, -1e30, np.nan, np.inf, -np.inf]),
    dtype=st.sampled_from([np.float32, np.float64]),
    order=st.sampled_from("CF"),
    both=st.booleans(),
)
def test_the_compiled_check_finds_what_the_other_finds_or_leaves_it_to_that(n, where, value, dtype, order, both):
    row, column = int(where[0] * n), int(where[1] * n)
    source = DenseRows(np.asarray(symmetric(n, dtype), order=order))
    source._array[row, column] += value
    source._array[column, row] += value if both else 0.0
    try:
        expected = source._check_tiles()
    except InvalidInputError:
        expected = None
    assert source._check_compiled() == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_a_large_matrix_is_checked_as_small_ones_are(dtype):
    array = np.ones((COMPILED, COMPILED), dtype)
    assert DenseRows(array).check() == 1.0
    array[1000, 3] = 3.0
    with pytest.raises(InvalidInputError, match=r"\(3, 1000\) and \(1000, 3\) differ by 2"):
        DenseRows(array).check()
    array[3, 1000] = np.nan
    with pytest.raises(InvalidInputError, match=r"entry \(3, 1000\) is \(?nan"):
        DenseRows(array).check()


def test_half_precision_is_judged_by_its_own_precision():
    array = symmetric(20, np.float16)
    array[0, 1] = np.nextafter(array[0, 1], np.float16(10))
    DenseRows(array).check()


def test_a_complex_matrix_must_be_hermitian_and_not_symmetric():
    array = symmetric(5, np.complex128)
    DenseRows(array).check()
    with pytest.raises(InvalidInputError, match=r"Hermitian.*conj"):
        DenseRows(array + array.T + 1j).check()
    with pytest.raises(InvalidInputError, match=r"\(2, 2\) and \(2, 2\)"):
        DenseRows(np.diag([1, 1, 1 + 1j])).check()


def test_entries_whose_difference_overflows_are_called_asymmetric_not_infinite():
    array = np.array([[1.0, 1.5e308], [-1.5e308, 1.0]])
    with pytest.raises(InvalidInputError, match="symmetric"):
        DenseRows(array).check()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_norm_bound_is_an_upper_bound_of_the_spectrum(dtype):
    array = symmetric(80, dtype)
    assert DenseRows(array).norm_bound() >= np.abs(np.linalg.eigvalsh(array)).max()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_memory_map_is_known_as_such_and_read_only_where_asked(tmp_path, order):
    array = symmetric(6, np.float32)
    np.save(tmp_path / "s.npy", np.array(array, order=order))
    source = DenseRows(np.load(tmp_path / "s.npy", mmap_mode="r"))
    assert source.on_disk
    assert "on disk" in repr(source)
    rows = source.rows(np.array([4, 1]))
    assert type(rows) is np.ndarray
    np.testing.assert_array_equal(rows, array[[4, 1]])
    np.testing.assert_array_equal(source.diagonal(), np.diag(array))
