"""The way of a JacobiPCA from its first rotation to its last, and the models along it."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca import JacobiPCA

DIGITS = load_digits().data


class TestPath:
    def test_follows_variance_and_density_from_the_first_rotation_to_the_last(self):
        model = JacobiPCA(5, density=0.3).fit(DIGITS)
        path = model.path(PCA(5).fit(DIGITS).explained_variance_)
        assert len(path.n_rotations) == model.decomposition_.n_rotations + 1
        assert np.all(np.diff(path.explained_variance) >= -1e-9)
        assert np.isclose(path.explained_variance_ratio[-1], model.total_explained_variance_ratio_)
        assert path.accuracy is not None
        assert 0.8 < path.accuracy[-1] <= 1.0
        assert path.density[0] == 1 / 64

    def test_becomes_a_data_frame(self):
        pytest.importorskip("pandas")
        frame = JacobiPCA(5, n_rotations=20).fit(DIGITS).path().to_pandas()
        assert list(frame.columns) == ["nonzeros", "density", "explained_variance", "explained_variance_ratio"]
        assert frame.index.name == "n_rotations"
        assert len(frame) == 21

    def test_every_point_of_it_is_a_model_that_a_shorter_fit_would_give(self):
        model = JacobiPCA(5, n_rotations=80).fit(DIGITS)
        path = model.path()
        for k in (0, 17, 80):
            point, shorter = model.at(n_rotations=k, X=DIGITS), JacobiPCA(5, n_rotations=k).fit(DIGITS)
            assert np.array_equal(point.components_, shorter.components_)
            assert np.isclose(point.total_explained_variance_, path.explained_variance[k])
            assert np.isclose(point.score(DIGITS), shorter.score(DIGITS))
            assert np.array_equal(point.transform(DIGITS), shorter.transform(DIGITS))

    def test_gives_the_last_point_within_a_density(self):
        model = JacobiPCA(5, density=0.3).fit(DIGITS)
        point = model.at(density=0.1)
        assert np.mean(point.components_ != 0) <= 0.1
        k = point.decomposition_.n_rotations
        assert model.path().density[k + 1] > 0.1
        assert point.get_params() == model.get_params()

    def test_needs_the_data_to_score(self):
        with pytest.raises(InvalidInputError, match=r"at\(\.\.\., X=X\)"):
            JacobiPCA(5, n_rotations=20).fit(DIGITS).at(n_rotations=3).score(DIGITS)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({}, "give one of the three"),
            ({"n_rotations": 3, "density": 0.1}, "give one of the three"),
            ({"n_rotations": 99}, "this chain has 20"),
            ({"density": 1e-9}, "every vector needs one"),
        ],
    )
    def test_says_what_is_wrong_with_a_point(self, options, words):
        with pytest.raises(InvalidInputError, match=words):
            JacobiPCA(5, n_rotations=20).fit(DIGITS).at(**options)

    def test_wants_as_many_eigenvalues_as_components(self):
        with pytest.raises(InvalidInputError, match="eigenvalues has shape"):
            JacobiPCA(5, n_rotations=20).fit(DIGITS).path([1.0, 2.0])
