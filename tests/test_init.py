"""The package as it is imported."""

import inspect
import subprocess
import sys
from collections.abc import Callable

import pytest

import jacobeig as je


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout


# What users import: a name may be added, but none may go or change its meaning.
NAMES = {
    "function": {"block_eigsh", "compare", "extend", "load", "polish", "refine", "report", "sparse_eigsh"},
    "class": {
        "BlockSequence", "Comparison", "ComparisonRow", "EigenResult", "GraphFourier", "JacobiPCA", "Method",
        "Progress", "RotationSequence", "Status",
    },
    "module": {
        "baselines", "bounds", "comparison", "datasets", "errors", "experiments", "files", "graph", "metrics", "pca",
        "plotting", "sources",
    },
}  # fmt: skip
IS: dict[str, Callable[[object], bool]] = {
    "function": inspect.isfunction,
    "class": inspect.isclass,
    "module": inspect.ismodule,
}


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numba", "sklearn", "matplotlib", "networkx", "dask", "rich", "typer", "plotly", "pandas"}
    loaded = run("import sys, jacobeig; print(*sys.modules)").split()
    assert "jacobeig" in loaded
    assert heavy.isdisjoint(loaded)


@pytest.mark.parametrize("kind", NAMES)
def test_the_names_that_users_import_are_there(kind):
    for name in NAMES[kind]:
        assert IS[kind](getattr(je, name)), name
        assert name in dir(je)
        assert name in je.__all__


def test_a_star_import_brings_the_public_names():
    names = {}
    exec("from jacobeig import *", names)
    assert set(je.__all__) <= set(names)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'jacobeig' has no attribute 'eigsh'"):
        je.eigsh  # noqa: B018  # looking it up is the test


def test_the_errors_metrics_and_chains_do_not_need_numba_to_load():
    code = "import sys, jacobeig as je; je.errors, je.metrics, je.bounds, je.RotationSequence, je.load, je.sparse_eigsh"
    assert run(code + "; print('numba' in sys.modules)").strip() == "False"
