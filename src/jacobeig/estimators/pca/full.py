"""What full PCA explains of the same data, to compare a sparse model with."""

from typing import Any

import numpy as np

from jacobeig._arguments import to_dense
from jacobeig._types import FloatArray
from jacobeig.results.metrics import extreme_eigenvalues

__all__ = ["list_full_variances", "measure_full_pca"]

# Beyond these, full PCA would take longer than the sparse one it is compared with.
MOST_OF_BOTH, MOST_VALUES = 3000, 1 << 24


def measure_full_pca(model: Any, X: Any) -> float | None:
    """Return the variance that as many components of full PCA explain of X together; see `list_full_variances`."""
    variances = list_full_variances(model, X)
    return None if variances is None else float(variances.sum())


def list_full_variances(model: Any, X: Any) -> FloatArray | None:
    """Return what each of as many components of full PCA explains of X, the data that a `JacobiPCA` was fitted on.

    None if X is too large to find it quickly, or is not the data of the fit.
    """
    spread, (m, n) = model._spread, X.shape
    if m != spread.n_samples or min(m, n) > MOST_OF_BOTH or m * n > MOST_VALUES:
        return None
    Y = (np.asarray(to_dense(X), np.float64) - spread.mean) / (spread.scale * spread.unit)
    total = float(np.einsum("ij,ij->", Y, Y)) / spread.divisor
    if not np.isclose(total, spread.total_variance, rtol=1e-4) or not total > 0:
        return None
    gram = (Y.T @ Y if n <= m else Y @ Y.T) / spread.divisor
    p = min(model.n_components_, len(gram))
    found: FloatArray = extreme_eigenvalues(gram, p).astype(np.float64) * spread.unit * spread.unit
    return found if found.sum() > 0.0 else None
