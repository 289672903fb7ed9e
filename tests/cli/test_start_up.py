"""What loads when: the command line answers quickly because it loads little."""

import importlib
import subprocess
import sys

import pytest
from commands import ENVIRONMENT

from jacobeig.cli._deferred import PANELS, list_commands

HEAVY = ("numpy", "scipy", "numba", "sklearn", "pandas", "matplotlib")
SUMMARIES = {name: summary for panel in PANELS.values() for name, summary in panel.items()}


def loaded_by(code):
    """Return which heavy libraries a program has loaded at its end."""
    code = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint([n for n in {HEAVY} if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return result.stdout.splitlines()[-1]


def test_importing_the_library_loads_nothing_heavy():
    assert loaded_by("import jacobeig") == "[]"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-h"]])
def test_help_and_version_load_nothing_heavy(arguments):
    assert loaded_by(f"sys.argv = ['jacobeig', *{arguments}]; from jacobeig.__main__ import main; main()") == "[]"


@pytest.mark.parametrize("words", ["pca --", "graph --laplacian", "pca --pivot gain", "compare --target "])
def test_completing_loads_nothing_heavy(words, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "_JACOBEIG_COMPLETE", "complete_zsh")
    monkeypatch.setitem(ENVIRONMENT, "_TYPER_COMPLETE_ARGS", f"jacobeig {words}")
    assert loaded_by("sys.argv = ['jacobeig']; from jacobeig.__main__ import main; main()") == "[]"


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_help_of_a_command_loads_nothing_heavy(name):
    code = f"sys.argv = ['jacobeig', '{name}', '--help']; from jacobeig.__main__ import main; main()"
    assert loaded_by(code) == "[]"


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_line_of_a_command_is_how_its_own_help_begins(name):
    function = getattr(importlib.import_module(f"jacobeig.cli.{name}"), name)
    assert " ".join(function.__doc__.split("\n\n")[0].split()) == SUMMARIES[name]


def test_a_command_is_what_its_module_defines_once_it_is_asked_for():
    commands = list_commands()
    assert list(commands) == list(SUMMARIES)
    assert "--density" in {option for parameter in commands["pca"].params for option in parameter.opts}
    assert commands["pca"].help.startswith(SUMMARIES["pca"])
