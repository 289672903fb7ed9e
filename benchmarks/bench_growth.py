"""How cost grows: slopes of log time over log size, for the chain, refinement and transforms.

    python benchmarks/bench_growth.py [--repeats 3] [--picture growth.png]

A slope of 1 is proportional growth. Times are processor seconds, the least of the repeats; every answer is checked.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

import jacobeig as je

Growth = dict[str, list[tuple[float, float]]]


def least_seconds(run: Callable[[], object], repeats: int) -> float:
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return float(best)


def chain(n: int, p: int, n_rotations: int) -> Callable[[], object]:
    """A run that reads its rows from a source, so that no check of the whole matrix is timed."""
    A = np.random.default_rng(0).standard_normal((p + 40, n))
    rows = je.sources.GramRows(A, center=False)
    run = partial(je.sparse_eigsh, rows, p, n_rotations=n_rotations, start="natural", pivot="gain")
    assert je.metrics.orthonormality_error(run().vectors) < 1e-12
    return run


def dense_chain(n: int, p: int, n_rotations: int) -> Callable[[], object]:
    run = partial(je.sparse_eigsh, je.datasets.random_covariance(n, rng=0), p, n_rotations=n_rotations, start="natural")
    assert je.metrics.orthonormality_error(run().vectors) < 1e-12
    return run


def refinement(n: int, p: int) -> Callable[[], object]:
    S = je.datasets.random_covariance(n, rng=0)
    result = je.sparse_eigsh(S, p, max_nonzeros=10)
    assert je.refine(S, result).eigenvalues.sum() >= result.eigenvalues.sum() * (1 - 1e-12)
    return partial(je.refine, S, result)


def transform(m: int) -> Callable[[], object]:
    X = np.random.default_rng(0).standard_normal((m, 300))
    pca = je.JacobiPCA(20, density=0.05).fit(X[:1000])
    assert np.allclose(pca.transform(X[:5]), (X[:5] - pca.mean_) @ pca.components_.T)
    return partial(pca.transform, X)


def measure(repeats: int) -> Growth:
    """Sizes and seconds of each series."""

    def series(sizes: Iterable[int], make: Callable[[int], Callable[[], object]]) -> list[tuple[float, float]]:
        return [(size, least_seconds(make(size), repeats)) for size in sizes]

    return {
        "chain, in n (4,000 rotations)": series((512, 1024, 2048, 4096), lambda n: dense_chain(n, 20, 4000)),
        "chain of data, in n (2,000 rotations)": series((1000, 2000, 4000, 8000), lambda n: chain(n, 20, 2000)),
        "chain, in p (4,000 rotations, n = 1,000)": series((5, 10, 20, 40, 80), lambda p: dense_chain(1000, p, 4000)),
        "chain, in rotations (n = 500)": series((2000, 4000, 8000, 16000), lambda k: dense_chain(500, 20, k)),
        "refine, in n (p = 5, 10 nonzeros each)": series((100, 200, 400, 800), lambda n: refinement(n, 5)),
        "refine, in p (n = 200)": series((2, 4, 8, 16), lambda p: refinement(200, p)),
        "transform, in samples": series((2000, 8000, 32000), transform),
    }


def fit_slope(points: list[tuple[float, float]]) -> float:
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def draw(growth: Growth, path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 5))
    for name, points in growth.items():
        x, y = np.array(points).T
        ax.loglog(x, y, "o-", label=f"{name}: {fit_slope(points):.2f}")
    ax.set(xlabel="size", ylabel="processor seconds")
    ax.legend(fontsize=8)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    growth = measure(options.repeats)
    print("| series | sizes | seconds | slope |\n| --- | --- | --- | --- |")
    for name, points in growth.items():
        sizes, seconds = (", ".join(f"{value:.3g}" for value in column) for column in zip(*points, strict=True))
        print(f"| {name} | {sizes} | {seconds} | {fit_slope(points):.2f} |")
    if options.picture:
        draw(growth, options.picture)


if __name__ == "__main__":
    main()
