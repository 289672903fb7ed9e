"""Refinement: better sparse vectors from given ones, by search over masks and joint or columnwise ascent on them."""

from jacobeig._refinement._clock import Progress
from jacobeig._refinement._columnwise import columnwise
from jacobeig._refinement._free import captured_variance, free_basis
from jacobeig._refinement._joint import joint
from jacobeig._refinement._pursuit import Point
from jacobeig._refinement._refine import RefinedVectors, refine_vectors
from jacobeig._refinement._stiefel import restore
from jacobeig._types import Floats

__all__ = [
    "Floats",
    "Point",
    "Progress",
    "RefinedVectors",
    "captured_variance",
    "columnwise",
    "free_basis",
    "joint",
    "refine_vectors",
    "restore",
]
