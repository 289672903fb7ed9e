"""Speed against scipy's eigsh, in one run, as ratios of processor seconds: the least of interleaved repeats.

    python benchmarks/bench_speed.py [--sizes 1024 2048 4096] [--repeats 5]

Every timed answer is checked first: vectors orthonormal, gains adding up to the trace, accuracy as it should be.
"""

import argparse
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import eigsh

import jacobeig as je
from jacobeig._kernels._jit import bare_kernel
from jacobeig._types import FloatArray

P = 20
TURNS = 4000  # of the two rows: milliseconds, so that the clock's own time does not count


@bare_kernel
def rotate_two_rows(x: FloatArray, y: FloatArray, c: float, s: float, n_times: int) -> None:
    for _ in range(n_times):
        for m in range(x.shape[0]):
            u, v = x[m], y[m]
            x[m] = c * u + s * v
            y[m] = c * v - s * u


def seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def check(S: FloatArray, exact: FloatArray, result: je.EigenResult) -> float:
    """Refuse to time a wrong answer; return its accuracy."""
    assert je.metrics.orthonormality_error(result.vectors) < 1e-12
    seeds = np.diag(S)[result.trail.seeds].sum() if result.trail is not None else np.nan
    captured = float((result.vectors * (S @ result.vectors.toarray())).sum())
    assert abs(seeds + result.gains.sum() - captured) < 1e-10 * exact.sum()
    return je.metrics.accuracy(S, result.vectors, exact)


def compare(n: int, repeats: int) -> list[str]:
    S = je.datasets.random_covariance(n, rng=0)
    exact = je.metrics.extreme_eigenvalues(S, P)
    x, y = np.ones(n), np.ones(n)
    runs: dict[str, Callable[[], object]] = {
        "eigsh": lambda: eigsh(S, P),
        "n log2 n rotations": lambda: je.sparse_eigsh(S, P, start="natural"),
        "n rotations": lambda: je.sparse_eigsh(S, P, start="natural", n_rotations=n),
        "gain_per_nonzero": lambda: je.sparse_eigsh(
            S, P, start="natural", pivot="gain_per_nonzero", density=0.2, n_rotations=10 * n
        ),
        "two rows": lambda: rotate_two_rows(x, y, 0.8, 0.6, TURNS),
    }
    results = {name: run() for name, run in runs.items()}  # compiles, too
    accuracy = {name: check(S, exact, result) for name, result in results.items() if isinstance(result, je.EigenResult)}
    least = dict.fromkeys(runs, np.inf)
    for _ in range(repeats):
        for name, run in runs.items():
            least[name] = min(least[name], seconds(run))
    long, picky = results["n log2 n rotations"], results["gain_per_nonzero"]
    assert isinstance(long, je.EigenResult)
    assert isinstance(picky, je.EigenResult)
    rotation = (least["n log2 n rotations"] - least["n rotations"]) / (long.n_rotations - n)
    picky_rotation = least["gain_per_nonzero"] / picky.n_rotations
    return [
        f"{n}",
        f"{1e3 * least['eigsh']:.0f} ms",
        f"{least['n log2 n rotations'] / least['eigsh']:.2f}",
        f"{accuracy['n log2 n rotations']:.1%}",
        f"{least['n rotations'] / least['eigsh']:.2f}",
        f"{accuracy['n rotations']:.1%}",
        f"{1e6 * rotation:.1f} us",
        f"{rotation / (least['two rows'] / TURNS):.1f}",
        f"{picky_rotation / (least['n log2 n rotations'] / long.n_rotations):.1f}",
    ]


def peak_memory(n: int, n_rotations: int) -> str:
    """Peak over the input, beside 1.3 x (p + rows touched) x n x itemsize + 50 MB."""
    S = je.datasets.random_covariance(n, rng=0)
    tracemalloc.start()
    result = je.sparse_eigsh(S, P, n_rotations=n_rotations)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(result.rotations, je.RotationSequence)
    touched = len(np.unique(result.rotations.pivots[:, 1]))
    allowed = 1.3 * (P + touched) * n * S.itemsize + 50e6
    return f"n = {n}, {n_rotations} rotations, {touched} rows: {peak / 1e6:.0f} MB, allowed {allowed / 1e6:.0f} MB"


def first_solves() -> str:
    """Seconds of a first solve in a new process: with an empty cache, then with a warm one, imports included."""
    code = (
        "import time; t = time.perf_counter(); import jacobeig as je, numpy as np; S = np.cov(np.eye(300) + 1e-3);"
        "je.sparse_eigsh(S, 10, density=0.1); print(time.perf_counter() - t)"
    )
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        cold, warm = (
            float(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout)
            for _ in range(2)
        )
    return f"first solve with an empty kernel cache {cold:.1f} s, in a new process with a warm one {warm:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    headings = (
        "n", "eigsh", "n log2 n / eigsh", "accuracy", "n / eigsh", "accuracy", "a rotation", "/ two rows",
        "per nonzero / gain",
    )  # fmt: skip
    rows = [headings, *(compare(n, options.repeats) for n in options.sizes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(headings))]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)), flush=True)
    print(peak_memory(2048, 400))
    print(peak_memory(2048, 2048 * 11))
    print(first_solves())


if __name__ == "__main__":
    main()
