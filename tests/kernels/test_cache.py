"""Compiled kernels on disk: damage, races, folders that cannot be written to."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import caching, config

from jacobeig._kernels import _cache

pytestmark = pytest.mark.compiled

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
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)  # a kept kernel imports its module by name
    return tmp_path


def load(folder):
    spec = importlib.util.spec_from_file_location("doubling", folder / "doubling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.double


def doubled(kernel, dtype=np.float64):
    x = np.arange(5).astype(dtype)
    kernel(x)
    return x.tolist()


def kept(folder):
    return sorted((folder / "cache").rglob("*.jec"))


def test_a_compiled_kernel_is_kept_and_found_again(folder):
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]
    again = load(folder)
    assert doubled(again) == [0, 2, 4, 6, 8]
    assert sum(again.stats.cache_hits.values()) == 1
    assert len(kept(folder)) == 1


@pytest.mark.parametrize("length", [0, 10, 40, -1])
def test_a_truncated_file_is_compiled_again_and_replaced(folder, length):
    doubled(load(folder))
    (path,) = kept(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    again = load(folder)
    assert doubled(again) == [0, 2, 4, 6, 8]
    assert sum(again.stats.cache_misses.values()) == 1
    assert len(path.read_bytes()) == len(whole)


def test_a_changed_bit_is_noticed(folder):
    doubled(load(folder))
    (path,) = kept(folder)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert doubled(load(folder)) == [0, 2, 4, 6, 8]


def test_a_change_in_any_kernel_compiles_all_again(folder, monkeypatch):
    doubled(load(folder))
    monkeypatch.setattr(_cache, "_hash_sources", lambda: b"other sources")
    again = load(folder)
    doubled(again)
    assert sum(again.stats.cache_hits.values()) == 0
    assert len(kept(folder)) == 2


def test_without_any_folder_for_it_a_kernel_is_compiled_in_memory_with_advice_given_once(folder, monkeypatch):
    _cache._advise_once.cache_clear()
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    with pytest.warns(UserWarning, match="set NUMBA_CACHE_DIR to a folder") as caught:
        kernels = load(folder), load(folder)
    assert len(caught) == 1
    assert [doubled(kernel) for kernel in kernels] == [[0, 2, 4, 6, 8]] * 2


def test_a_full_disk_does_not_end_a_run(folder, monkeypatch):
    _cache._advise_once.cache_clear()

    def fail(self, data):
        raise OSError(28, "No space left on device")

    kernel = load(folder)
    monkeypatch.setattr(_cache.Path, "write_bytes", fail)
    with pytest.warns(UserWarning, match="No space left"):
        assert doubled(kernel) == [0, 2, 4, 6, 8]
    assert kept(folder) == []


def test_processes_that_compile_at_once_do_not_mix_their_signatures_up(folder):
    orders = [("float64", "float32", "int64"), ("int64", "float64", "float32"), ("float32", "int64", "float64")]
    processes = [
        subprocess.Popen([sys.executable, "-c", CALL, str(folder), *order], env=environment(folder)) for order in orders
    ]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    assert len(kept(folder)) == 3
    again = load(folder)
    for dtype in orders[0]:
        assert doubled(again, dtype) == [0, 2, 4, 6, 8]
    assert sum(again.stats.cache_hits.values()) == 3


def environment(folder):
    return os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
