"""The way of a JacobiPCA from its first rotation to its last, and the models along it."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA

from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca import JacobiPCA

DIGITS = load_digits().data


class TestPath:
    def test_follows_variance_and_density_from_the_first_rotation_to_the_last(self):
        model = JacobiPCA(5, density=0.3, refine=False).fit(DIGITS)
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
        model = JacobiPCA(5, density=0.3, refine=False).fit(DIGITS)
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


@pytest.fixture(scope="module")
def model():
    return JacobiPCA(5, density=0.3).fit(DIGITS)


class TestFront:
    def test_a_refined_model_has_a_path_of_densities(self, model):
        path = model.path(PCA(5).fit(DIGITS).explained_variance_)
        assert path.n_rotations is None
        assert 20 <= len(path.density) <= 30
        assert np.all(np.diff(path.explained_variance) >= 0)
        assert path.density[0] == 1 / 64
        alone = model.total_explained_variance_ / PCA(5).fit(DIGITS).explained_variance_.sum()
        assert path.accuracy[-1] >= alone * (1 - 1e-14)  # the same vectors, summed in another order
        assert repr(path).startswith(f"PCAPath({len(path.density)} points, density 1.6%")
        pytest.importorskip("pandas")
        assert list(path.to_pandas().columns) == [*list_columns(), "accuracy"]

    def test_every_point_of_it_is_a_fitted_model(self, model):
        point = model.at(density=0.1)
        assert np.mean(point.components_ != 0) <= 0.1
        assert point.get_params() == model.get_params()
        assert point.transform(DIGITS).shape == (len(DIGITS), 5)
        assert point.score(DIGITS) < model.score(DIGITS)
        assert point.front() is model.front()
        k = np.flatnonzero(model.path().density <= 0.1)[-1]
        assert np.isclose(point.total_explained_variance_, model.path().explained_variance[k])

    def test_the_sparsest_that_is_accurate_enough_is_found(self, model):
        point = model.at(accuracy=0.8, X=DIGITS)
        share = point.total_explained_variance_ / PCA(5).fit(DIGITS).explained_variance_.sum()
        assert 0.8 <= share < 0.85

    def test_a_loaded_model_needs_the_data_once(self, model, tmp_path):
        model.save(tmp_path / "model.npz")
        few = DIGITS[:, 18:40]
        pickled = pickle.dumps(JacobiPCA(3, refine=True).fit(few))
        for again, X in ((JacobiPCA.load(tmp_path / "model.npz"), DIGITS), (pickle.loads(pickled), few)):
            with pytest.raises(InvalidInputError, match="X needs the data of the fit again"):
                again.at(density=0.1)
            assert np.mean(again.at(density=0.1, X=X).components_ != 0) <= 0.1
            assert len(again.path().density) > 10

    def test_the_default_limit_of_features_holds_everywhere(self):
        model = JacobiPCA(2, scale=True, refine=True).fit(load_wine().data)
        assert max((np.diff(result.vectors.indptr)).max() for result in model.front()) <= 4

    def test_free_components_have_points_too(self):
        model = JacobiPCA(3, density=0.2, orthonormal=False).fit(DIGITS)
        point = model.at(density=0.1)
        assert np.isclose(point.total_explained_variance_, model.path().explained_variance[model.front().find(0.1)])

    def test_what_has_no_front_or_no_rotations_says_so(self, model):
        with pytest.raises(InvalidInputError, match="refined components have none"):
            model.at(n_rotations=3)
        with pytest.raises(InvalidInputError, match="no front"):
            JacobiPCA(3, n_rotations=9).fit(DIGITS).front()


def list_columns():
    return ["nonzeros", "density", "explained_variance", "explained_variance_ratio"]
