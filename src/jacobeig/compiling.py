"""Compile everything ahead of time: for images, shared installations, and whoever does not want to wait later."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Literal

from jacobeig._arguments import check_boolean, check_count
from jacobeig.errors import InvalidInputError, JacobeigError

__all__ = ["run_task", "warmup"]

DTYPES = ("float64", "float32", "complex128", "complex64")
# Run by a process of its own: what is compiled there is kept on disk for all.
CODE = "import sys; from jacobeig.compiling import run_task; run_task(*sys.argv[1:])"


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
    from jacobeig.results.progress import progress_bar

    with (
        progress_bar("compiling", len(tasks), enabled=check_boolean("progress", progress)) as show,
        ThreadPoolExecutor(n_processes) as pool,
    ):
        running = [pool.submit(_run_in_process, *task) for task in tasks]
        try:
            for done, task in enumerate(as_completed(running), start=1):
                task.result()
                show(done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return len(tasks)


def _list_tasks(dtypes: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return what to run: the name of each task and its dtype."""
    always = [(name, "float64") for name in REAL_TASKS if dtypes]
    return always + [(name, dtype) for name in TASKS for dtype in dtypes]


def _run_in_process(name: str, dtype: str) -> None:
    package = str(Path(__file__).parents[1])
    paths = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE, name, dtype]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        last = (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]
        raise JacobeigError(f"Compiling {name!r} for {dtype} failed: {last}")


def run_task(name: str, dtype: str) -> None:
    """Solve a small problem that needs the kernels of a task."""
    import numpy as np

    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 24))
    if np.dtype(dtype).kind == "c":
        A = A + 1j * rng.standard_normal(A.shape)
    (TASKS | REAL_TASKS)[name]((A.conj().T @ A).astype(dtype))


def _solve(pivot: str, **options: Any) -> Callable[[Any], None]:
    def run(S: Any) -> None:
        from jacobeig.solve import extend, sparse_eigsh

        result = sparse_eigsh(S, 3, pivot=pivot, n_rotations=20, rng=0, **options)
        if pivot == "random":
            extend(S, result, n_rotations=25)

    return run


def _solve_sparse(S: Any) -> None:
    from scipy import sparse

    from jacobeig.solve import sparse_eigsh

    n = 3000
    T = sparse.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr().astype(S.dtype)
    sparse_eigsh(T, 3, n_rotations=20)


def _apply_chain(S: Any) -> None:
    from jacobeig.solve import sparse_eigsh

    chain = sparse_eigsh(S, 3, n_rotations=20).rotations
    if chain is not None:
        chain.synthesise(chain.analyse(S))


def _refine(**options: Any) -> Callable[[Any], None]:
    def run(S: Any) -> None:
        from jacobeig.solve import refine, sparse_eigsh

        refine(S, sparse_eigsh(S, 3, density=0.3), effort="best", **options)

    return run


def _polish(pairs: Literal["keep", "choose"]) -> Callable[[Any], None]:
    def run(S: Any) -> None:
        from jacobeig.solve import polish, sparse_eigsh

        polish(S, sparse_eigsh(S, 3, n_rotations=20), pairs=pairs)

    return run


def _certify(S: Any) -> None:
    from jacobeig.refinement.certificates import certify
    from jacobeig.solve import sparse_eigsh

    certify(S, sparse_eigsh(S, 2, max_nonzeros=3))


def _compare(S: Any) -> None:
    from jacobeig.comparison import compare

    compare(S, 2, [0.3], methods=["tpower", "gpower", "cd", "lr", "bmw", "bb", "greedy"])


def _transform(S: Any) -> None:
    import numpy as np

    try:
        from jacobeig.estimators.pca import JacobiPCA
    except ImportError:  # without scikit-learn there is nothing to compile for it
        return
    X = np.random.default_rng(0).standard_normal((400, 200)).astype(S.real.dtype)
    JacobiPCA(3, max_nonzeros=3).fit(X).transform(X)


TASKS: dict[str, Callable[[Any], None]] = {
    "gain_per_nonzero": _solve("gain_per_nonzero", density=0.5),
    "gain": _solve("gain"),
    "sparse": _solve_sparse,
    "random": _solve("random"),
    "classic": _solve("classic"),
    "chain": _apply_chain,
    "transform": _transform,
}
# Whatever the dtype of the matrix, these work in float64.
REAL_TASKS: dict[str, Callable[[Any], None]] = {
    "refine": _refine(),
    "free": _refine(orthonormal=False),
    "certify": _certify,
    "compare": _compare,
    "polish": _polish("keep"),
    "polish, pairs chosen again": _polish("choose"),
}
