"""The Gaussian model of probabilistic PCA behind fitted components: likelihood, covariance, precision."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from jacobeig.errors import InvalidInputError
from jacobeig.estimators._model import SparseModel
from jacobeig.estimators.pca._latent import Latent


class Gaussian(SparseModel):
    """What lets a fitted `JacobiPCA` say how likely samples are.

    The covariance of the model is that of the data along the components, correlations included, and `noise_variance_`
    in every other direction.
    """

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return the log-likelihood of each sample under the Gaussian model of probabilistic PCA.

        Its covariance is that of `get_covariance`; for exact components it is scikit-learn's.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse array (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray (n_samples,)
            Log-likelihoods, in the units of the data.
        """
        latent, spread = self._require_latent(), self._spread
        X = self._validate(X, reset=False)
        Z = (self._find_coefficients(X) / spread.unit) @ latent.mix.T
        scaled = latent.measure_likelihood(spread.measure_squares(X), Z, self._noise, self.n_features_in_)
        return np.asarray(scaled - spread.log_scale)

    def score(self, X: Any, y: object = None) -> float:
        """Return the mean log-likelihood of samples, which cross-validation maximises; see `score_samples`."""
        return float(np.mean(self.score_samples(X)))

    def get_covariance(self) -> NDArray[np.float64]:
        """Return the covariance of the Gaussian model, for exact components as scikit-learn's PCA does.

        Returns
        -------
        ndarray (n_features, n_features)
            In the units of the data: dense, so for few thousand features at most.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from jacobeig import JacobiPCA
        >>> JacobiPCA(3, scale=True).fit(load_wine().data).get_covariance().shape
        (13, 13)
        """
        return self._expand(1.0)

    def get_precision(self) -> NDArray[np.float64]:
        """Return the inverse of `get_covariance` (n_features, n_features), without inverting it."""
        return self._expand(-1.0)

    def _require_latent(self) -> Latent:
        check_is_fitted(self)
        latent: Latent | None = self._latent
        if latent is None:
            raise InvalidInputError(
                "this model was taken from a path without its data; use at(..., X=X) for likelihoods and covariances."
            )
        return latent

    def _expand(self, power: float) -> NDArray[np.float64]:
        """Return the covariance to a power of 1 or -1."""
        latent, n = self._require_latent(), self.n_features_in_
        values = latent.list_variances(self._noise, n, invertible=power < 0)
        axes = self.components_.T.astype(np.float64) @ np.linalg.inv(latent.mix) @ np.linalg.eigh(latent.covariance)[1]
        # The components' own directions, and the noise in all others.
        rest = self._noise**power if n > len(values) else 0.0
        expanded: NDArray[np.float64] = (axes * (values**power - rest)) @ axes.T
        expanded.flat[:: n + 1] += rest
        scale = (self._spread.scale * self._spread.unit) ** power
        return expanded * np.outer(scale, scale)
