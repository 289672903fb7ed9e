"""Compile everything ahead of time: for images, shared installations, and whoever does not want to wait later."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from jacobeig import solve
from jacobeig._arguments import check_boolean, check_count
from jacobeig.errors import InvalidInputError, JacobeigError
from jacobeig.results.progress import progress_bar

__all__ = ["run_tasks", "warmup"]

DTYPES = ("float64", "float32", "complex128", "complex64")
# Run by processes of their own: what is compiled there is kept on disk for all.
CODE = "import sys; from jacobeig.compiling import run_tasks; run_tasks(sys.argv[1:])"
DONE = "done\n"  # what they print after each task


def warmup(
    dtypes: str | Iterable[str] = ("float64", "float32"), *, n_processes: int | None = None, progress: bool = False
) -> int:
    """Compile all kernels now, in several processes at once, so that no later solve waits for any.

    What is compiled is kept on disk: beside the package, or where that cannot be written to in the user's cache folder;
    the environment variable ``NUMBA_CACHE_DIR`` names another folder. Kernels that are there already are only loaded.

    Parameters
    ----------
    dtypes : str or iterable of str, default ("float64", "float32")
        The dtypes that matrices will have: "float64", "float32", "complex128", "complex64".
    n_processes : int, optional
        How many processes compile at once; by default one for each processor.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    int
        How many tasks were run.

    Examples
    --------
    >>> import jacobeig as je
    >>> je.warmup(dtypes=())
    0
    """
    dtypes = (dtypes,) if isinstance(dtypes, str) else tuple(dtypes)
    unknown = [dtype for dtype in dtypes if dtype not in DTYPES]
    if unknown:
        raise InvalidInputError(
            f"has {unknown[0]!r}", argument="dtypes", advice=f"give some of {', '.join(map(repr, DTYPES))}."
        )
    n_processes = (os.cpu_count() or 1) if n_processes is None else check_count("n_processes", n_processes, 1)
    tasks = _list_tasks(dtypes)
    # Each process loads Numba once, for all of its tasks.
    shares = [tasks[first::n_processes] for first in range(min(n_processes, len(tasks)))]
    with (
        progress_bar("compiling", len(tasks), enabled=check_boolean("progress", progress)) as show,
        ThreadPoolExecutor(n_processes) as pool,
    ):
        numbers = count(1)
        started: list[subprocess.Popen[str]] = []
        try:
            for _ in pool.map(lambda share: _run_in_process(share, started, lambda: show(next(numbers))), shares):
                pass
        except BaseException:  # an interrupt, too, does not wait for the others
            for process in started:
                process.kill()
            raise
    return len(tasks)


def _list_tasks(dtypes: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return what to run: the name of each task and its dtype."""
    doubles = dict.fromkeys("float64" if "float" in dtype else "complex128" for dtype in dtypes)
    return [
        *((name, "float64") for name in REAL_TASKS if dtypes),
        *((name, dtype) for name in DOUBLE_TASKS for dtype in doubles),
        *((name, dtype) for name in TASKS for dtype in dtypes),
    ]


def _run_in_process(
    tasks: list[tuple[str, str]], started: "list[subprocess.Popen[str]]", tell: Callable[[], None]
) -> None:
    """Run tasks in a process of their own, which is added to those `started`; `tell` is called after each."""
    package = str(Path(__file__).parents[1])
    paths = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE, *chain(*tasks)]
    done, last = 0, ""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        started.append(process)
        for line in process.stdout or ():
            if line == DONE:
                done += 1
                tell()
            last = line.strip() or last
    if process.returncode:
        name, dtype = tasks[min(done, len(tasks) - 1)]
        raise JacobeigError(f"Compiling {name!r} for {dtype} failed: {last or f'exit code {process.returncode}'}")


def run_tasks(words: list[str]) -> None:
    """Solve small problems that need the kernels of tasks: the name of each and its dtype, in turn."""
    for name, dtype in zip(words[::2], words[1::2], strict=True):
        rng = np.random.default_rng(0)
        A = rng.standard_normal((30, 24))
        if np.dtype(dtype).kind == "c":
            A = A + 1j * rng.standard_normal(A.shape)
        (TASKS | DOUBLE_TASKS | REAL_TASKS)[name]((A.conj().T @ A).astype(dtype))
        print(DONE, end="", flush=True)


def _solve(S: Any, pivot: str, **options: Any) -> None:
    result = solve.sparse_eigsh(S, 3, pivot=pivot, n_rotations=20, rng=0, **options)
    if pivot == "random":
        solve.extend(S, result, n_rotations=25)


def _solve_large(S: Any) -> None:
    solve.sparse_eigsh(np.diag(np.arange(1024)).astype(S.dtype), 3, n_rotations=5)  # checked by compiled code


def _solve_sparse(S: Any) -> None:
    n = 3000
    T = sparse.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr().astype(S.dtype)
    solve.sparse_eigsh(T, 3, n_rotations=20)


def _apply_chain(S: Any) -> None:
    chain = solve.sparse_eigsh(S, 3, n_rotations=20).rotations
    if chain is not None:
        chain.synthesise(chain.analyse(S))


def _refine(S: Any, **options: Any) -> None:
    for density in (0.1, 0.3):  # entries of sparse masks are visited one by one, others multiplied
        solve.refine(S, solve.sparse_eigsh(S, 3, density=density), effort="best", **options)


def _polish(S: Any, pairs: Literal["keep", "choose"]) -> None:
    solve.polish(S, solve.sparse_eigsh(S, 3, n_rotations=20), pairs=pairs)


def _certify(S: Any) -> None:
    from jacobeig.refinement.certificates import certify

    certify(S, solve.sparse_eigsh(S, 2, max_nonzeros=3))


def _compare(S: Any) -> None:
    from jacobeig.comparison import compare

    compare(S, 2, [0.3], methods=["tpower", "gpower", "cd", "lr", "bmw", "bb", "greedy"])


def _project(S: Any) -> None:
    from jacobeig._kernels.projection import project

    starts, indices = np.array([0, 2], np.uint64), np.array([0, 1], np.uint32)
    project(S, starts, indices, S[0, :2].copy(), np.empty((len(S), 1), S.dtype))


TASKS: dict[str, Callable[[Any], None]] = {
    "gain_per_nonzero": partial(_solve, pivot="gain_per_nonzero", density=0.5),
    "gain": partial(_solve, pivot="gain"),
    "large": _solve_large,
    "sparse": _solve_sparse,
    "random": partial(_solve, pivot="random"),
    "classic": partial(_solve, pivot="classic"),
    "chain": _apply_chain,
    "transform": _project,
}
# Whatever the precision of the matrix, these work in double precision.
DOUBLE_TASKS: dict[str, Callable[[Any], None]] = {
    "refine": _refine,
    "polish": partial(_polish, pairs="keep"),
    "polish, pairs chosen again": partial(_polish, pairs="choose"),
}
# These are for real matrices alone.
REAL_TASKS: dict[str, Callable[[Any], None]] = {
    "free": partial(_refine, orthonormal=False),
    "certify": _certify,
    "compare": _compare,
}
