"""The solvers: `sparse_eigsh` and `block_eigsh`, and what goes on from their results."""

from jacobeig.solve._block_eigsh import block_eigsh
from jacobeig.solve._eigsh import extend, sparse_eigsh
from jacobeig.solve._front import front, trace_front
from jacobeig.solve._polish import polish
from jacobeig.solve._refine import choose_effort, refine
from jacobeig.solve._sparse_vectors import find_sparse_vectors
from jacobeig.solve.budget import covering_density, default_components, default_density, default_max_nonzeros

__all__ = [
    "block_eigsh",
    "choose_effort",
    "covering_density",
    "default_components",
    "default_density",
    "default_max_nonzeros",
    "extend",
    "find_sparse_vectors",
    "front",
    "polish",
    "refine",
    "sparse_eigsh",
    "trace_front",
]
