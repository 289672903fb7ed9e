"""Other points of a fit: the rotations of a chain, or the front of refined components."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from jacobeig._arguments import check_real
from jacobeig.errors import InvalidInputError
from jacobeig.estimators._model import SparseModel, draw_seed
from jacobeig.estimators.pca._path import PCAPath
from jacobeig.estimators.pca._spread import open_data
from jacobeig.estimators.pca.full import measure_full_pca
from jacobeig.results.front import Front
from jacobeig.results.metrics import count_allowed_nonzeros
from jacobeig.solve import default_max_nonzeros, trace_front


class Points(SparseModel):
    """What lets a fitted `JacobiPCA` go back along its rotations, or along its front."""

    _source: Any = None  # of a refined fit, whose front needs the data again; never pickled or saved
    _front: Front | None = None

    @property
    def _has_chain(self) -> bool:
        return self.decomposition_.rotations is not None

    def path(self, eigenvalues: ArrayLike | None = None, *, X: Any = None) -> PCAPath:
        """Return explained variance and density at every point of the fit.

        For a refined fit these are the points of its `front`, which is computed when it is first asked for; else the
        state after each rotation, for which nothing is fitted again.

        Parameters
        ----------
        eigenvalues : array_like (n_components,), optional
            The variances that full PCA explains, to get the accuracy (explained variance over theirs) too.
        X : array_like, optional
            The data of the fit, which the front of a model needs that was loaded from a file.

        Returns
        -------
        PCAPath
            One point for each number of rotations from 0, or for each density of the front.
        """
        check_is_fitted(self)
        run = self.decomposition_ if self._has_chain else self.front(X)
        return PCAPath.of(run, self._spread, eigenvalues)

    def front(self, X: Any = None, *, progress: bool = False) -> Front:
        """Return refined components at some thirty densities up to that of the fit; see `jacobeig.front`.

        It is computed when it is first asked for, and kept. Until then a refined model refers to the data of its fit,
        which are not copied; files and pickles hold neither.

        Parameters
        ----------
        X : array_like, optional
            The data of the fit, which a model needs that was loaded from a file.
        progress : bool, default False
            Show a progress bar.

        Returns
        -------
        Front
            Results in the units of the covariance of the data.
        """
        check_is_fitted(self)
        if self._has_chain:
            raise InvalidInputError(
                "this model has a chain of rotations and no front: use path, or fit with refine=True."
            )
        if self._front is None:
            source = self._open(X)
            if source is None:
                raise InvalidInputError("needs the data of the fit again", argument="X", advice="give X=...")
            budgets = (self.density, self.max_nonzeros, self.n_rotations)
            limit = default_max_nonzeros(source.shape[0]) if budgets == (None, None, None) else self.max_nonzeros
            self._front = trace_front(
                source, self.decomposition_, max_nonzeros=limit, orthonormal=bool(self.orthonormal),
                effort="best" if self.refine == "best" else "quick", rng=draw_seed(self.random_state),
                progress=progress,
            )  # fmt: skip
        return self._front

    def at(
        self,
        *,
        n_rotations: int | None = None,
        density: float | None = None,
        accuracy: float | None = None,
        X: Any = None,
    ) -> Any:
        """Return a fitted estimator at another point of the same path; see `path`.

        Parameters
        ----------
        n_rotations : int, optional
            The number of rotations to keep, of a fit that was not refined.
        density : float, optional
            Alternatively, the densest point within this density. Along rotations, a fit with this density is often more
            accurate, as it spends its nonzeros otherwise.
        accuracy : float, optional
            Or, given the data X, the sparsest point that explains this share of what full PCA explains with as many
            components.
        X : array_like, optional
            The data of the fit, which `accuracy` needs, the front of a model that was loaded from a file, and the
            likelihoods, covariances and whitening of a new estimator along rotations.

        Returns
        -------
        JacobiPCA
            A new estimator with the same parameters.
        """
        check_is_fitted(self)
        wishes = {"n_rotations": n_rotations, "density": density, "accuracy": accuracy}
        if sum(wish is not None for wish in wishes.values()) != 1:
            given = ", ".join(f"{name} is {wish}" for name, wish in wishes.items())
            raise InvalidInputError(f"{given}; give one of the three.")
        place: Any = n_rotations
        if density is not None:
            place = self._find_density(density, X)
        elif accuracy is not None:
            place = self._find_accuracy(check_real("accuracy", accuracy), X)
        elif not self._has_chain:
            raise InvalidInputError("n_rotations is given, but refined components have none: give density or accuracy.")
        result = self.decomposition_.truncate(place) if self._has_chain else self.front(X).results[place]
        other: Any = clone(self)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        other._adopt(result, self._spread, self._open(X))
        other._front = self._front
        return other

    def _open(self, X: Any) -> Any:
        """Return the rows of the covariance of data, or of those of the fit where they are known."""
        return self._source if X is None else open_data(self._validate(X, reset=False), **self._check_options())[0]

    def _find_density(self, density: float, X: Any) -> int:
        """Return the densest point within a density."""
        allowed = count_allowed_nonzeros(density, *self.decomposition_.vectors.shape)
        return int(np.flatnonzero(self.path(X=X).nonzeros <= allowed)[-1])

    def _find_accuracy(self, accuracy: float, X: Any) -> int:
        """Return the first point that explains a share of what full PCA explains, or raise."""
        total = None if X is None else measure_full_pca(self, self._validate(X, reset=False))
        if total is None:
            fitted = "the X of the fit"
            remedy = f"{fitted} too" if X is None else f"{fitted}, of at most a few thousand samples or features"
            raise InvalidInputError("needs full PCA to compare with", argument="accuracy", advice=f"give {remedy}.")
        reached = self.path(X=X).explained_variance / total
        if not 0.0 < accuracy <= reached.max():
            raise InvalidInputError(
                f"is {accuracy}", argument="accuracy", advice=f"give a number above 0 and at most {reached.max():.4g}."
            )
        return int(np.argmax(reached >= accuracy))

    def __getstate__(self) -> Any:
        """Leave out the data of the fit."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_source"}
