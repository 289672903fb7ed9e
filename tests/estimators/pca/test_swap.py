"""In the place of PCA and SparsePCA: every name of theirs means the same here, or the page says why it is absent."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA, SparsePCA

from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca import JacobiPCA

PAGE = Path(__file__).parents[3] / "docs" / "coming_from" / "scikit_learn.md"
DIGITS = load_digits().data


def sparse_truth(m=60):
    """Samples whose principal components are sparse, each of two features, so that both find the same."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((m, 8))
    scores = np.linalg.qr(noise - noise.mean(axis=0))[0] * [40, 30, 20, 15, 3, 2, 1.5, 1]
    axes = np.zeros((8, 8))
    for t, angle in enumerate([0.3, 0.6, 0.5, 0.2]):
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        axes[np.ix_([2 * t, 2 * t + 1], [t, t + 4])] = turn
    return scores @ axes.T + np.arange(8.0)


X = sparse_truth()
OURS, THEIRS = JacobiPCA(4, max_nonzeros=2, refine=True).fit(X), PCA(4).fit(X)


def read_table(heading):
    """The rows of a table of the page: what a name is here, and whether it is."""
    text = PAGE.read_text(encoding="utf-8").split(heading)[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {name: rest for first, *rest in rows for name in re.findall(r"`(\w+)`", first)}


def names_of(estimator):
    """Parameters, fitted attributes and methods that users see."""
    public = {name for name in dir(estimator) if not name.startswith("_")}
    return public | set(inspect.signature(type(estimator)).parameters)


@pytest.mark.parametrize(
    ("theirs", "heading"),
    [(THEIRS, "## Every name of PCA"), (SparsePCA(2, max_iter=5, tol=1).fit(X), "## Every name of SparsePCA")],
)
def test_every_name_is_here_or_listed_as_absent_with_the_reason(theirs, heading):
    table, here = read_table(heading), names_of(OURS)
    assert set(table) == names_of(theirs)
    for name, (status, *_) in table.items():
        assert (name not in here) == status.startswith("absent: "), (name, status)


@pytest.mark.parametrize("name", ["explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"])
def test_the_attributes_of_pca_have_the_same_values(name):
    np.testing.assert_allclose(getattr(OURS, name), getattr(THEIRS, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["n_components_", "n_samples_", "n_features_in_", "noise_variance_"])
def test_the_numbers_of_pca_are_the_same(name):
    assert getattr(OURS, name) == pytest.approx(getattr(THEIRS, name), rel=1e-9)


def test_components_and_names_are_the_same():
    np.testing.assert_allclose(OURS.components_, THEIRS.components_, atol=1e-9)
    assert OURS.get_feature_names_out().tolist() == [f"jacobipca{t}" for t in range(4)]


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("orthonormal", [True, False])
def test_transforms_are_the_same_whitened_or_not(whiten, orthonormal):
    ours = JacobiPCA(4, max_nonzeros=2, whiten=whiten, orthonormal=orthonormal, refine=True)
    theirs = PCA(4, whiten=whiten)
    scores = theirs.fit_transform(X)
    np.testing.assert_allclose(ours.fit_transform(X), scores, atol=1e-7)
    np.testing.assert_allclose(ours.inverse_transform(scores), theirs.inverse_transform(scores), atol=1e-7)
    # Whitening changes the coefficients, not the model (in scikit-learn, it does change the model's covariance).
    np.testing.assert_allclose(ours.score_samples(X), THEIRS.score_samples(X), rtol=1e-9)


@pytest.mark.parametrize("method", ["get_covariance", "get_precision"])
@pytest.mark.parametrize("n_components", [4, 8])
def test_the_covariance_and_its_inverse_are_those_of_pca(method, n_components):
    ours, theirs = JacobiPCA(n_components, max_nonzeros=2, refine=True).fit(X), PCA(n_components).fit(X)
    np.testing.assert_allclose(getattr(ours, method)(), getattr(theirs, method)(), rtol=1e-6, atol=1e-9)


def test_the_covariance_belongs_to_the_likelihood_in_the_units_of_the_data():
    multivariate_normal = pytest.importorskip("scipy.stats").multivariate_normal
    for options in ({"scale": True}, {"orthonormal": False}):
        model = JacobiPCA(10, density=0.1, refine=True, **options).fit(DIGITS[:, 18:40])
        expected = multivariate_normal(model.mean_, model.get_covariance()).logpdf(DIGITS[:50, 18:40])
        np.testing.assert_allclose(model.score_samples(DIGITS[:50, 18:40]), expected, rtol=1e-9)
        np.testing.assert_allclose(model.get_covariance() @ model.get_precision(), np.eye(22), atol=1e-9)


@pytest.mark.parametrize("orthonormal", [True, False])
def test_whitened_coefficients_are_uncorrelated_with_variance_one_on_any_data(orthonormal):
    options = {"density": 0.2, "orthonormal": orthonormal, "refine": False}
    model = JacobiPCA(6, whiten=True, **options).fit(DIGITS)
    Z = model.transform(DIGITS)
    np.testing.assert_allclose(np.cov(Z, rowvar=False), np.eye(6), atol=1e-8)
    plain = JacobiPCA(6, **options).fit(DIGITS)
    np.testing.assert_allclose(model.inverse_transform(Z), plain.inverse_transform(plain.transform(DIGITS)), atol=1e-7)


@pytest.mark.parametrize("share", [0.3, 0.8, 0.99])
def test_a_share_of_the_variance_gives_the_fewest_components_that_explain_it(share):
    assert JacobiPCA(share, max_nonzeros=2, refine=True).fit(X).n_components_ == PCA(share).fit(X).n_components_
    block, options = DIGITS[:, 18:40], {"max_nonzeros": 4, "refine": False}
    fewest = JacobiPCA(share, **options).fit(block)
    assert fewest.total_explained_variance_ratio_ >= share
    if fewest.n_components_ > 1:
        fewer = JacobiPCA(fewest.n_components_ - 1, **options).fit(block)
        assert fewer.total_explained_variance_ratio_ < share
    assert JacobiPCA(share, **options).partial_fit(block).n_components_ == fewest.n_components_


@pytest.mark.parametrize("share", [0.0, 1.0, 2.5, -0.1, float("nan")])
def test_what_is_neither_a_number_nor_a_share_is_refused(share):
    with pytest.raises(InvalidInputError, match=r"n_components is .*a share of the variance above 0 and below 1"):
        JacobiPCA(share).fit(X)


@pytest.mark.parametrize("wrapper", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("options", [{}, {"scale": True}, {"center": False}])
def test_weights_count_samples_as_if_they_were_repeated(wrapper, options):
    counts = np.random.default_rng(1).integers(0, 4, len(DIGITS))
    block = DIGITS[:, 16:34]  # a constant feature among them
    weighted = JacobiPCA(4, max_nonzeros=5, refine=True, **options).fit(wrapper(block), sample_weight=counts)
    repeated = JacobiPCA(4, max_nonzeros=5, refine=True, **options).fit(np.repeat(block, counts, axis=0))
    for name in ("mean_", "scale_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(weighted.transform(wrapper(block)), repeated.transform(block), atol=1e-6)
    assert weighted.n_samples_ == np.count_nonzero(counts)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.full(60, 1 / 60), "sample_weight sums to 1 over 60 samples"),
        (np.eye(60)[0] * 5, "over 1 samples"),
        (np.linspace(-1, 1, 60), "sample_weight has negative entries"),
        (np.ones(5), "sample_weight.shape"),
    ],
)
def test_weights_that_count_nothing_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        JacobiPCA(2).fit(X, sample_weight=weights)


def test_missing_values_are_refused_with_the_name_of_an_imputer():
    holes = X.copy()
    holes[3, 2] = np.nan
    with pytest.raises(InvalidInputError, match=r"X contains NaN.*sklearn\.impute\.SimpleImputer"):
        JacobiPCA(2).fit(holes)
    with pytest.raises(InvalidInputError, match=r"SimpleImputer"):
        OURS.transform(holes)


def test_the_point_of_a_path_that_reaches_an_accuracy_is_the_first_that_does():
    path = JacobiPCA(6, n_rotations=300).fit(DIGITS)
    full = PCA(6).fit(DIGITS).explained_variance_.sum()
    point = path.at(accuracy=0.8, X=DIGITS)
    assert point.total_explained_variance_ / full >= 0.8
    before = path.at(n_rotations=point.decomposition_.n_rotations - 1)
    assert before.total_explained_variance_ / full < 0.8
    with pytest.raises(InvalidInputError, match="accuracy needs full PCA to compare with; give the X of the fit too"):
        path.at(accuracy=0.8)
    with pytest.raises(InvalidInputError, match=r"accuracy is 1\.5; give a number above 0 and at most 0\.9"):
        path.at(accuracy=1.5, X=DIGITS)
    with pytest.raises(InvalidInputError, match="give one of the three"):
        path.at(accuracy=0.8, density=0.1, X=DIGITS)
