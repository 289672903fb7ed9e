"""The command line: what it computes, what it writes, what it says, and how it fails."""

import csv
import errno
import functools
import inspect
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

for extra in ("typer", "rich", "pandas", "sklearn", "matplotlib"):
    pytest.importorskip(extra)

from rich.console import Console  # noqa: E402  # after the checks for the extras
from typer.testing import CliRunner  # noqa: E402  # after the checks for the extras

import jacobeig as je  # noqa: E402  # likewise
from jacobeig import __version__  # noqa: E402  # likewise
from jacobeig.cli import app  # noqa: E402  # likewise
from jacobeig.cli._options import PIVOTS  # noqa: E402  # likewise
from jacobeig.cli._output import Exit, in_options  # noqa: E402  # likewise
from jacobeig.cli._summary import components_table, list_leading  # noqa: E402  # likewise
from jacobeig.results import archive  # noqa: E402  # likewise

# Older versions of click do not keep the two outputs apart by themselves.
apart: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
runner = CliRunner(**apart)
COMMANDS = ("demo", "pca", "eig", "graph", "transform", "compare", "reproduce", "info")
GENES = [f"gene {t}" for t in range(30)]
SAMPLES = [f"patient {t}" for t in range(20)]


def factors(rng):
    loadings = np.zeros((30, 3))
    for t in range(3):
        loadings[5 * t : 5 * t + 5, t] = 2.0
    return rng.standard_normal((20, 3)) @ loadings.T + 0.3 * rng.standard_normal((20, 30))


X = factors(np.random.default_rng(0))
S = np.cov(X, rowvar=False) + 0.1 * np.eye(30)
# Programs run in another folder than the tests, where a relative path would not find the package.
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(je.__file__).parents[1])}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


@pytest.fixture
def report(monkeypatch):
    """Stand in for the report, which has tests of its own, and remember what it was asked for."""
    calls = []

    def write(model, path, **options):
        calls.append((model, options))
        Path(path).write_text("<html>", encoding="utf-8")

    module = types.ModuleType("jacobeig.explorer")
    module.report = write
    monkeypatch.setitem(sys.modules, "jacobeig.explorer", module)
    return calls


def write_csv(path, values=X, columns=GENES, rows=SAMPLES, extra=None):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*([] if rows is None else ["sample"]), *columns, *([] if extra is None else [extra[0]])])
        for t, row in enumerate(values):
            before = [] if rows is None else [rows[t]]
            writer.writerow([*before, *map(repr, row.tolist()), *([] if extra is None else [extra[1][t]])])
    return path


def run(*arguments, code=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def run_json(*arguments, code=0):
    record = json.loads(run(*arguments, "--json", code=code).stdout)
    assert record["exit_code"] == code
    return record


def read_components(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def program(*arguments, **options):
    command = [sys.executable, "-m", "jacobeig", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=300, env=ENVIRONMENT, **options)


# What is computed and written.


def test_pca_gives_the_numbers_of_the_library(report):
    write_csv("genes.csv")
    record = run_json("pca", "genes.csv", "-p", "3", "--density", "20%")
    model = je.JacobiPCA(3, density=0.2).fit(X)
    assert record["explained_variance"] == model.explained_variance_.tolist()
    assert record["explained_variance_ratio"] == model.explained_variance_ratio_.tolist()
    assert record["total_explained_variance_ratio"] == model.total_explained_variance_ratio_
    assert record["density"] == model.decomposition_.density
    assert record["n_rotations"] == model.decomposition_.n_rotations
    assert record["orthonormality_error"] == je.metrics.orthonormality_error(model.decomposition_.vectors)
    assert record["solver_status"] == model.decomposition_.status.name.lower()
    assert record["share_of_full_pca"] == pytest.approx(
        model.total_explained_variance_ / np.linalg.eigvalsh(np.cov(X, rowvar=False))[-3:].sum(), rel=1e-12
    )
    saved = je.JacobiPCA.load("genes-pca/model.npz")
    np.testing.assert_array_equal(saved.components_, model.components_)
    assert saved.feature_names_in_.tolist() == GENES
    assert record["files"] == {
        "model": "genes-pca/model.npz",
        "components": "genes-pca/components.csv",
        "scores": "genes-pca/scores.csv",
        "report": "genes-pca/report.html",
    }
    assert {path.name for path in Path("genes-pca").iterdir()} == {Path(path).name for path in record["files"].values()}


def test_components_are_listed_by_weight_in_full_precision(report):
    write_csv("genes.csv")
    run("pca", "genes.csv", "-p", "3", "--density", "0.2")
    rows = read_components("genes-pca/components.csv")
    back = np.zeros((3, 30))
    for row in rows:
        back[int(row["component"]) - 1, GENES.index(row["feature"])] = float(row["loading"])
    np.testing.assert_array_equal(back, je.JacobiPCA(3, density=0.2).fit(X).components_)
    first = [abs(float(row["loading"])) for row in rows if row["component"] == "1"]
    assert first == sorted(first, reverse=True)
    assert [int(row["rank"]) for row in rows if row["component"] == "1"] == list(range(1, len(first) + 1))


def test_the_summary_tells_variance_nonzeros_features_files_and_what_is_next(report):
    write_csv("genes.csv")
    output = run("pca", "genes.csv", "-p", "3", "--max-nonzeros", "5").stdout
    model = je.JacobiPCA(3, max_nonzeros=5).fit(X)
    assert "20 samples of 30 features" in output
    assert f"{model.explained_variance_ratio_[0]:.1%}" in output
    assert f"{model.total_explained_variance_ratio_:.1%}" in output
    leader = GENES[int(np.argmax(np.abs(model.components_[0])))]
    assert f"{leader} +" in output
    for words in ("genes-pca/model.npz", "genes-pca/report.html", "Next", "jacobeig transform genes-pca/model.npz"):
        assert words in output


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        (["--rotations", "7"], {"n_rotations": 7}),
        (["--max-nonzeros", "4"], {"max_nonzeros": 4}),
        (["--no-center", "-d", "0.3"], {"center": False, "density": 0.3}),
        (["--scale", "-d", "30%"], {"scale": True, "density": 0.3}),
        (["--refine", "quick", "-d", "0.3"], {"refine": True, "density": 0.3}),
        (["--no-orthonormal", "-d", "0.3"], {"orthonormal": False, "density": 0.3}),
        (["--pivot", "gain", "--target", "log", "-d", "0.3"], {"pivot": "gain", "target": "log", "density": 0.3}),
        ([], {}),
    ],
)
def test_every_option_of_pca_reaches_the_model(arguments, parameters):
    np.save("x.npy", X)
    run("pca", "x.npy", "-p", "2", "--no-report", "--quiet", *arguments)
    model, saved = je.JacobiPCA(2, **parameters).fit(X), je.JacobiPCA.load("x-pca/model.npz")
    np.testing.assert_array_equal(saved.components_, model.components_)
    assert saved.get_params() == model.get_params()


def test_the_report_is_given_names_shape_and_title(report):
    write_csv("genes.csv")
    run("pca", "genes.csv", "-p", "2", "--shape", "5x6")
    np.save("S.npy", S)
    run("eig", "S.npy", "-p", "2")
    [(model, options), (result, of_matrix)] = report
    assert isinstance(model, je.JacobiPCA)
    np.testing.assert_array_equal(options.pop("data"), X)
    assert list(options.pop("sample_names")) == SAMPLES
    assert options == {
        "feature_names": GENES, "shape": (5, 6), "title": "Sparse principal components of genes", "labels": None,
    }  # fmt: skip
    assert isinstance(result, je.EigenResult)
    np.testing.assert_array_equal(of_matrix["matrix"], S)
    assert of_matrix["feature_names"][0] == "row 1"


def test_without_the_library_of_the_report_the_rest_is_written_and_told(monkeypatch):
    write_csv("genes.csv")
    monkeypatch.setitem(sys.modules, "jacobeig.explorer", None)
    record = run_json("pca", "genes.csv", "-p", "2")
    assert sorted(record["files"]) == ["components", "model", "scores"]
    assert "No report.html" in record["notes"][0]


def test_a_report_of_an_earlier_run_does_not_stay(report, monkeypatch):
    write_csv("genes.csv")
    page = Path("genes-pca/report.html")
    for arguments, module in ((["--no-report"], sys.modules["jacobeig.explorer"]), ([], None)):
        run("pca", "genes.csv", "-p", "2")
        assert page.exists()
        with monkeypatch.context() as context:
            context.setitem(sys.modules, "jacobeig.explorer", module)
            run("pca", "genes.csv", "-p", "3", *arguments)
        assert not page.exists()


def test_the_report_is_given_samples_and_labels_by_name(report):
    write_csv("genes.csv", extra=("kind", ["red", "blue"] * 10))
    run("pca", "genes.csv", "-p", "2", "--label", "kind")
    ((_, given),) = report
    np.testing.assert_array_equal(given["data"], X)
    assert list(given["sample_names"]) == SAMPLES
    assert (given["labels"].name, given["labels"].tolist()) == ("kind", ["red", "blue"] * 10)


def test_labels_and_dropped_columns_are_left_out():
    write_csv("genes.csv", extra=("kind", ["red", "blue"] * 10))
    assert run_json("pca", "genes.csv", "-p", "2", "--label", "kind", "--no-report")["n_features"] == 30
    record = run_json("pca", "genes.csv", "-p", "2", "--drop", "kind", "--drop", "gene 0", "--no-report")
    assert record["n_features"] == 29
    result = run("pca", "genes.csv", code=2)
    assert "column 'kind' holds text ('red' in row 1 ('patient 0'))" in result.stderr
    assert "--label kind" in result.stderr


def test_labels_go_to_the_scores_and_to_the_report(report, monkeypatch):
    kinds = ["red", "blue"] * 10
    write_csv("genes.csv", extra=("kind", kinds))
    run("pca", "genes.csv", "-p", "2", "--label", "kind")
    run("transform", "genes-pca/model.npz", "genes.csv", "--label", "kind")
    scores = Path("genes-pca/scores.csv").read_text(encoding="utf-8")
    assert scores == Path("genes-scores.csv").read_text(encoding="utf-8")
    assert scores.splitlines()[0] == "row,kind,component 1,component 2"
    monkeypatch.setattr("jacobeig.cli.pca.PAGE_ENTRIES", X.size - 1)
    run("pca", "genes.csv", "-p", "2", "--label", "kind")
    sparse.save_npz("genes.npz", sparse.csr_array(X))
    run("pca", "genes.npz", "-p", "2", "--no-center")
    (_, whole), (_, heavy), (_, without) = report
    np.testing.assert_array_equal(whole["data"], X)
    assert (list(whole["labels"]), whole["labels"].name, list(whole["sample_names"])) == (kinds, "kind", SAMPLES)
    for options in (heavy, without):
        assert not {"data", "labels", "sample_names"} & set(options)


@pytest.mark.parametrize("command", ["pca", "eig", "compare"])
def test_there_are_fewer_components_than_features_unless_asked_for(command):
    np.save("S.npy", S[:5, :5])
    arguments = [command, "S.npy", *(["-m", "threshold"] if command == "compare" else ["--no-report"])]
    record = run_json(*arguments)
    assert record["n_components"] == 2
    assert not any("any orthonormal basis" in note for note in record["notes"])
    assert "any orthonormal basis then captures everything" in run(*arguments, "-p", "5").stderr


def next_commands(output):
    """Return the commands that are printed to go on with."""
    lines = output.partition("Next\n")[2].splitlines()
    return [shlex.split(line.strip().partition("  ")[0])[1:] for line in lines if line.startswith("  jacobeig ")]


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("labelled.csv", ["--label", "the kind", "--drop", "gene 0"]),
        ("labelled.csv", ["--drop", "the kind", "--drop", "gene 1"]),
        ("transposed.csv", ["--transpose"]),
        ("several.npz", ["--key", "second"]),
        ("bare.csv", ["--no-header"]),
    ],
)
def test_the_commands_to_go_on_with_run_as_printed(file, arguments):
    write_csv("labelled.csv", extra=("the kind", ["red", "blue"] * 10))
    write_csv("transposed.csv", X.T, SAMPLES, GENES)
    write_csv("bare.csv", X[1:], X[0].tolist(), None)
    np.savez("several.npz", first=X[:, :5], second=X)
    output = run("pca", file, "-p", "2", "--density", "20%", "--no-report", *arguments).stdout
    transform, compare = next_commands(output)
    run(*transform)
    run(*compare, "--methods", "threshold", "--densities", "50%")
    scores = Path(f"{Path(file).stem}-scores.csv").read_text(encoding="utf-8")
    assert scores == Path(f"{Path(file).stem}-pca/scores.csv").read_text(encoding="utf-8")
    assert len(scores.splitlines()) == 21


def test_features_in_rows_are_recognised():
    fitted()
    write_csv("transposed.csv", X.T, SAMPLES, GENES)
    result = run("transform", "genes-pca/model.npz", "transposed.csv", code=2)
    assert "the features of the model are the rows of the file: add --transpose" in result.stderr
    run("transform", "genes-pca/model.npz", "transposed.csv", "--transpose")
    assert "leave --transpose out" in run("transform", "genes-pca/model.npz", "genes.csv", "--transpose", code=2).stderr


def test_eig_gives_the_numbers_of_the_library(report):
    write_csv("S.csv", S, GENES, GENES)
    record = run_json("eig", "S.csv", "-p", "3", "-d", "0.2", "--which", "sa")
    result = je.sparse_eigsh(S, 3, density=0.2, which="SA")
    assert record["eigenvalues"] == result.eigenvalues.tolist()
    assert record["accuracy"] == je.metrics.accuracy(S, result.vectors, which="SA")
    np.testing.assert_array_equal(je.load("S-eig/model.npz").vectors.toarray(), result.vectors.toarray())
    assert read_components("S-eig/components.csv")[0]["row"] in GENES
    assert report[0][1]["feature_names"] == GENES


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-d", "0.3", "--refine", "best"], lambda: je.sparse_eigsh(S, 2, density=0.3, refine="best")),
        (
            ["-d", "0.3", "--no-orthonormal"],
            lambda: je.refine(S, je.sparse_eigsh(S, 2, density=0.3), density=0.3, orthonormal=False),
        ),
        (["--which", "BE", "--rotations", "9"], lambda: je.sparse_eigsh(S, 2, which="BE", n_rotations=9)),
        ([], lambda: je.sparse_eigsh(S, 2, density=2 / np.sqrt(30))),
    ],
)
def test_every_option_of_eig_reaches_the_solver(arguments, expected):
    np.save("S.npy", S)
    run("eig", "S.npy", "-p", "2", "--no-report", "-q", *arguments)
    np.testing.assert_array_equal(je.load("S-eig/model.npz").vectors.toarray(), expected().vectors.toarray())


def test_eig_takes_hermitian_and_sparse_matrices():
    hermitian = S[:6, :6] + 1j * np.triu(np.ones((6, 6)), 1) - 1j * np.tril(np.ones((6, 6)), -1)
    np.save("H.npy", hermitian)
    record = run_json("eig", "H.npy", "-p", "2", "--rotations", "8", "--no-report")
    assert record["eigenvalues"] == je.sparse_eigsh(hermitian, 2, n_rotations=8).eigenvalues.tolist()
    assert set(read_components("H-eig/components.csv")[0]) == {"component", "rank", "row", "real", "imaginary"}
    sparse.save_npz("L.npz", sparse.csr_array(np.diag([1.0, 2.0, 3.0, 4.0])))
    assert run_json("eig", "L.npz", "-p", "1", "--no-report")["eigenvalues"] == [4.0]


def test_a_matrix_that_is_not_symmetric_is_answered_with_the_option_that_helps():
    lopsided = S.copy()
    lopsided[0, 1] += 1.0
    np.save("S.npy", lopsided)
    result = run("eig", "S.npy", code=2)
    assert "must be symmetric" in result.stderr
    assert "--symmetrize" in result.stderr
    assert not Path("S-eig").exists()
    run("eig", "S.npy", "-p", "2", "--symmetrize", "--no-report")


EDGES = [
    ("anna", "ben"),
    ("ben", "eve"),
    ("eve", "anna"),
    ("eve", "tom"),
    ("tom", "ida"),
    ("ida", "kim"),
    ("kim", "tom"),
]


def write_edges(path="friends.csv"):
    Path(path).write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in EDGES), encoding="utf-8")


def test_graph_gives_the_numbers_of_the_library(report):
    nx = pytest.importorskip("networkx")
    write_edges()
    places = "".join(f"{name},{t},{t * t}\n" for t, name in enumerate(["kim", "ida", "tom", "eve", "ben", "anna"]))
    Path("places.csv").write_text("node,x,y\n" + places, encoding="utf-8")
    record = run_json("graph", "friends.csv", "-p", "2", "-d", "0.6", "--coordinates", "places.csv")
    model = je.GraphFourier(2, density=0.6).fit(nx.Graph(EDGES))
    assert record["frequencies"] == model.frequencies_.tolist()
    assert (record["n_nodes"], record["n_edges"]) == (6, 7)
    saved = je.GraphFourier.load("friends-graph/model.npz")
    assert saved.nodes_.tolist() == ["anna", "ben", "eve", "tom", "ida", "kim"]
    np.testing.assert_array_equal(saved.modes_.toarray(), model.modes_.toarray())
    options = report[0][1]
    assert options["feature_names"] == saved.nodes_.tolist()
    np.testing.assert_array_equal(options["coordinates"][:2], [[5, 25], [4, 16]])
    ends = zip(*options["edges"].nonzero(), strict=True)
    pairs = {frozenset((options["feature_names"][a], options["feature_names"][b])) for a, b in ends}
    assert pairs == {frozenset(edge) for edge in EDGES}


def test_edges_are_for_a_map_only(report):
    write_edges()
    run("graph", "friends.csv", "-p", "2")
    assert set(report[0][1]) == {"feature_names", "title"}


def test_every_option_of_graph_reaches_the_model():
    write_edges()
    run("graph", "friends.csv", "-p", "2", "--directed", "--laplacian", "normalized", "--which", "high",
        "--rotations", "6", "--no-report")  # fmt: skip
    saved = je.GraphFourier.load("friends-graph/model.npz")
    expected = je.GraphFourier(2, directed=True, laplacian="normalized", which="high", n_rotations=6)
    assert saved.get_params() == expected.get_params()
    index = {name: t for t, name in enumerate(saved.nodes_.tolist())}
    expected.fit(np.array([(index[a], index[b]) for a, b in EDGES]))
    np.testing.assert_array_equal(saved.frequencies_, expected.frequencies_)
    assert set(read_components("friends-graph/components.csv")[0]) == {"component", "rank", "node", "real", "imaginary"}


def test_a_graph_of_three_edges_is_a_list_of_edges():
    Path("x.edges").write_text("0 1 1\n1 2 1\n2 0 5\n", encoding="utf-8")
    assert run_json("graph", "x.edges", "-p", "1", "--no-report")["n_edges"] == 3


def test_a_directed_matrix_is_answered_with_the_options_that_help():
    np.save("W.npy", np.triu(np.ones((5, 5)), 1))
    result = run("graph", "W.npy", code=2)
    assert "--directed" in result.stderr
    assert "--symmetrize" in result.stderr
    run("graph", "W.npy", "-p", "2", "--symmetrize", "--no-report")


# Transform and info.


def fitted(*arguments):
    write_csv("genes.csv")
    run("pca", "genes.csv", "-p", "3", "-d", "0.2", "--no-report", "-q", *arguments)
    return je.JacobiPCA.load("genes-pca/model.npz")


def test_transform_gives_the_numbers_of_the_library_with_names_and_labels():
    model = fitted()
    write_csv("new.csv", X[:5], extra=("kind", list("abcde")))
    record = run_json("transform", "genes-pca/model.npz", "new.csv", "--label", "kind")
    assert record["files"] == {"scores": "new-scores.csv"}
    with open("new-scores.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["row", "kind", "component 1", "component 2", "component 3"]
    assert [row[:2] for row in rows] == [[SAMPLES[t], "abcde"[t]] for t in range(5)]
    scores = np.array([[float(cell) for cell in row[2:]] for row in rows])
    np.testing.assert_array_equal(scores, model.transform(je.files.Table(values=X[:5], features=tuple(GENES)).named()))


def test_transform_matches_columns_by_name():
    fitted()
    run("transform", "genes-pca/model.npz", "genes.csv", "-o", "straight.csv")
    order = np.random.default_rng(1).permutation(30)
    write_csv("shuffled.csv", X[:, order], [GENES[t] for t in order])
    result = run("transform", "genes-pca/model.npz", "shuffled.csv", "-o", "shuffled-scores.csv")
    assert "matched by name" in result.stderr
    assert Path("straight.csv").read_text() == Path("shuffled-scores.csv").read_text()


def test_transform_says_which_columns_differ():
    fitted()
    write_csv("fewer.csv", X[:, 2:], GENES[2:])
    result = run("transform", "genes-pca/model.npz", "fewer.csv", code=2)
    assert "the data lack 2 features of the model: 'gene 0', 'gene 1'" in result.stderr
    write_csv("more.csv", np.column_stack([X, X[:, 0]]), [*GENES, "age"])
    result = run("transform", "genes-pca/model.npz", "more.csv", code=2)
    assert "1 column that the model does not know: 'age'; leave them out with --drop age" in result.stderr
    np.save("narrow.npy", X[:, :9])
    result = run("transform", "genes-pca/model.npz", "narrow.npy", code=2)
    assert "9 columns of numbers, but the model 30 features" in result.stderr


def test_transform_writes_to_standard_output_and_only_that():
    fitted()
    run("transform", "genes-pca/model.npz", "genes.csv", "-o", "scores.csv")
    result = run("transform", "genes-pca/model.npz", "genes.csv", "-o", "-")
    assert result.stdout.replace("\r", "") == Path("scores.csv").read_text()
    assert run_json("transform", "genes-pca/model.npz", "genes.csv", "-o", "-", code=2)["status"] == "failed"


def test_transform_applies_graphs_and_matrices():
    write_edges()
    run("graph", "friends.csv", "-p", "2", "-d", "0.6", "--no-report")
    model = je.GraphFourier.load("friends-graph/model.npz")
    signals = np.random.default_rng(0).standard_normal((3, 6))
    write_csv("signals.csv", signals[:, ::-1], model.nodes_.tolist()[::-1], None)
    run("transform", "friends-graph/model.npz", "signals.csv")
    np.testing.assert_array_equal(np.loadtxt("signals-scores.csv", delimiter=",", skiprows=1), model.transform(signals))
    np.save("S.npy", S)
    np.save("X.npy", X)
    run("eig", "S.npy", "-p", "2", "--no-report")
    run("transform", "S-eig/model.npz", "X.npy")
    expected = X @ je.load("S-eig/model.npz").vectors.toarray()
    np.testing.assert_allclose(np.loadtxt("X-scores.csv", delimiter=",", skiprows=1), expected, rtol=1e-12)


def test_transform_of_a_directed_graph_writes_real_and_imaginary_parts():
    write_edges()
    run("graph", "friends.csv", "-p", "2", "--directed", "--no-report")
    model = je.GraphFourier.load("friends-graph/model.npz")
    np.save("signals.npy", np.eye(6))
    run("transform", "friends-graph/model.npz", "signals.npy")
    table = np.loadtxt("signals-scores.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, ::2] + 1j * table[:, 1::2], model.transform(np.eye(6)))


def test_info_recognises_every_kind_of_model():
    model = fitted()
    write_edges()
    run("graph", "friends.csv", "-p", "2", "--no-report")
    np.save("S.npy", S)
    run("eig", "S.npy", "-p", "2", "--refine", "quick", "--no-report")
    for path, kind, words in (
        ("genes-pca/model.npz", "JacobiPCA", ["3 components of length 30", "gene ", "cumulative"]),
        ("friends-graph/model.npz", "GraphFourier", ["2 components of length 6", "frequency"]),
        ("S-eig/model.npz", "EigenResult", ["2 components of length 30", "eigenvalue", "none, it was refined"]),
    ):
        output = run("info", path).stdout
        assert run_json("info", path)["kind"] == kind
        for word in (kind, *words):
            assert word in output
    record = run_json("info", "genes-pca/model.npz")
    assert record["explained_variance_ratio"] == model.explained_variance_ratio_.tolist()
    assert "feature_names" not in record
    for component, row in zip(record["components"], model.components_, strict=True):
        assert {part["feature"]: part["loading"] for part in component} == {
            GENES[t]: row[t] for t in np.flatnonzero(row)
        }
        assert [abs(part["loading"]) for part in component] == sorted(np.abs(row[row != 0]), reverse=True)
    assert record["parameters"]["density"] == 0.2


@pytest.mark.parametrize("command", [["info"], ["transform", "genes.csv"]])
def test_what_is_no_model_is_refused(command):
    write_csv("genes.csv")
    np.savez("data.npz", X=X)
    for path in ("genes.csv", "data.npz", "missing.npz", "."):
        result = run(command[0], path, *command[1:], code=2)
        assert re.search("not a jacobeig file|no file|is a folder", result.stderr)
        assert "pickle" not in result.stderr
    result = run(command[0], "genes.csv", *command[1:], code=2)
    assert "it looks like text, such as a table; give one that jacobeig saved, such as the model.npz" in result.stderr


# Compare, reproduce and the demo.


def test_compare_writes_a_table_and_a_picture():
    np.save("X.npy", X)
    record = run_json("compare", "X.npy", "-p", "2", "-m", "chain,threshold", "--densities", "10%,0.3")
    table = je.compare(X, 2, [0.1, 0.3], methods=["chain", "threshold"])
    assert [row["captured"] for row in record["rows"]] == [row.captured for row in table.rows]
    assert [(row["method"], row["asked"]) for row in record["rows"]] == [(r.method, r.asked) for r in table.rows]
    assert Path("X-compare/comparison.png").read_bytes().startswith(b"\x89PNG")
    assert len(read_components("X-compare/comparison.csv")) == 4
    output = run("compare", "X.npy", "-p", "2", "-m", "chain", "--densities", "0.3").stdout
    assert f"{table.rows[2].captured:.1%}" in output


def test_compare_takes_quick_methods_by_default_and_refuses_unknown_ones():
    np.save("X.npy", X[:, :8])
    methods = {row["method"] for row in run_json("compare", "X.npy", "-p", "2", "--densities", "0.5")["rows"]}
    assert {"chain", "refine", "tpower"} <= methods
    assert "'nothing'" in run("compare", "X.npy", "-m", "nothing", code=2).stderr
    assert "at most 8" in run("compare", "X.npy", "-p", "9", code=2).stderr


def test_compare_says_which_densities_and_methods_it_leaves_out(monkeypatch):
    np.save("X.npy", X[:, :8])
    [note] = run_json("compare", "X.npy", "-p", "2", "-m", "threshold")["notes"]
    assert "With 8 features the usual densities 2%, 5%, 10% would allow less than one nonzero" in note
    assert "one density is left" not in note
    np.save("X.npy", X[:, :4])
    assert "so one density is left" in run_json("compare", "X.npy", "-p", "2", "-m", "threshold")["notes"][0]
    monkeypatch.setattr("jacobeig.cli.compare.SMALL", 3)
    record = run_json("compare", "X.npy", "-p", "2", "--densities", "50%")
    assert {row["method"] for row in record["rows"]} == {"paper", "chain", "tpower", "threshold"}
    [note] = record["notes"]
    brings_back = re.search(r"--methods (\S+) brings", note)[1]
    record = run_json("compare", "X.npy", "-p", "2", "--densities", "50%", "--methods", brings_back)
    assert {"refine", "free", "gpower"} < {row["method"] for row in record["rows"]}
    assert record["notes"] == []


def test_seconds_are_those_of_one_density_after_a_first_run(monkeypatch):
    calls = []
    real = je.comparison.compare

    def compare(matrix, *arguments, **options):
        calls.append(np.shape(matrix))
        return real(matrix, *arguments, **options)

    monkeypatch.setattr("jacobeig.comparison.compare", compare)
    np.save("X.npy", X)
    result = run("compare", "X.npy", "-p", "2", "-m", "threshold", "--densities", "20%,50%")
    assert calls == [(12, 12), X.shape]
    rows = read_components("X-compare/comparison.csv")
    mean = sum(float(row["seconds"]) for row in rows) / 2
    assert f"{mean:.3f}" in result.stdout
    assert "Seconds are the mean of one density." in result.stdout


def test_every_method_is_explained():
    lines = run("compare", "--list-methods").stdout.splitlines()
    meanings = dict(re.split("  +", line, maxsplit=1) for line in lines)
    assert list(meanings) == [*je.comparison.OURS, *je.baselines.METHODS]
    page = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | {meaning} |" in page for name, meaning in meanings.items())


@pytest.fixture
def experiments(monkeypatch):
    """Stand in for the experiments, which have tests of their own."""
    calls = []

    def reproduce(names=(), output="figures", *, quick=False, usps=None, mnist=None, progress=False):
        calls.append((names, quick, usps, mnist))
        path = Path(output) / "random.png"
        path.write_bytes(b"picture")
        return [types.SimpleNamespace(name="random", files=[path], sentence="It agrees with the paper.")]

    module = types.ModuleType("jacobeig.experiments")
    module.FIGURES = {
        "random": types.SimpleNamespace(summary="Random matrices."),
        "usps": types.SimpleNamespace(summary="Digits."),
    }
    module.reproduce = reproduce
    monkeypatch.setitem(sys.modules, "jacobeig.experiments", module)
    return calls


def test_reproduce_passes_everything_on_and_tells_the_outcomes(experiments):
    Path("digits.npz").write_bytes(b"digits")
    result = run("reproduce", "random", "--quick", "--usps", "digits.npz", "--output", "out")
    assert experiments == [(("random",), True, Path("digits.npz"), None)]
    assert "It agrees with the paper." in result.stdout
    record = run_json("reproduce", "-o", "out")
    assert record["files"] == {"random.png": "out/random.png"}
    assert record["figures"] == {"random": "It agrees with the paper."}


def test_reproduce_lists_figures_and_refuses_unknown_ones(experiments):
    assert run("reproduce", "--list").stdout == "random  Random matrices.\nusps    Digits.\n"
    assert "did you mean 'random'?" in run("reproduce", "randon", code=2).stderr
    assert "which is not a file" in run("reproduce", "--mnist", "missing.npz", code=2).stderr
    assert experiments == []


def test_the_demo_prints_the_tradeoff_and_writes_a_picture(tmp_path):
    picture = tmp_path / "demo.png"
    result = run("demo", "--output", picture, "--components", "3")
    assert "density" in result.output
    assert "accuracy" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_demo_in_a_folder_that_does_not_exist_is_answered_in_a_sentence(tmp_path):
    run("demo", "--output", tmp_path / "missing" / "demo.png", "--components", "2", code=1)


# What is said, and to whom.


def test_the_version_is_printed():
    assert run("--version").output.strip() == f"jacobeig {__version__}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_examples(command):
    output = run(command, "--help").stdout
    assert "Examples" in output
    assert f"jacobeig {command}" in output


def test_the_help_lists_commands_and_exit_codes():
    output = run("--help").stdout
    for word in (*COMMANDS, "Exit codes", "130 interrupted"):
        assert word in output


def test_the_help_lists_the_pivots():
    output = " ".join(run("pca", "--help").stdout.replace("│", " ").split())
    assert "auto, gain, gain_per_nonzero, offdiagonal, classic, cyclic, random" in output
    for pivot in PIVOTS:
        je.sparse_eigsh(S[:6, :6], 2, n_rotations=2, pivot=pivot, rng=0)


@pytest.mark.parametrize("columns", [70, 80, 120])
def test_leading_features_take_two_lines_and_are_not_cut(columns, monkeypatch):
    names = [f"{word}_of_{t}" for t, word in enumerate(["flavanoids", "alcohol", "alcalinity_and_ash"] * 10)]
    vectors = sparse.csc_array(je.JacobiPCA(3, max_nonzeros=7).fit(X).components_.T)
    console = Console(width=columns, file=io.StringIO())
    monkeypatch.setattr("jacobeig.cli._summary.stdout", console)
    console.print(components_table({"variance": ["10.0%"] * 3, "cumulative": ["10.0%"] * 3}, vectors, names))
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


def test_vectors_without_any_error_are_orthonormal_to_rounding():
    np.save("S.npy", np.diag([1.0, 2.0, 3.0, 4.0]))
    output = run("eig", "S.npy", "--no-report").stdout
    assert "orthonormal to rounding" in output
    assert "0e+00" not in output
    assert "rounding" in run("info", "S-eig/model.npz").stdout


def test_quiet_says_nothing(report):
    write_csv("genes.csv")
    result = run("pca", "genes.csv", "-p", "2", "--quiet")
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
    run("pca", "genes.csv", "-p", "3", "-d", "0.5")
    assert {row["feature"] for row in read_components("genes-pca/components.csv")} <= set(names)
    assert "[bold]" in run("info", "genes-pca/model.npz").stdout


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("n_components is 9: give at most 4.", "--components is 9: give at most 4."),
        ("leave it out with drop='a b'.", "leave it out with --drop 'a b'."),
        ("or say header=False.", "or say --no-header."),
        ("density is 2; give a fraction.", "--density is 2; give a fraction."),
        ("give more n_rotations for more", "give more --rotations for more"),
        ("REFINED; effort='best' searches longer.", "REFINED; --refine best searches longer."),
        ("scale=True divides", "--scale divides"),
    ],
)  # fmt: skip
def test_the_library_s_words_become_options(said, meant):
    assert in_options(said) == meant


# How it fails.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pca"], "Missing argument 'DATA'"),
        (["nothing"], "No such command"),
        (["pca", "genes.csv", "--colour"], "No such option"),
        (["pca", "genes.csv", "-p", "0"], "Error: --components is 0; give a whole number of at least 1: try"),
        (["pca", "genes.csv", "-p", "two"], "Error: --components is two; give a whole number: try"),
        (["pca", "genes.csv", "--max-nonzeros=1.5"], "Error: --max-nonzeros is 1.5; give a whole number: try"),
        (["demo", "-p", "99"], "Error: --components is 99; give a whole number"),
        (["pca", "genes.csv", "-p", "31"], "--components is 31, but there are 30 features: give at most 30"),
        (["pca", "genes.csv", "-d", "5"], "did you mean 5%?"),
        (["pca", "genes.csv", "-d", "some"], "--density is 'some'"),
        (
            ["pca", "genes.csv", "-d", "150%"],
            "--density is 150%; give a share above 0 and at most 1, such as 0.05 or 5%.\n",
        ),
        (
            ["pca", "genes.csv", "-p", "2", "-d", "2.5%"],
            "--density is 0.025 (2.5%), which allows 1 nonzero in 2 vectors of length 30; every vector needs one: give "
            "at least 0.0334 (3.34%).",
        ),
        (["eig", "named.csv"], "column 'kind' holds text ('red' in row 1): a matrix holds numbers only; for a table"),
        (["eig", "gaps.csv"], "row 2 has no value in column 'a': fill it in."),
        (["graph", "weights.csv"], "column 'weight' holds 'much' in row 2, which is not a number: correct it."),
        (["graph", "named.csv"], "column 'kind' holds text ('red' in row 1): a list of edges has 2 or 3 columns"),
        (["pca", "genes.csv", "--shape", "8x8"], "--shape is 8x8, which has 64 pixels; there are 30 columns"),
        (["pca", "genes.csv", "--shape", "round"], "--shape is 'round'"),
        (["pca", "genes.csv", "--refine", "much"], "--refine is much; give one of 'off', 'quick', 'best': try"),
        (["pca", "genes.csv", "--pivot", "guess"], "guess"),
        (["pca", "genes.csv", "--label", "gene"], "did you mean 'gene "),
        (["pca", "genes.cvs"], "did you mean genes.csv?"),
        (["pca", "wine.csv"], "Error: There is no file wine.csv.\n"),
        (["pca", "genes.csv", "--drop", "general"], "there are 'sample', 'gene 0'"),
        (["pca", "other/genes.csv"], "nor a folder other"),
        (["pca", "."], "is a folder; give a file in it, such as empty.csv"),
        (["pca", "genes.xlsx"], "known are"),
        (["pca", "empty.csv"], "empty.csv is empty"),
        (["pca", "rubbish.csv"], "is not text"),
        (["pca", "rubbish.npy"], "rubbish.npy is not an npy file, or it is damaged.\n"),
        (["pca", "holes.csv"], "holes.csv: row 2 has no value in column 'a'"),
        (["pca", "one.csv"], "at least two of both"),
        (["pca", "flat.csv", "--scale"], "1 column never change, first 'b'"),
        (["eig", "genes.csv"], "a symmetric matrix is square"),
        (["eig", "genes.csv", "--which", "XX"], "--which"),
        (["graph", "genes.csv"], "a list of edges has 2 or 3 columns"),
        (["graph", "loop.csv"], "a single node"),
        (["transform", "genes.csv", "genes.csv"], "not a jacobeig file"),
    ],
)
def test_wrong_usage_and_input_are_answered_in_one_sentence(arguments, words):
    write_csv("genes.csv")
    for name, content in {
        "genes.xlsx": b"PK", "empty.csv": b"", "rubbish.csv": bytes(range(256)), "rubbish.npy": bytes(range(256)),
        "holes.csv": b"a,b\n1,2\n,4\n5,6\n", "one.csv": b"a,b\n1,2\n", "flat.csv": b"a,b\n1,2\n3,2\n5,2\n",
        "loop.csv": b"from,to\nanna,anna\n", "weights.csv": b"from,to,weight\na,b,1\nb,c,much\nc,a,2\n",
        "named.csv": b"a,b,c,kind\n1,2,3,red\n2,1,3,blue\n3,3,1,red\n", "gaps.csv": b"a,b\n1,2\n,4\n",
    }.items():  # fmt: skip
        Path(name).write_bytes(content)
    before = sorted(Path().iterdir())
    result = run(*arguments, code=2)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stderr.startswith("Error: ")
    assert words in result.stderr
    assert "pickle" not in result.stderr
    assert arguments[0] not in ("eig", "graph") or not re.search("--(drop|label)", result.stderr)
    assert sorted(Path().iterdir()) == before


def test_files_that_may_not_be_read_or_written_are_answered(monkeypatch):
    write_csv("genes.csv")
    if os.geteuid() == 0:  # who may do everything
        real = open
        monkeypatch.setattr(
            "builtins.open",
            lambda file, *rest, **more: (
                _forbidden(file) if Path(str(file)).name == "genes.csv" else real(file, *rest, **more)
            ),
        )
    else:
        Path("genes.csv").chmod(0)
    assert "may not be read by you" in run("pca", "genes.csv", code=2).stderr


def _forbidden(file):
    raise PermissionError(errno.EACCES, "Permission denied", str(file))


def test_an_output_that_cannot_be_a_folder_is_answered(monkeypatch):
    write_csv("genes.csv")
    Path("file").write_text("", encoding="utf-8")
    assert "which is a file; give a folder" in run("pca", "genes.csv", "-o", "file", code=2).stderr
    monkeypatch.setattr("os.access", lambda _, mode: not mode & os.W_OK)
    assert "may not write to this folder" in run("pca", "genes.csv", "-o", "locked", code=1).stderr
    assert not Path("file").read_text(encoding="utf-8")


def test_a_full_disk_leaves_nothing_half_written(monkeypatch):
    fitted()
    before = {path.name: path.read_bytes() for path in Path("genes-pca").iterdir()}

    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archive.os, "replace", full)
    result = run("pca", "genes.csv", "-p", "2", "--no-report", code=1)
    assert "No space left on device" in result.stderr
    assert {path.name: path.read_bytes() for path in Path("genes-pca").iterdir()} == before


def test_missing_memory_and_faults_have_codes_of_their_own(monkeypatch):
    write_csv("genes.csv")
    for error, code, words in ((MemoryError(), 1, "not enough memory"), (RuntimeError("odd"), 70, "RuntimeError: odd")):

        def fail(*_args, _error=error, **_options):
            raise _error

        monkeypatch.setattr(je.JacobiPCA, "fit", fail)
        assert words in run("pca", "genes.csv", code=code).stderr
        assert not Path("genes-pca").exists()


def test_a_missing_extra_is_answered_with_what_to_install(monkeypatch):
    write_csv("genes.csv")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert (
        'pandas is not installed: run `python -m pip install "jacobeig[cli]"`.'
        in run("pca", "genes.csv", code=1).stderr
    )


def test_without_typer_one_line_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from jacobeig.__main__ import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert result.returncode == 1
    assert result.stderr.strip().splitlines() == [
        'typer is not installed: run `python -m pip install "jacobeig[cli]"`.'
    ]


# As a program.


def test_a_pipeline_of_programs_works():
    write_csv("genes.csv")
    result = program("pca", "-", "-p", "2", "-d", "0.2", "--no-report", "--json", input=Path("genes.csv").read_bytes())
    assert result.returncode == 0, result.stderr
    assert result.stderr == b""
    model = je.JacobiPCA(2, density=0.2).fit(X)
    assert json.loads(result.stdout)["explained_variance"] == model.explained_variance_.tolist()
    result = program("transform", "stdin-pca/model.npz", "-", "-o", "-", input=Path("genes.csv").read_bytes())
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 21


def test_exit_codes_reach_the_shell():
    assert program("info", "nothing.npz").returncode == Exit.WRONG_INPUT
    assert program("demo", "-p", "2", "-o", "missing/x.png").returncode == Exit.FAILED
    result = program("pca", "nothing.csv", "--json")
    assert (result.returncode, json.loads(result.stdout)["exit_code"]) == (2, 2)


@pytest.mark.skipif(os.name != "posix", reason="pipes of another kind")
def test_a_reader_that_goes_away_is_no_fault():
    values = np.random.default_rng(0).standard_normal((20_000, 30))
    np.save("many.npy", values)
    fitted()
    command = [sys.executable, "-m", "jacobeig", "transform", "genes-pca/model.npz", "many.npy", "-o", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout.readline().startswith(b"component 1")
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(timeout=60) == Exit.CLOSED_PIPE
    assert b"Traceback" not in errors
    assert b"Exception" not in errors


@pytest.mark.skipif(os.name != "posix", reason="signals of another kind")
def test_an_interrupt_leaves_nothing_and_says_so():
    command = [sys.executable, "-m", "jacobeig", "pca", "-", "-o", "out"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # What a shell starts in the background ignores the signal, and so would its children.
    listens = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=listens, **pipes) as process:
        process.stdin.write(b"a,b\n1,2\n")
        process.stdin.flush()
        time.sleep(8)  # it has loaded its libraries and waits for more
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == Exit.INTERRUPTED
    assert out == b""
    assert errors.decode().strip() == "Error: Interrupted; nothing incomplete was left behind."
    assert not Path("out").exists()


def test_shells_are_given_commands_methods_and_choices():
    def complete(words):
        environment = ENVIRONMENT | {
            "_JACOBEIG_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": f"jacobeig {words}",
        }  # fmt: skip
        code = "import sys; sys.argv = ['jacobeig']; from jacobeig.cli import app; app(prog_name='jacobeig')"
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False).stdout

    assert "transform" in complete("tr")
    assert "tpower" in complete("compare x.csv --methods tp")
    assert "chain,threshold" in complete("compare x.csv --methods chain,thr")
    assert "quick" in complete("pca x.csv --refine q")
