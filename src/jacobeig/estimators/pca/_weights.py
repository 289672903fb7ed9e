"""Data whose samples count differently: a sample of weight 2 is as two samples."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight

from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca._spread import Spread, open_data
from jacobeig.sources import GramRows
from jacobeig.sources.dask import is_dask
from jacobeig.sources.scaling import choose_scales


def weigh_data(X: Any, sample_weight: ArrayLike, *, center: bool, scale: bool) -> tuple[Any, Spread]:
    """Return the rows of the covariance of weighted samples, and their spread; sparse data stay sparse."""
    if is_dask(X):
        raise InvalidInputError("is not for dask arrays", argument="sample_weight", advice="leave it out.")
    weights = _check_weights(X, sample_weight)
    X, weights = X[weights > 0.0], weights[weights > 0.0]
    total, divisor = float(weights.sum()), float(weights.sum()) - int(center)
    mean = np.asarray(weights @ X, np.float64).ravel() / total if center else np.zeros(X.shape[1])
    roots = np.sqrt(weights * (len(weights) / divisor))
    if sparse.issparse(X):
        data: Any = X
        scaled = sparse.csr_array(data.multiply(roots[:, np.newaxis])).astype(data.dtype)
        source = _LessMean(GramRows(scaled, center=False), mean * np.sqrt(total / divisor), mean, scale=scale)
        spread = Spread(
            mean=mean,
            scale=source.scale_,
            n_samples=len(weights),
            divisor=divisor,
            total_variance=float(source.diagonal().sum(dtype=np.float64)),
        )
        return source, spread
    apart = (X - mean) * roots[:, np.newaxis]
    apart[:, np.ptp(X, axis=0) == 0.0] *= float(not center)  # rounding must not make constant features vary
    weighted, unit = open_data(apart.astype(X.dtype), center=False, scale=scale)
    spread = Spread.of(weighted, unit, center=False, scale=scale)
    return weighted, replace(spread, mean=mean, n_samples=len(weights), divisor=divisor)


def _check_weights(X: Any, sample_weight: ArrayLike) -> NDArray[np.float64]:
    weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if weights.min() < 0.0:
        raise InvalidInputError("has negative entries", argument="sample_weight", advice="give weights of at least 0.")
    if np.count_nonzero(weights) < 2 or not weights.sum() > 1.0:
        raise InvalidInputError(
            f"sums to {weights.sum():g} over {np.count_nonzero(weights)} samples, but counts them",
            argument="sample_weight",
            advice="give two samples or more a weight, and all a sum above 1, for example the number of samples.",
        )
    return weights


class _LessMean:
    """Rows of a matrix of mean products less the product of the means: covariances of data that stay sparse."""

    def __init__(self, products: GramRows, root: NDArray[np.float64], mean: NDArray[np.float64], *, scale: bool):
        self._products, self._root = products, root
        self.shape, self.dtype, self.batch = products.shape, products.dtype, products.batch
        variances = np.maximum(products.variance_ - root**2, 0.0)
        self.scale_, self._diagonal = np.ones(len(mean)), variances
        if scale:
            self.scale_, self._diagonal = choose_scales(variances, mean, self.dtype)

    def diagonal(self) -> NDArray[Any]:
        return self._diagonal.astype(self.dtype)

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        rows = self._products.rows(indices) - np.outer(self._root[indices], self._root)
        rows /= np.outer(self.scale_[indices], self.scale_)
        rows[np.arange(len(indices)), indices] = self._diagonal[indices]
        return rows.astype(self.dtype)
