"""Every command runs in an empty folder; a stand-in for the report, which has tests of its own."""

import sys
import types
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


@pytest.fixture
def report(monkeypatch):
    """Stand in for the report, which has tests of its own, and remember what it was asked for."""
    calls = []

    def write(model, path, **options):
        calls.append((model, options))
        Path(path).write_text("<html>", encoding="utf-8")

    module = types.ModuleType("jacobeig.explorer")
    module.report = write
    monkeypatch.setitem(sys.modules, "jacobeig.explorer", module)
    return calls
