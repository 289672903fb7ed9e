"""What estimators and the command line ask for: vectors with a default budget, orthonormal or free."""

from typing import Any

from jacobeig._arguments import check_boolean
from jacobeig._types import Rng
from jacobeig.results.result import EigenResult
from jacobeig.solve._eigsh import sparse_eigsh
from jacobeig.solve._refine import choose_effort
from jacobeig.solve._refine import refine as refine_result
from jacobeig.solve.budget import default_components, default_density

__all__ = ["find_sparse_vectors"]


def find_sparse_vectors(
    matrix: Any,
    n_components: int | None,
    *,
    n_rotations: int | None,
    density: float | None,
    max_nonzeros: int | None,
    refine: Any,
    orthonormal: bool,
    rng: Rng = None,
    progress: bool = False,
    **options: Any,
) -> EigenResult:
    """Run `sparse_eigsh`, with a density of its own if there is no budget; a free basis is always refined."""
    n = matrix.shape[0]
    if n_rotations is None and density is None and max_nonzeros is None:
        density = default_density(n)
    orthonormal, effort = check_boolean("orthonormal", orthonormal), choose_effort(refine)
    shared: dict[str, Any] = {"density": density, "max_nonzeros": max_nonzeros, "rng": rng, "progress": progress}
    p = default_components(n) if n_components is None else n_components
    chain_refine: Any = refine if orthonormal else False
    result = sparse_eigsh(matrix, p, n_rotations=n_rotations, refine=chain_refine, **shared, **options)
    if orthonormal:
        return result
    return refine_result(matrix, result, orthonormal=False, effort=effort or "quick", **shared)
