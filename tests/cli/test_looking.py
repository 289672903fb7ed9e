"""`jacobeig compare`, `reproduce` and `demo`: what they run and show."""

import re
import types
from pathlib import Path

import numpy as np
import pytest
from commands import (
    X,
    read_rows,
    run,
    run_json,
)

import jacobeig as je
from jacobeig.cli._tables import METHODS, choose_methods, choose_shares


def test_compare_writes_a_table_and_a_picture():
    np.save("X.npy", X)
    record = run_json("compare", "X.npy", "-p", "2", "-m", "chain,threshold", "--densities", "10%,0.3")
    table = je.compare(X, 2, [0.1, 0.3], methods=["chain", "threshold"])
    assert [row["captured"] for row in record["rows"]] == [row.captured for row in table.rows]
    assert [(row["method"], row["asked"]) for row in record["rows"]] == [(r.method, r.asked) for r in table.rows]
    assert Path("X-compare/comparison.png").read_bytes().startswith(b"\x89PNG")
    assert len(read_rows("X-compare/comparison.csv")) == 4
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
    monkeypatch.setitem(METHODS, "tpower", 3)
    monkeypatch.setitem(METHODS, "gpower", 3)
    record = run_json("compare", "X.npy", "-p", "2", "--densities", "50%")
    assert {row["method"] for row in record["rows"]} == {"paper", "chain", "threshold", "refine", "free", "bound"}
    [note] = record["notes"]
    brings_back = re.search(r"--methods (\S+) brings", note)[1]
    record = run_json("compare", "X.npy", "-p", "2", "--densities", "50%", "--methods", brings_back)
    assert {"tpower", "gpower"} < {row["method"] for row in record["rows"]}
    assert record["notes"] == []


def test_many_features_are_compared_at_lower_densities_by_fewer_methods():
    assert choose_methods(5_000) == (["paper", "chain", "threshold", "refine"], ["free", "tpower", "gpower", "bound"])
    assert choose_methods(2_000)[0] == ["paper", "chain", "threshold", "refine", "free"]
    assert [max(choose_shares(n)) for n in (1_000, 1_001, 3_000, 3_001)] == [0.5, 0.02, 0.02, 0.01]


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
    rows = read_rows("X-compare/comparison.csv")
    mean = sum(float(row["seconds"]) for row in rows) / 2
    assert f"{mean:.3f}" in result.stdout
    assert "Seconds are the mean of one density." in result.stdout


def test_every_method_is_explained():
    lines = run("compare", "--list-methods").stdout.splitlines()
    meanings = dict(re.split("  +", line, maxsplit=1) for line in lines)
    assert list(meanings) == [*je.comparison.OURS, "bound", "free bound", *je.baselines.METHODS]
    page = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | {meaning} |" in page for name, meaning in meanings.items())


@pytest.fixture
def experiments(monkeypatch):
    """Stand in for the experiments, which have tests of their own."""
    calls = []

    def reproduce(names=(), output="figures", *, quick=False, usps=None, mnist=None, progress=False):
        calls.append((names, quick, usps, mnist))
        path = Path(output) / "random.png"
        path.parent.mkdir()
        path.write_bytes(b"picture")
        return [types.SimpleNamespace(name="random", files=[path], sentence="It agrees with the paper.")]

    figures = {
        "random": types.SimpleNamespace(summary="Random matrices."),
        "usps": types.SimpleNamespace(summary="Digits."),
    }
    monkeypatch.setattr(je, "experiments", types.SimpleNamespace(FIGURES=figures, reproduce=reproduce))
    return calls


def test_reproduce_passes_everything_on_and_tells_the_outcomes(experiments):
    Path("digits.npz").write_bytes(b"digits")
    result = run("reproduce", "random", "--quick", "--usps", "digits.npz", "--output", "out")
    assert experiments == [(("random",), True, Path("digits.npz"), None)]
    assert "It agrees with the paper." in result.stdout
    record = run_json("reproduce", "-o", "all")
    assert record["files"] == {"random.png": "all/random.png"}
    assert record["figures"] == {"random": "It agrees with the paper."}


def test_reproduce_refuses_unknown_figures_before_it_makes_a_folder():
    assert "there is no figure 'randon': did you mean 'random'?" in run("reproduce", "randon", code=2).stderr
    assert not Path("figures").exists()


def test_reproduce_lists_figures_and_refuses_files_that_are_not_there(experiments):
    assert run("reproduce", "--list").stdout == "random  Random matrices.\nusps    Digits.\n"
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
