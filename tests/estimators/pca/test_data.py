"""JacobiPCA on data of every kind, in batches, and the ways to project them."""

import numpy as np
import pytest
from samples import counts
from scipy import sparse
from sklearn.datasets import load_digits, load_wine

from jacobeig.estimators._projection import WAYS
from jacobeig.estimators.pca import JacobiPCA

DIGITS = load_digits().data


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
        model = JacobiPCA(3, scale=True, refine=False).fit(frame)
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
        expected = JacobiPCA(5, refine=False).fit(DIGITS)
        assert np.array_equal(JacobiPCA(5, refine=False).fit(mapped).transform(mapped), expected.transform(DIGITS))

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
        expected = JacobiPCA(3, center=center, scale=scale, refine=False).fit(X)
        model = JacobiPCA(3, center=center, scale=scale, refine=False)
        for batch in np.array_split(X, 5):
            model.partial_fit(batch)
        assert model.n_samples_ == len(X)
        assert np.allclose(model.components_, expected.components_)
        assert np.allclose(model.transform(X), expected.transform(X))
        assert np.isclose(model.score(X), expected.score(X))

    def test_partial_fit_after_fit_begins_again_and_says_so(self):
        model = JacobiPCA(3, refine=False).fit(DIGITS)
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
        model = JacobiPCA(3, scale=True, refine=False).fit(X)
        Z = model.transform(X)
        model.set_params(center=False, scale=False, orthonormal=False)
        assert np.array_equal(model.transform(X), Z)
        assert np.allclose(model.inverse_transform(Z).mean(axis=0), X.mean(axis=0))

    def test_mixed_precisions_promote_as_numpy_does(self):
        model = JacobiPCA(5).fit(DIGITS.astype(np.float32))
        assert model.components_.dtype == np.float32
        assert model.transform(DIGITS).dtype == np.float64
        assert np.allclose(model.transform(DIGITS), model.transform(DIGITS.astype(np.float32)), atol=1e-4)
