"""What JacobiPCA refuses, by the name of the parameter."""

import numpy as np
import pytest
from samples import gapped
from sklearn.datasets import load_digits

from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca import JacobiPCA

DIGITS = load_digits().data


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"n_components": 0}, "n_components is 0"),
            ({"n_components": 65}, "there are 64 features: give at most 64"),
            ({"n_components": 2.5}, "n_components is 2.5"),
            ({"density": 1.5}, "density is 1.5"),
            ({"density": 1e-6}, "every vector needs one"),
            ({"max_nonzeros": 0}, "max_nonzeros is 0"),
            ({"n_rotations": -1}, "n_rotations is -1"),
            ({"target": "twos"}, "target is 'twos'"),
            ({"pivot": "best"}, "pivot is 'best'"),
            ({"start": "middle"}, "start is 'middle'"),
            ({"refine": "worst"}, "refine is 'worst'"),
            ({"refine": 1}, "refine is 1"),
            ({"center": "yes"}, "center is 'yes'"),
            ({"scale": None}, "scale is None"),
            ({"orthonormal": 0}, "orthonormal is 0"),
        ],
    )
    def test_a_parameter_that_cannot_be_used_is_named(self, options, words):
        with pytest.raises((ValueError, TypeError), match=words):
            JacobiPCA(**options).fit(DIGITS)

    @pytest.mark.parametrize(
        ("X", "words"),
        [
            ([[1.0, np.nan], [2.0, 3.0]], "NaN"),
            ([["a", "b"], ["c", "d"]], "could not convert string"),
            (np.ones((1, 3)), "minimum of 2 is required"),
            (np.ones((3, 1)), "minimum of 2 is required"),
            (np.ones(3), "Reshape your data"),
            (np.ones((3, 2)) * 1j, "Complex data not supported"),
        ],
    )
    def test_data_that_cannot_be_used_get_the_usual_errors(self, X, words):
        with pytest.raises(ValueError, match=words):
            JacobiPCA(1).fit(X)

    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_columns_of_text_are_named(self, library):
        frame = pytest.importorskip(library).DataFrame({"a": [1.0, 2.0, 4.0], "kind": ["x", "y", "x"], "b": [3, 1, 2]})
        with pytest.raises(InvalidInputError, match=r"not numbers \('kind'\): leave them out"):
            JacobiPCA(1).fit(frame)

    def test_columns_of_dates_and_times_are_named(self):
        pandas = pytest.importorskip("pandas")
        days = pandas.DataFrame({"day": pandas.date_range("2020", periods=4), "a": [1.0, 2.0, 4.0, 3.0], "b": range(4)})
        for frame in (days, days.assign(day=days["day"] - days["day"][0])):
            with pytest.raises(InvalidInputError, match=r"not numbers \('day'\): leave them out"):
                JacobiPCA(1).fit(frame)

    def test_the_wrong_number_of_features_or_coefficients_is_named(self):
        model = JacobiPCA(3).fit(DIGITS)
        with pytest.raises(ValueError, match="63 features, but JacobiPCA is expecting 64"):
            model.transform(DIGITS[:, 1:])
        with pytest.raises(InvalidInputError, match=r"shape \(5, 4\); give 3 coefficients"):
            model.inverse_transform(np.ones((5, 4)))

    def test_a_model_without_room_for_noise_cannot_score(self):
        X = gapped(m=5, n=10)
        with pytest.raises(InvalidInputError, match="take fewer components"):
            JacobiPCA(6, refine=False).fit(X).score(X)


@pytest.mark.parametrize("X", [np.full((4, 3), 1.7e308), np.eye(4, 3) * 1.7e308 - 1e308, np.eye(4, 3) * 1e200])
def test_data_whose_squares_overflow_are_refused_without_a_warning(X):
    with pytest.raises(InvalidInputError, match="X is too large: the squares of its entries overflow"):
        JacobiPCA(1).fit(X)
