"""The solvers: `sparse_eigsh` and `block_eigsh`, and what goes on from their results."""

from typing import TYPE_CHECKING

from jacobeig._lazy import load_when_used

if TYPE_CHECKING:
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

# The lists of pivots and of targets, which the command line shows, load without the solvers.
__getattr__ = load_when_used(
    __name__,
    {
        "_block_eigsh": ("block_eigsh",),
        "_eigsh": ("extend", "sparse_eigsh"),
        "_front": ("front", "trace_front"),
        "_polish": ("polish",),
        "_refine": ("choose_effort", "refine"),
        "_sparse_vectors": ("find_sparse_vectors",),
        "budget": ("covering_density", "default_components", "default_density", "default_max_nonzeros"),
    },
)
