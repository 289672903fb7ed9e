"""Packages that need not be installed."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from jacobeig._extras import DISTRIBUTIONS, EXTRAS, import_extra
from jacobeig.errors import MissingExtraError

EXTRAS_OF_THE_PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["optional-dependencies"]


@pytest.mark.parametrize("package", EXTRAS)
def test_the_extra_that_is_advised_brings_the_package(package):
    brought = {re.split(r"[<>=\[]", entry)[0] for entry in EXTRAS_OF_THE_PROJECT[EXTRAS[package]]}
    assert DISTRIBUTIONS.get(package, package) in brought


def test_a_missing_package_is_named_with_the_extra_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r'^scikit-learn is not installed: run .*"jacobeig\[pca\]"`\.$'):
        import_extra("sklearn.datasets")
