"""Runs that are killed and go on: as a program, the run; as a module, the killer."""

import functools
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import jacobeig as je
from jacobeig.results import checkpoints


def make_graph(n=2500):
    """The Laplacian of a random graph with a ring, so that it is connected."""
    rng = np.random.default_rng(1)
    ends = np.concatenate([rng.integers(0, n, (2 * n, 2)), np.stack([np.arange(n), np.roll(np.arange(n), 1)], axis=1)])
    ends = ends[ends[:, 0] != ends[:, 1]]
    W = sparse.coo_array((np.ones(len(ends)), ends.T), shape=(n, n)).tocsr()
    W = W + W.T
    return sparse.csr_array(sparse.diags_array(W.sum(axis=0)) - W)


@functools.cache
def make_matrix(name):
    if name == "graph":
        return make_graph()
    return je.datasets.random_covariance({"small": 200, "large": 1200}[name], rng=0)


RUNS = {
    "gain": ("small", {"n_rotations": 60_000}),
    "adaptive": ("small", {"n_rotations": 60_000, "target": "adaptive"}),
    "nonzeros": ("small", {"max_nonzeros": 150}),
    "classic": ("small", {"n_rotations": 60_000, "pivot": "classic"}),
    "random": ("small", {"n_rotations": 60_000, "pivot": "random", "rng": 3}),
    "sparse rows": ("graph", {"n_rotations": 12_000, "which": "SA"}),
    "polish": ("large", {"n_rotations": 20_000, "polish": True}),
    "refine": ("small", {"density": 0.1, "refine": True}),
    "refine best": ("small", {"density": 0.1, "refine": "best"}),
    "working sets": ("large", {"density": 0.01, "refine": "best"}),
}


def solve(name, **options):
    """Return the result of a run of this name."""
    matrix, given = RUNS[name]
    return je.sparse_eigsh(make_matrix(matrix), 6, **given, **options)


def kill_and_resume(name, folder, n_kills, rng, longest=1.5):
    """Kill a run a few times at random moments, let it finish, and return the result and how often it was killed."""
    state, out, kills = Path(folder) / "run.npz", Path(folder) / "result.npz", 0
    command = [sys.executable, __file__, name, str(state), str(out)]
    while True:
        with subprocess.Popen(command) as process:
            before = _find_time(state)
            while process.poll() is None and _find_time(state) == before:  # until it is at work
                time.sleep(0.01)
            if kills < n_kills:
                time.sleep(rng.uniform(0.0, longest))
                process.kill()
            code = process.wait()
        if code == 0:
            return je.load(out), kills
        assert code == -signal.SIGKILL
        kills += 1


def _find_time(path):
    return path.stat().st_mtime_ns if path.exists() else None


if __name__ == "__main__":
    checkpoints.EVERY, checkpoints.SHARE = 0.05, 1.0
    solve(sys.argv[1], checkpoint=sys.argv[2]).save(sys.argv[3])
