"""What the documentation shows of a run is what the run shows."""

import re
from pathlib import Path

import pytest
from commands import run

datasets = pytest.importorskip("sklearn.datasets")
PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


def split(text):
    """The words of a shown table; what rounding changes is left out."""
    return re.sub(r"orthonormal to \S+", "", re.sub(r"[─\s]+", " ", text)).split()


@pytest.mark.compiled
def test_the_table_of_wine_is_as_shown(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    wine = datasets.load_wine(as_frame=True)
    wine.data.assign(**{"class": wine.target}).to_csv("wine.csv", index=False)
    page = PAGE.read_text(encoding="utf-8").split("## A table")[1]
    (command,) = re.findall(r"^jacobeig (pca .*)$", page.split("```text")[0], flags=re.MULTILINE)
    shown = page.split("```text\n")[1].split("```")[0]
    output = run(*command.split(), "--no-report").stdout
    assert split(output.split("wine-pca/")[0]) == split(shown)
