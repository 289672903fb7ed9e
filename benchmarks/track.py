"""Ten small benchmarks, each as a ratio to a yardstick of the same process, of one commit or of two beside each other.

    python benchmarks/track.py                      # this checkout
    python benchmarks/track.py --compare main HEAD  # two commits, run in turn, and how the second compares
    python benchmarks/track.py --output now.json    # for scripts

Yardsticks are scipy's `eigsh` for twenty eigenvectors and one product of two matrices of that size, timed in turn with
what they measure, in processor seconds, the least of the repeats. What is timed is checked first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import eigsh

P, N = 20, 600


def list_benchmarks() -> dict[str, tuple[str, Callable[[], object]]]:
    """Name of each benchmark, its yardstick, and what to time."""
    import jacobeig as je

    S, single = je.datasets.random_covariance(N, rng=0), je.datasets.random_covariance(N, rng=0).astype(np.float32)
    X = np.random.default_rng(0).standard_normal((1000, 200))
    small, adjacency = je.datasets.random_covariance(150, rng=0), je.datasets.community_graph(1000, rng=0)[0]
    solve = partial(je.sparse_eigsh, S, P)
    chain, sparse = solve(), solve(density=0.1)
    for result in (chain, sparse):
        assert je.metrics.orthonormality_error(result.vectors) < 1e-12
    assert chain.rotations is not None
    pca = je.JacobiPCA(P, density=0.05).fit(X)
    return {
        "chain, n log2 n rotations": ("eigsh", solve),
        "chain, n rotations": ("eigsh", partial(solve, n_rotations=N)),
        "chain, float32": ("eigsh", partial(je.sparse_eigsh, single, P)),
        "gain per nonzero, 10%": ("eigsh", partial(solve, density=0.1)),
        "largest entry": ("eigsh", partial(solve, pivot="offdiagonal")),
        "extend by n rotations": ("eigsh", partial(je.extend, S, chain, n_rotations=chain.n_rotations + N)),
        "refine, n = 150": ("eigsh", partial(je.refine, small, je.sparse_eigsh(small, 5, density=0.1))),
        "graph of 1,000 nodes": ("eigsh", partial(je.GraphFourier(10, density=0.05).fit, adjacency)),
        "chain applied to n vectors": ("product", partial(chain.rotations.analyse, S)),
        "transform of 1,000 samples": ("product", partial(pca.transform, X)),
    }


def measure(repeats: int) -> dict[str, float]:
    """Ratio of each benchmark to its yardstick."""
    import jacobeig as je

    S = je.datasets.random_covariance(N, rng=0)
    benchmarks = list_benchmarks()
    yardsticks: dict[str, Callable[[], object]] = {"eigsh": partial(eigsh, S, P), "product": partial(np.matmul, S, S)}
    runs = {name: run for name, (_, run) in benchmarks.items()} | yardsticks
    best = dict.fromkeys(runs, np.inf)
    for turn in range(repeats + 1):  # the first turn compiles
        for name, run in runs.items():
            start = time.process_time()
            run()
            if turn:
                best[name] = min(best[name], time.process_time() - start)
    return {name: best[name] / best[yardstick] for name, (yardstick, _) in benchmarks.items()}


def measure_commit(commit: str, folder: str, repeats: int) -> dict[str, float]:
    """The same, by this script, with the library of another commit."""
    tree = Path(folder) / commit.replace("/", "-")
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree), commit], check=True)
    output = Path(folder) / "ratios.json"
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
    command = [sys.executable, __file__, "--repeats", str(repeats), "--output", str(output)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    ratios: dict[str, float] = json.loads(output.read_text(encoding="utf-8"))
    return ratios


def compare(commits: list[str], repeats: int, rounds: int) -> None:
    """Run both in turn and print the least ratio of each."""
    best: list[dict[str, float]] = [{}, {}]
    with tempfile.TemporaryDirectory() as folder:
        try:
            for _ in range(rounds):
                for known, commit in zip(best, commits, strict=True):
                    for name, ratio in measure_commit(commit, folder, repeats).items():
                        known[name] = min(ratio, known.get(name, np.inf))
        finally:
            for commit in commits:
                tree = Path(folder) / commit.replace("/", "-")
                subprocess.run(["git", "worktree", "remove", "--force", str(tree)], check=False)
    print(f"| ratio to the yardstick | {commits[0]} | {commits[1]} | change |\n| --- | --- | --- | --- |")
    for name, before in best[0].items():
        after = best[1].get(name, np.nan)
        print(f"| {name} | {before:.3f} | {after:.3f} | {after / before - 1:+.0%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2, help="how often two commits are run in turn")
    parser.add_argument("--compare", nargs=2, metavar="COMMIT")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.compare:
        compare(options.compare, options.repeats, options.rounds)
        return
    ratios = measure(options.repeats)
    if options.output:
        options.output.write_text(json.dumps(ratios, indent=1), encoding="utf-8")
    for name, ratio in ratios.items():
        print(f"{name:28s} {ratio:8.3f}")


if __name__ == "__main__":
    main()
