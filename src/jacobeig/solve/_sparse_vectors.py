"""What estimators and the command line ask for: vectors with a default budget, orthonormal or free."""

from typing import Any

from jacobeig._arguments import check_boolean
from jacobeig._types import PathLike, Rng
from jacobeig.results.checkpoints import describe_generator, open_checkpoint, recall_result
from jacobeig.results.result import EigenResult
from jacobeig.solve._eigsh import refine_on_sets, sparse_eigsh
from jacobeig.solve._problem import identify_run, open_source
from jacobeig.solve._refine import WHOLE, choose_effort, settle_refine
from jacobeig.solve._refine import refine as refine_result
from jacobeig.solve.budget import default_components, default_density, default_max_nonzeros


def find_sparse_vectors(
    matrix: Any, n_components: int | None, *, n_rotations: int | None, density: float | None, max_nonzeros: int | None,
    refine: Any, orthonormal: bool, rng: Rng = None, progress: bool = False, checkpoint: PathLike | None = None,
    **options: Any,
) -> EigenResult:  # fmt: skip
    """Run `sparse_eigsh`, with the default density and nonzeros a vector if there is no budget.

    ``refine="auto"`` refines unless the budget is one of rotations alone, or large for a dense matrix of many rows; a
    free basis is always refined.
    """
    source = open_source(matrix)
    n = source.shape[0]
    p = default_components(n) if n_components is None else n_components
    if n_rotations is None and density is None and max_nonzeros is None:
        density, max_nonzeros = default_density(n), default_max_nonzeros(n)
    refine = settle_refine(
        refine, source, p, n_rotations=n_rotations, density=density, max_nonzeros=max_nonzeros
    )  # fmt: skip
    orthonormal, effort = check_boolean("orthonormal", orthonormal), choose_effort(refine)
    shared: dict[str, Any] = {"density": density, "max_nonzeros": max_nonzeros, "rng": rng, "progress": progress}
    if orthonormal:
        return sparse_eigsh(
            source, p, n_rotations=n_rotations, refine=refine, checkpoint=checkpoint, **shared, **options
        )
    effort, keeper = effort or "quick", open_checkpoint(checkpoint)
    identify_run(
        keeper, source, n_components=p, n_rotations=n_rotations, density=density, max_nonzeros=max_nonzeros,
        refine=effort, orthonormal=False, rng=describe_generator(rng), **options,
    )  # fmt: skip
    shared["checkpoint"] = keeper
    if n_rotations is None and n > WHOLE:
        return refine_on_sets(source, p, orthonormal=False, effort=effort, **shared, **options)
    chain = recall_result(
        keeper, "chain", lambda: sparse_eigsh(source, p, n_rotations=n_rotations, **shared, **options)
    )
    return refine_result(source, chain, orthonormal=False, effort=effort, **shared)
