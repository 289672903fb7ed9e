"""One table against every rival that installs: seconds, memory, captured variance, density, orthonormality.

    python -m pip install primme pyfaust sparsepca abess scikit-learn  # as many of them as install
    python benchmarks/bench_rivals.py [--problems random-256 digits ...] [--limit 60] [--json rivals.json]

Each run is a process of its own that solves a tiny problem first, so that neither imports nor compilation are timed,
and is stopped at the limit. Seconds are those of the processor; memory is what the peak rises by. Captured is the
variance by projection as a share of the exact components' (for the graph: their sum over that of the vectors, made
orthonormal); a wrong answer has no seconds, and neither has a rival that is not installed.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import eigsh, lobpcg, svds

import jacobeig as je

DENSITY = 0.1
# What an answer must show before its time counts.
EXACT_TO, ORTHONORMAL_TO = 1e-6, 1e-10


@dataclass(frozen=True)
class Problem:
    """Data (samples in rows) or a graph, and what is asked for."""

    p: int
    X: Any = None  # data matrix
    laplacian: Any = None

    @property
    def matrix(self) -> Any:
        """What has the eigenvectors: the covariance, not divided, or the Laplacian."""
        return self.X.T @ self.X if self.laplacian is None else self.laplacian

    @property
    def nonzeros(self) -> int:
        """Of each vector, where a method has such a budget."""
        n = self.X.shape[1] if self.laplacian is None else self.laplacian.shape[0]
        return max(2, int(DENSITY * n))


def make_random(n: int, p: int = 20) -> Problem:
    X = np.random.default_rng(0).standard_normal((n, n))
    return Problem(p, X - X.mean(axis=0))


def make_digits() -> Problem:
    from sklearn.datasets import load_digits

    X = load_digits().data
    return Problem(10, X - X.mean(axis=0))


def make_wide() -> Problem:
    """Expression-like data: 60 samples of 3,000 features, a few of which go together."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3000))
    for factor in range(8):
        X[:, 100 * factor : 100 * factor + 40] += 2.0 * rng.standard_normal((60, 1))
    return Problem(8, X - X.mean(axis=0))


def make_graph(n: int = 1000) -> Problem:
    adjacency = je.datasets.community_graph(n, rng=0)[0]
    return Problem(10, laplacian=(sparse.diags_array(adjacency.sum(axis=1)) - adjacency).tocsr())


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "random-256": lambda: make_random(256),
    "random-1024": lambda: make_random(1024),
    "random-4096": lambda: make_random(4096),
    "digits": make_digits,
    "wide": make_wide,
    "graph": make_graph,
}


def run_eigsh(problem: Problem) -> Any:
    if problem.laplacian is None:
        return eigsh(problem.matrix, problem.p)[1]
    return eigsh(problem.laplacian.tocsc(), problem.p, sigma=-1e-3)[1]  # shifted: its best for small eigenvalues


def run_eigh(problem: Problem) -> Any:
    S, p = problem.matrix, problem.p
    dense = S if problem.laplacian is None else S.toarray()
    ends = (0, p - 1) if problem.laplacian is not None else (len(dense) - p, len(dense) - 1)
    return linalg.eigh(dense, subset_by_index=ends)[1]


def run_lobpcg(problem: Problem) -> Any:
    S = problem.matrix
    start = np.random.default_rng(0).standard_normal((S.shape[0], problem.p))
    return lobpcg(S, start, largest=problem.laplacian is None, tol=1e-5, maxiter=1000)[1]


def run_primme(problem: Problem) -> Any:
    return import_module("primme").eigsh(problem.matrix, problem.p, which="LA" if problem.laplacian is None else "SA")[
        1
    ]


def run_pyfaust(problem: Problem) -> Any:
    S = problem.matrix if problem.laplacian is None else problem.matrix.toarray()
    n, order = S.shape[0], "descend" if problem.laplacian is None else "ascend"
    _, U = import_module("pyfaust.fact").eigtj(S, nGivens=n * int(np.ceil(np.log2(n))), order=order)
    return np.asarray(U[:, : problem.p].toarray())


def run_sklearn(name: str) -> Callable[[Problem], Any]:
    def run(problem: Problem) -> Any:
        from sklearn import decomposition

        options = {} if name == "PCA" else {"random_state": 0}
        return getattr(decomposition, name)(problem.p, **options).fit(problem.X).components_.T

    return run


def run_manifold(problem: Problem) -> Any:
    """AManPG. It has no budget: the penalty is what would leave the exact components as dense as the others."""
    _, scales, rows = svds(problem.X, problem.p)
    penalties = (2.0 * scales**2 * np.quantile(np.abs(rows), 1.0 - DENSITY, axis=1))[::-1]  # largest first
    return import_module("sparsepca").spca(problem.X, penalties, np.inf, k=problem.p, normalize=False)["loadings"]


def run_ours(**options: Any) -> Callable[[Problem], Any]:
    def run(problem: Problem) -> Any:
        source = problem.matrix if problem.laplacian is not None or problem.X.shape[1] <= 5000 else problem.X
        which: Any = "LA" if problem.laplacian is None else "SA"
        return je.sparse_eigsh(source, problem.p, which=which, **options).vectors.toarray()

    return run


def run_free(problem: Problem) -> Any:
    S = problem.matrix
    which: Any = "LA" if problem.laplacian is None else "SA"
    result = je.sparse_eigsh(S, problem.p, density=DENSITY, which=which)
    return je.refine(S, result, orthonormal=False).vectors.toarray()


def run_abess(problem: Problem) -> Any:
    return je.baselines.abess_spca(problem.matrix, problem.p, problem.nonzeros).vectors.toarray()


EXACT = {"scipy eigh", "scipy eigsh", "scipy lobpcg", "primme", "sklearn PCA"}
FOR_DATA = {"sklearn PCA", "sklearn SparsePCA", "sklearn MiniBatchSparsePCA", "abess", "sparsepca (AManPG)"}
METHODS: dict[str, Callable[[Problem], Any]] = {
    "scipy eigh": run_eigh,
    "scipy eigsh": run_eigsh,
    "scipy lobpcg": run_lobpcg,
    "primme": run_primme,
    "pyfaust eigtj": run_pyfaust,
    "sklearn PCA": run_sklearn("PCA"),
    "sklearn SparsePCA": run_sklearn("SparsePCA"),
    "sklearn MiniBatchSparsePCA": run_sklearn("MiniBatchSparsePCA"),
    "abess": run_abess,
    "sparsepca (AManPG)": run_manifold,
    "jacobeig, n log2 n rotations": run_ours(),
    "jacobeig, 10%": run_ours(density=DENSITY),
    "jacobeig, 10%, refined": run_ours(density=DENSITY, refine=True),
    "jacobeig, 10%, refined, best": run_ours(density=DENSITY, refine="best"),
    "jacobeig, 10%, free basis": run_free,
}


def judge(problem: Problem, V: Any) -> dict[str, float]:
    """What the vectors are worth."""
    V = np.asarray(V, dtype=float)[:, np.abs(V).max(axis=0) > 0]
    V = V / np.linalg.norm(V, axis=0)
    S = problem.matrix
    if problem.laplacian is None:
        exact = float(je.metrics.extreme_eigenvalues(S, problem.p).sum())
    else:  # all of them: Lanczos may count the zero of a graph in several pieces only once
        exact = float(linalg.eigvalsh(S.toarray())[: problem.p].sum())
    basis = linalg.orth(V)
    own = float(np.sum(basis * (S @ basis)))
    return {
        "captured": own / exact if problem.laplacian is None else exact / own,
        "density": float(np.mean(V != 0.0)),
        "orthonormality": float(np.abs(V.T @ V - np.eye(V.shape[1])).max()),
    }


def run_one(method: str, name: str) -> dict[str, Any]:
    """Solve one problem by one method, in this process, and say what came out."""
    problem = PROBLEMS[name]()
    tiny = make_graph(64) if problem.laplacian is not None else make_random(40, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        METHODS[method](tiny)
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        V = METHODS[method](problem)
        seconds = time.process_time() - start
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    row = judge(problem, V)
    right = np.isfinite(list(row.values())).all() and row["captured"] <= 1 + EXACT_TO
    if method in EXACT:
        right = right and row["captured"] >= 1 - EXACT_TO
    if method.startswith("jacobeig") and "free" not in method:
        right = right and row["orthonormality"] <= ORTHONORMAL_TO
    return {**row, "seconds": seconds, "megabytes": memory} if right else {"note": "wrong answer"}


def run_apart(method: str, name: str, limit: int) -> dict[str, Any]:
    """The same in a process of its own."""
    if method in FOR_DATA and PROBLEMS[name] is make_graph:
        return {"note": "for data"}
    command = [sys.executable, __file__, "--one", method, name, "--limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        return {"note": f"over {limit} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        missing = "No module named" in last or "not installed" in last
        return {"note": "not installed" if missing else f"failed: {last[:80]}"}
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def tabulate(name: str, rows: dict[str, dict[str, Any]]) -> str:
    lines = [
        f"### {name}\n",
        "| method | seconds | MB | captured | density | orthonormal to |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method, row in rows.items():
        if "note" in row:
            lines.append(f"| {method} | {row['note']} | | | | |")
        else:
            lines.append(
                f"| {method} | {row['seconds']:.3f} | {row['megabytes']:.0f} | {row['captured']:.4f} | "
                f"{row['density']:.1%} | {row['orthonormality']:.0e} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=[*PROBLEMS])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS])
    parser.add_argument("--limit", type=int, default=60, help="processor seconds after which a run is stopped")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit))
        print(json.dumps(run_one(*options.one)))
        return
    table = {}
    for name in options.problems:
        table[name] = {method: run_apart(method, name, options.limit) for method in options.methods}
        print(tabulate(name, table[name]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(table, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
