import sys

import numpy as np
import pytest
import scipy.sparse as sp

from jacobeig._types import Floats
from jacobeig.comparison.baselines import abess_spca, sklearn_spca
from jacobeig.errors import InvalidInputError, MissingExtraError


def captured(S: Floats, vectors: sp.csc_array) -> float:
    Q = np.linalg.qr(vectors.toarray())[0]
    return float(np.trace(Q.T @ S @ Q))


def test_scikit_learn_on_the_matrix_gives_what_it_gives_on_centred_data():
    decomposition = pytest.importorskip("sklearn.decomposition")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 12)) + 0.1 * rng.standard_normal((50, 12))
    X -= X.mean(axis=0)
    ours = sklearn_spca(X.T @ X, 2, alpha=3.0)
    theirs = decomposition.SparsePCA(2, alpha=3.0, random_state=0).fit(X).components_
    np.testing.assert_allclose(np.abs(ours.vectors.toarray()), np.abs(theirs.T), atol=1e-4)


def test_scikit_learn_is_cut_to_a_budget_only_when_one_is_given(covariance):
    pytest.importorskip("sklearn")
    assert sklearn_spca(covariance, 2, alpha=0.1).vectors.nnz > 20
    cut = sklearn_spca(covariance, 2, 5, alpha=0.1).vectors
    assert np.diff(cut.indptr).max() <= 5


def test_scikit_learn_says_when_a_component_vanished(covariance):
    pytest.importorskip("sklearn")
    result = sklearn_spca(covariance, 2, alpha=1e6)
    assert "2 components vanished: lower alpha" in result.status
    assert result.vectors.nnz == 0
    np.testing.assert_array_equal(result.eigenvalues, 0.0)


def test_abess_is_optimal_on_pitprops(pitprops, cardinality_and_optimum):
    pytest.importorskip("abess")
    k, optimum = cardinality_and_optimum
    assert abess_spca(pitprops, 1, k).eigenvalues[0] == pytest.approx(optimum, abs=1e-6)


def test_abess_keeps_the_budget_of_each_of_several_components(covariance):
    pytest.importorskip("abess")
    result = abess_spca(covariance, 4, 6)
    assert np.diff(result.vectors.indptr).max() <= 6
    assert captured(covariance, result.vectors) > 0.5 * np.linalg.eigvalsh(covariance)[-4:].sum()


@pytest.mark.parametrize(
    ("adapter", "module"), [(sklearn_spca, "sklearn.decomposition"), (abess_spca, "abess.decomposition")]
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, covariance, adapter, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install \"jacobeig\["):
        adapter(covariance, 2, 5)


@pytest.mark.parametrize("adapter", [sklearn_spca, abess_spca])
def test_an_indefinite_matrix_is_refused(covariance, adapter):
    with pytest.raises(InvalidInputError, match="needs a positive semidefinite matrix"):
        adapter(covariance - 50 * np.eye(30), 2, 5)


@pytest.mark.parametrize(
    ("adapter", "fit"),
    [(sklearn_spca, "sklearn.decomposition.SparsePCA.fit"), (abess_spca, "abess.decomposition.SparsePCA.fit")],
)
def test_what_a_package_cannot_do_is_said_in_its_words(monkeypatch, covariance, adapter, fit):
    pytest.importorskip(fit.partition(".")[0])

    def fail(*given, **options):
        raise ValueError("too hard")

    monkeypatch.setattr(fit, fail)
    with pytest.raises(InvalidInputError, match=r"could not do it \(too hard\): choose another method"):
        adapter(covariance, 2, 5)
