"""Refinement beyond a thousand features: captured variance, passes, peak memory and CPU seconds, beside the rivals.

    python benchmarks/bench_scale.py                   # the wide, image-like and text-like data, and many components
    python benchmarks/bench_scale.py --large           # also the data that take gigabytes
    python benchmarks/bench_scale.py --only NAME ...   # some of them: their names are in CASES, LARGE and DENSE

Every method runs on the same data in the same process on one BLAS thread; "share" is the captured variance over that of
as many exact components, and ratios of seconds are to the chain's.
"""

import argparse
import json
import math
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds
from threadpoolctl import threadpool_limits

import jacobeig as je
from jacobeig._arguments import is_sparse


def make_wide(n: int = 6830, samples: int = 64) -> Any:
    """Few samples of many features, thirty sparse factors and noise."""
    rng = np.random.default_rng(1)
    loadings = np.zeros((30, n))
    for row in loadings:
        row[rng.choice(n, int(0.03 * n), replace=False)] = rng.standard_normal(int(0.03 * n))
    return rng.standard_normal((samples, 30)) @ loadings + 0.7 * rng.standard_normal((samples, n))


def make_large(n: int = 100_000, samples: int = 2_000) -> Any:
    """The same in single precision, a hundred samples at a time."""
    rng = np.random.default_rng(1)
    loadings = np.zeros((30, n), np.float32)
    for row in loadings:
        row[rng.choice(n, int(0.03 * n), replace=False)] = rng.standard_normal(int(0.03 * n))
    X = rng.standard_normal((samples, 30)).astype(np.float32) @ loadings
    for begin in range(0, samples, 100):
        X[begin : begin + 100] += np.float32(0.7) * rng.standard_normal((100, n), dtype=np.float32)
    return X


def make_images(samples: int = 400) -> Any:
    """Images of 56 x 46 pixels: sums of smooth spots."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:56, :46]
    spots = []
    for _ in range(60):
        cy, cx, width = rng.uniform(0, 56), rng.uniform(0, 46), rng.uniform(3, 12)
        spots.append(np.exp(-((y - cy) ** 2 + (x - cx) ** 2) / (2 * width**2)).ravel() * rng.standard_normal())
    noise = 0.1 * rng.standard_normal((samples, y.size))
    return (rng.standard_normal((samples, 60)) * np.linspace(3, 0.5, 60)) @ np.array(spots) + noise


def make_counts(samples: int = 5_000, words: int = 20_000, topics: int = 20, length: int = 40) -> Any:
    """Counts of words in texts, each mostly about one topic of thirty words among rare others."""
    rng = np.random.default_rng(2)
    common = rng.zipf(1.3, words).astype(float)
    about = np.sort(rng.integers(topics, size=samples))
    columns = np.empty(samples * length, np.int32)
    for t in range(topics):
        chance = common / common.sum()
        chance[rng.choice(words, 30, replace=False)] += 1.0 / 30
        first, last = length * np.searchsorted(about, [t, t + 1])
        columns[first:last] = rng.choice(words, last - first, p=chance / chance.sum())
    starts = np.arange(samples + 1, dtype=np.int64) * length
    counts = sparse.csr_array((np.ones(len(columns), np.float32), columns, starts), shape=(samples, words))
    counts.sum_duplicates()
    return counts


def make_factors(n: int, factors: int) -> Any:
    """Samples of overlapping sparse factors in noise, for many components."""
    rng = np.random.default_rng(0)
    loadings = np.zeros((factors, n))
    for row in loadings:
        row[rng.choice(n, int(0.04 * n), replace=False)] = rng.standard_normal(int(0.04 * n))
    scores = rng.standard_normal((4 * n, factors)) * np.linspace(2, 0.5, factors)
    return scores @ loadings + 0.7 * rng.standard_normal((4 * n, n))


def total_variance(X: Any, p: int) -> float:
    """Return what p exact components capture."""
    mean = np.asarray(X.mean(axis=0)).ravel()

    def multiply(factor: Any, v: Any) -> Any:  # in the precision of X, which is not copied
        return factor @ v.ravel().astype(X.dtype)

    centred = LinearOperator(
        X.shape,
        matvec=lambda v: multiply(X, v) - mean @ v.ravel(),
        rmatvec=lambda u: multiply(X.T, u) - mean * u.sum(),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(min(X.shape))
    values: Any = svds(centred, p, return_singular_vectors=False, v0=start)
    return float(np.sum(values**2) / (X.shape[0] - 1))


def captured(X: Any, vectors: Any) -> float:
    """Return the variance that vectors capture, by projection on their span."""
    V = vectors.toarray() if is_sparse(vectors) else np.asarray(vectors)
    Q = np.linalg.qr(V)[0]
    scores = X @ Q.astype(X.dtype) - np.asarray(X.mean(axis=0)).ravel() @ Q
    return float(np.sum(scores**2) / (X.shape[0] - 1))


def keep_largest(V: Any, nonzeros: int) -> Any:
    """Return V with its largest entries only."""
    least = np.partition(np.abs(V).ravel(), V.size - nonzeros)[V.size - nonzeros]
    return np.where(np.abs(V) >= least, V, 0.0)


def rotate_and_threshold(X: Any, p: int, nonzeros: int) -> Any:
    """TruncatedSVD, varimax, and the largest entries kept."""
    from sklearn.decomposition import TruncatedSVD

    from jacobeig.refinement.spectrum import varimax

    V = TruncatedSVD(p, random_state=0).fit(X).components_.T
    return keep_largest(varimax(np.linalg.qr(V)[0]), nonzeros)


def minibatch_spca(X: Any, p: int, nonzeros: int) -> Any:
    """scikit-learn's MiniBatchSparsePCA with its default penalty, cut to as many nonzeros."""
    from sklearn.decomposition import MiniBatchSparsePCA

    dense = X.toarray() if is_sparse(X) else X
    return keep_largest(MiniBatchSparsePCA(p, random_state=0, max_iter=50).fit(dense).components_.T, nonzeros)


def truncated_power(X: Any, p: int, nonzeros: int) -> Any:
    """Truncated power iterations with products only, one component after the other."""
    mean, each = np.asarray(X.mean(axis=0)).ravel(), nonzeros // p
    squares = X.multiply(X).mean(axis=0) if is_sparse(X) else np.einsum("ij,ij->j", X, X) / len(X)
    found = np.zeros((X.shape[1], p))
    for t in range(p):
        done = np.linalg.qr(found[:, :t])[0]
        x = np.zeros(X.shape[1])
        x[np.argmax(np.asarray(squares).ravel() - mean**2)] = 1.0
        for _ in range(60):
            x = x - done @ (done.T @ x)
            z = X @ x.astype(X.dtype) - mean @ x
            y = X.T @ z.astype(X.dtype) - mean * z.sum()
            y = y - done @ (done.T @ y)
            kept = np.argsort(-np.abs(y), kind="stable")[:each]
            x = np.zeros_like(y)
            x[kept] = y[kept] / np.linalg.norm(y[kept])
        found[:, t] = x
    return found


def list_methods(X: Any, p: int, nonzeros: int) -> dict[str, Callable[[], Any]]:
    """Return ours and the rivals, each to be called without arguments."""
    density = (nonzeros + 0.5) / (X.shape[1] * p)

    def run(**options: Any) -> Any:
        return je.sparse_eigsh(je.sources.GramRows(X), p, density=density, **options)

    def free() -> Any:
        source = je.sources.GramRows(X)
        return je.refine(source, je.sparse_eigsh(source, p, density=density), density=density, orthonormal=False)

    return {
        "chain": run,
        "refined": lambda: run(refine=True),
        "free": free,
        "SVD, varimax, threshold": lambda: rotate_and_threshold(X, p, nonzeros),
        "truncated power": lambda: truncated_power(X, p, nonzeros),
        "MiniBatchSparsePCA": lambda: minibatch_spca(X, p, nonzeros),
    }


def measure(name: str, X: Any, p: int, nonzeros: int, *, skip: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Run every method on one data set, and print a row for each."""
    total, rows, chain_seconds = total_variance(X, p), [], np.nan
    for method, call in list_methods(X, p, nonzeros).items():
        if method in skip:
            continue
        started = time.process_time()
        found = call()
        seconds = time.process_time() - started
        chain_seconds = seconds if method == "chain" else chain_seconds
        vectors = getattr(found, "vectors", found)
        row = {
            "data": name,
            "method": method,
            "share": round(captured(X, vectors) / total, 4),
            "nonzeros": int(np.count_nonzero(vectors.data if is_sparse(vectors) else vectors)),
            "orthonormality_error": je.metrics.orthonormality_error(vectors),
            "passes": getattr(found, "passes", None),
            "cpu_seconds": round(seconds, 2),
            "ratio_to_chain": round(seconds / chain_seconds, 2),
            "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
        }
        rows.append(row)
        print(
            f"{name:26s} {method:24s} share {row['share']:.4f}  nonzeros {row['nonzeros']:6d}  "
            f"error {row['orthonormality_error']:.0e}  passes {row['passes']}  {row['cpu_seconds']:8.2f} s  "
            f"x{row['ratio_to_chain']:<6} peak {row['peak_gb']} GB",
            flush=True,
        )
    return rows


def measure_dense(n: int = 4_096, p: int = 20, density: float = 0.05) -> None:
    """Print what refinement of a dense matrix takes, beside a chain of n log2 n rotations and one of its nonzeros."""
    S = je.datasets.random_covariance(n, rng=0)
    seconds: dict[str, float] = {}
    traces: dict[str, float] = {}
    runs: dict[str, dict[str, Any]] = {
        "chain": {"n_rotations": n * math.ceil(math.log2(n))},
        "chain of as many nonzeros": {"density": density},
        "refined": {"density": density, "refine": True},
    }
    for method, options in runs.items():
        started = time.process_time()
        traces[method] = float(je.sparse_eigsh(S, p, **options).eigenvalues.sum())
        seconds[method] = time.process_time() - started
        print(f"{f'dense {n:,}':26s} {method:26s} {seconds[method]:8.2f} s  x{seconds[method] / seconds['chain']:.2f}")
    rise = traces["refined"] / traces["chain of as many nonzeros"] - 1
    print(f"{f'dense {n:,}':26s} refinement captures {rise:.1%} more than a chain of as many nonzeros", flush=True)


RIVALS = ("free", "SVD, varimax, threshold", "truncated power", "MiniBatchSparsePCA")
SLOW = ("free", "MiniBatchSparsePCA")  # not beside data that take gigabytes
# What to make, components, nonzeros in all, and the methods that are left out.
CASES: dict[str, tuple[Callable[[], Any], int, int, tuple[str, ...]]] = {
    "wide 64 x 6,830": (make_wide, 10, 300, ()),
    "images 400 x 2,576": (make_images, 10, 300, ()),
    "images, 3,000": (make_images, 10, 3_000, RIVALS),
    "counts 5,000 x 20,000": (make_counts, 20, 600, ("MiniBatchSparsePCA",)),
    "p = 100, n = 1,000, 1%": (lambda: make_factors(1_000, 200), 100, 1_000, RIVALS),
    "p = 100, n = 1,000, 5%": (lambda: make_factors(1_000, 200), 100, 5_000, RIVALS),
    "p = 200, n = 2,000, 2%": (lambda: make_factors(2_000, 400), 200, 8_000, RIVALS),
    "p = 200, n = 2,000, 5%": (lambda: make_factors(2_000, 400), 200, 20_000, RIVALS),
    "p = 200, n = 2,000, 10%": (lambda: make_factors(2_000, 400), 200, 40_000, RIVALS),
    "p = 200, noise, 10%": (lambda: np.random.default_rng(0).standard_normal((8_000, 2_000)), 200, 40_000, RIVALS),
}
LARGE: dict[str, tuple[Callable[[], Any], int, int, tuple[str, ...]]] = {
    "2,000 x 100,000, 500": (make_large, 10, 500, SLOW),
    "2,000 x 100,000, 5,000": (make_large, 10, 5_000, SLOW),
    "counts 1,000,000 x 100,000": (lambda: make_counts(1_000_000, 100_000, length=100), 20, 600, SLOW),
}
DENSE = "dense 4,096"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also the data that take gigabytes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="the beginnings of the names of cases")
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    options = parser.parse_args()
    cases = CASES | (LARGE if options.large or options.only else {})
    rows: list[dict[str, Any]] = []
    with threadpool_limits(limits=1, user_api="blas"):
        for dtype in (np.float64, np.float32):
            for call in list_methods(make_wide(1100).astype(dtype), 2, 20).values():
                call()  # compiles, and is not timed
        for name, (make, p, nonzeros, skip) in cases.items():
            if options.only is None or name.startswith(tuple(options.only)):
                rows += measure(name, make(), p, nonzeros, skip=skip)
        if options.only is None or DENSE.startswith(tuple(options.only)):
            measure_dense()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
