"""A few sparse, exactly orthonormal, approximate eigenvectors of symmetric and Hermitian matrices.

>>> import jacobeig as je
>>> result = je.sparse_eigsh(je.datasets.random_covariance(50, rng=0), 3, density=0.2)
>>> result.vectors.shape
(50, 3)
"""

import importlib
from typing import TYPE_CHECKING, Any

from jacobeig._version import __version__

if TYPE_CHECKING:
    from jacobeig import baselines, bounds, comparison, datasets, errors, experiments, metrics, plotting, sources
    from jacobeig._drivers import Progress
    from jacobeig.comparison import Comparison, ComparisonRow, compare
    from jacobeig.graph import GraphFourier
    from jacobeig.improve import polish, refine
    from jacobeig.pca import JacobiPCA
    from jacobeig.report import report
    from jacobeig.result import EigenResult, Method, Status, load
    from jacobeig.rotations import BlockSequence, RotationSequence
    from jacobeig.solve import block_eigsh, extend, sparse_eigsh

# Public names are loaded when first used, so that `import jacobeig` stays quick.
_HOMES = {
    "BlockSequence": "rotations",
    "EigenResult": "result",
    "GraphFourier": "graph",
    "JacobiPCA": "pca",
    "Method": "result",
    "Progress": "_drivers",
    "RotationSequence": "rotations",
    "Status": "result",
    "block_eigsh": "solve",
    "Comparison": "comparison",
    "ComparisonRow": "comparison",
    "compare": "comparison",
    "extend": "solve",
    "load": "result",
    "polish": "improve",
    "refine": "improve",
    "report": "report",
    "sparse_eigsh": "solve",
}
_MODULES = ("baselines", "bounds", "comparison", "datasets", "errors", "experiments", "metrics", "plotting", "sources")

__all__ = [
    "BlockSequence",
    "Comparison",
    "ComparisonRow",
    "EigenResult",
    "GraphFourier",
    "JacobiPCA",
    "Method",
    "Progress",
    "RotationSequence",
    "Status",
    "__version__",
    "baselines",
    "block_eigsh",
    "bounds",
    "compare",
    "comparison",
    "datasets",
    "errors",
    "experiments",
    "extend",
    "load",
    "metrics",
    "plotting",
    "polish",
    "refine",
    "report",
    "sources",
    "sparse_eigsh",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"jacobeig.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"jacobeig.{name}")
    else:
        raise AttributeError(f"module 'jacobeig' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
