"""Wheels bring compiled kernels along, or say that they do not."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

import hatch_build

ROOT = Path(__file__).parents[1]


@pytest.fixture
def build(monkeypatch):
    """Return what the hook adds to a build, and what it warns of, where compilation ends as told."""

    def run(outcome, *, target="wheel", version="standard", wish=None):
        def compile_kernels(root):
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.delenv("JACOBEIG_COMPILE", raising=False)
        if wish is not None:
            monkeypatch.setenv("JACOBEIG_COMPILE", wish)
        monkeypatch.setattr(hatch_build, "compile_kernels", compile_kernels)
        warnings, data = [], {"force_include": {}}
        app = SimpleNamespace(display_warning=warnings.append)
        hook = hatch_build.KernelHook(str(ROOT), {}, None, SimpleNamespace(), str(ROOT), target, app)
        hook.initialize(version, data)
        return data, warnings

    return run


FAILURE = subprocess.CalledProcessError(1, "compile")
PLAIN: dict[str, dict[str, str]] = {"force_include": {}}


def test_a_wheel_has_the_kernels_and_is_for_one_platform(build):
    path = Path("build/scan.best.0.jec")
    data, warnings = build([path])
    assert data["force_include"] == {str(path): "jacobeig/_kernels/compiled/scan.best.0.jec"}
    assert not data["pure_python"]
    assert data["tag"].startswith("py3-none-")
    assert not data["tag"].endswith("any")
    assert warnings == []


@pytest.mark.parametrize("options", [{"version": "editable"}, {"target": "sdist"}, {"wish": "0"}])
def test_nothing_is_compiled_where_nothing_is_brought_along(build, options):
    assert build(AssertionError("compiled"), **options) == (PLAIN, [])


def test_a_wheel_without_kernels_is_built_with_a_warning_unless_they_are_demanded(build):
    data, warnings = build(FAILURE)
    assert data == PLAIN
    assert "No kernels are shipped" in warnings[0]
    with pytest.raises(subprocess.CalledProcessError):
        build(FAILURE, wish="1")


def test_the_files_of_a_wheel_are_those_of_its_kernels_and_not_what_numba_keeps_for_itself(tmp_path, monkeypatch):
    def run(command, env, check):
        folder = Path(env["NUMBA_CACHE_DIR"]) / "jacobeig"
        folder.mkdir(parents=True)
        for name in ("scan.best.0.jec", "scan.best.numba.1.jec", "scan.best.2.tmp"):
            (folder / name).touch()
        assert check
        assert "NUMBA_BOUNDSCHECK" not in env

    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    monkeypatch.setattr(hatch_build.subprocess, "run", run)
    assert [path.name for path in hatch_build.compile_kernels(tmp_path)] == ["scan.best.0.jec"]
