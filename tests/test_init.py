"""The package as it is imported."""

import subprocess
import sys

import pytest

import jacobeig as je


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.parametrize("module", ["numba", "sklearn", "matplotlib", "networkx", "dask", "rich", "typer", "plotly"])
def test_importing_the_package_does_not_load(module):
    assert run(f"import sys, jacobeig; print({module!r} in sys.modules)").strip() == "False"


def test_every_public_name_can_be_reached_and_is_listed():
    for name in je.__all__:
        assert getattr(je, name) is not None
        assert name in dir(je)


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
