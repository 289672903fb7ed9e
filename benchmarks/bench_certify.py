"""How tight certificates are on standard data, and what they cost: the table of docs/certificates.md.

    python benchmarks/bench_certify.py [--best] [--usps FILE] [--large]

Processor seconds of one thread. `--best` adds cases over supports (a minute each at most), `--usps` the images of the
paper (an npz file), `--large` a matrix of order 1,000.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from threadpoolctl import threadpool_limits

import jacobeig as je

STANDARD = [(p, k) for p in (2, 3) for k in (5, 10, 20)]
LIMIT = 60.0


def standard_matrices() -> Iterator[tuple[str, np.ndarray]]:
    yield "pitprops", np.loadtxt("tests/data/pitprops.csv", delimiter=",")
    yield "wine", np.corrcoef(load_wine().data, rowvar=False)
    yield "cells", np.corrcoef(load_breast_cancer().data, rowvar=False)
    yield "digits", np.cov(load_digits().data, rowvar=False)


def large_matrix() -> np.ndarray:
    """Correlations of products of pixels of digits."""
    pixels = load_digits().data
    pixels, rng = pixels[:, pixels.std(axis=0) > 0], np.random.default_rng(0)
    products = [pixels * pixels[:, rng.permutation(pixels.shape[1])] for _ in range(18)]
    columns = np.hstack([pixels, *products])
    return np.asarray(np.corrcoef(columns[:, columns.std(axis=0) > 0][:, :1000], rowvar=False))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def row(name: str, S: np.ndarray, p: int, k: int, efforts: list[Any], refine: Any = "best") -> list[float]:
    result = je.sparse_eigsh(S, p, max_nonzeros=k, refine=refine)
    fan = np.linalg.eigvalsh(S)[-p:].sum()
    cells, gaps = [f"{fan / result.eigenvalues.sum() - 1:.1%}"], []
    for effort in efforts:
        limit = LIMIT if effort == "best" else None
        seconds, found = timed(partial(je.certify, S, result, max_nonzeros=k, effort=effort, time_limit=limit))
        checking, _ = timed(partial(found.verify, S))
        gaps.append(found.gap)
        cells += [f"{found.gap:.2%}", f"{found.kind}", f"{seconds:.1f}", f"{checking:.2f}"]
    print("| " + " | ".join([f"{name}, n = {len(S)}", str(p), str(k), *cells]) + " |", flush=True)
    return gaps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--best", action="store_true")
    parser.add_argument("--usps")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    efforts = ["quick", "best"] if options.best else ["quick"]
    je.certify(np.eye(5) + 1.0, n_components=2, max_nonzeros=2, effort="best")  # compiles
    titles = [title for effort in efforts for title in (f"gap, {effort}", "by", "seconds", "verified in")]
    print("| data | p | k | Ky Fan | " + " | ".join(titles) + " |\n|" + " --- |" * (4 + len(titles)))
    with threadpool_limits(limits=1, user_api="blas"):
        gaps = [row(name, S, p, k, efforts) for name, S in standard_matrices() for p, k in STANDARD if k < len(S)]
        print(f"\nmean of {len(gaps)}: " + ", ".join(f"{mean:.2%}" for mean in np.mean(gaps, axis=0)) + "\n")
        row("digits", np.cov(load_digits().data, rowvar=False), 10, 6, efforts)
        if options.usps:
            S = np.cov(je.datasets.load_usps(options.usps).pixels, rowvar=False)
            for k in (5, 13):
                row("USPS", S, 20, k, ["quick"], refine=True)
        if options.large:
            row("products", large_matrix(), 10, 20, ["quick"], refine=True)


if __name__ == "__main__":
    main()
