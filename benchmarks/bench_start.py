"""What users wait for before anything is solved: processor seconds with an empty kernel cache, then with a warm one.

    python benchmarks/bench_start.py [--only "budgeted chain" "jacobeig --help"] [--repeats 3]

Each case is a process of its own, imports included, and so are the children that it starts; the warm figure is the
least of the repeats. A case whose process fails is not timed.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

SMALL = "import numpy as np, jacobeig as je; A = np.random.default_rng(0).standard_normal((300, 320)); S = A @ A.T; "
COMPLETE = {"_JACOBEIG_COMPLETE": "complete_bash", "COMP_WORDS": "jacobeig pca --", "COMP_CWORD": "2"}
CASES = {
    "import jacobeig": ["-c", "import jacobeig"],
    "jacobeig --help": ["-m", "jacobeig", "--help"],
    "jacobeig --version": ["-m", "jacobeig", "--version"],
    "jacobeig pca --<tab>": [
        "-c",
        f"import os, sys; os.environ |= {COMPLETE}; sys.argv = ['jacobeig']; "
        "from jacobeig import __main__; __main__.main()",
    ],
    "budgeted chain": ["-c", SMALL + "je.sparse_eigsh(S, 10, density=0.1)"],
    "plain chain": ["-c", SMALL + "je.sparse_eigsh(S, 10)"],
    "refined": ["-c", SMALL + "je.sparse_eigsh(S, 10, density=0.1, refine=True)"],
    "float64, then float32": [
        "-c",
        SMALL + "[je.sparse_eigsh(S.astype(d), 10, density=0.1) for d in ('float64', 'float32')]",
    ],
    "JacobiPCA().fit": ["-c", SMALL + "je.JacobiPCA().fit(A[:, :64])"],
    "GraphFourier().fit": [
        "-c",
        "import jacobeig as je; je.GraphFourier(5).fit(je.datasets.community_graph(256, rng=0)[0])",
    ],
    "jacobeig demo": ["-m", "jacobeig", "demo"],
}


def measure(arguments: list[str], cache: str) -> float:
    """Processor seconds of a Python process and its children."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{'processor seconds':24s}  cold   warm")
    for name in options.only:
        with tempfile.TemporaryDirectory() as cache:
            cold = measure(CASES[name], cache)
            warm = min(measure(CASES[name], cache) for _ in range(options.repeats))
        print(f"{name:24s}  {cold:4.1f}   {warm:4.2f}", flush=True)


if __name__ == "__main__":
    main()
