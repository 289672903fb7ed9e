"""Fitted components know how far they are from the best possible."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import jacobeig as je

X = np.random.default_rng(0).standard_normal((60, 4)) @ np.random.default_rng(1).standard_normal((4, 15))
X = X + 0.3 * np.random.default_rng(2).standard_normal(X.shape)


@pytest.mark.parametrize("scale", [False, True])
def test_the_certificate_is_that_of_the_covariance(scale):
    model = je.JacobiPCA(2, max_nonzeros=4, scale=scale, refine=True).fit(X)
    certificate = model.certify(X)
    S = np.corrcoef(X, rowvar=False) if scale else np.cov(X, rowvar=False)
    assert certificate.bound == pytest.approx(je.certify(S, n_components=2, max_nonzeros=4).bound, rel=1e-4)
    assert certificate.captured == pytest.approx(model.total_explained_variance_, rel=1e-9)
    assert certificate.verify(S) == pytest.approx(certificate.bound, rel=1e-9)


def test_budgets_are_those_asked_for():
    by_density = je.JacobiPCA(2, density=0.3, refine=False).fit(X).certify(X)
    assert by_density.budgets.total_nonzeros == 9
    both = je.JacobiPCA(2, density=0.3, max_nonzeros=6, refine=False).fit(X).certify(X)
    assert (both.budgets.max_nonzeros, both.budgets.total_nonzeros) == (6, 9)
    paper = je.JacobiPCA(2, n_rotations=4).fit(X)
    assert paper.certify(X).budgets.largest_union == np.count_nonzero(paper.components_)


def test_components_that_need_not_be_orthonormal_get_the_bound_for_all():
    certificate = je.JacobiPCA(2, max_nonzeros=3, orthonormal=False, refine=True).fit(X).certify(X)
    assert certificate.budgets.free
    assert certificate.captured <= certificate.bound


def test_sparse_and_single_precision_data_are_taken():
    whole = np.where(np.abs(X) > 1.0, X, 0.0)
    model = je.JacobiPCA(2, max_nonzeros=4, refine=True).fit(whole)
    bound = model.certify(whole).bound
    assert model.certify(sparse.csr_array(whole)).bound == pytest.approx(bound, rel=1e-4)
    assert model.certify(whole.astype(np.float32)).bound == pytest.approx(bound, rel=1e-4)


def test_more_effort_proves_few_features_optimal():
    certificate = je.JacobiPCA(2, max_nonzeros=2).fit(X).certify(X, effort="best")
    assert certificate.gap <= 1e-4
    assert certificate.share >= 0.9999


def test_other_features_and_models_that_were_not_fitted_are_refused():
    with pytest.raises(NotFittedError):
        je.JacobiPCA(2).certify(X)
    with pytest.raises(ValueError, match="14 features"):
        je.JacobiPCA(2, refine=False).fit(X).certify(X[:, :14])
