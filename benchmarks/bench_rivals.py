"""One table against every rival that installs: seconds, memory, captured variance, density, orthonormality.

    python -m pip install ".[baselines]" primme pyfaust sparsepca  # as many as install; primme links to BLAS and LAPACK
    python benchmarks/bench_rivals.py [--problems random-256 wide ...] [--limit 60] [--json rivals.json] > rivals.md

Each run is a process of its own (on Linux, whose /proc it reads) that makes the data and solves a tiny problem first,
so that neither imports nor compilation are timed, and is stopped at the limit. Seconds are those of the processor on
one thread; memory is how far the peak rises above what the data take. A covariance matrix is there before the clock
runs, except for the wide data, of which nobody is given one. Captured is the variance by projection as a share of the
exact components' (for the graph: their sum over that of the vectors, made orthonormal). A wrong answer has no seconds,
and neither has a rival that is not installed.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
from bench_graph import draw_sensors
from bench_scale import make_wide
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg, spilu, svds

import jacobeig as je

# What an answer must show before its time counts.
EXACT_TO, ORTHONORMAL_TO = 1e-6, 1e-12
SHIFT = -1e-3  # just below the smallest eigenvalue of a Laplacian
PACKAGES = ("jacobeig", "numpy", "scipy", "scikit-learn", "primme", "pyfaust", "abess", "sparsepca")


@dataclass(frozen=True)
class Problem:
    """Data (centred, samples in rows) or a graph, and what is asked for."""

    title: str
    p: int
    density: float
    X: Any = None
    matrix: Any = None  # covariance, not divided, or Laplacian; None where it is too large to form

    @property
    def smooth(self) -> bool:
        """Whether the smallest eigenvalues are sought: those of a Laplacian."""
        return self.X is None

    @property
    def which(self) -> Any:
        """The end of the spectrum, as SciPy names it."""
        return "SA" if self.smooth else "LA"

    @property
    def n(self) -> int:
        """Number of features, or of nodes."""
        return int(self.matrix.shape[0] if self.smooth else self.X.shape[1])

    @property
    def operator(self) -> Any:
        """What multiplies: the matrix, or twice the data."""
        if self.matrix is not None:
            return self.matrix
        X = self.X
        return LinearOperator(
            (self.n, self.n), matvec=lambda v: X.T @ (X @ v), matmat=lambda V: X.T @ (X @ V), dtype=X.dtype
        )

    @property
    def source(self) -> Any:
        """What ours are given."""
        return je.sources.GramRows(self.X) if self.matrix is None else self.matrix

    def form(self) -> Any:
        """Return the dense matrix."""
        if self.smooth:
            return self.matrix.toarray()
        return self.X.T @ self.X if self.matrix is None else self.matrix


def pose(title: str, X: Any, p: int, density: float = 0.1, *, form: bool = True) -> Problem:
    X = X - X.mean(axis=0)
    return Problem(title, p, density, X, X.T @ X if form else None)


def pose_random(n: int, p: int = 20) -> Problem:
    X = np.random.default_rng(0).standard_normal((n, n))
    return pose(f"Random data, {n:,} x {n:,}", X, p)


def pose_digits() -> Problem:
    from sklearn.datasets import load_digits

    return pose("Digits, 1,797 x 64", load_digits().data, 10)


def pose_wide(n: int = 6830, nonzeros: int = 300) -> Problem:
    X, p = make_wide(n), 10
    return pose(f"Wide data, {len(X)} x {n:,}", X, p, (nonzeros + 0.5) / (n * p), form=False)


def pose_graph(n: int = 1500) -> Problem:
    L = draw_sensors(n, np.random.default_rng(0))
    return Problem(f"Graph of {n:,} sensors, smooth modes", 10, 0.3, matrix=L)


# Each beside a tiny one of its kind.
PROBLEMS: dict[str, tuple[Callable[[], Problem], Callable[[], Problem]]] = {
    "random-256": (lambda: pose_random(256), lambda: pose_random(40, 3)),
    "random-1024": (lambda: pose_random(1024), lambda: pose_random(40, 3)),
    "random-4096": (lambda: pose_random(4096), lambda: pose_random(40, 3)),
    "digits": (pose_digits, lambda: pose_random(40, 3)),
    "wide": (pose_wide, lambda: pose_wide(300)),
    "graph": (pose_graph, lambda: pose_graph(80)),
}


def run_eigh(problem: Problem) -> Any:
    n, p = problem.n, problem.p
    return linalg.eigh(problem.form(), subset_by_index=(0, p - 1) if problem.smooth else (n - p, n - 1))[1]


def run_eigsh(problem: Problem) -> Any:
    if problem.smooth:
        return eigsh(problem.matrix.tocsc(), problem.p, sigma=SHIFT)[1]
    return eigsh(problem.operator, problem.p)[1]


def run_lobpcg(problem: Problem) -> Any:
    """LOBPCG to residuals of 1e-5 of the largest variance, on the graph preconditioned by an incomplete LU."""
    M: Any = None
    if problem.smooth:
        factors = spilu((problem.matrix - SHIFT * sparse.eye_array(problem.n)).tocsc(), drop_tol=1e-3, fill_factor=5)
        M = LinearOperator((problem.n, problem.n), matvec=factors.solve, matmat=factors.solve)
        scale = problem.matrix.diagonal().max()
    else:
        scale = np.einsum("ij,ij->j", problem.X, problem.X).max()
    start = np.random.default_rng(0).standard_normal((problem.n, problem.p))
    return lobpcg(problem.operator, start, M=M, largest=not problem.smooth, tol=1e-5 * scale, maxiter=1000)[1]


def run_primme(problem: Problem) -> Any:
    return import_module("primme").eigsh(problem.operator, problem.p, which=problem.which)[1]


def run_pyfaust(problem: Problem) -> Any:
    count, order = problem.n * int(np.ceil(np.log2(problem.n))), "ascend" if problem.smooth else "descend"
    _, U = import_module("pyfaust.fact").eigtj(problem.form(), nGivens=count, order=order)
    return np.asarray(U[:, : problem.p].toarray())


def run_sklearn(name: str) -> Callable[[Problem], Any]:
    def run(problem: Problem) -> Any:
        from sklearn import decomposition

        options = {} if name == "PCA" else {"random_state": 0}
        return getattr(decomposition, name)(problem.p, **options).fit(problem.X).components_.T

    return run


def run_abess(problem: Problem) -> Any:
    sizes = np.zeros((problem.n, problem.p), dtype=int)
    sizes[max(1, int(problem.density * problem.n)) - 1] = 1
    model = import_module("abess.decomposition").SparsePCA(support_size=sizes)
    S = problem.form()  # from fewer samples than features it returns dense noise
    lift = 1e-12 * S.diagonal().max()  # because negative eigenvalues are refused, those of rounding too
    model.fit(Sigma=S + lift * np.eye(problem.n), number=problem.p)
    return np.asarray(model.coef_).reshape(problem.n, problem.p)


def run_manifold(problem: Problem) -> Any:
    """AManPG. It has no budget: the penalty is what would leave the exact components as dense as the others."""
    start = np.ones(min(problem.X.shape))
    _, scales, rows = svds(problem.X, problem.p, v0=start)
    penalties = (2.0 * scales**2 * np.quantile(np.abs(rows), 1.0 - problem.density, axis=1))[::-1]  # largest first
    return import_module("sparsepca").spca(problem.X, penalties, np.inf, k=problem.p, normalize=False)["loadings"]


def run_chain(problem: Problem) -> Any:
    count = problem.n * int(np.ceil(np.log2(problem.n)))
    return je.sparse_eigsh(problem.source, problem.p, which=problem.which, n_rotations=count).vectors.toarray()


def run_budgeted(refine: bool | str) -> Callable[[Problem], Any]:
    def run(problem: Problem) -> Any:
        options: Any = {"which": problem.which, "density": problem.density, "refine": refine}
        return je.sparse_eigsh(problem.source, problem.p, **options).vectors.toarray()

    return run


def run_free(problem: Problem) -> Any:
    source, density = problem.source, problem.density
    chain = je.sparse_eigsh(source, problem.p, density=density, which=problem.which)
    return je.refine(source, chain, density=density, orthonormal=False).vectors.toarray()


def run_fourier(problem: Problem) -> Any:
    return je.GraphFourier(problem.p, laplacian="ready").fit(problem.matrix).modes_.toarray()


EXACT = {"scipy eigh", "scipy eigsh", "scipy lobpcg", "primme"}  # not PCA, which by itself turns to random projections
FOR_DATA = {"sklearn PCA", "sklearn SparsePCA", "sklearn MiniBatchSparsePCA", "abess", "sparsepca (AManPG)"}
FREE, FOURIER = "jacobeig, budget, free basis", "jacobeig GraphFourier"
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
    "jacobeig, n log2 n rotations": run_chain,
    "jacobeig, budget": run_budgeted(refine=False),
    "jacobeig, budget, refined": run_budgeted(refine=True),
    "jacobeig, budget, refined, best": run_budgeted(refine="best"),
    FREE: run_free,
    FOURIER: run_fourier,
}
BUDGETED = {"abess", *(method for method in METHODS if method.startswith("jacobeig, budget"))}


def sum_exact(problem: Problem) -> float:
    """Return the sum of the eigenvalues that are sought."""
    if problem.smooth:  # all of them: Lanczos may count the zero of a graph in several pieces only once
        return float(linalg.eigvalsh(problem.form())[: problem.p].sum())
    values: Any = svds(problem.X, problem.p, return_singular_vectors=False)
    return float(np.sum(values**2))


def judge(problem: Problem, V: Any) -> dict[str, float]:
    """Say what the vectors are worth."""
    V = np.asarray(V, dtype=float)[:, np.abs(V).max(axis=0) > 0]
    V = V / np.linalg.norm(V, axis=0)
    basis, exact = linalg.orth(V), sum_exact(problem)
    own = float(np.sum(basis * (problem.operator @ basis)))
    return {
        "captured": exact / own if problem.smooth else own / exact,
        "density": float(np.count_nonzero(V) / (problem.n * problem.p)),
        "orthonormality": float(np.abs(V.T @ V - np.eye(V.shape[1])).max()),
    }


def is_right(problem: Problem, method: str, row: dict[str, float]) -> bool:
    right = bool(np.isfinite(list(row.values())).all()) and row["captured"] <= 1 + EXACT_TO
    if method in BUDGETED:
        right = right and row["density"] <= problem.density
    if method in EXACT:
        right = right and row["captured"] >= 1 - EXACT_TO
    if method.startswith("jacobeig") and method != FREE:
        right = right and row["orthonormality"] <= ORTHONORMAL_TO
    return right


def read_memory(field: str) -> float:
    """Return megabytes that this process holds (VmRSS) or has held at most (VmHWM)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(f"{field}:")[1].split()[0]) / 1024


def limit_seconds(more: float | None) -> None:
    """Have this process stopped after so many more seconds of the processor, or never."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = hard if more is None else int(np.ceil(time.process_time() + more))
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def run_one(method: str, name: str, limit: float) -> dict[str, Any]:
    """Solve one problem by one method, in this process, and say what came out."""
    problem, tiny = (make() for make in PROBLEMS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        METHODS[method](tiny)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts again
        before = read_memory("VmRSS")
        limit_seconds(limit)
        start = time.process_time()
        V = METHODS[method](problem)
        seconds = time.process_time() - start
        limit_seconds(None)
    memory = max(0.0, read_memory("VmHWM") - before)
    row = judge(problem, V)
    if not is_right(problem, method, row):
        found = (
            f"captured {row['captured']:.6f}, density {row['density']:.1%}, orthonormal to {row['orthonormality']:.0e}"
        )
        return {"note": f"wrong answer: {found}"}
    return {"seconds": seconds, "megabytes": memory, **row}


def run_apart(method: str, name: str, limit: int) -> dict[str, Any]:
    """Solve it in a process of its own, on one thread."""
    if method in FOR_DATA and name == "graph":
        return {"note": "for data"}
    if method == FOURIER and name != "graph":
        return {"note": "for graphs"}
    command = [sys.executable, __file__, "--one", method, name, "--limit", str(limit)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    try:
        # A process that waits spends no time of the processor; one beside other work may take several times its own.
        done = subprocess.run(
            command, capture_output=True, text=True, env=os.environ | threads, timeout=300 + 5 * limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"note": "hangs"}
    if done.returncode == -signal.SIGXCPU:
        return {"note": f"over {limit} s"}
    if done.returncode < 0:
        return {"note": f"killed by {signal.Signals(-done.returncode).name}"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        missing = "No module named" in last or "not installed" in last
        return {"note": "not installed" if missing else f"failed: {last[:80]}"}
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def tabulate(problem: Problem, rows: dict[str, dict[str, Any]]) -> str:
    """Return one problem's table, without rows of methods that are not for it."""
    budget = int(problem.density * problem.n * problem.p)
    lines = [
        f"{problem.title}, {problem.p} components; the budget is {budget:,} nonzeros, {problem.density:.2%}:\n",
        "| method | seconds | MB | captured | density | orthonormal to |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method, row in rows.items():
        if "seconds" in row:
            lines.append(
                f"| {method} | {row['seconds']:.3f} | {row['megabytes']:.0f} | {row['captured']:.4f} | "
                f"{row['density']:.1%} | {row['orthonormality']:.0e} |"
            )
        elif not row["note"].startswith("for "):
            lines.append(f"| {method} | {row['note']} | | | | |")
    return "\n".join(lines) + "\n"


def find_versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=[*PROBLEMS])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS])
    parser.add_argument("--limit", type=int, default=60, help="processor seconds after which a run is stopped")
    parser.add_argument("--json", type=Path, help="write the rows there too, with versions")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        method, name = options.one
        print(json.dumps(run_one(method, name, options.limit)))
        return
    je.warmup()  # tiny problems do not reach every kernel
    table: dict[str, Any] = {}
    for name in options.problems:
        table[name] = {method: run_apart(method, name, options.limit) for method in options.methods}
        print(tabulate(PROBLEMS[name][0](), table[name]), flush=True)
        if options.json:
            whole = {"versions": find_versions(), "limit": options.limit, "problems": table}
            options.json.write_text(json.dumps(whole, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
