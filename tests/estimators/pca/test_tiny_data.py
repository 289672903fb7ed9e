"""Data so small that their squares lose digits or vanish: JacobiPCA answers as for the same data, larger."""

import numpy as np
import pytest
from samples import draw_sparse

from jacobeig.errors import InvalidInputError

pytest.importorskip("sklearn")

from jacobeig import JacobiPCA

SCALES = [(np.float64, 2.0**-512), (np.float64, 2.0**-540), (np.float64, 2.0**-900), (np.float32, 2.0**-70)]


def draw(dtype=np.float64):
    return np.random.default_rng(0).standard_normal((30, 8)).astype(dtype)


def fit(X, **options):
    return JacobiPCA(3, **({"density": 0.5, "refine": True} | options)).fit(X)


@pytest.mark.parametrize("options", [{}, {"orthonormal": False}, {"refine": False}, {"center": False}])
@pytest.mark.parametrize(("dtype", "scale"), SCALES)
def test_a_power_of_two_changes_neither_components_nor_ratios(dtype, scale, options):
    X = draw(dtype)
    plain, tiny = fit(X, **options), fit(X * dtype(scale), **options)
    rounding = {"rtol": 100 * np.finfo(dtype).eps, "atol": 100 * np.finfo(dtype).eps}
    np.testing.assert_allclose(tiny.components_, plain.components_, **rounding)
    np.testing.assert_allclose(tiny.explained_variance_ratio_, plain.explained_variance_ratio_, **rounding)
    assert 0.0 < tiny.total_explained_variance_ratio_ <= 1.0
    np.testing.assert_allclose(tiny.singular_values_, plain.singular_values_ * scale, rtol=rounding["rtol"])
    np.testing.assert_allclose(tiny.transform(X * dtype(scale)), plain.transform(X) * scale, rtol=1e-3)


@pytest.mark.parametrize("scale", [2.0**-540, 2.0**-900])
def test_scaled_features_do_not_know_how_small_they_were(scale):
    X = draw()
    plain, tiny = fit(X, scale=True), fit(X * scale, scale=True)
    np.testing.assert_allclose(tiny.components_, plain.components_, atol=1e-13)
    np.testing.assert_allclose(tiny.scale_, plain.scale_ * scale)
    np.testing.assert_allclose(tiny.transform(X * scale), plain.transform(X), atol=1e-12)


def test_sparse_data_stay_sparse_and_keep_their_digits():
    X = draw_sparse((40, 10), 0.3, 0)
    np.testing.assert_allclose(
        fit(X * 2.0**-600).explained_variance_ratio_, fit(X).explained_variance_ratio_, rtol=1e-12
    )


def test_the_likelihood_follows_the_units():
    X, scale = draw(), 2.0**-540
    plain, tiny = fit(X), fit(X * scale)
    moved = plain.score_samples(X) - X.shape[1] * np.log(scale)
    np.testing.assert_allclose(tiny.score_samples(X * scale), moved, rtol=1e-10)


def test_a_saved_model_of_tiny_data_comes_back_as_it_was(tmp_path):
    model = fit(draw() * 2.0**-540, refine=False)
    model.save(tmp_path / "tiny.npz")
    again = JacobiPCA.load(tmp_path / "tiny.npz")
    assert again.explained_variance_ratio_.tolist() == model.explained_variance_ratio_.tolist()
    assert again.path().explained_variance_ratio.tolist() == model.path().explained_variance_ratio.tolist()


def test_the_front_of_tiny_data_is_that_of_the_same_data_larger():
    plain, tiny = fit(draw()).path(), fit(draw() * 2.0**-540).path()
    np.testing.assert_allclose(tiny.explained_variance_ratio, plain.explained_variance_ratio, rtol=1e-12)
    np.testing.assert_allclose(tiny.explained_variance, plain.explained_variance * 2.0**-1080, rtol=1e-12)


def test_what_cannot_be_divided_by_its_deviation_is_refused():
    with pytest.raises(InvalidInputError, match="X is too small"):
        fit(draw() * 2.0**-1040, scale=True)


def test_batches_that_lose_digits_are_refused():
    with pytest.raises(InvalidInputError, match="the samples are too small"):
        JacobiPCA(2).partial_fit(draw() * 2.0**-525)


def test_constant_data_are_no_tiny_data():
    model = fit(np.full((10, 4), 1e-200), density=1.0)
    assert model.total_explained_variance_ratio_ == 0.0
    assert model.explained_variance_ratio_.tolist() == [0.0, 0.0, 0.0]
