import subprocess
import sys

import pytest

typer_testing = pytest.importorskip("typer.testing")
pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")

from jacobeig import __version__  # noqa: E402  # after the checks for the extras
from jacobeig.cli import app  # noqa: E402  # likewise

runner = typer_testing.CliRunner()


def test_the_demo_prints_the_tradeoff_and_writes_a_picture(tmp_path):
    picture = tmp_path / "demo.png"
    result = runner.invoke(app, ["demo", "--output", str(picture), "--components", "3"])
    assert result.exit_code == 0
    assert "density" in result.output
    assert "accuracy" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_does_not_exist_is_answered_in_a_sentence(tmp_path):
    result = runner.invoke(app, ["demo", "--output", str(tmp_path / "missing" / "demo.png"), "--components", "2"])
    assert result.exit_code == 1
    assert "Traceback" not in result.output


def test_the_version_is_printed():
    result = runner.invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.strip() == f"jacobeig {__version__}"


def test_without_typer_one_line_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from jacobeig.__main__ import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.strip().splitlines() == [
        'typer is not installed: run `python -m pip install "jacobeig[cli]"`.'
    ]
