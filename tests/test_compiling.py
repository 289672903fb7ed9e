"""Everything compiled ahead of time."""

import os
import subprocess
import sys

import pytest

import jacobeig as je
from jacobeig import compiling
from jacobeig._kernels._cache import SHIPPED
from jacobeig.errors import InvalidInputError, InvalidTypeError, JacobeigError

LATER = """
import numpy as np
import jacobeig as je
S = je.datasets.random_covariance(60, rng=0)
X = np.random.default_rng(0).standard_normal((100, 40))
for dtype in ("float64", "float32"):
    M = S.astype(dtype)
    for options in ({}, {"density": 0.2}, {"max_nonzeros": 5}, {"pivot": "cyclic"}, {"pivot": "offdiagonal"}):
        je.sparse_eigsh(M, 4, **options)
    je.extend(M, je.sparse_eigsh(M, 4, n_rotations=9), n_rotations=20)
    for density in (0.05, 0.2, 0.5):
        je.refine(M, je.sparse_eigsh(M, 4, density=density))
    je.JacobiPCA().fit(X.astype(dtype)).transform(X.astype(dtype))
adjacency, _ = je.datasets.community_graph(64, rng=0)
je.GraphFourier(5).fit(adjacency)
"""


def test_a_dtype_that_no_matrix_has_is_refused():
    with pytest.raises(InvalidInputError, match="dtypes has 'int8'; give some of 'float64'"):
        je.warmup(["float64", "int8"])
    with pytest.raises(InvalidInputError, match="n_processes is 0"):
        je.warmup([], n_processes=0)
    with pytest.raises(InvalidTypeError, match="progress is 3"):
        je.warmup([], progress=3)


def test_single_precision_brings_what_works_in_double_precision_alone():
    tasks = compiling._list_tasks(("float32", "complex64"))
    assert {dtype for name, dtype in tasks if name == "gain"} == {"float32", "complex64"}
    assert {dtype for name, dtype in tasks if name in ("refine", "polish")} == {"float64", "complex128"}
    assert {dtype for name, dtype in tasks if name in ("free", "certify")} == {"float64"}
    assert len(set(tasks)) == len(tasks)


def test_a_task_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(compiling, "CODE", "raise SystemExit('no compiler')")
    with pytest.raises(JacobeigError, match=r"Compiling '\w+' for float64 failed: no compiler"):
        je.warmup("float64")


@pytest.mark.skipif(os.name != "posix", reason="signals of another kind")
def test_an_interrupt_does_not_wait_for_the_compiler():
    code = """
import signal, threading, time
from jacobeig import compiling
signal.signal(signal.SIGINT, signal.default_int_handler)
compiling.CODE = "import time; print(flush=True); time.sleep(600)"
main = threading.main_thread().ident
threading.Timer(1.0, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
try:
    compiling.warmup("float64", n_processes=2)
except KeyboardInterrupt:
    print("interrupted")
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert (result.stdout, result.stderr) == ("interrupted\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", compiling.DTYPES)
def test_every_task_can_be_done_for_every_dtype(dtype, capsys):
    tasks = compiling._list_tasks((dtype,))
    compiling.run_tasks([word for task in tasks for word in task])
    assert capsys.readouterr().out == len(tasks) * compiling.DONE


def run_later(folder):
    """Solve whatever is usual, with an empty folder or a full one for kernels."""
    subprocess.run([sys.executable, "-c", LATER], check=True, env=os.environ | {"NUMBA_CACHE_DIR": str(folder)})


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(not SHIPPED.exists(), reason="the package is not installed from a wheel")
def test_with_the_kernels_of_a_wheel_nothing_usual_is_compiled(tmp_path):
    run_later(tmp_path)
    assert list(tmp_path.rglob("*.jec")) == []


@pytest.mark.slow
@pytest.mark.compiled
def test_after_it_nothing_usual_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    je.warmup(compiling.DTYPES)
    ready = set(tmp_path.rglob("*.jec"))
    run_later(tmp_path)
    assert set(tmp_path.rglob("*.jec")) == ready
