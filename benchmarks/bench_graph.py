"""A few of the smallest eigenvectors of a large graph: seconds, memory, and what twice as many nodes cost.

Run ``python benchmarks/bench_graph.py``. The graph is a square grid with random shortcuts, about three edges a node;
with ``--plain`` without them. ``--table`` prints how smooth refined modes of smaller graphs are, from 1 to 30%,
``--defaults`` what GraphFourier takes of which nothing is asked, up to a million nodes, and its chain beside it.
Every solve runs in a process of its own, so that peak memory is its own, and is timed from the matrix in memory to the
result, kernels compiled before (from the cache). Nothing is reported unless the vectors are orthonormal and their
eigenvalues Rayleigh quotients. ARPACK and LOBPCG are given a few minutes for the same number of eigenvectors, and the
same memory.
"""

import argparse
import json
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from time import process_time
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


def solve(n_nodes: int, *, pivot: str) -> dict[str, Any]:
    """Solve, verify, and return what it took."""
    import jacobeig as je

    je.sparse_eigsh(graph_laplacian(4900, np.random.default_rng(0)), P, which="SA", pivot=pivot, n_rotations=10)
    S = graph_laplacian(n_nodes, np.random.default_rng(0))
    before, start = peak_gigabytes(), process_time()
    result = je.sparse_eigsh(S, P, which="SA", pivot=pivot, n_rotations=ROTATIONS)
    seconds, peak = process_time() - start, peak_gigabytes()
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


def refine(n_nodes: int, *, plain: bool) -> dict[str, Any]:
    """Refine modes of at most this many nodes each, verify, and return what it took."""
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


def fit_default(n_nodes: int, draw: Callable[..., Any], n_components: int | None = P, **options: Any) -> dict[str, Any]:
    """Fit a GraphFourier of which nothing is asked, verify, and return what it took."""
    import jacobeig as je

    je.GraphFourier(laplacian="ready", **options).fit(graph_laplacian(900, np.random.default_rng(0), plain=True))
    S = draw(n_nodes, np.random.default_rng(0))
    before, start = peak_gigabytes(), process_time()
    fourier = je.GraphFourier(n_components, laplacian="ready", **options).fit(S)
    seconds, U = process_time() - start, fourier.modes_
    np.testing.assert_allclose((U.T @ U).toarray(), np.eye(U.shape[1]), atol=1e-12)
    trace = float(fourier.frequencies_.sum())
    return {"seconds": seconds, "peak": peak_gigabytes(), "matrix": before, "trace": trace, "nonzeros": int(U.nnz)}


def run_rival(n_nodes: int, solve: Callable[[sparse.csc_array], Any], *, plain: bool) -> dict[str, Any]:
    """Return what a solver for exact, dense eigenvectors took."""
    S = graph_laplacian(n_nodes, np.random.default_rng(0), plain=plain).tocsc()
    before, start = peak_gigabytes(), process_time()
    values = solve(S)
    seconds = process_time() - start
    return {"seconds": seconds, "peak": peak_gigabytes(), "matrix": before, "trace": float(np.sort(values)[:P].sum())}


def shift_and_invert(S: sparse.csc_array) -> Any:
    """Run ARPACK on the inverse of the shifted matrix: its strongest setting where the factorisation stays sparse."""
    from scipy.sparse.linalg import eigsh

    return eigsh(S, P, sigma=-1e-4, which="LM", tol=1e-6)[0]


def run_arpack(S: sparse.csc_array) -> Any:
    """Run ARPACK unshifted, which needs products only."""
    from scipy.sparse.linalg import eigsh

    return eigsh(S, P, which="SA", tol=1e-3)[0]


def run_lobpcg(S: sparse.csc_array, *, incomplete: bool) -> Any:
    """Run LOBPCG, preconditioned by an incomplete factorisation or by the diagonal, to residuals of a thousandth."""
    from scipy.sparse.linalg import LinearOperator, lobpcg, spilu

    shifted = sparse.csc_array(S + 1e-4 * sparse.eye_array(S.shape[0], format="csc"))
    M: Any = sparse.diags_array(1.0 / shifted.diagonal())
    if incomplete:
        factors = spilu(shifted, drop_tol=1e-3, fill_factor=5)
        M = LinearOperator(S.shape, matvec=factors.solve, matmat=factors.solve)
    X = np.random.default_rng(0).standard_normal((S.shape[0], P))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of residuals above the tolerance: the sum says how far it came
        return lobpcg(S, X, M=M, largest=False, tol=1e-3, maxiter=200)[0]


grid = partial(graph_laplacian, plain=True)
RIVALS: dict[str, Callable[[sparse.csc_array], Any]] = {
    "eigsh, shifted": shift_and_invert,
    "eigsh": run_arpack,
    "lobpcg, incomplete LU": partial(run_lobpcg, incomplete=True),
    "lobpcg, diagonal": partial(run_lobpcg, incomplete=False),
}
SOLVERS: dict[str, Callable[[int], dict[str, Any]]] = {
    "gain": partial(solve, pivot="gain"),
    **{name: partial(refine, plain=plain) for name, plain in (("refined", False), ("refined, plain", True))},
    "default, plain": partial(fit_default, draw=grid),
    "default": partial(fit_default, draw=graph_laplacian),
    **{f"{name}, plain": partial(run_rival, solve=rival, plain=True) for name, rival in RIVALS.items()},
    **{name: partial(run_rival, solve=rival, plain=False) for name, rival in RIVALS.items()},
    "ten, grid": partial(fit_default, draw=grid, n_components=None),
    "ten, grid, chain": partial(fit_default, draw=grid, n_components=None, refine=False),
    "ten, sensors": partial(fit_default, draw=draw_sensors, n_components=None),
    "ten, sensors, chain": partial(fit_default, draw=draw_sensors, n_components=None, refine=False),
}


def in_a_process(solver: str, n_nodes: int, limit: float | None = None, memory: float | None = None) -> Any:
    """Return what the solver took in a process of its own, or why there is nothing: no time, no memory."""
    command = [sys.executable, __file__, "--solver", solver, "--nodes", str(n_nodes)]
    if memory is not None:
        command += ["--memory", str(memory)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"not done after {limit:.0f} s"
    if done.returncode == 0:
        return json.loads(done.stdout)
    if "MemoryError" in done.stderr or "memory" in done.stderr.lower() or done.returncode < 0:
        return f"out of memory at {memory} GB"
    raise RuntimeError(done.stderr)


def limit_memory(gigabytes: float) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (int(gigabytes * 1e9), int(gigabytes * 1e9)))


def report(name: str, n_nodes: int, taken: Any) -> None:
    if isinstance(taken, str):
        print(f"{name:>30} {n_nodes:>10,} nodes: {taken}", flush=True)
        return
    sparsity = f", {taken['nonzeros']:,} nonzeros" if "nonzeros" in taken else ""
    sparsity += f", {taken['stored']:,} stored entries" if "stored" in taken else ""
    print(
        f"{name:>30} {n_nodes:>10,} nodes: {taken['seconds']:7.1f} s, peak {taken['peak']:.2f} GB "
        f"(of which before the solve {taken['matrix']:.2f}), sum of eigenvalues {taken['trace']:.4g}{sparsity}",
        flush=True,
    )


def report_growth(n_nodes: int) -> None:
    """Print what a chain costs on a graph and on one of twice the size."""
    seconds = []
    for size in (n_nodes, 2 * n_nodes):
        taken = in_a_process("gain", size)
        report("chain by gain", size, taken)
        seconds.append(taken["seconds"])
    print(f"{'twice the nodes':>30} takes {seconds[1] / seconds[0]:.2f} times as long")


def report_defaults(sizes: tuple[int, ...], limit: float) -> None:
    """Print what GraphFourier takes of which nothing is asked, and its chain of the same budget beside it."""
    for n_nodes in sizes:
        for kind in ("grid", "sensors"):
            for name in (f"ten, {kind}", f"ten, {kind}, chain"):
                report(name, n_nodes, in_a_process(name, n_nodes, limit))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that each rival gets; 0 leaves them out")
    parser.add_argument("--memory", type=float, help="gigabytes that each solver may take")
    parser.add_argument("--table", action="store_true", help="how smooth modes of smaller graphs are")
    parser.add_argument("--defaults", action="store_true", help="GraphFourier without a budget, and its chain")
    parser.add_argument("--plain", action="store_true", help="a grid without shortcuts")
    parser.add_argument("--solver", choices=SOLVERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.solver:
        if options.memory:
            limit_memory(options.memory)
        print(json.dumps(SOLVERS[options.solver](options.nodes)))
    elif options.table:
        print_table()
    elif options.defaults:
        report_defaults((20_000, 100_000, 1_000_000), options.limit)
    else:
        suffix = ", plain" if options.plain else ""
        for name in ("refined", "default"):
            report(name, options.nodes, in_a_process(name + suffix, options.nodes, memory=options.memory))
        if not options.plain:
            report_growth(options.nodes)
        for name in RIVALS if options.limit > 0 else ():
            report(name, options.nodes, in_a_process(name + suffix, options.nodes, options.limit, options.memory))


if __name__ == "__main__":
    main()
