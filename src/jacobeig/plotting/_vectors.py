"""Vectors and names as pictures need them, from whatever the library gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError, InvalidTypeError


def read_columns(vectors: Any) -> FloatArray:
    """Return real vectors as dense columns, from a result, a fitted estimator, an array or a sparse array.

    Arrays have one vector per column, or per row, as ``components_`` do, where they have fewer rows than columns.
    """
    given: Any = vectors
    if hasattr(vectors, "get_params"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(vectors)
        given = vectors.modes_ if hasattr(vectors, "modes_") else np.asarray(vectors.components_).T
    given = getattr(given, "vectors", given)
    dense = np.asarray(given.toarray() if hasattr(given, "toarray") else given)
    if dense.dtype.kind not in "biuf":
        raise InvalidTypeError(f"vectors hold {dense.dtype}; give real numbers (np.abs of complex vectors, say).")
    if dense.ndim not in (1, 2) or dense.size == 0:
        raise InvalidInputError(f"vectors have shape {dense.shape}; give one vector, or one per column.")
    columns: FloatArray = dense.astype(float).reshape(len(dense), -1)
    return columns if columns.shape[0] >= columns.shape[1] else columns.T


def label_features(vectors: Any, names: Sequence[str] | None, n: int) -> list[str]:
    """Return the names given, those that an estimator knows, or numbers; as text that is drawn as it is."""
    known = names if names is not None else getattr(vectors, "feature_names_in_", getattr(vectors, "nodes_", None))
    if known is None or (names is None and np.array_equal(known, np.arange(n))):
        return [f"{name_parts(vectors)[1]} {t}" for t in range(n)]
    if len(known) != n:
        raise InvalidInputError(f"names has {len(known)} entries; the vectors have {n}: give one name per feature.")
    # A dollar sign would start mathematics.
    return [str(name).replace("$", r"\$") for name in known]


def name_parts(vectors: Any) -> tuple[str, str]:
    """Return what a vector and an entry of it are called: those of a graph are modes and nodes."""
    return ("mode", "node") if hasattr(vectors, "modes_") else ("component", "feature")
