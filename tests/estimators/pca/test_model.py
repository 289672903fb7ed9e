"""JacobiPCA: agreement with PCA, and what holds for its components."""

import numpy as np
import pytest
from samples import gapped
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from jacobeig.estimators.pca import JacobiPCA
from jacobeig.results import metrics
from jacobeig.solve.budget import default_density, default_max_nonzeros

DIGITS = load_digits().data


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

    def test_components_are_refined_unless_rotations_alone_are_given(self):
        assert JacobiPCA(3).fit(DIGITS).decomposition_.rotations is None
        assert JacobiPCA(3, density=0.1).fit(DIGITS).decomposition_.rotations is None
        assert JacobiPCA(3, n_rotations=20).fit(DIGITS).decomposition_.rotations is not None
        assert JacobiPCA(3, refine=False).fit(DIGITS).decomposition_.rotations is not None

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
        assert np.count_nonzero(model.components_, axis=1).max() <= default_max_nonzeros(64) == 21
        assert JacobiPCA().fit(DIGITS[:, 10:14]).n_components_ == 2

    @pytest.mark.parametrize(("n", "most"), [(3, 2), (4, 2), (7, 2), (13, 4), (30, 10)])
    def test_of_few_features_have_a_third_of_them_but_at_least_two_by_default(self, n, most):
        model = JacobiPCA(refine=True).fit(DIGITS[:, 18 : 18 + n])
        assert np.count_nonzero(model.components_, axis=1).max() == most

    @pytest.mark.parametrize("wrapper", [np.asarray, sparse.csr_array])
    def test_leave_constant_features_as_they_are_when_scaling_as_a_standard_scaler_does(self, wrapper):
        expected = StandardScaler().fit(DIGITS).scale_
        constant = DIGITS.std(axis=0) == 0.0
        expected[~constant] *= np.sqrt(len(DIGITS) / (len(DIGITS) - 1))  # it divides by m, not m - 1
        model = JacobiPCA(5, scale=True, n_rotations=100)
        for fitted in (clone(model).fit(wrapper(DIGITS)), clone(model).partial_fit(wrapper(DIGITS))):
            assert np.allclose(fitted.scale_, expected, rtol=1e-12)
            assert not fitted.components_[:, constant].any()

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
