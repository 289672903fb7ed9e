"""`jacobeig transform` and `jacobeig info`: what they make of a model."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from commands import (
    GENES,
    SAMPLES,
    S,
    X,
    fit_genes,
    run,
    run_json,
    write_csv,
    write_edges,
)

import jacobeig as je


def test_features_in_rows_are_recognised():
    fit_genes()
    write_csv("transposed.csv", X.T, SAMPLES, GENES)
    result = run("transform", "genes-pca/model.npz", "transposed.csv", code=2)
    assert "the features of the model are the rows of the file: add --transpose" in result.stderr
    run("transform", "genes-pca/model.npz", "transposed.csv", "--transpose")
    assert "leave --transpose out" in run("transform", "genes-pca/model.npz", "genes.csv", "--transpose", code=2).stderr


def test_transform_gives_the_numbers_of_the_library_with_names_and_labels():
    model = fit_genes()
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
    fit_genes()
    run("transform", "genes-pca/model.npz", "genes.csv", "-o", "straight.csv")
    order = np.random.default_rng(1).permutation(30)
    write_csv("shuffled.csv", X[:, order], [GENES[t] for t in order])
    result = run("transform", "genes-pca/model.npz", "shuffled.csv", "-o", "shuffled-scores.csv")
    assert "matched by name" in result.stderr
    assert Path("straight.csv").read_text() == Path("shuffled-scores.csv").read_text()


def test_transform_says_which_columns_differ():
    fit_genes()
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
    fit_genes()
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
    run("graph", "friends.csv", "-p", "2", "--directed", "--refine", "off", "--no-report")
    model = je.GraphFourier.load("friends-graph/model.npz")
    np.save("signals.npy", np.eye(6))
    run("transform", "friends-graph/model.npz", "signals.npy")
    table = np.loadtxt("signals-scores.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, ::2] + 1j * table[:, 1::2], model.transform(np.eye(6)))


def test_info_recognises_every_kind_of_model():
    model = fit_genes()
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


def test_a_command_with_a_checkpoint_is_not_done_twice():
    write_csv("genes.csv")
    quickly = ("-d", "0.2", "--refine", "quick", "--no-front", "--no-report", "-q")
    for folder in ("first", "second"):
        run("pca", "genes.csv", "-p", "3", *quickly, "--checkpoint", "run.npz", "-o", folder)
    first, second = (je.JacobiPCA.load(f"{folder}/model.npz") for folder in ("first", "second"))
    np.testing.assert_array_equal(first.components_, second.components_)
    assert first.checkpoint is None
    said = run("pca", "genes.csv", "-p", "4", *quickly, "--checkpoint", "run.npz", code=2).stderr
    assert "--checkpoint is run.npz, which belongs to another run: n_components was 3 and is 4; give what" in said
