"""Everything that the documentation shows runs as shown, and what it points to is there."""

import doctest
import functools
import importlib
import pkgutil
import re
import shlex
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import jacobeig

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MODULES = [
    module.name
    for module in pkgutil.walk_packages(jacobeig.__path__, "jacobeig.")
    if not module.name.startswith("jacobeig._kernels") and module.name != "jacobeig.__main__"
]
# Where the names live that users import.
PUBLIC = ["jacobeig", *(f"jacobeig.{name}" for name in (*jacobeig._MODULES, "baselines.deflation"))]
# What the build writes into docs/ is none of these.
PAGES = sorted(
    page for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if not {"auto_examples", "generated"} & set(page.parts)
)


def module_of(name):
    """A public module by the name that users write, wherever it lives."""
    return functools.reduce(getattr, name.split(".")[1:], jacobeig)


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks_of(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _no_window():
    pytest.importorskip("matplotlib").use("agg")
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


OWN_EXTRAS = {"_abess_spca": ("abess",), "xarray": ("xarray",)}


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["jacobeig", *MODULES])
def test_the_examples_of_a_module_run(name, tmp_path, monkeypatch):
    for extra in ("sklearn", "typer", "networkx", "dask", *OWN_EXTRAS.get(name.rpartition(".")[2], ())):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.compiled
@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "python")], ids=name_of)
def test_the_code_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    for extra in ("sklearn", "networkx", "pandas", "dask"):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks_of(page, "python"):
        if "Client" not in block:  # a cluster is started only in the tests of dask
            exec(compile(block, name_of(page), "exec"), names)


def test_the_readme_shows_every_use():
    shown = "".join(blocks_of(ROOT / "README.md", "python"))
    for name in ("JacobiPCA", "sparse_eigsh", "GraphFourier", "report", "GramRows", "compare"):
        assert f"je.{name}" in shown or f"sources.{name}" in shown, name


@pytest.mark.compiled
def test_the_readme_denoises_as_it_says(tmp_path, monkeypatch):
    pytest.importorskip("networkx")
    monkeypatch.chdir(tmp_path)
    names = {"je": jacobeig, "np": np}
    block = next(block for block in blocks_of(ROOT / "README.md", "python") if "fourier.filter" in block)
    exec(block, names)
    line = next(line for line in block.splitlines() if "fourier.filter" in line)
    assert line.endswith("# closer to `height`")
    noise = np.linalg.norm(names["noisy"] - names["height"])
    for cleaned in eval(line, names):
        assert np.linalg.norm(cleaned - names["height"]) < 0.5 * noise


def command_lines():
    """Every call of the command line that a page shows, split into words."""
    for page in PAGES:
        for line in "".join(blocks_of(page, "sh")).replace("\\\n", "").splitlines():
            for part in re.split(r"\s[|&]+\s", line.split(" #")[0]):
                words = shlex.split(part)
                if words[:1] == ["jacobeig"]:
                    yield pytest.param(words[1:], id=" ".join(words))


@pytest.mark.parametrize("words", list(command_lines()))
def test_the_command_lines_of_a_page_are_understood(words):
    typer = pytest.importorskip("typer")
    from jacobeig.cli import app

    group = typer.main.get_command(app)
    if words[0].startswith("-"):
        assert words[0] in {name for parameter in group.params for name in parameter.opts}
    else:
        group.commands[words[0]].make_context(words[0], words[1:])  # raises for what it does not know


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_has_a_docstring_with_an_example(module):
    home = module_of(module)
    for name in home.__all__:
        value = getattr(home, name)
        if callable(value) or isinstance(value, ModuleType):
            assert value.__doc__, name
        if callable(value):
            assert ">>>" in value.__doc__, name


@pytest.mark.parametrize("module", PUBLIC)
def test_the_reference_lists_every_public_name(module):
    reference = (DOCS / "api.md").read_text(encoding="utf-8")
    home = module_of(module)
    for name in home.__all__:
        value = getattr(home, name)
        if callable(value):
            full = f"{module}.{name}".removeprefix("jacobeig.")
            top = getattr(jacobeig, name, None) is value  # listed once, where users find it first
            assert re.search(rf"^   {re.escape(name if top else full)}$", reference, flags=re.MULTILINE), full


def anchors_of(page):
    """What the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_to_files_that_are_there(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith("#"):
            continue
        path, _, anchor = target.partition("#")
        if not path.startswith(("auto_examples", "../auto_examples")):  # the build makes these, and checks them
            assert (page.parent / path).exists(), target
            assert not anchor or anchor in anchors_of(page.parent / path), target


def figures_of(page, heading):
    """The rows of the table below a heading: a name, and its cells."""
    table = page.read_text(encoding="utf-8").split(heading)[1].split("\n\n| ")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()[2:]]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_the_accuracies_of_the_readme_stand_in_the_benchmarks():
    bullet = (ROOT / "README.md").read_text(encoding="utf-8").split("- **Accuracy**")[1].split("- **")[0]
    figures = re.findall(r"\b0\.\d{3}\b", bullet)
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    measured = {f"{float(figure):.3f}" for figure in re.findall(r"\b0\.\d{4}\b", page)}
    assert len(figures) >= 8
    assert set(figures) <= measured


@pytest.mark.compiled
def test_the_figures_beside_sparse_pca_are_those_of_the_code():
    pytest.importorskip("sklearn")
    page = DOCS / "coming_from" / "scikit_learn.md"
    names = {}
    for block in blocks_of(page, "python"):
        exec(compile(block, name_of(page), "exec"), names)
    stated = dict(
        re.findall(r'print\("(\w+)", je\.metrics.*# ([\d.]+)$', page.read_text(encoding="utf-8"), re.MULTILINE)
    )
    for name, model in (("SparsePCA", names["spca"]), ("JacobiPCA", names["ours"])):
        captured = jacobeig.metrics.captured_variance(names["S"], model.components_.T)
        assert captured == pytest.approx(float(stated[name]), abs=0.02), name


@pytest.mark.compiled
def test_the_figures_of_the_guide_are_those_of_the_code():
    S = np.cov(pytest.importorskip("sklearn.datasets").load_digits().data, rowvar=False)
    total = jacobeig.metrics.extreme_eigenvalues(S, 10).sum()

    def captured(density, **options):
        return 100 * jacobeig.sparse_eigsh(S, 10, density=density, **options).eigenvalues.sum() / total

    stated = figures_of(DOCS / "choosing.md", "## Which method")
    methods = {
        "paper": {"pivot": "gain", "start": "natural"},
        "chain": {},
        "polish": {"polish": True},
        "refine": {"refine": True},
    }
    for name, options in methods.items():
        for cell, density in zip(stated[name][:4], (0.05, 0.1, 0.2, 0.5), strict=True):
            assert captured(density, **options) == pytest.approx(float(cell.rstrip("%")), abs=0.5), (name, density)
    for name, (_, cell) in figures_of(DOCS / "choosing.md", "## Which pivots").items():
        for pivot, figure in zip(re.findall(r"\w+", name), re.findall(r"[\d.]+", cell), strict=True):
            assert captured(0.1, pivot=pivot, rng=0) == pytest.approx(float(figure), abs=0.5), pivot
