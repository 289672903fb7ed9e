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


def find_shown(heading, words):
    """The command with these words below a heading of the page, and the text that is shown of it."""
    page = PAGE.read_text(encoding="utf-8").split(heading)[1]
    (command,) = re.findall(rf"^jacobeig ({words}.*)$", page.split("```text")[0], flags=re.MULTILINE)
    return command.split(), page.split("```text\n")[1].split("```")[0]


@pytest.mark.compiled
def test_the_table_of_wine_is_as_shown(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    wine = datasets.load_wine(as_frame=True)
    wine.data.assign(**{"class": wine.target}).to_csv("wine.csv", index=False)
    command, shown = find_shown("## A table", "pca")
    output = run(*command, "--no-report").stdout
    assert split(output.split("wine-pca/")[0]) == split(shown)


@pytest.mark.compiled
def test_the_groups_of_the_novel_are_as_shown(monkeypatch):
    nx = pytest.importorskip("networkx")
    monkeypatch.setenv("COLUMNS", "80")
    nx.write_graphml_xml(nx.les_miserables_graph(), "novel.graphml")
    command, shown = find_shown("## Matrices and graphs", "graph novel")
    output = run(*command, "--no-report").stdout
    # Friends who meet the same people weigh the same: rounding decides who comes first.
    assert sorted(split(output.split("novel-graph/")[0])) == sorted(split(shown))
