"""Everything that the documentation shows runs as shown."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import jacobeig

ROOT = Path(__file__).parents[1]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(jacobeig.__path__, "jacobeig.")
    if not module.name.startswith("jacobeig._kernels") and module.name != "jacobeig.__main__"
]


@pytest.fixture(autouse=True)
def _no_window():
    pytest.importorskip("matplotlib").use("agg")
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jacobeig", *MODULES])
def test_the_examples_of_a_module_run(name):
    for extra in ("sklearn", "typer", "networkx", "dask", *(["abess"] if name.endswith("abess_spca") else [])):
        pytest.importorskip(extra)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.slow
def test_the_readme_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        if "Client" not in block:  # a cluster is started only in the tests of dask
            exec(compile(block, "README.md", "exec"), names)
    assert len(blocks) >= 5


def test_every_public_name_has_a_docstring_with_an_example():
    for name in jacobeig.__all__:
        if name == "__version__":
            continue
        value = getattr(jacobeig, name)
        assert value.__doc__, name
        if callable(value):
            assert ">>>" in value.__doc__ or name in {"Progress", "ComparisonRow"}, name
