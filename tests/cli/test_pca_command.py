"""`jacobeig pca`: what it computes, writes and suggests."""

import shlex
import sys
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
from scipy import sparse

import jacobeig as je

# For tests of what comes before and after the fit.
QUICKLY = ("--refine", "off", "--no-report")


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
        "front": "genes-pca/front.csv",
        "report": "genes-pca/report.html",
    }
    assert {path.name for path in Path("genes-pca").iterdir()} == {Path(path).name for path in record["files"].values()}


def test_components_are_listed_by_weight_in_full_precision(report):
    write_csv("genes.csv")
    run("pca", "genes.csv", "-p", "3", "--density", "0.2", "--refine", "off")
    rows = read_rows("genes-pca/components.csv")
    back = np.zeros((3, 30))
    for row in rows:
        back[int(row["component"]) - 1, GENES.index(row["feature"])] = float(row["loading"])
    np.testing.assert_array_equal(back, je.JacobiPCA(3, density=0.2, refine=False).fit(X).components_)
    first = [abs(float(row["loading"])) for row in rows if row["component"] == "1"]
    assert first == sorted(first, reverse=True)
    assert [int(row["rank"]) for row in rows if row["component"] == "1"] == list(range(1, len(first) + 1))


def test_the_summary_tells_variance_nonzeros_features_files_and_what_is_next(report):
    write_csv("genes.csv")
    output = run("pca", "genes.csv", "-p", "3", "--max-nonzeros", "5", "--refine", "off").stdout
    model = je.JacobiPCA(3, max_nonzeros=5, refine=False).fit(X)
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
        (["--max-nonzeros", "4", "--refine", "off"], {"max_nonzeros": 4, "refine": False}),
        (["--no-center", "-d", "0.3", "--refine", "off"], {"center": False, "density": 0.3, "refine": False}),
        (["--scale", "-d", "30%", "--refine", "off"], {"scale": True, "density": 0.3, "refine": False}),
        (["--refine", "quick", "-d", "0.3"], {"refine": True, "density": 0.3}),
        (["--no-orthonormal", "--refine", "quick"], {"orthonormal": False, "refine": True}),
        (
            ["--pivot", "gain", "--target", "log", "--rotations", "9"],
            {"pivot": "gain", "target": "log", "n_rotations": 9},
        ),
        ([], {}),
    ],
)
def test_every_option_of_pca_reaches_the_model(arguments, parameters):
    np.save("x.npy", X)
    run("pca", "x.npy", "-p", "2", "--no-report", "--no-front", "--quiet", *arguments)
    model, saved = je.JacobiPCA(2, **parameters).fit(X), je.JacobiPCA.load("x-pca/model.npz")
    np.testing.assert_array_equal(saved.components_, model.components_)
    assert saved.get_params() == model.get_params()


def test_labels_and_dropped_columns_are_left_out():
    write_csv("genes.csv", extra=("kind", ["red", "blue"] * 10))
    assert run_json("pca", "genes.csv", "-p", "2", "--label", "kind", *QUICKLY)["n_features"] == 30
    record = run_json("pca", "genes.csv", "-p", "2", "--drop", "kind", "--drop", "gene 0", *QUICKLY)
    assert record["n_features"] == 29
    result = run("pca", "genes.csv", code=2)
    assert "column 'kind' holds text ('red' in row 1 ('patient 0'))" in result.stderr
    assert "--label kind" in result.stderr


def test_labels_go_to_the_scores_and_to_the_report(report, monkeypatch):
    kinds = ["red", "blue"] * 10
    write_csv("genes.csv", extra=("kind", kinds))
    run("pca", "genes.csv", "-p", "2", "--label", "kind", "--refine", "off")
    run("transform", "genes-pca/model.npz", "genes.csv", "--label", "kind")
    scores = Path("genes-pca/scores.csv").read_text(encoding="utf-8")
    assert scores == Path("genes-scores.csv").read_text(encoding="utf-8")
    assert scores.splitlines()[0] == "row,kind,component 1,component 2"
    monkeypatch.setattr("jacobeig.cli.pca.PAGE_ENTRIES", X.size - 1)
    run("pca", "genes.csv", "-p", "2", "--label", "kind", "--refine", "off")
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


def test_a_feature_with_almost_all_the_variance_is_named_with_the_option_that_helps():
    write_csv("genes.csv", X * np.where(np.arange(30) == 7, 100.0, 1.0))
    for command in (["pca", *QUICKLY], ["compare", "-m", "threshold", "--densities", "50%"]):
        [note] = run_json(*command, "genes.csv")["notes"]
        assert note.startswith("'gene 7' has 99.")
        assert "--scale gives them equal weight" in note
        assert run_json(*command, "genes.csv", "--scale")["notes"] == []
    sparse.save_npz("x.npz", sparse.csr_array(X * np.where(np.arange(30) == 7, 100.0, 1.0)))
    [note] = run_json("pca", "x.npz", *QUICKLY)["notes"]
    assert note.startswith("'column 8' has 99.")
    rest = X[:, np.arange(30) != 7].var(axis=0).sum() / X[:, 7].var()
    for share in (0.7, 0.85):
        write_csv("some.csv", X * np.where(np.arange(30) == 7, np.sqrt(rest * share / (1 - share)), 1.0))
        notes = run_json("pca", "some.csv", *QUICKLY)["notes"]
        assert [note[:21] for note in notes] == (["'gene 7' has 85.0% of"] if share > 0.8 else [])
    write_csv("constant.csv", np.where(np.arange(30) == 7, 1e30, X))  # whose mean is not 1e30 to the last digit
    assert run_json("pca", "constant.csv", *QUICKLY)["notes"] == []


def test_refits_say_how_often_features_are_chosen_again(report):
    write_csv("genes.csv")
    record = run_json("pca", "genes.csv", "-p", "3", "--max-nonzeros", "5", "--refine", "quick", "--stability", "4")
    model = je.JacobiPCA.load("genes-pca/model.npz")
    stability = je.JacobiPCA(**model.get_params()).fit(X).stability(X, n_refits=4)
    assert record["n_refits"] == 4
    for row in read_rows("genes-pca/components.csv"):
        t, i = int(row["component"]) - 1, GENES.index(row["feature"])
        assert float(row["chosen again"]) == stability.frequencies[t, i]
    own = [row[support] for row, support in zip(stability.frequencies, model.components_ != 0, strict=True)]
    assert record["chosen_again"] == [row.mean() for row in own]
    [(_, options)] = report
    np.testing.assert_array_equal(options["stability"].frequencies, stability.frequencies)


def test_components_of_a_single_feature_each_bring_a_note():
    write_csv("genes.csv")
    [note] = run_json("pca", "genes.csv", "-p", "2", "--max-nonzeros", "1", *QUICKLY)["notes"]
    assert note.startswith("Every component is a single feature")
    assert run_json("pca", "genes.csv", "-p", "2", "--max-nonzeros", "2", *QUICKLY)["notes"] == []


def test_the_knee_of_the_front_is_suggested_as_a_command_that_reaches_it():
    write_csv("genes.csv")
    *_, knee = next_commands(run("pca", "genes.csv", "-p", "3", "--no-report", "--refine", "quick").stdout)
    assert knee[:2] == ["pca", "genes.csv"]
    front = read_rows("genes-pca/front.csv")
    allowed = float(knee[knee.index("--density") + 1].rstrip("%")) / 100
    assert any(abs(float(row["density"]) - allowed) < 2e-3 for row in front)
    assert run_json(*knee, "--no-front")["density"] <= allowed


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
        ("bare.csv", ["--no-header", "--scale"]),
        ("gaps.csv", ["--impute", "median", "--no-center"]),
        ("array.npy", ["--names", "genes.txt"]),
    ],
)
def test_the_commands_to_go_on_with_run_as_printed(file, arguments):
    write_csv("labelled.csv", extra=("the kind", ["red", "blue"] * 10))
    write_csv("transposed.csv", X.T, SAMPLES, GENES)
    write_csv("bare.csv", X[1:], X[0].tolist(), None)
    write_csv("gaps.csv", np.where(np.arange(30) == np.arange(20)[:, np.newaxis], np.nan, X))
    np.savez("several.npz", first=X[:, :5], second=X)
    np.save("array.npy", X)
    Path("genes.txt").write_text("\n".join(GENES), encoding="utf-8")
    output = run("pca", file, "-p", "2", "--density", "20%", "--refine", "off", "--no-report", *arguments).stdout
    transform, compare, refine = next_commands(output)
    run(*transform)
    run(*compare, "--methods", "threshold", "--densities", "50%")
    for option in set(arguments) & {"--scale", "--no-center"}:
        assert option in compare
    before = je.JacobiPCA.load(f"{Path(file).stem}-pca/model.npz").total_explained_variance_ratio_
    run(*refine, "--output", "refined", "--no-front")
    assert je.JacobiPCA.load("refined/model.npz").total_explained_variance_ratio_ >= before
    scores = Path(f"{Path(file).stem}-scores.csv").read_text(encoding="utf-8")
    assert scores == Path(f"{Path(file).stem}-pca/scores.csv").read_text(encoding="utf-8")
    assert len(scores.splitlines()) == 21


def test_the_report_is_given_names_shape_and_title(report):
    write_csv("genes.csv")
    run("pca", "genes.csv", "-p", "2", "--shape", "5x6", "--refine", "off")
    np.save("S.npy", S)
    run("eig", "S.npy", "-p", "2")
    [(model, options), (result, of_matrix)] = report
    assert isinstance(model, je.JacobiPCA)
    np.testing.assert_array_equal(options.pop("data"), X)
    assert list(options.pop("sample_names")) == SAMPLES
    assert options == {
        "feature_names": GENES, "shape": (5, 6), "title": "Sparse principal components of genes", "labels": None,
        "certificates": None, "stability": None, "front": None,
    }  # fmt: skip
    assert isinstance(result, je.EigenResult)
    np.testing.assert_array_equal(of_matrix["matrix"], S)
    assert of_matrix["feature_names"][0] == "row 1"


def test_without_the_library_of_the_report_the_rest_is_written_and_told(monkeypatch):
    write_csv("genes.csv")
    monkeypatch.setitem(sys.modules, "jacobeig.explorer", None)
    record = run_json("pca", "genes.csv", "-p", "2", "--refine", "quick")
    assert sorted(record["files"]) == ["components", "front", "model", "scores"]
    assert "No report.html" in record["notes"][0]


def test_the_report_is_given_samples_and_labels_by_name(report):
    write_csv("genes.csv", extra=("kind", ["red", "blue"] * 10))
    run("pca", "genes.csv", "-p", "2", "--label", "kind", "--refine", "off")
    ((_, given),) = report
    np.testing.assert_array_equal(given["data"], X)
    assert list(given["sample_names"]) == SAMPLES
    assert (given["labels"].name, given["labels"].tolist()) == ("kind", ["red", "blue"] * 10)


def test_certify_says_how_much_better_any_components_could_be():
    write_csv("genes.csv")
    arguments = (
        "pca",
        "genes.csv",
        "-p",
        "2",
        "--max-nonzeros",
        "4",
        "--refine",
        "quick",
        "--no-report",
        "--no-front",
        "--certify",
    )
    record = run_json(*arguments)["certificate"]
    certificate = je.JacobiPCA(2, max_nonzeros=4, refine=True).fit(X).certify(X)
    assert record["claim"] == certificate.claim
    assert record["bound"] == certificate.bound
    assert 0.0 < record["share"] <= 1.0
    said = " ".join(run(*arguments).stdout.split())
    assert "of what any 2 orthonormal vectors with at most 4 nonzeros each could" in said


def test_the_front_is_written_where_it_is_quick_or_wanted():
    np.save("x.npy", X)
    run("pca", "x.npy", "-p", "2", "--refine", "quick", "--no-report", "--quiet")
    path = je.JacobiPCA(2, refine=True).fit(X).path()
    lines = Path("x-pca/front.csv").read_text().splitlines()
    assert lines[0] == "nonzeros,density,explained variance,share of the variance"
    assert [float(line.split(",")[2]) for line in lines[1:]] == path.explained_variance.tolist()
    assert "front" not in run_json("pca", "x.npy", "-p", "2", "--refine", "quick", "--no-report", "--no-front")["files"]
    assert "front" not in run_json("pca", "x.npy", "-p", "2", "--no-report", "--refine", "off")["files"]
    assert not Path("x-pca/front.csv").exists()


@pytest.mark.parametrize("wanted", [True, False])
def test_the_report_has_a_slider_if_and_only_if_there_is_a_front(wanted, monkeypatch):
    asked = []
    monkeypatch.setattr("jacobeig.explorer.report", lambda *_, front, **__: asked.append(front))
    np.save("x.npy", X)
    run("pca", "x.npy", "-p", "2", "--refine", "quick", "--front" if wanted else "--no-front", "--quiet")
    np.save("S.npy", np.ones((8, 8)) - np.eye(8))
    run("graph", "S.npy", "-p", "2", "--front" if wanted else "--no-front", "--quiet")
    assert asked == [wanted, wanted]
