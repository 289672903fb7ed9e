"""What full PCA explains, to compare with."""

from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import is_sparse
from jacobeig.results.metrics import extreme_eigenvalues

__all__ = ["measure_full_pca"]

# Beyond these, full PCA would take longer than the sparse one it is compared with.
MOST_OF_BOTH, MOST_VALUES = 3000, 1 << 24
# From this order on a few eigenvalues are found faster by products with the matrix.
FEW_OF_MANY = 1000


def measure_full_pca(model: Any, X: Any) -> float | None:
    """Return the variance that as many components of full PCA explain of the data of a fit.

    Parameters
    ----------
    model : JacobiPCA
        Fitted.
    X : array_like or scipy sparse array (n_samples, n_features)
        The data of the fit.

    Returns
    -------
    float or None
        None if X is too large to find it quickly, or is not the data of the fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import jacobeig as je
    >>> from jacobeig.estimators.pca.full import measure_full_pca
    >>> X = load_iris().data
    >>> pca = je.JacobiPCA(2, density=0.5).fit(X)
    >>> pca.total_explained_variance_ <= measure_full_pca(pca, X)
    True
    """
    spread, (m, n) = model._spread, X.shape
    if m != spread.n_samples or min(m, n) > MOST_OF_BOTH or m * n > MOST_VALUES:
        return None
    dense = np.asarray(X.toarray() if is_sparse(X) else X, np.float64)
    Y = (dense - spread.mean) / spread.scale
    total = float(np.einsum("ij,ij->", Y, Y)) / spread.divisor
    if not np.isclose(total, spread.total_variance, rtol=1e-4) or not total > 0:
        return None
    gram = (Y.T @ Y if n <= m else Y @ Y.T) / spread.divisor
    p, product = min(model.n_components_, len(gram)), gram
    if len(gram) > FEW_OF_MANY:
        product = sparse.linalg.aslinearoperator(gram)
    return float(extreme_eigenvalues(product, p).sum(dtype=np.float64))
