"""The paper's experiment on the USPS digits."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from usps import USPS, needs_usps

from jacobeig.estimators.pca import JacobiPCA


@pytest.fixture(scope="module")
def digits():
    with np.load(USPS) as file:
        return file["X"], file["y"]


@pytest.mark.slow
@needs_usps
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
