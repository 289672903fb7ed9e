"""Sparse columns to start a refinement from; the baselines are built from the same pieces.

Each function takes a dense symmetric float64 matrix and returns a dense (n, p) array with at most the given number of
nonzeros in all. Columns are never zero; they need not be orthonormal. The same arguments always give the same result.
"""

from jacobeig._masks._alternation import alternate
from jacobeig._masks._matching import bipartite_matching
from jacobeig._masks._near_orthonormal import alternate_orthonormal
from jacobeig._masks._power import truncated_power
from jacobeig._masks._spectrum import leading_eigenvectors, varimax, varimax_threshold

__all__ = [
    "alternate",
    "alternate_orthonormal",
    "bipartite_matching",
    "leading_eigenvectors",
    "truncated_power",
    "varimax",
    "varimax_threshold",
]
