"""JacobiPCA: scikit-learn's contract, agreement with PCA, paths, streams, files and bad input."""

import json
import pickle
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import jacobeig as je
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, MissingExtraError
from jacobeig.estimators._projection import WAYS
from jacobeig.estimators.pca import JacobiPCA
from jacobeig.results import archive, metrics
from jacobeig.solve.budget import default_density

USPS = Path(__file__).parents[2] / "shared" / "data" / "usps.npz"
DIGITS = load_digits().data


def gapped(m=400, n=30, p=4, seed=0, dtype=np.float64):
    """Samples with p strong directions, well apart from each other and from the rest."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.standard_normal((n, n)))[0]
    spread = np.concatenate([10.0 - np.arange(p), np.full(n - p, 0.3)])
    return (rng.standard_normal((m, n)) * spread @ axes.T + rng.standard_normal(n)).astype(dtype)


def counts(m=200, n=60, seed=0):
    return sparse.random_array((m, n), density=0.1, rng=seed, format="csr")


@pytest.mark.parametrize(("name", "extra"), [("JacobiPCA", "pca"), ("GraphFourier", "graph")])
def test_without_scikit_learn_one_line_says_what_to_install(name, extra, monkeypatch):
    for module in [module for module in sys.modules if module.startswith("jacobeig.estimators")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(vars(je), name, raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=rf'^scikit-learn is not installed: run .*"jacobeig\[{extra}\]"`\.$'):
        getattr(je, name)


@parametrize_with_checks([JacobiPCA(), JacobiPCA(2, n_rotations=5), JacobiPCA(2, max_nonzeros=2, center=False)])
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


class TestAgreement:
    def test_at_full_density_it_spans_what_pca_spans(self):
        X = gapped()
        own, full = JacobiPCA(4, density=1.0).fit(X), PCA(4).fit(X)
        assert metrics.subspace_angle(own.components_.T, full.components_.T) < 1e-3
        assert np.isclose(own.total_explained_variance_, full.explained_variance_.sum())
        assert np.isclose(own.noise_variance_, full.noise_variance_)
        assert np.isclose(own.score(X), full.score(X))

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_with_the_log_target_each_component_is_that_of_pca(self, dtype):
        X = gapped(dtype=dtype)
        own, full = JacobiPCA(4, density=1.0, target="log").fit(X), PCA(4).fit(X)
        for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_"):
            assert getattr(own, name).dtype == dtype
            assert np.allclose(getattr(own, name), getattr(full, name), rtol=1e-3)
        assert np.allclose(np.abs(np.sum(own.components_ * full.components_, axis=1)), 1.0, atol=1e-3)

    def test_scores_of_samples_are_those_of_a_gaussian_with_the_models_covariance(self):
        from scipy.stats import multivariate_normal

        X = DIGITS[:, 2:6] @ np.random.default_rng(0).standard_normal((4, 9)) + DIGITS[:, 10:19]
        model = JacobiPCA(3, scale=True, density=0.5).fit(X)
        Z = (X - model.mean_) / model.scale_
        U = model.components_.T
        inner = U.T @ np.cov(Z, rowvar=False) @ U
        covariance = U @ inner @ U.T + model.noise_variance_ * (np.eye(9) - U @ U.T)
        covariance *= np.outer(model.scale_, model.scale_)
        expected = multivariate_normal(model.mean_, covariance).logpdf(X)
        assert np.allclose(model.score_samples(X), expected)
        assert np.allclose(model.score_samples(sparse.csr_array(X)), expected)

    def test_refined_components_stay_orthonormal_and_explain_at_least_as_much(self):
        chain, refined = (JacobiPCA(10, density=0.2, refine=refine).fit(DIGITS) for refine in (False, True))
        assert metrics.orthonormality_error(refined.components_.T) < 1e-12
        assert refined.total_explained_variance_ >= chain.total_explained_variance_ - 1e-9
        assert np.mean(refined.components_ != 0) <= 0.2
        with pytest.raises(InvalidInputError, match="no chain"):
            refined.path()

    def test_a_free_basis_is_projected_on_by_least_squares(self):
        model = JacobiPCA(10, density=0.2, orthonormal=False, random_state=0).fit(DIGITS)
        centred = DIGITS - DIGITS.mean(axis=0)
        expected = np.linalg.lstsq(model.components_.T, centred.T, rcond=None)[0].T
        assert np.allclose(model.transform(DIGITS), expected)
        S = np.cov(DIGITS, rowvar=False)
        assert np.isclose(model.total_explained_variance_, metrics.captured_variance(S, model.components_.T))


class TestComponents:
    def test_are_orthonormal_within_the_budget_and_by_explained_variance(self):
        model = JacobiPCA(10, density=0.1).fit(DIGITS)
        assert metrics.orthonormality_error(model.components_.T) < 1e-12
        assert np.mean(model.components_ != 0) <= 0.1
        assert np.all(np.diff(model.explained_variance_) <= 0)
        assert np.allclose(model.transform(DIGITS).var(axis=0, ddof=1), model.explained_variance_)

    def test_have_positive_largest_entries_whatever_the_signs_of_the_data(self):
        for X in (DIGITS, -DIGITS):
            components = JacobiPCA(6, density=0.2).fit(X).components_
            assert np.all(components[np.arange(6), np.abs(components).argmax(axis=1)] > 0)

    def test_of_wide_data_have_the_thirty_features_asked_for(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((60, 10)) @ (rng.standard_normal((10, 5000)) * (rng.random((10, 5000)) < 0.01))
        model = JacobiPCA(10, max_nonzeros=30).fit(X + 0.1 * rng.standard_normal(X.shape))
        assert np.count_nonzero(model.components_, axis=1).max() <= 30
        assert model.total_explained_variance_ratio_ > 0.3

    def test_default_to_ten_of_a_density_that_shrinks_with_the_features(self):
        model = JacobiPCA().fit(DIGITS)
        assert model.n_components_ == 10
        assert np.mean(model.components_ != 0) <= default_density(64) == 0.25
        assert JacobiPCA().fit(DIGITS[:, 10:14]).n_components_ == 2

    def test_explained_variances_add_up_and_a_constant_feature_adds_nothing(self):
        X = np.hstack([DIGITS[:, 20:40], np.ones((len(DIGITS), 2))])
        model = JacobiPCA(22, density=1.0).fit(X)
        assert np.isclose(model.total_explained_variance_ratio_, 1.0)
        assert np.isclose(model.explained_variance_.sum(), model.total_explained_variance_)
        assert model.noise_variance_ == 0.0

    def test_constant_data_explain_nothing_without_a_warning(self):
        model = JacobiPCA(2).fit(np.ones((5, 4)))
        assert model.total_explained_variance_ratio_ == 0.0
        assert np.all(model.path().explained_variance_ratio == 0.0)

    def test_random_pivots_follow_the_random_state(self):
        for state in (3, np.random.RandomState(3)):
            first = JacobiPCA(4, pivot="random", n_rotations=60, random_state=state).fit(DIGITS)
            again = JacobiPCA(4, pivot="random", n_rotations=60, random_state=3).fit(DIGITS)
            assert np.array_equal(first.components_, again.components_)


class TestData:
    def test_sparse_data_are_not_made_dense_and_give_the_same_model(self, monkeypatch):
        X = counts()
        dense = X.toarray()
        expected = JacobiPCA(5, density=0.2).fit(dense)
        for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix):
            monkeypatch.setattr(sparse.csr_array, "todense", None)
            model = JacobiPCA(5, density=0.2).fit(kind(X))
            assert np.allclose(model.components_, expected.components_)
            assert np.allclose(model.transform(kind(X)), expected.transform(dense))
            assert np.isclose(model.score(kind(X)), expected.score(dense))

    def test_data_frames_name_features_and_outputs(self):
        pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
        frame = load_wine(as_frame=True).data
        model = JacobiPCA(3, scale=True).fit(frame)
        assert list(model.feature_names_in_) == list(frame.columns)
        assert list(model.get_feature_names_out()) == ["jacobipca0", "jacobipca1", "jacobipca2"]
        Z = model.transform(frame)
        in_pandas = model.set_output(transform="pandas").transform(frame)
        assert isinstance(in_pandas, pd.DataFrame)
        assert in_pandas.index.equals(frame.index)
        in_polars = model.set_output(transform="polars").transform(pl.DataFrame(frame.to_dict("list")))
        assert isinstance(in_polars, pl.DataFrame)
        assert np.array_equal(in_polars.to_numpy(), Z)
        with pytest.raises(ValueError, match="feature names"):
            model.transform(frame.rename(columns={"alcohol": "spirit"}))

    def test_memory_maps_are_read_in_place(self, tmp_path):
        path = tmp_path / "X.npy"
        np.save(path, DIGITS)
        mapped = np.load(path, mmap_mode="r")
        expected = JacobiPCA(5).fit(DIGITS)
        assert np.array_equal(JacobiPCA(5).fit(mapped).transform(mapped), expected.transform(DIGITS))

    def test_dask_arrays_are_fitted_in_chunks_and_transformed_lazily(self):
        da = pytest.importorskip("dask.array")
        expected = JacobiPCA(5, scale=False).fit(DIGITS)
        lazy = da.from_array(DIGITS, chunks=(500, 40))
        model = JacobiPCA(5).fit(lazy)
        Z = model.transform(lazy)
        assert isinstance(Z, da.Array)
        assert Z.chunks == ((500, 500, 500, 297), (5,))
        assert np.allclose(Z.compute(scheduler="synchronous"), expected.transform(DIGITS))
        with pytest.raises(ValueError, match="63 features, but JacobiPCA is expecting 64"):
            model.transform(lazy[:, 1:])

    @pytest.mark.parametrize(("center", "scale"), [(True, False), (True, True), (False, False), (False, True)])
    def test_batches_give_the_model_of_all_samples(self, center, scale):
        X = load_wine().data
        expected = JacobiPCA(3, center=center, scale=scale).fit(X)
        model = JacobiPCA(3, center=center, scale=scale)
        for batch in np.array_split(X, 5):
            model.partial_fit(batch)
        assert model.n_samples_ == len(X)
        assert np.allclose(model.components_, expected.components_)
        assert np.allclose(model.transform(X), expected.transform(X))
        assert np.isclose(model.score(X), expected.score(X))

    def test_partial_fit_after_fit_begins_anew_and_says_so(self):
        model = JacobiPCA(3).fit(DIGITS)
        with pytest.warns(UserWarning, match="begins again"):
            model.partial_fit(DIGITS[:100])
        assert model.n_samples_ == 100
        assert model.partial_fit(DIGITS[100:101]).n_samples_ == 101

    @pytest.mark.parametrize(("center", "scale"), [(True, False), (True, True), (False, False)])
    def test_inverse_transform_undoes_transform_of_a_full_basis(self, center, scale):
        X = load_wine().data
        model = JacobiPCA(13, density=1.0, center=center, scale=scale).fit(X)
        assert np.allclose(model.inverse_transform(model.transform(X)), X)


class TestTransform:
    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_all_ways_give_the_same_coefficients(self, way, dtype, order):
        X = DIGITS.astype(dtype)
        model = JacobiPCA(7, n_rotations=90).fit(X)
        expected = (DIGITS - model.mean_) @ model.components_.T.astype(float)
        for samples in (X[:0], X[:1], X[:6], X[1:400], X[::3]):
            samples = np.array(samples, order=order)
            Z = model._projection(samples, way)
            assert Z.dtype == dtype
            assert Z.shape == (len(samples), 7)
        Z = model._projection(np.array(X, order=order), way) - model._offset
        assert np.allclose(Z, expected, atol=1e4 * np.finfo(dtype).eps)

    @pytest.mark.parametrize("way", WAYS[:2])
    def test_both_ways_give_the_same_coefficients_of_sparse_samples(self, way):
        X = counts()
        model = JacobiPCA(5, density=0.1).fit(X)
        assert np.allclose(model._projection(X, way) - model._offset, model.transform(X.toarray()))

    def test_few_nonzeros_are_gathered_and_many_multiplied(self):
        X = np.random.default_rng(0).standard_normal((300, 200))
        sparse_one, dense_one = (JacobiPCA(20, density=density).fit(X) for density in (0.01, 0.9))
        assert sparse_one._projection.find_cheapest(X) == "sparse"
        assert dense_one._projection.find_cheapest(X) == "dense"

    def test_parameters_set_after_the_fit_wait_for_the_next_one(self):
        X = load_wine().data
        model = JacobiPCA(3, scale=True).fit(X)
        Z = model.transform(X)
        model.set_params(center=False, scale=False, orthonormal=False)
        assert np.array_equal(model.transform(X), Z)
        assert np.allclose(model.inverse_transform(Z).mean(axis=0), X.mean(axis=0))

    def test_mixed_precisions_promote_as_numpy_does(self):
        model = JacobiPCA(5).fit(DIGITS.astype(np.float32))
        assert model.components_.dtype == np.float32
        assert model.transform(DIGITS).dtype == np.float64
        assert np.allclose(model.transform(DIGITS), model.transform(DIGITS.astype(np.float32)), atol=1e-4)


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
            ({}, "give one of the two"),
            ({"n_rotations": 3, "density": 0.1}, "give one of the two"),
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


class TestTools:
    X, y = load_wine(return_X_y=True)

    def test_pipelines_and_cross_validation(self):
        pipeline = make_pipeline(StandardScaler(), JacobiPCA(4, density=0.4), LogisticRegression())
        assert cross_val_score(pipeline, self.X, self.y, cv=3).mean() > 0.9

    def test_a_grid_search_over_density(self):
        pipeline = make_pipeline(JacobiPCA(4, scale=True), LogisticRegression())
        search = GridSearchCV(pipeline, {"jacobipca__density": [0.1, 0.5]}, cv=3).fit(self.X, self.y)
        assert search.best_score_ > 0.9

    def test_a_grid_search_by_likelihood(self):
        search = GridSearchCV(JacobiPCA(scale=True), {"n_components": [1, 3]}, cv=3).fit(self.X)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()

    def test_columns_apart(self):
        columns = ColumnTransformer([("a", JacobiPCA(2), slice(0, 6)), ("b", JacobiPCA(3), slice(6, 13))])
        assert columns.fit_transform(self.X).shape == (178, 5)

    def test_metadata_routing(self):
        with config_context(enable_metadata_routing=True):
            pipeline = make_pipeline(JacobiPCA(4, scale=True), LogisticRegression().set_fit_request(sample_weight=True))
            pipeline.fit(self.X, self.y, sample_weight=np.ones(len(self.y)))
            assert pipeline.score(self.X, self.y) > 0.9

    def test_clone_keeps_parameters_and_forgets_the_fit(self):
        model = JacobiPCA(4, density=0.3, start=[3, 1, 2, 0]).fit(self.X)
        twin = clone(model)
        assert twin.get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            twin.transform(self.X)

    @pytest.mark.parametrize("dump", [pickle.dumps, None])
    def test_pickle_and_joblib_keep_the_model(self, dump, tmp_path):
        model = JacobiPCA(4).partial_fit(self.X[:90])
        model.transform(self.X)
        if dump is None:
            joblib.dump(model, tmp_path / "model")
            again = joblib.load(tmp_path / "model")
        else:
            again = pickle.loads(dump(model))
        assert np.array_equal(again.transform(self.X), model.transform(self.X))
        both = [m.partial_fit(self.X[90:]).components_ for m in (model, again)]
        assert np.array_equal(*both)


class TestFiles:
    @pytest.fixture
    def saved(self, tmp_path):
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame(DIGITS[:, :20], columns=[f"pixel {j}" for j in range(20)])
        model = JacobiPCA(3, density=0.3, target=[3.0, 2.0, 1.0], random_state=np.int64(7)).fit(X)
        path = tmp_path / "model.npz"
        model.save(path)
        return model, path, X

    def test_a_saved_model_comes_back_to_the_bit(self, saved):
        model, path, X = saved
        again = JacobiPCA.load(path)
        assert np.array_equal(again.transform(X), model.transform(X))
        assert again.score(X) == model.score(X)
        assert list(again.feature_names_in_) == list(model.feature_names_in_)
        assert again.at(n_rotations=5).decomposition_.n_rotations == 5
        assert np.array_equal(again.target, model.target)
        assert again.density == 0.3
        assert vars(again).keys() == vars(model).keys() - {"_stream"}

    def test_models_from_paths_and_of_single_precision_come_back(self, tmp_path):
        X = DIGITS.astype(np.float32)
        model = JacobiPCA(3, n_rotations=30, scale=False).fit(X).at(n_rotations=9)
        model.save(tmp_path / "model.npz")
        again = JacobiPCA.load(tmp_path / "model.npz")
        assert again.components_.dtype == np.float32
        assert np.array_equal(again.transform(X), model.transform(X))

    def test_a_truncated_file_raises(self, saved):
        _, path, _ = saved
        whole = path.read_bytes()
        for length in (0, 10, len(whole) // 2, len(whole) - 7):
            path.write_bytes(whole[:length])
            with pytest.raises(FileFormatError):
                JacobiPCA.load(path)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("mean", np.zeros(3)),
            ("scale", None),
            ("covariance", np.eye(2)),
            ("feature_names", np.array(["a"])),
            ("decomposition.indices", np.full(9, 99)),
            ("decomposition.eigenvalues", np.ones(2)),
            ("decomposition.rotations.pivots", np.full((2, 2), -1)),
            ("parameter.unknown", np.ones(2)),
        ],
    )
    def test_a_changed_array_raises(self, saved, name, value):
        _, path, _ = saved
        with np.load(path) as file:
            arrays = {key: file[key] for key in file.files if key != name}
        if value is not None:
            arrays[name] = value
        np.savez(path, **arrays)
        with pytest.raises(FileFormatError, match=r"model\.npz"):
            JacobiPCA.load(path)

    @pytest.mark.parametrize(
        ("key", "value"), [("parameters", {"no": 1}), ("n_samples", "many"), ("decomposition", None), ("divisor", None)]
    )
    def test_a_changed_header_raises(self, saved, key, value):
        _, path, _ = saved
        with np.load(path) as file:
            arrays = dict(file)
        header = json.loads(str(arrays["jacobeig"]))
        header["facts"][key] = value
        arrays["jacobeig"] = np.array(json.dumps(header))
        np.savez(path, **arrays)
        with pytest.raises(FileFormatError):
            JacobiPCA.load(path)

    def test_a_pickle_inside_is_never_executed(self, saved, tmp_path):
        _, path, _ = saved

        class Trap:
            def __reduce__(self):
                return (Path.touch, (tmp_path / "sprung",))

        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **(arrays | {"mean": np.array([Trap()], dtype=object)}))
        with pytest.raises(FileFormatError):
            JacobiPCA.load(path)
        assert not (tmp_path / "sprung").exists()

    def test_another_version_and_another_kind_say_so(self, saved, monkeypatch, tmp_path):
        model, path, _ = saved
        model.decomposition_.save(tmp_path / "result.npz")
        with pytest.raises(FileFormatError, match="holds a EigenResult; expected JacobiPCA"):
            JacobiPCA.load(tmp_path / "result.npz")
        monkeypatch.setattr(archive, "FORMAT_VERSION", 2)
        with pytest.raises(FileFormatError, match="format version 1; this jacobeig reads version 2"):
            JacobiPCA.load(path)

    def test_what_a_plain_file_cannot_hold_is_refused_before_writing(self, tmp_path):
        model = JacobiPCA(3, random_state=np.random.RandomState(0)).fit(DIGITS)
        with pytest.raises(InvalidTypeError, match="random_state is a RandomState"):
            model.save(tmp_path / "model.npz")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(NotFittedError):
            JacobiPCA(3).save(tmp_path / "model.npz")


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
            ({"scale": True}, "constant columns: 0, 32, 39"),
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

    def test_the_wrong_number_of_features_or_coefficients_is_named(self):
        model = JacobiPCA(3).fit(DIGITS)
        with pytest.raises(ValueError, match="63 features, but JacobiPCA is expecting 64"):
            model.transform(DIGITS[:, 1:])
        with pytest.raises(InvalidInputError, match=r"shape \(5, 4\); give 3 coefficients"):
            model.inverse_transform(np.ones((5, 4)))

    def test_a_model_without_room_for_noise_cannot_score(self):
        X = gapped(m=5, n=10)
        with pytest.raises(InvalidInputError, match="take fewer components"):
            JacobiPCA(6).fit(X).score(X)

    def test_a_feature_constant_so_far_cannot_be_scaled_by(self):
        X = load_wine().data[:10].copy()
        X[:, 3] = 1.0
        with pytest.raises(InvalidInputError, match="feature 3 has been constant so far"):
            JacobiPCA(2, scale=True).partial_fit(X)


@pytest.fixture(scope="module")
def digits():
    with np.load(USPS) as file:
        return file["X"], file["y"]


@pytest.mark.slow
@pytest.mark.skipif(not USPS.exists(), reason="the USPS digits are not here")
class TestUSPS:
    """The paper's experiment: 15-NN on 8,000 digits, tested on 1,298; five random splits."""

    @staticmethod
    def accuracy(digits, transform, seeds=range(5)):
        X, y = digits
        shares = []
        for seed in seeds:
            order = np.random.default_rng(seed).permutation(len(X))
            train, test = order[:8000], order[8000:]
            Z = transform(X, train)
            shares.append(KNeighborsClassifier(15).fit(Z[train], y[train]).score(Z[test], y[test]))
        return np.mean(shares)

    @pytest.mark.parametrize(("n_rotations", "expected"), [(107, 0.767), (203, 0.908), (238, 0.904), (534, 0.927)])
    def test_the_papers_chain_classifies_as_well_as_it_should(self, digits, n_rotations, expected):
        path = JacobiPCA(20, n_rotations=534, pivot="gain", start="natural", center=False).fit(digits[0])
        Z = path.at(n_rotations=n_rotations).transform(digits[0])
        assert abs(self.accuracy(digits, lambda X, train: Z) - expected) < 0.01

    def test_five_percent_with_defaults_classify_nearly_as_well_as_full_pca(self, digits):
        def transform(X, train):
            return JacobiPCA(20, density=0.05).fit(X[train]).transform(X)

        assert self.accuracy(digits, transform) >= 0.945
