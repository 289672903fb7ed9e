"""Model files: which kind each is, and what its features are called."""

from pathlib import Path
from typing import Any

import numpy as np

from jacobeig.results.archive import read_archive

__all__ = ["KINDS", "get_feature_names", "load_model"]

KINDS = {
    "JacobiPCA": "sparse principal components",
    "GraphFourier": "sparse Fourier modes of a graph",
    "EigenResult": "sparse eigenvectors of a matrix",
}


def load_model(path: Path) -> tuple[str, Any]:
    """Return the kind of a model file, and the model."""
    kind, _, _ = read_archive(path, *KINDS)
    if kind == "JacobiPCA":
        from jacobeig.estimators.pca import JacobiPCA

        return kind, JacobiPCA.load(path)
    if kind == "GraphFourier":
        from jacobeig.estimators.graph import GraphFourier

        return kind, GraphFourier.load(path)
    from jacobeig.results.result import load

    return kind, load(path)


def get_feature_names(kind: str, model: Any) -> list[str] | None:
    """Return what a model calls its features, if it knows."""
    if kind == "GraphFourier" and not np.array_equal(model.nodes_, np.arange(len(model.nodes_))):
        return [str(node) for node in model.nodes_]
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
