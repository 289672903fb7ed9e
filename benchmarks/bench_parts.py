"""Where the time of a rotation goes: a run's rotations repeated with one part of the kernel more each time.

    python benchmarks/bench_parts.py [--sizes 1024 2048] [--repeats 5]

Parts are added in the order of the kernel, so each figure is what a part adds to those before it, with cache misses;
checks are what a run of one rotation takes, and "choosing" is what is left of the run itself: selecting, scores of
changed columns, supports, stale rescans, and waiting for row j, which only a repeated run knows beforehand.
"""

import argparse
import time
from functools import partial

import numpy as np

import jacobeig as je
from jacobeig._kernels._jit import bare_kernel
from jacobeig._kernels.rows import _fetch, _replay, _rotate_rows
from jacobeig._kernels.scan import _find_trailing_gain
from jacobeig._types import FloatArray, IntArray, UIntArray

P = 20
PARTS = ("reading row j", "replay", "rotation of two rows", "columns by symmetry", "scan of row i")


@bare_kernel
def repeat(
    n_parts: int,
    active: FloatArray,
    rows: FloatArray,
    work: FloatArray,
    diagonal: FloatArray,
    first: UIntArray,
    second: UIntArray,
    cosines: FloatArray,
    sines: FloatArray,
    current: IntArray,
) -> float:
    """The first parts of every rotation; the rest is left out, so the numbers mean nothing."""
    p, n = active.shape
    total = 0.0
    for q in range(first.shape[0]):
        i, j = np.int64(first[q]), np.int64(second[q])
        x, y = active[i], rows[j]
        _fetch(y, work)
        if n_parts > 1:
            _replay(y, first, second, cosines, sines, current[j], q)
            current[j] = q + 1
        if n_parts > 2:
            _rotate_rows(x, y, cosines[q], sines[q])
        if n_parts > 3:
            for a in range(p):
                y[a] = active[a, j]
            for a in range(p):
                active[a, i] = x[a]
                active[a, j] = y[a]
        if n_parts > 4:
            gain, column = _find_trailing_gain(x, diagonal, diagonal[i], 1.0, p, -1, 0.0)
            total += gain + column
        total += y[n - 1]
    return total


def measure(n: int, repeats: int) -> list[tuple[str, float]]:
    """Microseconds that each part adds to a rotation."""
    S = je.datasets.random_covariance(n, rng=0)
    run = partial(je.sparse_eigsh, S, P, start="natural")
    result = run()
    chain = result.rotations
    assert isinstance(chain, je.RotationSequence)
    assert je.metrics.orthonormality_error(result.vectors) < 1e-12
    first, second = chain.pivots.T.astype(np.uint32).copy()
    sines, diagonal, best = chain.sines.copy(), np.diag(S).copy(), np.full(len(PARTS) + 2, np.inf)
    padded = np.zeros((n, n + 8))
    padded[:, :n] = S
    for _ in range(repeats):
        for k in range(len(PARTS)):
            arrays = S[:P].copy(), padded.copy(), np.empty(1), diagonal, first, second, chain.cosines, sines
            start = time.process_time()
            repeat(k + 1, *arrays, np.zeros(n, np.int64))
            best[k] = min(best[k], time.process_time() - start)
        for place, n_rotations in ((-2, None), (-1, 1)):
            start = time.process_time()
            run(n_rotations=n_rotations)
            best[place] = min(best[place], time.process_time() - start)
    added = 1e6 * np.diff(best[:-1], prepend=0.0) / len(chain)
    checks = 1e6 * best[-1] / len(chain)
    added[-1] -= checks
    return [*zip((*PARTS, "choosing, supports, the rest", "checks of the matrix"), [*added, checks], strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    measure(64, 1)  # compiles
    tables = [measure(n, options.repeats) for n in options.sizes]
    print("| microseconds a rotation | " + " | ".join(f"n = {n}" for n in options.sizes) + " |")
    print("| --- |" + " --- |" * len(options.sizes))
    for cells in zip(*tables, strict=True):
        print(f"| {cells[0][0]} | " + " | ".join(f"{value:.2f}" for _, value in cells) + " |")
    print("| a rotation | " + " | ".join(f"{sum(v for _, v in table):.2f}" for table in tables) + " |")


if __name__ == "__main__":
    main()
