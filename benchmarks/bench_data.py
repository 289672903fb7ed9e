"""Data matrices whose covariance is never formed: time and peak memory, each in a process of its own.

    python benchmarks/bench_data.py [dense] [scales] [factors] [text]

dense: 2,000 x 100,000 float32 (its covariance would take 40 GB), p = 10, 1,000 rotations, beside the one matrix product
       that makes the rows it touched: sparse factors in noise.
scales, factors: the same of noise whose scale decays, and of dense factors in noise, whose rows are hardest to guess.
text:  20,000 x 100,000 counts with 0.1% nonzeros, p = 10, 1,000 rotations.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse

import jacobeig as je

P, ROTATIONS = 10, 1000


def dense_data(n_samples: int = 2_000, n_features: int = 100_000) -> np.ndarray:
    """Twenty sparse factors in noise."""
    rng = np.random.default_rng(0)
    loadings = rng.standard_normal((20, n_features), dtype=np.float32)
    loadings *= rng.random((20, n_features)) < 0.01
    noise = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    return noise + 2 * rng.standard_normal((n_samples, 20), dtype=np.float32) @ loadings


def scaled_data(n_samples: int = 2_000, n_features: int = 100_000) -> np.ndarray:
    """Noise whose scale decays."""
    noise = np.random.default_rng(1).standard_normal((n_samples, n_features), dtype=np.float32)
    return noise * np.arange(1, n_features + 1, dtype=np.float32) ** np.float32(-0.25)


def factor_data(n_samples: int = 2_000, n_features: int = 100_000) -> np.ndarray:
    """Thirty dense factors in noise."""
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    loadings = rng.standard_normal((30, n_features), dtype=np.float32) * rng.random((1, n_features), dtype=np.float32)
    return noise + rng.standard_normal((n_samples, 30), dtype=np.float32) @ loadings / 2


def text_data(n_samples: int = 20_000, n_features: int = 100_000, density: float = 1e-3) -> sparse.csr_array:
    """Counts of words with a heavy-tailed frequency."""
    rng = np.random.default_rng(0)
    n_words = int(n_samples * n_features * density)
    words = np.minimum((200 * rng.pareto(1.0, n_words)).astype(np.int64), n_features - 1)
    places = (rng.integers(0, n_samples, n_words), words)
    return sparse.csr_array((np.ones(n_words), places), shape=(n_samples, n_features))


def solve(X: np.ndarray | sparse.csr_array) -> tuple[je.EigenResult, float]:
    je.sparse_eigsh(np.eye(30, dtype=X.dtype) + X.dtype.type(0.1), 2)  # compiles, or loads the compiled kernel
    start = time.perf_counter()
    result = je.sparse_eigsh(je.sources.GramRows(X), P, n_rotations=ROTATIONS)
    elapsed = time.perf_counter() - start
    assert result.n_rotations == ROTATIONS
    assert je.metrics.orthonormality_error(result.vectors) < 100 * np.finfo(X.dtype).eps
    return result, elapsed


def touched(result: je.EigenResult) -> np.ndarray:
    assert isinstance(result.rotations, je.RotationSequence)
    return np.unique(result.rotations.pivots)


def bench_dense(name: str, make: Callable[[], np.ndarray]) -> None:
    X = make()
    cpu = time.process_time()
    result, elapsed = solve(X)
    cpu = time.process_time() - cpu
    rows, start, begin = touched(result), time.perf_counter(), time.process_time()
    product = X[:, rows].T @ X
    alone, gemm = time.perf_counter() - start, time.process_time() - begin
    assert np.isfinite(product).all()
    ratios = f"{elapsed / alone:.2f} x (processor time {cpu / gemm:.2f} x)"
    report(name, elapsed, f"{ratios} the product that makes its {len(rows)} rows")


def bench_text() -> None:
    X = text_data()
    result, elapsed = solve(X)
    report("text", elapsed, f"{len(touched(result))} rows of {X.shape[1]:,}; {X.nnz:,} counts")


def report(name: str, elapsed: float, remark: str) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name}: {elapsed:.1f} s, peak {peak:.2f} GB; {remark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    dense = {"dense": dense_data, "scales": scaled_data, "factors": factor_data}
    benches = {name: partial(bench_dense, name, make) for name, make in dense.items()} | {"text": bench_text}
    parser.add_argument("which", nargs="*", choices=[*benches, []], default=[])
    for name in parser.parse_args().which or benches:
        process = multiprocessing.get_context("spawn").Process(target=benches[name])
        process.start()
        process.join()


if __name__ == "__main__":
    main()
