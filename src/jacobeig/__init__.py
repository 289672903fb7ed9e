"""A few sparse, exactly orthonormal, approximate eigenvectors of symmetric and Hermitian matrices.

>>> import jacobeig as je
>>> result = je.sparse_eigsh(je.datasets.random_covariance(50, rng=0), 3, density=0.2)
>>> result.vectors.shape
(50, 3)
"""

from typing import TYPE_CHECKING

from jacobeig._lazy import load_when_used
from jacobeig._version import __version__

if TYPE_CHECKING:
    from jacobeig import comparison, datasets, errors, experiments, files, plotting, sources
    from jacobeig.comparison import Comparison, ComparisonRow, baselines, compare
    from jacobeig.compiling import warmup
    from jacobeig.estimators import anndata, graph, pca, xarray
    from jacobeig.estimators.graph import GraphFourier
    from jacobeig.estimators.pca import JacobiPCA
    from jacobeig.explorer import report
    from jacobeig.refinement.certificates import Certificate, certify, certify_front
    from jacobeig.results import (
        BlockSequence,
        EigenResult,
        Front,
        Method,
        Progress,
        RotationSequence,
        Status,
        bounds,
        load,
        metrics,
    )
    from jacobeig.solve import block_eigsh, extend, front, polish, refine, sparse_eigsh

_ROOMS = {
    "comparison": ("Comparison", "ComparisonRow", "compare"),
    "compiling": ("warmup",),
    "estimators.graph": ("GraphFourier",),
    "estimators.pca": ("JacobiPCA",),
    "explorer": ("report",),
    "refinement.certificates": ("Certificate", "certify", "certify_front"),
    "results": ("BlockSequence", "EigenResult", "Front", "Method", "Progress", "RotationSequence", "Status", "load"),
    "solve": ("block_eigsh", "extend", "front", "polish", "refine", "sparse_eigsh"),
}
_MODULES = {
    "anndata": "estimators.anndata",
    "baselines": "comparison.baselines",
    "bounds": "results.bounds",
    "comparison": "comparison",
    "datasets": "datasets",
    "errors": "errors",
    "experiments": "experiments",
    "files": "files",
    "graph": "estimators.graph",
    "metrics": "results.metrics",
    "pca": "estimators.pca",
    "plotting": "plotting",
    "sources": "sources",
    "xarray": "estimators.xarray",
}

__all__ = [
    "BlockSequence",
    "Certificate",
    "Comparison",
    "ComparisonRow",
    "EigenResult",
    "Front",
    "GraphFourier",
    "JacobiPCA",
    "Method",
    "Progress",
    "RotationSequence",
    "Status",
    "__version__",
    "anndata",
    "baselines",
    "block_eigsh",
    "bounds",
    "certify",
    "certify_front",
    "compare",
    "comparison",
    "datasets",
    "errors",
    "experiments",
    "extend",
    "files",
    "front",
    "graph",
    "load",
    "metrics",
    "pca",
    "plotting",
    "polish",
    "refine",
    "report",
    "sources",
    "sparse_eigsh",
    "warmup",
    "xarray",
]


__getattr__ = load_when_used(__name__, _ROOMS, _MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
