"""What a source may return, and what is said when it returns something else."""

import numpy as np
import pytest

from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources import DenseRows, RowSource, as_source, check_diagonal, check_rows


class Scripted:
    """A source of the user's own that returns whatever it was given."""

    def __init__(self, rows=None, diagonal=None, shape=(3, 3), dtype=np.float64):
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._rows, self._diagonal = rows, diagonal

    def rows(self, indices):
        return self._rows

    def diagonal(self):
        return self._diagonal


def test_an_object_of_the_users_own_is_a_source_without_inheriting():
    source = Scripted()
    assert isinstance(source, RowSource)
    assert as_source(source) is source


@pytest.mark.parametrize(("shape", "problem"), [((3, 4), "square"), ((0, 0), "empty"), ((3,), "square")])
def test_a_source_whose_shape_cannot_be_used_is_refused(shape, problem):
    with pytest.raises(InvalidInputError, match=rf"Scripted.*{problem}"):
        as_source(Scripted(shape=shape))


@pytest.mark.parametrize("dtype", [np.int64, np.float16, object, np.longdouble])
def test_a_source_whose_dtype_cannot_be_used_is_refused(dtype):
    with pytest.raises(InvalidTypeError, match=r"Scripted\.dtype is .*float32, float64, complex64, complex128"):
        as_source(Scripted(dtype=dtype))


def test_a_dtype_that_is_only_a_class_is_refused():
    source = Scripted()
    source.dtype = np.float64
    with pytest.raises(InvalidTypeError, match=r"Scripted\.dtype is <class.*numpy\.dtype float32"):
        as_source(source)


def test_good_rows_come_back_without_a_copy():
    source, indices = DenseRows(np.eye(3)), np.array([0, 2])
    rows = source.rows(indices)
    assert check_rows(source, indices, rows) is rows


@pytest.mark.parametrize("rows", [[[1, 0, 0]], np.array([[1, 0, 0]], np.float32), np.eye(3, order="F")[:1]])
def test_rows_that_only_need_converting_are_converted(rows):
    source = Scripted(rows)
    checked = check_rows(source, np.array([0]), source.rows(None))
    assert checked.dtype == np.float64
    assert checked.flags.c_contiguous
    np.testing.assert_array_equal(checked, [[1, 0, 0]])


@pytest.mark.parametrize("rows", [np.ones(3), np.ones((1, 3)), np.ones((3, 2)), np.ones((2, 4))])
def test_rows_of_the_wrong_shape_are_refused_with_both_shapes(rows):
    with pytest.raises(InvalidInputError) as raised:
        check_rows(Scripted(), np.array([0, 1]), rows)
    for part in ("Scripted.rows", str(rows.shape), "2 indices", "(2, 3)", "3 x 3"):
        assert part in str(raised.value)


@pytest.mark.parametrize("rows", [np.ones((1, 3), complex), np.full((1, 3), None), [["a", "b", "c"]]])
def test_rows_that_do_not_convert_are_refused_with_both_dtypes(rows):
    with pytest.raises(InvalidTypeError, match=r"Scripted\.rows returned dtype .*expected float64"):
        check_rows(Scripted(), np.array([0]), rows)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rows_that_are_not_finite_are_refused_with_the_position_in_the_matrix(value):
    rows = np.zeros((2, 3))
    rows[1, 0] = value
    with pytest.raises(InvalidInputError, match=rf"Scripted.*entry \(2, 0\) is {value}"):
        check_rows(Scripted(), np.array([1, 2]), rows)


def test_rows_that_disagree_where_they_meet_are_refused():
    with pytest.raises(InvalidInputError, match=r"Scripted is not symmetric.*\(0, 2\) and \(2, 0\) differ by 1"):
        check_rows(Scripted(), np.array([0, 2]), np.array([[1.0, 0, 1], [0, 0, 1]]))
    with pytest.raises(InvalidInputError, match="Hermitian"):
        check_rows(Scripted(dtype=complex), np.array([0]), np.array([[1j, 0, 0]]))


def test_a_good_diagonal_is_converted_to_the_sources_precision():
    checked = check_diagonal(Scripted(dtype=np.complex64), np.arange(3))
    assert checked.dtype == np.float32
    np.testing.assert_array_equal(checked, [0, 1, 2])


def test_a_bad_diagonal_is_refused_with_the_reason():
    source = Scripted()
    with pytest.raises(InvalidInputError, match=r"Scripted\.diagonal returned shape \(4,\); expected \(3,\)"):
        check_diagonal(source, np.ones(4))
    with pytest.raises(InvalidTypeError, match=r"Scripted\.diagonal returned dtype complex128"):
        check_diagonal(source, np.ones(3, complex))
    with pytest.raises(InvalidInputError, match=r"entry \(1, 1\) is nan"):
        check_diagonal(source, np.array([0, np.nan, 0]))
