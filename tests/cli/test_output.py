"""What is said, and to whom."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import (
    GENES,
    SAMPLES,
    S,
    X,
    read_rows,
    run,
    run_json,
    write_csv,
)
from rich.console import Console
from scipy import sparse

import jacobeig as je
from jacobeig import __version__
from jacobeig.cli._summary import list_leading, tabulate_components
from jacobeig.cli._views import view_model
from jacobeig.solve.pivots import PIVOTS
from jacobeig.solve.starts import STARTS
from jacobeig.solve.targets import TARGETS

COMMANDS = ("demo", "pca", "eig", "graph", "transform", "compare", "reproduce", "info")


def test_the_version_is_printed():
    assert run("--version").output.strip() == f"jacobeig {__version__}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_examples(command):
    output = run(command, "--help").stdout
    assert "Examples" in output
    assert f"jacobeig {command}" in output


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_leaves_room_for_its_sentences_on_a_narrow_terminal(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    lines = run(command, "--help").stdout.splitlines()
    assert not any("<bool>" in line or "{" in line for line in lines)
    continued = [re.match(r"│ +", line).end() for line in lines if line.startswith("│  ")]  # below a first line
    assert max(continued) <= 44


def test_the_help_lists_commands_and_exit_codes():
    output = run("--help").stdout
    for word in (*COMMANDS, "Exit codes", "130 interrupted"):
        assert word in output


def test_the_help_lists_what_the_solver_takes():
    output = " ".join(run("pca", "--help").stdout.replace("│", " ").split())
    listed = re.search(r"How rotations are chosen: ([\w, ]+)\.", output)[1].split(", ")
    for pivot in listed:
        je.sparse_eigsh(S[:6, :6], 2, n_rotations=2, pivot=pivot, rng=0)
    with pytest.raises(je.errors.InvalidInputError) as refused:
        je.sparse_eigsh(S, 2, pivot="guess")
    assert re.findall(r"'(\w+)'", refused.value.advice) == listed


def test_the_guide_has_a_row_for_every_pivot_and_names_every_target_and_start():
    guide = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \|", guide.partition("## Which pivots")[2].partition("\n## ")[0], flags=re.MULTILINE)
    assert sorted(re.findall(r'`"(\w+)"`', " ".join(rows))) == sorted(PIVOTS)
    for name in (*TARGETS, *STARTS):
        assert f'"{name}"' in guide


@pytest.mark.parametrize("columns", [70, 80, 120])
def test_leading_features_take_two_lines_and_are_not_cut(columns, monkeypatch):
    names = [f"{word}_of_{t}" for t, word in enumerate(["flavanoids", "alcohol", "alcalinity_and_ash"] * 10)]
    model = je.JacobiPCA(3, max_nonzeros=7, refine=True).fit(X)
    console = Console(width=columns, file=io.StringIO())
    monkeypatch.setattr("jacobeig.cli._summary.stdout", console)
    console.print(tabulate_components(replace(view_model(model), names=names)))
    output = console.file.getvalue()
    words = re.findall(r"[a-z]\w+_of_\d+(?= [+-]\d\.\d\d)", output)
    assert output.count("_") == sum(name.count("_") for name in words)
    assert len(words) >= {70: 3, 80: 6, 120: 12}[columns]
    assert output.count("...") == 3
    assert max(map(len, output.splitlines())) <= columns
    assert len(output.strip().splitlines()) <= 2 + 2 * 3


@pytest.mark.parametrize("width", range(12, 60))
def test_leading_features_fit_the_room(width):
    vectors = sparse.csc_array([[0.8], [0.5], [0.3]])
    lines = list_leading(vectors, 0, ["one", "two", "three"], width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines) == "one +0.80, two +0.50, three +0.30"  # so few are all shown
    vectors = sparse.csc_array([[0.8 - 0.1 * t] for t in range(8)])
    lines = list_leading(vectors, 0, list("abcdefgh"), width).splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) <= 2
    shown = re.findall(r"\w [+]0\.\d\d", " ".join(lines))
    assert shown == [f"{name} +{0.8 - 0.1 * t:.2f}" for t, name in enumerate("abcde")][: len(shown)]
    assert len(shown) == min(5, (width + 1) // 9 + (width - 3) // 9)
    assert " ".join(lines).endswith(", ...")


@pytest.mark.parametrize(("width", "left_out"), [(40, ["cumulative", "nonzeros"]), (52, ["cumulative"]), (80, [])])
def test_a_narrow_terminal_still_names_the_features(width, left_out, monkeypatch):
    monkeypatch.setattr("jacobeig.cli._summary.stdout", Console(width=width))
    console = Console(width=width, file=io.StringIO())
    model = je.JacobiPCA(2, max_nonzeros=1, refine=False).fit(X)
    console.print(tabulate_components(view_model(model)))
    shown = console.file.getvalue()
    assert [word for word in ("cumulative", "nonzeros") if word not in shown] == left_out
    assert all(f"column {np.flatnonzero(row)[0] + 1} +1.00" in shown for row in model.components_)


def test_quiet_says_nothing(report):
    write_csv("genes.csv")
    result = run("pca", "genes.csv", "-p", "2", "--refine", "off", "--quiet")
    assert result.output == ""
    assert Path("genes-pca/model.npz").exists()


def test_json_is_one_object_for_failures_too():
    record = run_json("pca", "missing.csv", code=2)
    assert record["status"] == "failed"
    assert record["command"] == "pca"
    assert "no file missing.csv" in record["message"]
    record = run_json("eig", "missing.csv", "--components", "many", code=2)
    assert record["command"] == "eig"
    assert "--components" in record["message"]
    result = run("pca", "missing.csv", "--json", code=2)
    assert result.stderr == f"Error: {json.loads(result.stdout)['message']}\n"
    assert run_json("nothing", code=2)["command"] is None


def test_names_that_look_like_markup_stay_text(report):
    names = ["[bold]", "[/]", "<script>", "a,b", 'q"uote', *GENES[5:]]
    write_csv("genes.csv", X, names)
    run("pca", "genes.csv", "-p", "3", "-d", "0.5", "--refine", "quick", "--no-front")
    assert {row["feature"] for row in read_rows("genes-pca/components.csv")} <= set(names)
    assert "[bold]" in run("info", "genes-pca/model.npz").stdout


def test_loadings_that_would_print_as_zero_are_not_named():
    vectors = sparse.csc_array([[1.0], [0.006], [0.004]])
    assert list_leading(vectors, 0, ["one", "two", "three"], 60) == "one +1.00, two +0.01, ..."


def test_cells_that_look_like_formulas_are_text_in_a_spreadsheet(report):
    names = ["=1+1", "+cmd", "-x", "@SUM(A1)", *GENES[4:]]
    samples = ["=HYPERLINK(1)", "-5", "+3e2", *SAMPLES[3:]]
    write_csv("genes.csv", X, names, samples, extra=("=kind", ["=A1", "-1"] * 10))
    run("pca", "genes.csv", "-p", "4", "-d", "0.9", "--label", "=kind", "--refine", "off")
    features = {row["feature"] for row in read_rows("genes-pca/components.csv")}
    assert {"'=1+1", "'+cmd", "'-x", "'@SUM(A1)", "gene 4"} <= features
    rows = read_rows("genes-pca/scores.csv")
    assert [row["row"] for row in rows[:3]] == ["'=HYPERLINK(1)", "-5", "+3e2"]  # numbers stay numbers
    assert [row["'=kind"] for row in rows[:2]] == ["'=A1", "-1"]
    assert any(row["component 1"].startswith("-") for row in rows)
