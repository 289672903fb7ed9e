"""Refinement: better sparse vectors from given ones, by search over masks and joint or columnwise ascent on them.

The functions that suggest supports (`matching`, `power`, `spectrum`, `support`) take a dense symmetric float64 matrix
and return a dense (n, p) array with at most the given number of nonzeros in all. No column is zero; they need not be
orthonormal. The same arguments always give the same result.
"""

from jacobeig.refinement._budget import MANY
from jacobeig.refinement._columnwise import columnwise
from jacobeig.refinement._free import free_basis
from jacobeig.refinement._front_of_source import FrontPoint, refine_front
from jacobeig.refinement._joint import joint
from jacobeig.refinement._pursuit import Point
from jacobeig.refinement._refine import RefinedVectors, refine_source
from jacobeig.refinement._shared_supports import find_alike, turn_alike
from jacobeig.refinement._stiefel import restore

__all__ = [
    "MANY",
    "FrontPoint",
    "Point",
    "RefinedVectors",
    "columnwise",
    "find_alike",
    "free_basis",
    "joint",
    "refine_front",
    "refine_source",
    "restore",
    "turn_alike",
]
