"""Other points of a fit: what each rotation bought, and estimators that stop earlier."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from jacobeig._arguments import check_real
from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca._path import PCAPath
from jacobeig.estimators.pca._spread import open_data
from jacobeig.estimators.pca.full import measure_full_pca
from jacobeig.solve.budget import count_allowed_nonzeros

__all__ = ["Points"]


class Points:
    """What lets a fitted `JacobiPCA` go back along its rotations."""

    def path(self, eigenvalues: ArrayLike | None = None) -> PCAPath:
        """Return explained variance and density after every rotation of the fit; nothing is fitted again.

        Parameters
        ----------
        eigenvalues : array_like (n_components,), optional
            The variances that full PCA explains, to get the accuracy (explained variance over theirs) too.

        Returns
        -------
        PCAPath
            One point for each number of rotations, from 0.
        """
        model = _check(self)
        return PCAPath.of(model.decomposition_, model._spread, eigenvalues)

    def at(
        self,
        *,
        n_rotations: int | None = None,
        density: float | None = None,
        accuracy: float | None = None,
        X: Any = None,
    ) -> Any:
        """Return a fitted estimator at another point of the same path; nothing is fitted again.

        Parameters
        ----------
        n_rotations : int, optional
            The number of rotations to keep.
        density : float, optional
            Alternatively, keep as many as fit in this density. A fit with this density is often more accurate, as it
            spends its nonzeros otherwise.
        accuracy : float, optional
            Or, given the data X, keep the fewest rotations that explain this share of what full PCA explains with as
            many components.
        X : array_like, optional
            The data of the fit, which `accuracy` needs, and the likelihoods, covariances and whitening of the new
            estimator.

        Returns
        -------
        JacobiPCA
            A new estimator with the same parameters.
        """
        model = _check(self)
        wishes = {"n_rotations": n_rotations, "density": density, "accuracy": accuracy}
        if sum(wish is not None for wish in wishes.values()) != 1:
            told = ", ".join(f"{name} is {wish}" for name, wish in wishes.items())
            raise InvalidInputError(f"{told}; give one of the three.")
        if density is not None:
            allowed = count_allowed_nonzeros(density, *model.decomposition_.vectors.shape)
            n_rotations = int(np.flatnonzero(self.path().nonzeros <= allowed)[-1])
        elif accuracy is not None:
            n_rotations = self._find_accuracy(check_real("accuracy", accuracy), X)
        other: Any = clone(model)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(other, name, getattr(model, name))
        source = None if X is None else open_data(model._validate(X, reset=False), **model._check_options())[0]
        return other._adopt(model.decomposition_.truncate(n_rotations), model._spread, source)

    def _find_accuracy(self, accuracy: float, X: Any) -> int:
        """Return the fewest rotations that explain a share of what full PCA explains, or raise."""
        model: Any = self
        total = None if X is None else measure_full_pca(model, model._validate(X, reset=False))
        if total is None:
            remedy = "X=..." if X is None else "the X of the fit, of at most a few thousand samples or features"
            raise InvalidInputError("needs full PCA to compare with", argument="accuracy", advice=f"give {remedy}.")
        reached = self.path().explained_variance / total
        if not 0.0 < accuracy <= reached.max():
            raise InvalidInputError(
                f"is {accuracy}", argument="accuracy", advice=f"give a number above 0 and at most {reached.max():.4g}."
            )
        return int(np.argmax(reached >= accuracy))


def _check(estimator: Any) -> Any:
    check_is_fitted(estimator)
    return estimator
