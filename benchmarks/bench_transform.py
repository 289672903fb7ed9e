"""Transform against scikit-learn's PCA.transform, and one vector against the dense product, as ratios.

    python benchmarks/bench_transform.py [--repeats 51] [--constants]

Every timed answer is checked first. Ratios are medians over interleaved repeats; below 1 is faster than the rival. The
column "/ best" is the bare product the chosen way over the quickest of the three; --constants prints what the cost
model is made of.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA

import jacobeig as je
from jacobeig._types import FloatArray
from jacobeig.estimators._projection import WAYS, Projection

HEADER = ("samples", "features", "p", "density", "rotations", "dtype", "layout", "way", "/ PCA", "/ best")


def seconds(function: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - start) / calls


def interleaved(functions: dict[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Return the seconds of each function in each repeat; those of microseconds are called many times a repeat.

    The order turns round every time, because whoever is first in a repeat finds the caches colder.
    """
    calls = {name: max(1, int(5e-4 / seconds(function, 3))) for name, function in functions.items()}
    times: dict[str, list[float]] = {name: [] for name in functions}
    for repeat in range(repeats):
        for name in list(functions)[:: -1 if repeat % 2 else 1]:
            times[name].append(seconds(functions[name], calls[name]))
    return times


def ratio(times: dict[str, list[float]], own: str, rival: str) -> float:
    """Return the median ratio of neighbours in time: what disturbs one repeat seldom disturbs half of them."""
    return statistics.median(a / b for a, b in zip(times[own], times[rival], strict=True))


def data(m: int, n: int, dtype: str) -> FloatArray:
    """Samples with a few strong factors of some features each."""
    rng = np.random.default_rng(0)
    loadings = rng.standard_normal((20, n)) * (rng.random((20, n)) < 0.2)
    X = rng.standard_normal((m, 20)) @ loadings + 0.5 * rng.standard_normal((m, n)) + 1.0
    return X.astype(dtype)


def cases() -> Iterator[tuple[int, int, int, dict[str, Any], str, str]]:
    for dtype in ("float64", "float32"):
        for m in (1, 16, 1000):
            for n, p in ((64, 10), (256, 20), (1024, 10), (4096, 64)):
                for budget in ({"density": 0.02}, {"density": 0.05}, {"density": 0.2}, {"n_rotations": n}):
                    yield m, n, p, budget, dtype, "C"
        yield 1000, 256, 20, {"density": 0.05}, dtype, "F"
        yield 1000, 4096, 64, {"density": 0.02}, dtype, "F"
        yield 1000, 4096, 20, {"density": 0.01}, dtype, "csr"
        yield 1000, 4096, 64, {"density": 0.002}, dtype, "csr"


def compare(case: tuple[int, int, int, dict[str, Any], str, str], repeats: int) -> tuple[str, ...]:
    m, n, p, budget, dtype, layout = case
    train = data(300, n, dtype)
    model = je.JacobiPCA(p, **budget).fit(train)
    pca = PCA(p, svd_solver="full").fit(train)
    X: Any = data(m, n, dtype)
    if layout == "F":
        X = np.asfortranarray(X)
    if layout == "csr":
        X = sparse.random_array((m, n), density=0.05, rng=0, dtype=np.dtype(dtype), format="csr")
    expected = (np.asarray(X.toarray() if layout == "csr" else X) - model.mean_) @ model.components_.T.astype(float)
    tolerance = 1e4 * np.finfo(dtype).eps * np.abs(expected).max()
    ways = WAYS[:2] if layout == "csr" or model._projection.chain is None else WAYS
    for Z in (model.transform(X), *(model._projection(X, way) - model._offset for way in ways)):
        assert np.abs(Z - expected).max() < tolerance
    times = interleaved({"own": lambda: model.transform(X), "rival": lambda: pca.transform(X)}, repeats)
    bare = interleaved({way: partial(model._projection, X, way) for way in ways}, repeats)
    chosen = model._projection.choose_for_stored(X) if layout == "csr" else model._projection.find_cheapest(X)
    result = model.decomposition_
    return (
        *(str(value) for value in (m, n, p)),
        f"{result.density:.1%}",
        f"{result.n_rotations}",
        dtype,
        layout,
        chosen,
        f"{ratio(times, 'own', 'rival'):.2f}",
        f"{max(ratio(bare, chosen, way) for way in ways):.2f}",
    )


def one_vector(repeats: int) -> str:
    """The bare projection of one vector at 5% density with n = 4096 and p = 64."""
    X = data(300, 4096, "float64")
    result = je.sparse_eigsh(je.sources.GramRows(X), 64, density=0.05)
    projection = Projection(vectors=result.vectors)
    dense, sample = result.vectors.toarray(), X[:1].copy()
    rows = np.ascontiguousarray(dense.T)
    assert np.allclose(projection(sample), sample @ dense)
    assert projection.find_cheapest(sample) == "sparse"
    rivals = {"columns": lambda: sample @ dense, "rows": lambda: rows @ sample[0]}
    times = interleaved({"own": lambda: projection(sample), **rivals}, repeats)
    median = {name: statistics.median(values) for name, values in times.items()}
    rival = min(rivals, key=lambda name: median[name])
    return (
        f"one vector, n = 4096, p = 64, density {result.density:.1%}: {1e6 * median['own']:.1f} us against "
        f"{1e6 * median[rival]:.1f} us for the dense product, {ratio(times, rival, 'own'):.1f} times faster"
    )


def constants(repeats: int) -> Iterator[str]:
    """What the ways cost, in nanoseconds: the figures of the cost model in _projection.py."""
    rng = np.random.default_rng(0)
    yield f"{'':>30}  multiply   gather   rotate (ns)"
    for m, n, p in ((1, 256, 20), (1, 4096, 64), (1000, 256, 20), (1000, 1024, 10), (1000, 4096, 64)):
        for dtype in (np.float64, np.float32):
            X = rng.standard_normal((m, n)).astype(dtype)
            vectors = sparse.csc_array(sparse.random_array((n, p), density=0.05, rng=rng, dtype=np.dtype(dtype)))
            pivots = np.stack([rng.integers(0, p, 2 * n), rng.integers(p, n, 2 * n)], axis=1)
            angles = rng.random(2 * n)
            chain = je.RotationSequence(
                n=n,
                pivots=pivots,
                cosines=np.cos(angles),
                sines=np.sin(angles),
                coordinates=np.arange(p),
                dtype=np.dtype(dtype),
            )
            projection = Projection(vectors=vectors, chain=chain)
            times = interleaved({way: partial(projection, X, way) for way in WAYS}, repeats)
            units = {"dense": n * p, "sparse": vectors.nnz, "chain": len(chain)}
            figures = "  ".join(f"{1e9 * statistics.median(times[way]) / m / unit:7.3f}" for way, unit in units.items())
            yield f"{m:6d} x {n:5d}, p = {p:2d}, {np.dtype(dtype)}  {figures}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=51)
    parser.add_argument("--constants", action="store_true", help="only measure the cost model's constants")
    options = parser.parse_args()
    if options.constants:
        for line in constants(options.repeats):
            print(line, flush=True)
        return
    print(one_vector(10 * options.repeats), flush=True)
    rows = []
    for case in cases():
        rows.append(compare(case, options.repeats))
        if len(rows) == 1:
            print("  ".join(heading.rjust(9) for heading in HEADER))
        print("  ".join(cell.rjust(9) for cell in rows[-1]), flush=True)
    ratios = [float(row[-2]) for row in rows]
    print(f"/ PCA: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
