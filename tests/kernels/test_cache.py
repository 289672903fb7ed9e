"""Compiled kernels on disk: damage, races, folders that cannot be written to."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jacobeig._kernels import _build, _cache, _jit

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(not _jit.OBJECTS, reason="with index checks Numba calls every kernel: no object code is kept"),
]

SOURCE = """
from jacobeig._kernels._jit import bare_kernel


@bare_kernel
def double(x):
    for i in range(x.shape[0]):
        x[i] *= 2

"""
CALL = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import doubling
for dtype in sys.argv[2:]:
    x = np.arange(5).astype(dtype)
    doubling.double(x)
    assert x.tolist() == [0, 2, 4, 6, 8]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "doubling.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)  # what Numba keeps imports its module by name
    return tmp_path


@pytest.fixture
def built(monkeypatch):
    """What was compiled to object code during a test."""
    done = []

    def build(kernel, arguments, usual=_build.build_object):
        done.append(kernel.py_func.__name__)
        return usual(kernel, arguments)

    monkeypatch.setattr(_build, "build_object", build)
    return done


def load(folder):
    spec = importlib.util.spec_from_file_location("doubling", folder / "doubling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def doubled(module, dtype=np.float64):
    x = np.arange(5).astype(dtype)
    module.double(x)
    return x.tolist()


def kept(folder):
    return sorted((folder / "cache").rglob("*.jec"))


def test_a_compiled_kernel_is_kept_and_found_again(folder, built):
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert built == ["double"]
    assert len(kept(folder)) == 1


def test_what_numba_has_to_call_by_itself_is_kept_too(folder, monkeypatch):
    monkeypatch.setattr(_jit, "OBJECTS", False)
    for hits in (0, 1):
        module = load(folder)
        assert doubled(module) == [0, 2, 4, 6, 8]
        assert sum(module.double.called.stats.cache_hits.values()) == hits
    assert len(kept(folder)) == 1


def test_what_one_numba_keeps_is_not_read_by_another(folder, monkeypatch):
    monkeypatch.setattr(_jit, "OBJECTS", False)
    for version in ("1.0", "2.0"):
        monkeypatch.setattr("numba.__version__", version)
        module = load(folder)
        assert doubled(module) == [0, 2, 4, 6, 8]
        assert not sum(module.double.called.stats.cache_hits.values())
    assert len(kept(folder)) == 2


def test_a_kernel_that_the_wheel_brings_is_not_compiled_but_a_damaged_one_is(folder, built, monkeypatch):
    doubled(load(folder))
    (path,) = kept(folder)
    path.parent.rename(folder / "shipped")
    monkeypatch.setattr(_cache, "SHIPPED", folder / "shipped")
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert built == ["double"]
    assert kept(folder) == []
    (folder / "shipped" / path.name).write_bytes(b"damaged")
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert built == ["double"] * 2


@pytest.mark.parametrize("length", [0, 10, 40, -1])
def test_a_truncated_file_is_compiled_again_and_replaced(folder, built, length):
    doubled(load(folder))
    (path,) = kept(folder)
    path.write_bytes(path.read_bytes()[:length])
    for _ in range(2):
        assert doubled(load(folder)) == [0, 2, 4, 6, 8]
        assert built == ["double"] * 2


def test_a_changed_bit_is_noticed(folder, built):
    doubled(load(folder))
    (path,) = kept(folder)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert built == ["double"] * 2


def test_a_change_in_any_kernel_compiles_all_again(folder, built, monkeypatch):
    doubled(load(folder))
    monkeypatch.setattr(_cache, "_hash_sources", lambda: b"other sources")
    doubled(load(folder))
    assert built == ["double"] * 2
    assert len(kept(folder)) == 2


def test_what_numba_is_told_to_do_otherwise_is_kept_apart(folder, built, monkeypatch):
    doubled(load(folder))
    monkeypatch.setattr(_cache, "_list_settings", lambda: [("NUMBA_OPT", "0")])
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert built == ["double"] * 2


def test_kernels_are_kept_beside_the_package_or_else_at_home_unless_a_folder_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert _cache.list_folders() == [tmp_path / "jacobeig"]
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    beside = Path(_cache.__file__).parent / "__pycache__"
    assert _cache.list_folders() == [beside, tmp_path / "jacobeig"]
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as where nobody knows a home
    assert _cache.list_folders() == [beside]


def test_without_any_folder_for_it_a_kernel_is_compiled_in_memory_with_advice_given_once(folder, monkeypatch):
    _cache._advise_once.cache_clear()
    (folder / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder / "file"))
    with pytest.warns(UserWarning, match="set NUMBA_CACHE_DIR to a folder") as caught:
        results = [doubled(load(folder)) for _ in range(2)]
    assert len(caught) == 1
    assert results == [[0, 2, 4, 6, 8]] * 2


def test_a_full_disk_does_not_end_a_run(folder, monkeypatch):
    _cache._advise_once.cache_clear()

    def fail(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_cache.Path, "write_bytes", fail)
    with pytest.warns(UserWarning, match="No space left"):
        assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    assert kept(folder) == []


def test_processes_that_compile_at_once_do_not_mix_their_signatures_up(folder, built):
    orders = [("float64", "float32", "int64"), ("int64", "float64", "float32"), ("float32", "int64", "float64")]
    processes = [subprocess.Popen([sys.executable, "-c", CALL, str(folder), *order]) for order in orders]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    assert len(kept(folder)) == 3
    again = load(folder)
    for dtype in orders[0]:
        assert doubled(again, dtype) == [0, 2, 4, 6, 8]
    assert built == []
