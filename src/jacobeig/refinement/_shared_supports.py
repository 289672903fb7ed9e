"""Columns on the same coordinates: turned among themselves they capture as much together, and one turn gives axes.

Where supports are the same, the span is all that the search decides. Rayleigh and Ritz choose the basis of it that says
most: the directions along which the matrix, seen from the span, is diagonal. At full density these are eigenvectors.
"""

from collections import defaultdict

import numpy as np
from scipy import sparse

from jacobeig._types import Floats, Integers

ROUNDING = 1e-14  # of the largest entry, off the diagonal: columns that are axes already stay as they are


def find_alike(U: sparse.csc_array) -> list[Integers]:
    """Return groups of columns that have several nonzeros, in the same rows."""
    U.sort_indices()
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for c, (begin, end) in enumerate(zip(U.indptr, U.indptr[1:], strict=False)):
        groups[U.indices[begin:end].tobytes()].append(c)
    return [np.array(group) for group in groups.values() if len(group) > 1]


def turn_alike(U: sparse.csc_array, inner: Floats, groups: list[Integers], weights: Floats) -> sparse.csc_array:
    """Return orthonormal vectors turned to axes within each group, the largest quotient for the largest weight.

    `inner` is U^H S U. The weighted sum of the quotients never falls, and stays where weights are the same.
    """
    turned = U.copy()
    for group in groups:
        block = inner[np.ix_(group, group)]
        apart = np.abs(block - np.diag(block.diagonal())).max()
        if apart <= ROUNDING * np.abs(inner).max():
            continue
        axes = np.linalg.eigh(block)[1][:, ::-1]
        entries = np.concatenate([np.arange(U.indptr[c], U.indptr[c + 1]) for c in group])
        ranked = np.empty_like(axes)
        ranked[:, np.argsort(-weights[group], kind="stable")] = axes
        turned.data[entries] = (U.data[entries].reshape(len(group), -1).T @ ranked).T.ravel()
    return turned
