"""A few of the smallest eigenvectors of a large graph: seconds, memory, and what twice as many nodes cost.

Run ``python benchmarks/bench_graph.py``. The graph is a square grid with random shortcuts, about three edges a node;
with ``--plain`` without them. ``--table`` prints how smooth refined modes of smaller graphs are, from 1 to 30%.
Every solve runs in a process of its own, so that peak memory is its own, and is timed from the matrix in memory to the
result, kernels compiled before (from the cache). Nothing is reported unless the vectors are orthonormal and their
eigenvalues Rayleigh quotients. ARPACK is given a few minutes for the same number of eigenvectors.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import Delaunay, cKDTree

P, ROTATIONS, MAX_NONZEROS = 32, 20_000, 200
DENSITIES = (0.01, 0.03, 0.1, 0.3)


def graph_laplacian(n_nodes: int, rng: np.random.Generator, *, plain: bool = False) -> sparse.csr_array:
    """Return the Laplacian of a grid with as many random shortcuts as nodes, or none."""
    side = round(n_nodes**0.5)
    n, nodes = side * side, np.arange(side * side).reshape(side, side)
    grid = [(nodes[:, :-1].ravel(), nodes[:, 1:].ravel()), (nodes[:-1].ravel(), nodes[1:].ravel())]
    shortcuts = rng.integers(n, size=(2, 0 if plain else n))
    return join(n, *np.concatenate([*(np.stack(pair) for pair in grid), shortcuts], axis=1))


def join(n: int, i: Any, j: Any) -> sparse.csr_array:
    """Return the Laplacian of n nodes with these edges, each counted once."""
    half = sparse.coo_array((np.ones(np.count_nonzero(i != j)), (i[i != j], j[i != j])), shape=(n, n)).tocsr()
    adjacency = ((half + half.T) > 0).astype(np.float64)
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def draw_sensors(n: int, rng: np.random.Generator) -> sparse.csr_array:
    """Return the Laplacian of random places, each joined to the six nearest."""
    near = np.asarray(cKDTree(places := rng.random((n, 2))).query(places, 7)[1])
    return join(n, np.repeat(np.arange(n), 6), near[:, 1:].ravel())


def draw_communities(n: int, rng: np.random.Generator) -> sparse.csr_array:
    """Return the Laplacian of sixteen groups: twenty friends inside and one outside for each node, or so."""
    i, j = rng.integers(n, size=(2, 10 * n))
    j = np.where(rng.random(10 * n) < 0.95, i % 16 + 16 * (j // 16), j) % n
    return join(n, i, j)


def draw_roads(n: int, rng: np.random.Generator) -> sparse.csr_array:
    """Return the Laplacian of a shortest tree through random places, and a quarter more of the shortest roads."""
    triangles = Delaunay(places := rng.random((n, 2))).simplices
    pairs = np.unique(
        np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])), axis=0
    )
    lengths = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    tree = minimum_spanning_tree(sparse.coo_array((lengths, pairs.T), shape=(n, n))).tocoo()
    more = pairs[rng.permutation(np.argsort(lengths)[: 2 * n])[: n // 4]]
    return join(n, np.concatenate([tree.row, more[:, 0]]), np.concatenate([tree.col, more[:, 1]]))


def print_table() -> None:
    """Print sums of sixteen frequencies, ours and exact ones, as the documentation shows them."""
    import jacobeig as je

    rng = np.random.default_rng(0)
    graphs = {
        "communities": draw_communities(1024, rng),
        "sensors": draw_sensors(1500, rng),
        "roads": draw_roads(2642, rng),
        "grid": graph_laplacian(2500, rng, plain=True),
    }
    print("| graph | nodes | exact | " + " | ".join(f"{density:.0%}" for density in DENSITIES) + " |")
    print("| --- " * (3 + len(DENSITIES)) + "|")
    for name, L in graphs.items():
        exact, cells = np.linalg.eigvalsh(L.toarray())[:16].sum(), []
        for density in DENSITIES:
            start = process_time()
            found = je.sparse_eigsh(L, 16, which="SA", density=density, refine=True)
            assert je.metrics.orthonormality_error(found.vectors) < 1e-12
            cells.append(f"{found.eigenvalues.sum():.3g} ({process_time() - start:.1f} s)")
        print(f"| {name} | {L.shape[0]:,} | {exact:.3g} | " + " | ".join(cells) + " |", flush=True)


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


def refine(n_nodes: int, pivot: str, *, plain: bool) -> dict[str, Any]:
    """Refine modes of at most so many nodes each, verify, and return what it took."""
    import jacobeig as je

    je.sparse_eigsh(graph_laplacian(4900, np.random.default_rng(0)), P, which="SA", max_nonzeros=20, refine=True)
    S = graph_laplacian(n_nodes, np.random.default_rng(0), plain=plain)
    before, start = peak_gigabytes(), process_time()
    result = je.sparse_eigsh(S, P, which="SA", max_nonzeros=MAX_NONZEROS, refine=True)
    seconds, U = process_time() - start, result.vectors
    np.testing.assert_allclose((U.T @ U).toarray(), np.eye(P), atol=1e-12)
    np.testing.assert_allclose((U.T @ (S @ U)).diagonal(), result.eigenvalues, atol=1e-11)
    trace = float(result.eigenvalues.sum())
    return {"seconds": seconds, "peak": peak_gigabytes(), "matrix": before, "trace": trace, "nonzeros": int(U.nnz)}


def arpack(n_nodes: int, _: str) -> dict[str, Any]:
    """Solve with ARPACK, unshifted: shifting needs a factorisation that fills."""
    from scipy.sparse.linalg import eigsh

    S = graph_laplacian(n_nodes, np.random.default_rng(0))
    before, start = peak_gigabytes(), perf_counter()
    values = eigsh(S, P, which="SA", return_eigenvectors=True, tol=1e-3)[0]
    seconds = perf_counter() - start
    return {"seconds": seconds, "peak": peak_gigabytes(), "matrix": before, "trace": float(values.sum())}


SOLVERS: dict[str, Callable[[int, str], dict[str, Any]]] = {
    "jacobeig": solve,
    "refined": partial(refine, plain=False),
    "refined, plain": partial(refine, plain=True),
    "arpack": arpack,
}


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
    sparsity = f", {taken['nonzeros']:,} nonzeros" if "nonzeros" in taken else ""
    sparsity += f", {taken['stored']:,} stored entries" if "stored" in taken else ""
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
    parser.add_argument("--table", action="store_true", help="how smooth modes of smaller graphs are")
    parser.add_argument("--plain", action="store_true", help="a grid without shortcuts, for refinement")
    parser.add_argument("--solver", choices=SOLVERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.solver:
        print(json.dumps(SOLVERS[options.solver](options.nodes, options.pivot)))
        return
    if options.table:
        print_table()
        return
    refined = in_a_process("refined, plain" if options.plain else "refined", options.nodes, options.pivot)
    assert refined is not None
    report("refined", options.nodes, refined)
    if options.plain:
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
