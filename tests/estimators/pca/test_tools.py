"""JacobiPCA among scikit-learn's tools: its own checks, pipelines, searches, pickles."""

import pickle
import sys

import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import jacobeig as je
from jacobeig.errors import MissingExtraError
from jacobeig.estimators.pca import JacobiPCA


@pytest.mark.parametrize(("name", "extra"), [("JacobiPCA", "pca"), ("GraphFourier", "graph")])
def test_without_scikit_learn_one_line_says_what_to_install(name, extra, monkeypatch):
    for module in [module for module in sys.modules if module.startswith("jacobeig.estimators")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(vars(je), name, raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=rf'^scikit-learn is not installed: run .*"jacobeig\[{extra}\]"`\.$'):
        getattr(je, name)


@parametrize_with_checks(
    [
        JacobiPCA(refine=False),
        JacobiPCA(2, n_rotations=5, refine=False),
        JacobiPCA(2, max_nonzeros=2, center=False, refine=False),
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


# The check has 12 different samples, of which the ten components that are the default span almost all: there are very
# many supports that explain almost as much. Weights and copies give covariances that differ by 7e-17, and that is
# enough for the search to end at others, .1 to 1 points of the variance apart. Up to five components are the same to
# rounding, which the test below sees.
EXPECTED_FAILURES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "ten components of 12 samples: rounding decides among optima"
    for kind in ("dense", "sparse")
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("n_components", [1, 3, 5])
def test_refined_components_of_weighted_samples_are_those_of_copies(n_components, kind):
    check = getattr(estimator_checks, f"check_sample_weight_equivalence_on_{kind}_data")
    check("JacobiPCA", JacobiPCA(n_components))


@pytest.mark.slow
@parametrize_with_checks([JacobiPCA()], expected_failed_checks=lambda estimator: EXPECTED_FAILURES)
def test_scikit_learns_own_checks_pass_with_refinement(estimator, check):
    check(estimator)


class TestTools:
    X, y = load_wine(return_X_y=True)

    def test_pipelines_and_cross_validation(self):
        pipeline = make_pipeline(StandardScaler(), JacobiPCA(4, density=0.4, refine=False), LogisticRegression())
        assert cross_val_score(pipeline, self.X, self.y, cv=3).mean() > 0.9

    def test_a_grid_search_over_density(self):
        pipeline = make_pipeline(JacobiPCA(4, scale=True, refine=False), LogisticRegression())
        search = GridSearchCV(pipeline, {"jacobipca__density": [0.1, 0.5]}, cv=3).fit(self.X, self.y)
        assert search.best_score_ > 0.9

    def test_a_grid_search_by_likelihood(self):
        search = GridSearchCV(JacobiPCA(scale=True, refine=False), {"n_components": [1, 3]}, cv=3).fit(self.X)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()

    def test_columns_apart(self):
        columns = ColumnTransformer(
            [("a", JacobiPCA(2, refine=False), [0, 1, 2, 3]), ("b", JacobiPCA(3, refine=False), slice(4, 13))]
        )
        assert columns.fit_transform(self.X).shape == (178, 5)

    def test_metadata_routing(self):
        with config_context(enable_metadata_routing=True):
            classifier = LogisticRegression().set_fit_request(sample_weight=True)
            weights = np.where(self.y == 0, 0.0, 1.0)
            for wanted in (True, False):
                pca = JacobiPCA(4, scale=True, refine=False).set_fit_request(sample_weight=wanted)
                pipeline = make_pipeline(pca, classifier).fit(self.X, self.y, sample_weight=weights)
                assert pipeline[0].n_samples_ == (np.count_nonzero(weights) if wanted else len(weights))

    def test_clone_keeps_parameters_and_forgets_the_fit(self):
        model = JacobiPCA(4, density=0.3, start=[3, 1, 2, 0], refine=False).fit(self.X)
        twin = clone(model)
        assert twin.get_params() == model.get_params()
        with pytest.raises(NotFittedError):
            twin.transform(self.X)

    @pytest.mark.parametrize("dump", [pickle.dumps, None])
    def test_pickle_and_joblib_keep_the_model(self, dump, tmp_path):
        model = JacobiPCA(4, refine=False).partial_fit(self.X[:90])
        model.transform(self.X)
        if dump is None:
            joblib.dump(model, tmp_path / "model")
            again = joblib.load(tmp_path / "model")
        else:
            again = pickle.loads(dump(model))
        assert np.array_equal(again.transform(self.X), model.transform(self.X))
        both = [m.partial_fit(self.X[90:]).components_ for m in (model, again)]
        assert np.array_equal(*both)
