"""Commands as programs: pipes, signals, terminals and shells."""

import functools
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import (
    ENVIRONMENT,
    GENES,
    X,
    fit_genes,
    program,
    runner,
    write_csv,
)

import jacobeig as je
from jacobeig.cli import app
from jacobeig.cli._wording import Exit


def test_without_typer_one_line_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from jacobeig.__main__ import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert result.returncode == 1
    assert result.stderr.strip().splitlines() == [
        'typer is not installed: run `python -m pip install "jacobeig[cli]"`.'
    ]


def test_a_pipeline_of_programs_works():
    write_csv("genes.csv")
    arguments = ("-p", "2", "-d", "0.2", "--refine", "off", "--no-report", "--json")
    result = program("pca", "-", *arguments, input=Path("genes.csv").read_bytes())
    assert result.returncode == 0, result.stderr
    assert result.stderr == b""
    model = je.JacobiPCA(2, density=0.2, refine=False).fit(X)
    assert json.loads(result.stdout)["explained_variance"] == model.explained_variance_.tolist()
    result = program("transform", "stdin-pca/model.npz", "-", "-o", "-", input=Path("genes.csv").read_bytes())
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 21


def test_exit_codes_reach_the_shell():
    fit_genes()
    moved = program("transform", "genes-pca/model.npz", "genes.csv", "-o", "missing/x.csv")
    assert moved.returncode == Exit.FAILED
    result = program("pca", "nothing.csv", "--json")
    assert (result.returncode, json.loads(result.stdout)["exit_code"]) == (2, 2)


@pytest.mark.skipif(os.name != "posix", reason="pipes of another kind")
def test_a_reader_that_goes_away_is_no_fault():
    values = np.random.default_rng(0).standard_normal((20_000, 30))
    np.save("many.npy", values)
    fit_genes()
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
        # More than a pipe holds: when all is written, the libraries are loaded and the reader waits for more.
        process.stdin.write(b"a,b\n" + b"1,2\n" * 50_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == Exit.INTERRUPTED
    assert out == b""
    assert errors.decode().strip() == "Error: Interrupted; nothing incomplete was left behind."
    assert not Path("out").exists()


def test_shells_are_given_commands_methods_and_choices():
    def complete(words):
        asked = {"_JACOBEIG_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": f"jacobeig {words}"}
        return runner.invoke(app, prog_name="jacobeig", env=asked).stdout

    assert "transform" in complete("tr")
    assert "tpower" in complete("compare x.csv --methods tp")
    assert "chain,threshold" in complete("compare x.csv --methods chain,thr")
    assert "quick" in complete("pca x.csv --refine q")
    assert "largest gain per nonzero" in complete("eig x.csv --pivot gain_")
    assert "logarithmic" in complete("graph x.csv --target l")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [["--json"], []])
def test_a_full_output_is_answered_in_a_sentence(arguments):
    fit_genes()
    command = [sys.executable, "-m", "jacobeig", "info", "genes-pca/model.npz", *arguments]
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, check=False)
    assert result.returncode == Exit.FAILED
    assert result.stderr == "Error: No space left on device; nothing incomplete was left behind.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", ["", "--help", "--version", "pca --help"])
def test_help_that_cannot_be_written_is_answered_in_a_sentence(arguments):
    result = run_in_shell(f"{arguments} > /dev/full")
    assert result.returncode == Exit.FAILED
    assert result.stderr == "Error: No space left on device; nothing incomplete was left behind.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_wrong_usage_is_answered_where_nothing_can_be_written():
    for streams in ("> /dev/full", "2> /dev/full", "> /dev/full 2> /dev/full", ">&- 2>&-"):
        result = run_in_shell(f"pca --json --refine much x.csv {streams}")
        assert result.returncode == Exit.WRONG_INPUT
        assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes of another kind")
@pytest.mark.parametrize("arguments", ["--help", "--version", "eig --help"])
def test_a_reader_of_help_that_goes_away_is_no_fault(arguments):
    command = [sys.executable, "-m", "jacobeig", *arguments.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == Exit.CLOSED_PIPE


def run_in_shell(line):
    command = f"{shlex.quote(sys.executable)} -m jacobeig {line}"
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=ENVIRONMENT, check=False)


@pytest.mark.skipif(os.name != "posix", reason="shells of another kind")
def test_closed_streams_are_no_fault():
    fit_genes()
    result = run_in_shell("pca - <&-")
    assert (result.returncode, result.stderr) == (2, "Error: standard input is closed; give a file.\n")
    result = run_in_shell("info genes-pca/model.npz >&-")
    assert (result.returncode, result.stderr) == (0, "")
    result = run_in_shell("info genes-pca/model.npz --json >&-")
    assert result.returncode == Exit.FAILED
    assert result.stderr == "Error: standard output is closed; nothing incomplete was left behind.\n"
    assert run_in_shell("pca missing.csv 2>&-").returncode == Exit.WRONG_INPUT


def test_names_that_a_terminal_cannot_show_are_escaped():
    write_csv("genes.csv", columns=["größe", *GENES[1:]], extra=("sorte", ["süß", "scharf"] * 10))
    ascii_only = ENVIRONMENT | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "jacobeig"]

    def call(*arguments):
        return subprocess.run([*command, *arguments], capture_output=True, env=ascii_only, check=False)

    result = call("pca", "genes.csv", "-p", "3", "-d", "0.9", "--label", "sorte", "--refine", "off", "--no-report")
    assert result.returncode == 0, result.stderr
    assert rb"gr\xf6\xdfe" in result.stdout
    result = call("transform", "genes-pca/model.npz", "genes.csv", "--label", "sorte", "-o", "-")
    assert result.stdout.decode("utf-8").splitlines()[1].startswith("patient 0,süß,")  # as in a file
    assert rb"s\xfc\xdf" in call("pca", "genes.csv").stderr
