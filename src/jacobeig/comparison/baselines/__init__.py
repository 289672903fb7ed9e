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
from jacobeig.comparison.baselines._record import BaselineResult, Certificate
from jacobeig.comparison.baselines._sklearn_spca import sklearn_spca
from jacobeig.comparison.baselines._sparse_jl import sparse_jl, sparse_jl_matrix
from jacobeig.comparison.baselines._threshold import threshold, varimax_threshold
from jacobeig.comparison.baselines._tpower import tpower

__all__ = [
    "METHODS",
    "BaselineResult",
    "Certificate",
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

METHODS: dict[str, Callable[..., BaselineResult]] = {
    method.__name__: method
    for method in (
        *(tpower, gpower, cd, lr, bmw, bb, greedy, sparse_jl, classic_jacobi, pca, threshold, varimax_threshold),
        *(sklearn_spca, abess_spca),
    )
}
