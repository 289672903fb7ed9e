"""What a front costs, and how good its points are: against refining its densest point, and each of its points, alone.

    python benchmarks/bench_front.py [--best] [--free]

CPU seconds of one core (set OPENBLAS_NUM_THREADS=1). The first call is not timed: it may compile.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import jacobeig as je


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def draw_factors(n: int, rank: int = 12, m: int = 400) -> np.ndarray:
    rng = np.random.default_rng(0)
    W = rng.standard_normal((rank, n)) * (rng.random((rank, n)) < 0.15) * np.geomspace(4, 1, rank)[:, None]
    return np.cov((rng.standard_normal((m, rank)) @ W + rng.standard_normal((m, n))).T)


def draw_images(side: int = 18, m: int = 500, blobs: int = 25) -> np.ndarray:
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:side, :side] / side
    places, widths = rng.random((blobs, 2)), rng.uniform(0.01, 0.1, blobs)
    shapes = [np.exp(-((x - a) ** 2 + (y - b) ** 2) / w).ravel() for (a, b), w in zip(places, widths, strict=True)]
    return np.cov((rng.standard_normal((m, blobs)) @ shapes + 0.1 * rng.standard_normal((m, side * side))).T)


def make_matrices() -> dict[str, tuple[np.ndarray, int]]:
    return {
        "wine": (np.corrcoef(load_wine().data.T), 4),
        "cells": (np.corrcoef(load_breast_cancer().data.T), 5),
        "digits": (np.cov(load_digits().data.T), 10),
        "random": (je.datasets.random_covariance(256, rng=1), 10),
        "factors": (draw_factors(300), 8),
        "images": (draw_images(), 12),
        "random, 1000": (je.datasets.random_covariance(1000, rng=0), 10),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--best", action="store_true", help="effort='best', where minutes pass")
    parser.add_argument("--free", action="store_true", help="bases that need not be orthonormal")
    given = parser.parse_args()
    options: dict[str, Any] = {"effort": "best" if given.best else "quick", "orthonormal": not given.free}

    def refine_alone(S: np.ndarray, p: int, density: float) -> float:
        chain = je.sparse_eigsh(S, p, density=density)
        return je.metrics.captured_variance(S, je.refine(S, chain, density=density, **options).vectors)

    je.front(draw_factors(40), 3, **options)
    print("points: how many capture less than alone, and by how much in the worst case, the best and on average")
    for name, (S, p) in make_matrices().items():
        cost, front = timed(partial(je.front, S, p, **options))
        times, alone = zip(*(timed(partial(refine_alone, S, p, d)) for d in front.densities), strict=True)
        gains = front.captured / np.array(alone) - 1
        print(
            f"{name:13} {cost:6.2f} s, {cost / times[-1]:4.1f} x its densest point, {cost / sum(times):4.2f} x all of "
            f"them alone; {np.sum(gains < -1e-6):2d} of {len(front)} below, {gains.min():+.2%} to {gains.max():+.2%}, "
            f"mean {gains.mean():+.3%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
