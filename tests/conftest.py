"""Set up before NumPy and Numba are imported: threads, a cache of kernels; how far Hypothesis goes; who compiles."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

FULL_RUN = 1000  # tests, above which it pays to compile everything
# Rooms whose tests solve whole problems, for minutes without compiled kernels; what these do has tests elsewhere.
FAR_FROM_KERNELS = {"cli", "estimators", "experiments", "explorer", "plotting"}


def _compiles() -> bool:
    """Whether kernels are compiled."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"


def _kernel_cache() -> Path:
    """Numba's cache does not notice changes in the files that a kernel's file imports: hash them all."""
    sources = sorted((Path(__file__).parents[1] / "src" / "jacobeig" / "_kernels").glob("*.py"))
    flags = {
        name: value for name, value in os.environ.items() if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    }
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + repr(sorted(flags.items())).encode())
    return Path(tempfile.gettempdir()) / f"jacobeig-kernels-{digest.hexdigest()[:16]}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(_kernel_cache()))
# A worker for each core: threads of BLAS beside them would only wait for each other.
for library in ("OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

settings.register_profile("default", deadline=None, max_examples=40 if _compiles() else 10)
settings.register_profile("long", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes without compiled kernels, where there are none."""
    if not _compiles():
        left_out = {item for item in items if item.get_closest_marker("compiled") or _stands_far_away(item)}
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _stands_far_away(item: pytest.Item) -> bool:
    """Whether the folder of a test, which is named after a room, is that of a room far from the kernels."""
    return item.path.relative_to(Path(__file__).parent).parts[0] in FAR_FROM_KERNELS


def pytest_collection_finish(session: pytest.Session) -> None:
    """Share the long compilations out among the workers of a full run, who would otherwise all begin with the same."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker or len(session.items) < FULL_RUN or not _compiles():
        return
    import numpy as np
    from scipy import sparse

    import jacobeig as je

    S = je.datasets.random_covariance(12, rng=0)

    def solve(dtype: type, **options: Any) -> Any:
        return je.sparse_eigsh(S.astype(dtype), 2, density=0.5, **options)

    def solve_sparse(dtype: type) -> None:
        je.sparse_eigsh(sparse.eye_array(3000, dtype=dtype, format="csr"), 2, density=0.001)

    calls: list[Callable[[], Any]] = [
        lambda: solve(np.float64, refine=True),
        lambda: solve_sparse(np.float64),
        lambda: je.refine(S, solve(np.float64, polish=True), orthonormal=False),
        *(
            partial(solve, dtype, pivot=pivot)
            for dtype in (np.float64, np.complex128, np.float32, np.complex64)
            for pivot in ("gain", "gain_per_nonzero", "offdiagonal", "cyclic")
        ),
        lambda: solve_sparse(np.complex128),
    ]
    for call in calls[int(worker.removeprefix("gw")) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        call()
