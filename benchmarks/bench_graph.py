"""A few of the smallest eigenvectors of a large graph: seconds, memory, and what twice as many nodes cost.

Run ``python benchmarks/bench_graph.py``. The graph is a square grid with random shortcuts, about three edges a node.
Every solve runs in a process of its own, so that peak memory is its own, and is timed from the matrix in memory to the
result, kernels compiled before (from the cache). Nothing is reported unless the vectors are orthonormal and their
eigenvalues Rayleigh quotients. ARPACK is given a few minutes for the same number of eigenvectors.
"""

import argparse
import json
import resource
import subprocess
import sys
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

P, ROTATIONS = 32, 20_000


def graph_laplacian(n_nodes: int, rng: np.random.Generator) -> sparse.csr_array:
    """Return the Laplacian of a grid with as many random shortcuts as nodes."""
    side = round(n_nodes**0.5)
    n, nodes = side * side, np.arange(side * side).reshape(side, side)
    grid = [(nodes[:, :-1].ravel(), nodes[:, 1:].ravel()), (nodes[:-1].ravel(), nodes[1:].ravel())]
    i, j = np.concatenate([*(np.stack(pair) for pair in grid), rng.integers(n, size=(2, n))], axis=1)
    half = sparse.coo_array((np.ones(np.count_nonzero(i != j)), (i[i != j], j[i != j])), shape=(n, n)).tocsr()
    adjacency = ((half + half.T) > 0).astype(np.float64)
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def solve(n_nodes: int, pivot: str) -> dict[str, Any]:
    """Solve, verify, and return what it took."""
    import jacobeig as je

    je.sparse_eigsh(graph_laplacian(4900, np.random.default_rng(0)), P, which="SA", pivot=pivot, n_rotations=10)
    S = graph_laplacian(n_nodes, np.random.default_rng(0))
    before, start = peak_gigabytes(), perf_counter()
    result = je.sparse_eigsh(S, P, which="SA", pivot=pivot, n_rotations=ROTATIONS)
    seconds, peak = perf_counter() - start, peak_gigabytes()
    U = result.vectors
    np.testing.assert_allclose((U.T @ U).toarray(), np.eye(P), atol=1e-12)
    np.testing.assert_allclose((U.T @ (S @ U)).diagonal(), result.eigenvalues, atol=1e-11)
    return {
        "seconds": seconds,
        "peak": peak,
        "matrix": before,
        "trace": float(result.eigenvalues.sum()),
        "nonzeros": int(U.nnz),
        "stored": result.stored_entries,
    }


def arpack(n_nodes: int, _: str) -> dict[str, Any]:
    """Solve with ARPACK, unshifted: shifting needs a factorisation that fills."""
    from scipy.sparse.linalg import eigsh

    S = graph_laplacian(n_nodes, np.random.default_rng(0))
    before, start = peak_gigabytes(), perf_counter()
    values = eigsh(S, P, which="SA", return_eigenvectors=True, tol=1e-3)[0]
    seconds = perf_counter() - start
    return {"seconds": seconds, "peak": peak_gigabytes(), "matrix": before, "trace": float(values.sum())}


SOLVERS = {"jacobeig": solve, "arpack": arpack}


def in_a_process(solver: str, n_nodes: int, pivot: str, limit: float | None = None) -> dict[str, Any] | None:
    """Return what the solver took in a process of its own, or None if it was not done in time."""
    command = [sys.executable, __file__, "--solver", solver, "--nodes", str(n_nodes), "--pivot", pivot]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    taken: dict[str, Any] = json.loads(done.stdout)
    return taken


def report(name: str, n_nodes: int, taken: dict[str, Any]) -> None:
    sparsity = f", {taken['nonzeros']:,} nonzeros, {taken['stored']:,} stored entries" if "stored" in taken else ""
    print(
        f"{name:>24} {n_nodes:>10,} nodes: {taken['seconds']:7.1f} s, peak {taken['peak']:.2f} GB "
        f"(of which before the solve {taken['matrix']:.2f}), sum of eigenvalues {taken['trace']:.3f}{sparsity}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--pivot", default="gain")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that ARPACK gets; 0 leaves it out")
    parser.add_argument("--solver", choices=SOLVERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.solver:
        print(json.dumps(SOLVERS[options.solver](options.nodes, options.pivot)))
        return
    seconds = []
    for n_nodes in (options.nodes, 2 * options.nodes):
        taken = in_a_process("jacobeig", n_nodes, options.pivot)
        assert taken is not None
        report(f"jacobeig {options.pivot}", n_nodes, taken)
        seconds.append(taken["seconds"])
    print(f"{'twice the nodes':>24} takes {seconds[1] / seconds[0]:.2f} times as long")
    if options.limit > 0:
        taken = in_a_process("arpack", options.nodes, options.pivot, options.limit)
        if taken is None:
            print(f"{'ARPACK':>24} was not done after {options.limit:.0f} s")
        else:
            report("ARPACK, tol=1e-3", options.nodes, taken)


if __name__ == "__main__":
    main()
