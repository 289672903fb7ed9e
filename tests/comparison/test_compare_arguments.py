"""What `compare` refuses, and how it says so."""

import numpy as np
import pytest

import jacobeig as je
from jacobeig.comparison.baselines import BaselineResult
from jacobeig.comparison.table import measure_row
from jacobeig.errors import InvalidInputError, InvalidTypeError

S = je.datasets.random_covariance(12, rng=0)


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
    with pytest.raises(InvalidInputError, match="n_components is 13; give a whole number from 1 to 12"):
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
