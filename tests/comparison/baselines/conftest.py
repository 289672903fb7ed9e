from pathlib import Path

import numpy as np
import pytest

# Best value of every cardinality of the pitprops correlations, by enumeration of all supports.
OPTIMA = {
    2: 1.954000,
    3: 2.475331,
    4: 2.937479,
    5: 3.406155,
    6: 3.770960,
    7: 3.996190,
    8: 4.068607,
    9: 4.138647,
    10: 4.172638,
    11: 4.208276,
    12: 4.218245,
    13: 4.218633,
}


@pytest.fixture(scope="session")
def pitprops():
    return np.loadtxt(Path(__file__).parents[2] / "data" / "pitprops.csv", delimiter=",")


@pytest.fixture(params=OPTIMA.items(), ids=lambda item: f"k={item[0]}")
def cardinality_and_optimum(request):
    return request.param


@pytest.fixture(scope="session")
def optima():
    return OPTIMA


@pytest.fixture(scope="session")
def covariance():
    X = np.random.default_rng(0).standard_normal((40, 30))
    return X.T @ X
