"""What refinement costs and brings: seconds of each effort beside eigsh and truncated power, in one run.

    python benchmarks/bench_refine.py [--sizes 256 1024] [--densities 0.1 0.5]

Random matrices, p = 20. The first call of each is not timed: it may compile.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

import jacobeig as je

P = 20


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    call()
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def row(S: np.ndarray, name: str, call: Callable[[], Any], unit: float, exact: float) -> None:
    seconds, result = timed(call)
    vectors = result.vectors
    error = je.metrics.orthonormality_error(vectors)
    captured = je.metrics.captured_variance(S, vectors) / exact
    print(f"  {name:12} {seconds:7.2f} s  {seconds / unit:6.0f} x eigsh  captures {captured:.4f}  I - V'V {error:.0e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=(256, 1024))
    parser.add_argument("--densities", type=float, nargs="+", default=(0.1, 0.5))
    options = parser.parse_args()
    for n in options.sizes:
        S = je.datasets.random_covariance(n, rng=0)
        unit, (values, _) = timed(partial(eigsh, S, P))
        for density in options.densities:
            print(f"n = {n}, density {density:.0%}; eigsh {unit:.3f} s", flush=True)
            run = je.sparse_eigsh(S, P, density=density)
            row(S, "tpower", partial(je.baselines.tpower, S, P, int(density * n)), unit, values.sum())
            for effort in ("quick", "best"):
                for orthonormal, name in ((True, "refine"), (False, "free")):
                    call = partial(je.refine, S, run, effort=effort, orthonormal=orthonormal)
                    row(S, f"{name} {effort}", call, unit, values.sum())


if __name__ == "__main__":
    main()
