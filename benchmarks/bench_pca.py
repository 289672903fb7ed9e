"""JacobiPCA.fit against scikit-learn's SparsePCA at a comparable density, in one run, as ratios of medians.

    python benchmarks/bench_pca.py [--data usps.npz] [--samples 9298] [--density 0.05] [--repeats 5] [--rival-repeats 1]

Without --data (an npz file with an array X), the samples are synthetic images of 16 x 16 pixels. Both are scored by the
same measure, the variance captured by projection, which is fair to SparsePCA's components that are not orthogonal.
Every timed answer is checked first.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.decomposition import PCA, SparsePCA
from sklearn.exceptions import ConvergenceWarning

import jacobeig as je
from jacobeig._types import FloatArray

P = 20


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def images(m: int) -> FloatArray:
    """Strokes and blobs: neighbouring pixels go together, as in handwriting."""
    rng = np.random.default_rng(0)
    row, column = np.divmod(np.arange(256), 16)
    X = np.zeros((m, 256))
    for _ in range(4):
        angle, offset, width = rng.uniform(0, np.pi, m), rng.uniform(-5, 5, m), rng.uniform(1, 2.5, m)
        across = np.outer(np.cos(angle), row - 7.5) + np.outer(np.sin(angle), column - 7.5) - offset[:, np.newaxis]
        X += np.exp(-((across / width[:, np.newaxis]) ** 2))
    return np.minimum(X, 1.0) + 0.05 * rng.standard_normal(X.shape)


def captured(S: FloatArray, components: FloatArray) -> float:
    """Variance captured by projection; components that are zero everywhere capture nothing."""
    return je.metrics.captured_variance(S, components[np.abs(components).max(axis=1) > 0].T)


def comparable_rival(X: FloatArray, density: float) -> tuple[SparsePCA, float]:
    """Return a SparsePCA whose penalty gives about the density, found on some of the samples."""
    few = X[:: max(1, len(X) // 1000)]
    low, high = 0.01, 100.0
    for _ in range(8):
        alpha = float(np.sqrt(low * high))
        rival = SparsePCA(P, alpha=alpha * np.sqrt(len(few) / len(X)), max_iter=100, random_state=0).fit(few)
        low, high = (alpha, high) if np.mean(rival.components_ != 0) > density else (low, alpha)
    return SparsePCA(P, alpha=high, max_iter=300, random_state=0), high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="an npz file with an array X (samples x features)")
    parser.add_argument("--samples", type=int, default=9298, help="how many synthetic samples")
    parser.add_argument("--density", type=float, default=0.05)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rival-repeats", type=int, default=1, help="SparsePCA takes minutes")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    X: FloatArray = np.load(options.data)["X"].astype(float) if options.data else images(options.samples)
    S = np.cov(X, rowvar=False)
    exact = float(PCA(P, svd_solver="full").fit(X).explained_variance_.sum())
    models: dict[str, Callable[[float], je.JacobiPCA]] = {
        "JacobiPCA": lambda density: je.JacobiPCA(P, density=density),
        "the paper's": lambda density: je.JacobiPCA(P, density=density, pivot="gain", start="natural"),
    }
    if hasattr(je, "refine"):
        models["refined"] = lambda density: je.JacobiPCA(P, density=density, refine=True)
        models["free basis"] = lambda density: je.JacobiPCA(P, density=density, refine=True, orthonormal=False)
    rival, alpha = comparable_rival(X, options.density)
    rival_times, own_times = [], {name: [] for name in models}  # type: tuple[list[float], dict[str, list[float]]]
    for repeat in range(max(options.repeats, options.rival_repeats)):
        if repeat < options.rival_repeats:
            rival_times.append(seconds(partial(rival.fit, X)))
        density = float(np.mean(rival.components_ != 0))
        for name, model in models.items():
            fitted = model(density).fit(X)  # compiles, and is checked
            assert np.mean(fitted.components_ != 0) <= density + 1e-12
            if fitted.orthonormal:
                assert je.metrics.orthonormality_error(fitted.components_.T) < 1e-12
            assert np.isclose(fitted.total_explained_variance_, captured(S, fitted.components_))
            own_times[name].append(seconds(partial(model(density).fit, X)))
    slow = statistics.median(rival_times)
    print(f"{X.shape[0]} x {X.shape[1]}, p = {P}; SparsePCA(alpha={alpha:.3g}): {slow:.1f} s, density {density:.2%},")
    print(f"  captured {captured(S, rival.components_) / exact:.3f} of what PCA does")
    for name, model in models.items():
        fitted, quick = model(density).fit(X), statistics.median(own_times[name])
        print(
            f"{name:>12}: {1e3 * quick:.0f} ms, {slow / quick:.0f} times faster, density "
            f"{np.mean(fitted.components_ != 0):.2%}, captured {captured(S, fitted.components_) / exact:.3f}"
        )


if __name__ == "__main__":
    main()
