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
    from jacobeig import bounds, datasets, errors, metrics, sources
    from jacobeig._drivers import Progress
    from jacobeig.graph import GraphFourier
    from jacobeig.pca import JacobiPCA
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
    "extend": "solve",
    "load": "result",
    "sparse_eigsh": "solve",
}
_MODULES = ("bounds", "datasets", "errors", "metrics", "sources")

__all__ = [
    "BlockSequence",
    "EigenResult",
    "GraphFourier",
    "JacobiPCA",
    "Method",
    "Progress",
    "RotationSequence",
    "Status",
    "__version__",
    "block_eigsh",
    "bounds",
    "datasets",
    "errors",
    "extend",
    "load",
    "metrics",
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
