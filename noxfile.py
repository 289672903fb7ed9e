#!/usr/bin/env -S python
# /// script
# dependencies = ["nox>=2025.10.14"]
# ///
"""The common tasks, each in an environment of its own: `nox --list`, then `nox --session lint`."""

import itertools
import os
import re
import shutil
import tomllib
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"

# What a floor says: "numpy>=1.26", "dask[array]>=2024.1; python_version < '3.13'".
FLOOR = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?>=(?P<version>[\w.]+)")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests; arguments after `--` go to pytest."""
    _test(session)


@nox.session(default=False)
def slow(session: nox.Session) -> None:
    """Run the tests that take long, too."""
    _test(session, "-m", "not attack", HYPOTHESIS_PROFILE="long")


@nox.session(default=False)
def attack(session: nox.Session) -> None:
    """Try to break every promise for most of an hour, and write the figures into docs/reliability.md."""
    figures = Path(session.create_tmp()).resolve() / "figures.jsonl"
    figures.unlink(missing_ok=True)
    recorded = {"JACOBEIG_FIGURES": str(figures), "JACOBEIG_CASES": "20000"}
    _test(session, "-m", "attack", **recorded, HYPOTHESIS_PROFILE="long")
    slow = ("-m", "slow", "tests/solve/test_long_runs.py", "tests/test_places.py")
    for tests in (("-m", "", "tests/test_attack.py"), slow):
        session.run("python", "-m", "pytest", "--dist=load", *tests, env=os.environ | recorded)
    fuzzer = ("tests/files/fuzz.py", "--seconds", "600", "--seed", "0")
    session.run("python", *fuzzer, env=os.environ | recorded)
    session.run("python", "tools/write_reliability.py", str(figures))


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and who imports whom."""
    session.install("-e", ".[lint]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the documentation in build/docs, with warnings as errors."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "-n", "docs", "build/docs", *session.posargs)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Measure what the tests reach outside compiled code."""
    _test(session, "--cov=jacobeig", "--cov-report=")
    _report_coverage(session, omit="*/_kernels/[a-z]*")


@nox.session(default=False)
def nojit(session: nox.Session) -> None:
    """Run the kernels as plain Python, and measure what the tests reach in them."""
    _test(session, "--cov=jacobeig._kernels", "--cov-report=", NUMBA_DISABLE_JIT="1")
    _report_coverage(session, omit="*/_kernels/_*")  # what compiles and calls kernels, which has nothing to do here


@nox.session(default=False)
def boundscheck(session: nox.Session) -> None:
    """Run every test with index checks in the kernels."""
    _test(session, "-m", "not attack", NUMBA_BOUNDSCHECK="1")


@nox.session(default=False, python="3.11")
def lowest(session: nox.Session) -> None:
    """Run the tests with the lowest versions that pyproject.toml allows."""
    constraints = Path(session.create_tmp()) / "lowest.txt"
    constraints.write_text("".join(f"{line}\n" for line in _find_floors()), encoding="utf-8")
    session.install("-e", ".[test]", "--constraint", str(constraints))
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(default=False)
def newest(session: nox.Session) -> None:
    """Run the tests with the newest versions of everything, pre-releases included."""
    session.install("--pre", "--upgrade", "-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build what a release publishes in dist, and check it."""
    shutil.rmtree("dist", ignore_errors=True)
    session.install("build", "twine")
    session.run("python", "-m", "build", env=os.environ | {"JACOBEIG_COMPILE": "1"})
    session.run("twine", "check", "--strict", *map(str, Path("dist").iterdir()))


def _test(session: nox.Session, *arguments: str, **variables: str) -> None:
    """Install what the tests need and run them."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *arguments, *session.posargs, env=os.environ | variables)


def _report_coverage(session: nox.Session, omit: str) -> None:
    """Show what the tests did not reach, and fail where that is more than a twentieth."""
    session.run("coverage", "report", "--skip-covered", "--show-missing", f"--omit={omit}", "--fail-under=95")


def _find_floors() -> list[str]:
    """Turn every floor of pyproject.toml into exactly that version."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    project["optional-dependencies"].pop("lint")
    requirements = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    matches = (FLOOR.match(requirement) for requirement in requirements)
    return sorted({f"{match['name']}=={match['version']}" for match in matches if match})


if __name__ == "__main__":
    nox.main()
