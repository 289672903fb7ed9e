"""Methods of the literature for sparse principal components, all called alike.

``method(matrix, n_components, max_nonzeros, ...)`` takes a real symmetric matrix, a number of components and the
nonzeros of each, and returns a `BaselineResult`. `METHODS` lists them by name.

Examples
--------
>>> import numpy as np
>>> from jacobeig.comparison.baselines import METHODS
>>> S = np.diag([1.0, 2.0, 3.0]) + 0.5
>>> [float(METHODS[name](S, 1, 2).eigenvalues[0].round(3)) for name in ("tpower", "bb", "greedy")]
[3.707, 3.707, 3.707]
"""

from collections.abc import Callable

from jacobeig.comparison.baselines import deflation
from jacobeig.comparison.baselines._abess_spca import abess_spca
from jacobeig.comparison.baselines._bb import bb
from jacobeig.comparison.baselines._bmw import bmw
from jacobeig.comparison.baselines._cd import cd
from jacobeig.comparison.baselines._classic_jacobi import classic_jacobi
from jacobeig.comparison.baselines._gpower import gpower
from jacobeig.comparison.baselines._greedy import greedy
from jacobeig.comparison.baselines._lr import lr
from jacobeig.comparison.baselines._pca import pca
from jacobeig.comparison.baselines._record import BaselineResult, OptimalityProof
from jacobeig.comparison.baselines._sklearn_spca import sklearn_spca
from jacobeig.comparison.baselines._sparse_jl import sparse_jl, sparse_jl_matrix
from jacobeig.comparison.baselines._threshold import threshold, varimax_threshold
from jacobeig.comparison.baselines._tpower import tpower

__all__ = [
    "MEANINGS",
    "METHODS",
    "BaselineResult",
    "OptimalityProof",
    "abess_spca",
    "bb",
    "bmw",
    "cd",
    "classic_jacobi",
    "deflation",
    "gpower",
    "greedy",
    "lr",
    "pca",
    "sklearn_spca",
    "sparse_jl",
    "sparse_jl_matrix",
    "threshold",
    "tpower",
    "varimax_threshold",
]

_TABLE: dict[str, tuple[Callable[..., BaselineResult], str]] = {
    "tpower": (tpower, "truncated power iteration: keeps the largest entries at each step"),
    "gpower": (gpower, "generalised power method: variance with a penalty on nonzeros"),
    "cd": (cd, "coordinate exchange until no exchange of one feature is better"),
    "lr": (lr, "the best nonzeros for a low-rank approximation"),
    "bmw": (bmw, "orthonormal components that share no feature, by matchings"),
    "bb": (bb, "branch and bound: the best nonzeros, with proof where time suffices"),
    "greedy": (greedy, "one feature added at a time, the best at each step"),
    "sparse_jl": (sparse_jl, "random sparse directions, which know nothing of the data"),
    "classic_jacobi": (classic_jacobi, "rotations of the largest entries off the diagonal; orthonormal"),
    "pca": (pca, "full PCA: dense, whatever density is asked for"),
    "threshold": (threshold, "full PCA, the largest entries of each component kept"),
    "varimax_threshold": (varimax_threshold, "the same after a varimax rotation"),
    "sklearn_spca": (sklearn_spca, "scikit-learn's SparsePCA, its penalty found by bisection"),
    "abess_spca": (abess_spca, "abess' best-subset selection (needs abess)"),
}
METHODS: dict[str, Callable[..., BaselineResult]] = {name: method for name, (method, _) in _TABLE.items()}
MEANINGS = {name: meaning for name, (_, meaning) in _TABLE.items()}
