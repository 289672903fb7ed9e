"""What `compare` refuses, and how it says so."""

import numpy as np
import pytest

import jacobeig as je
from jacobeig.comparison.baselines import BaselineResult
from jacobeig.comparison.table import measure_row
from jacobeig.errors import InvalidInputError, InvalidTypeError

S = je.datasets.random_covariance(12, rng=0)
# Those of other packages have tolerances of their own.
SCALE_FREE = ["chain", "refine", "free", "tpower", "gpower", "cd", "greedy", "classic_jacobi", "varimax_threshold"]


@pytest.mark.parametrize("density", [float("nan"), 0.0, -0.1, 1.5, float("inf")])
def test_a_density_that_is_none_is_named(density):
    with pytest.raises(InvalidInputError, match=f"densities holds {density}; give numbers above 0 and at most 1"):
        je.compare(S, 2, [0.5, density], methods=["chain"])


@pytest.mark.parametrize("densities", [0.1, "0.1", None])
def test_densities_come_as_a_list(densities):
    with pytest.raises(InvalidTypeError, match="give a list of numbers"):
        je.compare(S, 2, densities, methods=["chain"])


def test_a_density_in_words_is_named():
    with pytest.raises(InvalidTypeError, match="densities is 'much'"):
        je.compare(S, 2, ["much"], methods=["chain"])


def test_more_components_than_features_are_refused():
    with pytest.raises(InvalidInputError, match="n_components is 13, but there are 12 features: give at most 12"):
        je.compare(S, 13, [0.5], methods=["chain"])


def test_a_matrix_without_variance_is_refused():
    with pytest.raises(InvalidInputError, match="no variance to capture"):
        je.compare(np.zeros((4, 4)), 2, [0.5], methods=["chain"])


def test_one_method_may_be_named_without_a_list():
    assert [row.method for row in je.compare(S, 2, [0.5], methods="chain").rows] == ["chain"]


def test_a_method_that_lost_all_components_captures_nothing():
    import scipy.sparse as sp

    lost = BaselineResult(
        method="lost", vectors=sp.csc_array((12, 2)), eigenvalues=np.zeros(2), seconds=0.0, status="All vanished."
    )
    row = measure_row(S, np.ones(2), lost, "lost", 0.5, 0.0)
    assert (row.density, row.captured, row.status) == (0.0, 0.0, "All vanished.")


@pytest.mark.parametrize(
    "matrix", [[[1.0, 2.0], [3.0]], np.full((3, 3), "a"), np.eye(3).astype(object), np.zeros((3, 3), "M8[s]")]
)
def test_what_does_not_hold_numbers_is_refused(matrix):
    with pytest.raises(InvalidTypeError, match="matrix_or_data"):
        je.compare(matrix, 1, [0.5], methods=["chain"])


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e160, 1e300])
def test_shares_do_not_depend_on_how_large_a_matrix_is(scale):
    def captured(matrix):
        return [row.captured for row in je.compare(matrix, 2, [0.5], SCALE_FREE, make_orthonormal=True).rows]

    np.testing.assert_allclose(captured(S / np.abs(S).max() * scale), captured(S), rtol=1e-3)


def test_the_smallest_numbers_there_are_capture_as_much_as_others():
    rows = je.compare(np.full((4, 4), 5e-324), 1, [1.0], SCALE_FREE).rows
    assert [row.captured for row in rows] == pytest.approx([1.0] * len(rows), abs=1e-3)
