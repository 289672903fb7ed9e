"""Kernels called by their object code: what goes in and comes out, and what is done where that cannot be."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

from jacobeig._kernels import _build, _cache, _jit, _native
from jacobeig._kernels._jit import bare_call, bare_kernel

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(not _jit.OBJECTS, reason="with index checks Numba calls every kernel: no object code is kept"),
]


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


@bare_call
def weigh(x, weight):
    return x * weight


@bare_kernel
def add_up(pair, nested, start, weight, seed, twice):
    total = start
    for i in range(pair.left.shape[0]):
        for j in range(pair.left.shape[1]):
            total += weigh(pair.left[i, j], weight)
    for i in range(nested[0].right.size):
        total += nested[0].right[i]
    return total, seed + np.uint64(1), 2 * start if twice else start, total > 0.0


@bare_kernel
def fill(x, value):
    for i in range(x.shape[0]):
        x[i] = value


@bare_kernel
def first(x):
    return x[0]


@bare_kernel
def fail_at_zero(x, step):
    for i in range(0, x.shape[0], step):
        x[i] = 1.0


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for used in (add_up, fill, first, fail_at_zero):
        used.loaded.clear()
        used._known.clear()
    return tmp_path


MATRIX = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize("left", [MATRIX, MATRIX.T, MATRIX[::2, ::-3], np.asfortranarray(MATRIX), MATRIX[:0]])
def test_arrays_of_any_layout_tuples_and_numbers_go_in_and_tuples_come_out(left):
    right = np.array([1, 2, 3], np.int32)
    found = add_up(Pair(left, right), (Pair(right, right[::2]),), 5, 0.5, np.uint64(2**64 - 2), True)
    total = 5 + 0.5 * left.sum() + 4
    assert found == (total, 2**64 - 1, 10, True)
    assert [type(part) for part in found] == [float, int, int, bool]


def test_arrays_that_are_not_aligned_are_read():
    buffer = np.zeros(41, np.uint8)
    x = buffer[1:].view(np.float64)
    fill(x, 2.5)
    assert x.tolist() == [2.5] * 5
    assert buffer[0] == 0


def test_an_array_that_has_grown_in_place_is_read_where_it_is_now():
    x = np.zeros(3)
    fill(x, 1.0)
    x.resize(100_000, refcheck=False)
    fill(x, 2.0)
    assert (x == 2.0).all()


def test_read_only_arrays_need_no_code_of_their_own(folder):
    x = np.arange(1.0, 4.0)
    assert first(x) == 1.0
    x.setflags(write=False)
    assert first(x) == 1.0
    assert len(first.loaded) == 1
    assert len(list(folder.rglob("*.jec"))) == 1


def test_a_kernel_that_raises_does_not_pass_for_one_that_has_ended():
    fail_at_zero(np.zeros(3), 1)
    with pytest.raises(RuntimeError, match="a kernel has failed"):
        fail_at_zero(np.zeros(3), 0)


def test_threads_that_need_a_kernel_at_once_compile_it_once(monkeypatch):
    built = []
    usual = _build.build_object
    monkeypatch.setattr(_build, "build_object", lambda *given: built.append(1) or usual(*given))
    arrays = [np.zeros(3) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda x: fill(x, 7.0), arrays))
    assert np.array(arrays).tolist() == [[7.0] * 3] * 8
    assert built == [1]


@pytest.mark.parametrize("hindrance", ["another Numba", "another NumPy", "index checks"])
def test_where_object_code_will_not_do_numba_calls_the_kernel(folder, monkeypatch, hindrance):
    if hindrance == "another Numba":
        monkeypatch.setattr(_build, "cpu_target", None)
    elif hindrance == "another NumPy":
        monkeypatch.setattr(_jit, "knows_arrays", lambda: False)
    else:
        monkeypatch.setattr(_jit, "OBJECTS", False)
    x = np.zeros(3)
    fill(x, 1.0)
    assert x.tolist() == [1.0] * 3
    assert first(x) == 1.0
    assert list(fill.loaded.values()) == [None]


def test_arrays_lie_in_memory_as_the_entries_expect():
    assert _native.knows_arrays()


def test_kernels_are_compiled_for_a_kind_of_processor_that_many_are_or_else_for_the_one_at_hand(monkeypatch):
    class Features(dict):
        def flatten(self):
            return "+some"

    usual = dict.fromkeys(_native._COMMON_FEATURES, True)
    monkeypatch.setattr(_native.llvm, "get_host_cpu_name", lambda: "this")
    for features, expected in ((usual, ("x86-64-v3", "")), (usual | {"avx2": False}, ("this", "+some"))):
        monkeypatch.setattr(_native.llvm, "get_host_cpu_features", lambda found=features: Features(found))
        assert _native.choose_processor.__wrapped__() == expected


def test_a_kernel_may_call_another_that_python_calls_too():
    @bare_kernel
    def double(x):
        for i in range(x.shape[0]):
            x[i] *= 2.0

    @bare_kernel
    def quadruple(x):
        double(x)
        double(x)

    x = np.arange(3.0)
    double(x)
    quadruple(x)
    assert x.tolist() == [0.0, 8.0, 16.0]


def test_a_kept_kernel_runs_without_numba(folder):
    code = (
        "import sys, numpy as np, jacobeig as je; S = np.diag(np.arange(9.0)) + 1; "
        "je.sparse_eigsh(S, 2, density=0.5, refine=True); print('numba' in sys.modules)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True) for _ in "12"]
    assert [run.stdout for run in runs] == [f"{not _cache.SHIPPED.exists()}\n", "False\n"]
