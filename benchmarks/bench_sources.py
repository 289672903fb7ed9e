"""Where forming the whole covariance turns cheaper than computing its rows as they are needed.

Run ``python benchmarks/bench_sources.py``; the last two columns are the shares of the n rows that a run must touch
before forming them all at once would have been cheaper, if it asks for rows in batches or one by one.
The `form_up_to` of the data classes in `jacobeig.sources._data` is chosen from this table.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from jacobeig.sources import GramRows

COLUMNS = {
    "data": 16,
    "samples": 8,
    "features": 8,
    "1 row": 10,
    "per row": 10,
    "all rows": 10,
    "batched": 8,
    "single": 8,
}
HEADER = " ".join(f"{name:>{width}}" for name, width in COLUMNS.items())


def best_time(work: Callable[[], Any], repeats: int) -> float:
    """Return the shortest of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def data_matrices(largest: int) -> Iterator[tuple[str, Any]]:
    """Yield names and data matrices, dense (with means that must be subtracted) and sparse."""
    rng = np.random.default_rng(0)
    sizes = [n for n in (256, 512, 1024, 2048, 4096, 8192) if n <= largest]
    for dtype, m, n in product((np.float32, np.float64), (500, 5000, 20000), sizes):
        if m * n <= 5e7:
            yield f"dense {np.dtype(dtype)}", (rng.standard_normal((m, n)) + 3).astype(dtype)
    for n in sizes:
        yield "sparse 1%", sparse.random_array((20000, n), density=0.01, rng=rng, format="csr")


def row_of_table(name: str, X: Any, repeats: int) -> str:
    """Time single rows, batches and all rows, after checking that they agree."""
    by_rows = GramRows(X, form=False)
    batch = np.arange(by_rows.batch)
    rows, formed = by_rows.rows(batch), GramRows(X, form=True).rows(batch)
    np.testing.assert_allclose(rows, formed, atol=1e3 * np.finfo(rows.dtype).eps * np.abs(rows).max())
    single = best_time(lambda: by_rows.rows(batch[:1]), repeats)
    batched = best_time(lambda: by_rows.rows(batch), repeats) / len(batch)
    forming = best_time(lambda: by_rows._scatter.matrix(), repeats)
    m, n = X.shape
    shares = f"{forming / batched / n:8.2f} {forming / single / n:8.2f}"
    return f"{name:>16} {m:8d} {n:8d} {1e3 * single:7.2f} ms {1e3 * batched:7.3f} ms {1e3 * forming:7.0f} ms {shares}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=4096, help="the largest number of features")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(HEADER)
    for name, X in data_matrices(options.largest):
        print(row_of_table(name, X, options.repeats), flush=True)


if __name__ == "__main__":
    main()
