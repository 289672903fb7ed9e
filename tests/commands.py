"""What tests of the command line share: data, files of it, and ways to run commands."""

import csv
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

for extra in ("typer", "rich", "pandas", "sklearn", "matplotlib"):
    pytest.importorskip(extra)

from typer.testing import CliRunner  # noqa: E402  # after the checks for the extras

import jacobeig as je  # noqa: E402  # likewise
from jacobeig.cli import app  # noqa: E402  # likewise

# Older versions of click do not keep the two outputs apart by themselves.
apart: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
runner = CliRunner(**apart)
GENES = [f"gene {t}" for t in range(30)]
SAMPLES = [f"patient {t}" for t in range(20)]


def make_factors(rng):
    loadings = np.zeros((30, 3))
    for t in range(3):
        loadings[5 * t : 5 * t + 5, t] = 2.0
    return rng.standard_normal((20, 3)) @ loadings.T + 0.3 * rng.standard_normal((20, 30))


X = make_factors(np.random.default_rng(0))
S = np.cov(X, rowvar=False) + 0.1 * np.eye(30)
EDGES = [
    ("anna", "ben"),
    ("ben", "eve"),
    ("eve", "anna"),
    ("eve", "tom"),
    ("tom", "ida"),
    ("ida", "kim"),
    ("kim", "tom"),
]
# Programs run in another folder than the tests, where a relative path would not find the package.
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(je.__file__).parents[1])}


def write_csv(path, values=X, columns=GENES, rows=SAMPLES, extra=None):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*([] if rows is None else ["sample"]), *columns, *([] if extra is None else [extra[0]])])
        for t, row in enumerate(values):
            before = [] if rows is None else [rows[t]]
            writer.writerow([*before, *map(repr, row.tolist()), *([] if extra is None else [extra[1][t]])])
    return path


def write_edges(path="friends.csv"):
    Path(path).write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in EDGES), encoding="utf-8")


def run(*arguments, code=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def run_json(*arguments, code=0):
    record = json.loads(run(*arguments, "--json", code=code).stdout)
    assert record["exit_code"] == code
    return record


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def program(*arguments, **options):
    command = [sys.executable, "-m", "jacobeig", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=300, env=ENVIRONMENT, **options)


def fit_genes(*arguments):
    """Leave a model of the genes, quickly made, in a folder."""
    write_csv("genes.csv")
    run("pca", "genes.csv", "-p", "3", "-d", "0.2", "--refine", "off", "--no-report", "-q", *arguments)
    return je.JacobiPCA.load("genes-pca/model.npz")
