"""How far fitted components are from the best possible."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from jacobeig._types import Effort
from jacobeig.estimators._model import SparseModel
from jacobeig.estimators.pca._spread import open_data
from jacobeig.refinement.certificates import Certificate, certify


class Certified(SparseModel):
    """What lets a fitted `JacobiPCA` say how good any components of as many nonzeros can be."""

    def certify(
        self, X: Any, *, effort: Effort = "quick", time_limit: float | None = None, progress: bool = False
    ) -> Certificate:
        """Bound what any components within the same budgets can explain: how far these are from the best.

        Parameters
        ----------
        X : array_like, data frame, memory map, scipy sparse or dask array (n_samples, n_features)
            The data of the fit, or other samples of the same features.
        effort, time_limit, progress
            As for `jacobeig.certify`.

        Returns
        -------
        Certificate
            For components that are as many, with at most `max_nonzeros` each and `density` in all, as far as these
            were given, else with as many nonzeros as the fitted ones have. `verify` takes the covariance of X, or
            ``GramRows(X)``, centred and scaled as here.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from jacobeig import JacobiPCA
        >>> X = load_wine().data
        >>> certificate = JacobiPCA(2, max_nonzeros=5, scale=True, refine=True).fit(X).certify(X)
        >>> certificate.share > 0.96
        True
        """
        check_is_fitted(self)
        source, _ = open_data(self._validate(X, reset=False), **self._check_options())
        return certify(
            source, self.decomposition_, max_nonzeros=self.max_nonzeros, density=self.density,
            orthonormal=None if self.orthonormal else False, effort=effort, time_limit=time_limit, progress=progress,
        )  # fmt: skip
