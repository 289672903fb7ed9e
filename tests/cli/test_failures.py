"""How commands fail: one sentence, a code, and nothing changed."""

import errno
import os
import re
import sys
from pathlib import Path

import pytest
from commands import (
    fit_genes,
    run,
    write_csv,
)

import jacobeig as je


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
        (["graph", "many.csv"], "many.csv lists edges in 4 columns: keep those that are from, to and perhaps weight."),
        (
            ["graph", "signed.csv"],
            "the least weight is -2; frequencies need weights of at least 0. Take their absolute "
            "values, or pass a signed Laplacian of your own with `jacobeig eig --which SA`.",
        ),
        (["graph", "named.csv"], "column 'kind' holds text ('red' in row 1): a list of edges has 2 or 3 columns"),
        (["pca", "genes.csv", "--shape", "8x8"], "--shape is 8x8, which has 64 pixels; there are 30 columns"),
        (["pca", "genes.csv", "--shape", "round"], "--shape is 'round'"),
        (["pca", "genes.csv", "--refine", "much"], "--refine is much; give one of 'auto', 'off', 'quick', 'best': try"),
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
        (["pca", "money.csv"], "holds text ('$5' in row 1): write plain numbers, without signs and separators of thou"),
        (["pca", "huge.csv"], "column 'b' has entries up to 3e+200, too large for their squares to be added: divide"),
        (["pca", "genes.csv", "--drop", "Gene 3"], "did you mean 'gene 3'?"),
        (["eig", "genes.csv"], "a symmetric matrix is square"),
        (["eig", "genes.csv", "--which", "XX"], "--which"),
        (["eig", "two.csv", "--which", "BE", "--no-orthonormal"], "--which is 'BE', but a free basis has one end"),
        (["graph", "genes.csv"], "a list of edges has 2 or 3 columns"),
        (["graph", "loop.csv"], "a single node"),
        (["transform", "genes.csv", "genes.csv"], "not a jacobeig file"),
    ],
)
def test_wrong_usage_and_input_are_answered_in_one_sentence(arguments, words):
    write_csv("genes.csv")
    for name, content in {
        "genes.xlsx": b"PK", "empty.csv": b"", "rubbish.csv": bytes(range(256)), "rubbish.npy": bytes(range(256)),
        "holes.csv": b"a,b\n1,2\n,4\n5,6\n", "one.csv": b"a,b\n1,2\n", "two.csv": b"2,1\n1,2\n",
        "loop.csv": b"from,to\nanna,anna\n", "weights.csv": b"from,to,weight\na,b,1\nb,c,much\nc,a,2\n",
        "many.csv": b"from,to,weight,kind\na,b,1,x\nb,c,2,y\n", "signed.csv": b"from,to,weight\na,b,-2\nb,c,1\n",
        "money.csv": b"a,b,price\n1,2,$5\n2,1,\n3,3,$7.5\n", "huge.csv": b"a,b\n1,2e200\n2,1e200\n4,3e200\n",
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


@pytest.mark.parametrize("name", ["picture", "picture.txt", "a.b/picture"])
def test_a_demo_without_a_known_ending_is_answered_before_any_work(name):
    result = run("demo", "-o", name, code=2)
    assert result.stderr == f"Error: --output is {name}; give a name that ends in .png, .svg or .pdf.\n"
    assert not list(Path().iterdir())


def test_an_output_that_cannot_be_a_folder_is_answered(monkeypatch):
    write_csv("genes.csv")
    Path("file").write_text("", encoding="utf-8")
    assert "which is a file; give a folder" in run("pca", "genes.csv", "-o", "file", code=2).stderr
    monkeypatch.setattr("os.access", lambda _, mode: not mode & os.W_OK)
    assert "may not write to this folder" in run("pca", "genes.csv", "-o", "locked", code=1).stderr
    assert not Path("file").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="links that not everybody may make")
def test_links_that_lead_nowhere_are_answered():
    write_csv("genes.csv")
    Path("loop").symlink_to("loop")
    Path("gone.csv").symlink_to("moved.csv")
    quick = ("pca", "genes.csv", "-p", "2", "--refine", "off", "--no-report")
    for arguments, sentence in (
        (["pca", "loop"], "There is no file loop: it is a link to loop, which leads nowhere."),
        (["pca", "gone.csv"], "There is no file gone.csv: it is a link to moved.csv, which leads nowhere."),
        ([*quick, "-o", "loop"], "--output is loop, which is a link that leads to no folder; give a folder."),
        ([*quick, "-o", "loop/x"], f"--output is loop/x, but {Path('loop').absolute()} is a link that leads to no "
                                   "folder; give a folder."),
        ([*quick, "-o", "genes.csv/x"], f"--output is genes.csv/x, but {Path('genes.csv').absolute()} is a file; give "
                                        "a folder."),
    ):  # fmt: skip
        assert run(*arguments, code=2).stderr == f"Error: {sentence}\n"
    result = run(*quick, "--checkpoint", "loop", code=1)
    assert "loop: a checkpoint cannot be written here (it is a link that leads back to itself)" in result.stderr
    assert run("demo", "-o", "loop/x.png", code=1).stderr.startswith("Error: loop/x.png: ")
    assert sorted(path.name for path in Path().iterdir()) == ["genes.csv", "gone.csv", "loop"]


@pytest.mark.parametrize("step", range(1, 12))
def test_a_run_that_fails_while_files_are_moved_leaves_those_of_the_run_before(step, monkeypatch):
    fit_genes()
    Path("genes-pca/notes.txt").write_text("my own", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in Path("genes-pca").iterdir()}
    real, calls = os.replace, []

    def fill_the_disk(source, target):
        calls.append(target)
        if len(calls) == step:
            raise OSError(errno.ENOSPC, "No space left on device", str(source))
        real(source, target)

    monkeypatch.setattr("os.replace", fill_the_disk)
    result = run("pca", "genes.csv", "-p", "2", "--refine", "off", "--no-report", code=1)
    assert "No space left on device" in result.stderr
    assert "draft" not in result.stderr
    assert {path.name: path.read_bytes() for path in Path("genes-pca").iterdir()} == before


def test_a_report_that_cannot_be_written_fails_the_run_and_names_the_user_s_file(monkeypatch):
    pytest.importorskip("plotly")
    fit_genes()
    before = {path.name: path.read_bytes() for path in Path("genes-pca").iterdir()}
    real = os.replace

    def refuse(source, target):
        if Path(target).name == "report.html":
            raise OSError(errno.EDQUOT, "Disk quota exceeded", str(source))
        real(source, target)

    monkeypatch.setattr("os.replace", refuse)
    result = run("pca", "genes.csv", "-p", "2", "--refine", "off", code=1)
    assert result.stderr == "Error: genes-pca/report.html: Disk quota exceeded; nothing incomplete was left behind.\n"
    assert {path.name: path.read_bytes() for path in Path("genes-pca").iterdir()} == before


def test_a_report_of_an_earlier_run_does_not_stay(report, monkeypatch):
    write_csv("genes.csv")
    page = Path("genes-pca/report.html")
    for arguments, module in ((["--no-report"], sys.modules["jacobeig.explorer"]), ([], None)):
        run("pca", "genes.csv", "-p", "2", "--refine", "off")
        assert page.exists()
        with monkeypatch.context() as context:
            context.setitem(sys.modules, "jacobeig.explorer", module)
            run("pca", "genes.csv", "-p", "3", "--refine", "off", *arguments)
        assert not page.exists()


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


def test_an_empty_standard_input_is_named_once():
    assert run("pca", "-", code=2).stderr == "Error: standard input is empty.\n"
