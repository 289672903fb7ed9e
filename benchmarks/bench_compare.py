"""Captured variance and seconds of every method, ours and the literature's, at the same numbers of nonzeros.

    python benchmarks/bench_compare.py [--data digits random ...] [--densities 0.02 0.05 ...] [--usps FILE]
                                       [--methods NAME ...] [--time-limit SECONDS] [--output FOLDER]

Data: digits (scikit-learn's, centred), random (256 x 256), lowrank, blocks, and with --usps an npz file whose `X` holds
images in [-1, 1]: usps (centred), usps_raw ([-1, 1]), usps_unit ([0, 1]), usps_own (each image minus its own mean).
For every density it says by how much ours lead: "free" against all as they are, "refine" against all made orthonormal.
A method that has no budget is compared again, at the density that it reached.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

import jacobeig as je

DENSITIES = (0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
FREE, TIED = ("free", "free best"), ("refine", "refine best")
OWN = (*je.comparison.OURS,)
NO_BUDGET = ("sklearn_spca",)


def gram(X: np.ndarray, *, center: bool = True) -> np.ndarray:
    X = X - X.mean(axis=0) if center else X
    return np.asarray(X.T @ X / len(X))


def digits() -> np.ndarray:
    from sklearn.datasets import load_digits

    return gram(load_digits().data)


def lowrank() -> np.ndarray:
    """Thirty sparse factors in noise."""
    rng = np.random.default_rng(1)
    loadings = rng.standard_normal((30, 300)) * (rng.random((30, 300)) < 0.1)
    return gram(rng.standard_normal((500, 30)) @ loadings + 0.5 * rng.standard_normal((500, 300)))


def blocks() -> np.ndarray:
    """Autoregressive blocks of different sizes."""
    sizes = (5, 10, 20, 40, 80, 100)
    S = np.zeros((sum(sizes), sum(sizes)))
    start = 0
    for size in sizes:
        steps = np.arange(size)
        S[start : start + size, start : start + size] = 0.9 ** np.abs(steps[:, None] - steps)
        start += size
    return S + 0.05 * np.eye(len(S))


def data_sets(usps: Path | None) -> dict[str, Callable[[], np.ndarray]]:
    sets: dict[str, Callable[[], np.ndarray]] = {
        "digits": digits,
        "random": lambda: je.datasets.random_covariance(256, rng=0),
        "lowrank": lowrank,
        "blocks": blocks,
    }
    if usps is not None:
        with np.load(usps) as file:
            X = file["X"].astype(float)
        sets["usps"] = lambda: gram(X)
        sets["usps_raw"] = lambda: gram(X, center=False)
        sets["usps_unit"] = lambda: gram((X + 1) / 2, center=False)
        sets["usps_own"] = lambda: gram(X - X.mean(axis=1, keepdims=True), center=False)
    return sets


def lead(rows: list[je.ComparisonRow]) -> str:
    """By how much the best of ours leads the best rival, as it is and made orthonormal."""
    out = (*OWN, *NO_BUDGET, "pca")
    rivals = [row for row in rows if row.method not in out and np.isfinite(row.captured)]
    ours = {row.method: row.captured for row in rows}
    parts = []
    for names, key in ((FREE, "captured"), (TIED, "captured_orthonormal")):
        found = [ours[name] for name in names if name in ours]
        others = [(getattr(row, key), row.method) for row in rivals if np.isfinite(getattr(row, key))]
        if found and others:
            best, rival = max(others)
            parts.append(f"{names[0]} {max(found):.4f} leads {rival} ({best:.4f}) by {max(found) - best:+.4f}")
    return "; ".join(parts)


def matched(S: np.ndarray, rows: list[je.ComparisonRow], p: int) -> str:
    """Ours at no more nonzeros in all than each method without a budget reached by itself, beside it."""
    exact = je.metrics.extreme_eigenvalues(S, p).sum()
    parts = []
    for rival in (row for row in rows if row.method in NO_BUDGET and np.isfinite(row.captured)):
        start = je.sparse_eigsh(S, p, density=rival.density)
        for name, tied, theirs in (("free", False, rival.captured), ("refine", True, rival.captured_orthonormal)):
            found = je.refine(S, start, density=rival.density, orthonormal=tied)
            ours = je.metrics.captured_variance(S, found.vectors) / exact
            where = f"at the {rival.density:.2%} that {rival.method} reached (ours {found.density:.2%})"
            parts.append(f"{where} {name} {ours:.4f} leads it ({theirs:.4f}) by {ours - theirs:+.4f}")
    return "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--usps", type=Path)
    parser.add_argument("--data", nargs="+")
    parser.add_argument("--densities", type=float, nargs="+", default=DENSITIES)
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds a component for branch and bound")
    parser.add_argument("--output", type=Path, help="folder for a csv and a png of every data set")
    options = parser.parse_args()
    sets = data_sets(options.usps)
    for name in options.data or sets:
        S = sets[name]()
        rows: list[je.ComparisonRow] = []
        for density in options.densities:
            table = je.compare(
                S, options.components, [density], options.methods, make_orthonormal=True, time_limit=options.time_limit
            )
            rows += table.rows
            print(f"\n{name}, density {density:.0%}\n{table}\n{lead(list(table.rows))}")
            print(matched(S, list(table.rows), options.components), flush=True)
        if options.output is not None:
            options.output.mkdir(parents=True, exist_ok=True)
            whole = je.Comparison(tuple(rows))
            whole.to_csv(options.output / f"{name}.csv")
            figure = whole.plot().get_figure(root=True)
            assert figure is not None
            figure.savefig(options.output / f"{name}.png", dpi=150)


if __name__ == "__main__":
    main()
