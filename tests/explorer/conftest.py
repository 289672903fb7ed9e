"""A model that many pages are about."""

import pytest
from pages import DIGITS

import jacobeig as je


@pytest.fixture(scope="module")
def pca():
    return je.JacobiPCA(10, density=0.4, refine=False).fit(DIGITS)
