"""JacobiPCA: sparse principal components with the habits of a scikit-learn transformer."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from jacobeig._arguments import check_boolean, list_names
from jacobeig._docs import share_docs
from jacobeig._types import PathLike, Which
from jacobeig.errors import FileFormatError, InvalidInputError
from jacobeig.estimators._model import SparseModel, choose_signs, make_projection, share_parameters
from jacobeig.estimators.pca._certified import Certified
from jacobeig.estimators.pca._counting import find_fewest, is_share
from jacobeig.estimators.pca._gaussian import Gaussian
from jacobeig.estimators.pca._latent import Latent, rank_by_addition
from jacobeig.estimators.pca._points import Points
from jacobeig.estimators.pca._spread import Spread, open_data, read_stream_moments
from jacobeig.estimators.pca._stability import Stable
from jacobeig.estimators.pca._weights import weigh_data
from jacobeig.results.checkpoints import number_file
from jacobeig.results.result import EigenResult
from jacobeig.sources import CovarianceStream, as_source
from jacobeig.sources.dask import is_dask

share_data = share_docs(
    samples="""
Parameters
----------
X : array_like, data frame, memory map, scipy sparse or dask array (n_samples, n_features)
    Samples.
y : object, optional
    Ignored.
""",
    returned="""
Returns
-------
JacobiPCA
    The estimator itself.
""",
)


@share_parameters
class JacobiPCA(Points, Certified, Stable, Gaussian, SparseModel):
    """Principal component analysis with sparse, exactly orthonormal components.

    Each component combines a few features only, so that it can be named and computed quickly, and the components are
    orthonormal, so that the variance they explain adds up and reconstruction is a plain product.

    Parameters
    ----------
    n_components : int or float, optional
        Number of components; by default 10, but at most half the number of features. A share above 0 and below 1 means
        the fewest that explain this much of the variance, which takes a few fits.
    %(density)s
    %(budget)s
    orthonormal : bool, default True
        False allows any unit vectors, which explain more with as many nonzeros; they come from refinement, so
        ``refine=False`` then means True. `transform` is the least-squares projection on them.
    center : bool, default True
        Whether to subtract the mean of each feature. Sparse data stay sparse.
    scale : bool, default False
        Whether to divide each feature by its standard deviation; constant ones stay as they are.
    whiten : bool, default False
        Whether `transform` makes the coefficients uncorrelated with variance 1, changing them as little as possible;
        `inverse_transform` undoes it. Coefficients of sparse components are correlated a little without it.
    %(run)s

    Attributes
    ----------
    components_ : ndarray (n_components, n_features)
        One component per row, by explained variance; the largest entry of each is positive.
    explained_variance_ : ndarray (n_components,)
        What each component explains beyond those before it, by projection; for orthonormal components, the variance
        of the data along it. Others stand in the order in which each adds the most; it can be more than the one before
        where they overlap.
    explained_variance_ratio_ : ndarray (n_components,)
        The same over the variance of the data.
    total_explained_variance_, total_explained_variance_ratio_ : float
        What all components explain together: fair to components that are not orthogonal or not uncorrelated.
    singular_values_ : ndarray (n_components,)
        Norms of the (centred) data along what each component adds.
    mean_ : ndarray (n_features,)
        Means of the features; zeros if not centred.
    scale_ : ndarray (n_features,)
        What the features are divided by; ones if not scaled.
    n_components_ : int
        Number of components.
    n_samples_ : int
        Number of samples seen.
    noise_variance_ : float
        Mean variance along the directions that are left, as in probabilistic PCA.
    decomposition_ : EigenResult
        The solver's result: sparse vectors (up to sign), rotations, status.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray (n_features,)
        Their names, if the data had names.

    References
    ----------
    C. Rusu, "An iterative Jacobi-like algorithm to compute a few sparse approximate eigenvectors" (the chain of
    rotations).

    H. Shen and J. Z. Huang, "Sparse principal component analysis via regularized low rank matrix approximation",
    Journal of Multivariate Analysis 99, 2008 (variance explained by projection).

    M. E. Tipping and C. M. Bishop, "Probabilistic principal component analysis", Journal of the Royal Statistical
    Society B 61, 1999 (`score`).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from jacobeig import JacobiPCA
    >>> X = load_digits().data
    >>> pca = JacobiPCA(n_components=10, density=0.2).fit(X)
    >>> pca.transform(X).shape
    (1797, 10)
    >>> round(pca.total_explained_variance_ratio_, 2)
    0.7
    >>> sparser = pca.at(density=0.1)
    >>> round(float((sparser.components_ != 0).mean()), 2)
    0.1
    """

    _kind, _coordinates = "JacobiPCA", "features"

    def __init__(
        self,
        n_components: float | None = None,
        *,
        density: float | None = None,
        n_rotations: int | None = None,
        max_nonzeros: int | None = None,
        target: str | ArrayLike = "ones",
        pivot: str = "auto",
        start: str | ArrayLike = "auto",
        refine: bool | str = "auto",
        orthonormal: bool = True,
        center: bool = True,
        scale: bool = False,
        whiten: bool = False,
        random_state: Any = None,
        progress: bool = False,
        checkpoint: PathLike | None = None,
    ) -> None:
        self._keep(locals())

    @share_data
    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the components of data.

        They are not copied, sparse data are never made dense, and dask arrays are computed in chunks.

        %(samples)s
        sample_weight : array_like (n_samples,), optional
            How much each sample counts: one of weight 2 as two samples, one of weight 0 not at all. Dense data are then
            copied once, weighted.

        %(returned)s
        """
        options = self._check_options()
        X = self._validate(X, reset=True)
        self._stream: CovarianceStream | None = None
        if sample_weight is None:
            source, unit = open_data(X, **options)
            result = self._solve(source, checkpoint=self.checkpoint)
            return self._adopt(result, Spread.of(source, unit, **options), source)
        weighted, spread = weigh_data(X, sample_weight, **options)
        return self._adopt(self._solve(weighted, checkpoint=self.checkpoint), spread, weighted)

    @share_data
    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Add a batch of samples and find the components of all that were added so far.

        Memory is n_features x n_features, however many samples there are; each call solves again. The first batch
        needs two samples.

        %(samples)s

        %(returned)s
        """
        options = self._check_options()
        stream: CovarianceStream | None = getattr(self, "_stream", None)
        fitted = hasattr(self, "decomposition_")
        X = self._validate(X, reset=not fitted)
        if fitted and stream is None:
            warnings.warn(
                "partial_fit begins again: this model comes from fit, at or load, which keep no covariance to add to. "
                "Give all batches to partial_fit.",
                UserWarning,
                stacklevel=2,
            )
        stream = (CovarianceStream() if stream is None else stream).partial_fit(X)
        matrix, spread = read_stream_moments(stream, **options)
        self._stream = stream
        return self._adopt(self._solve(matrix), spread, matrix)

    def transform(self, X: Any) -> Any:
        """Return the coefficients of samples on the components.

        Parameters
        ----------
        X : array_like, data frame, memory map, scipy sparse or dask array (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray or dask array (n_samples, n_components)
            Computed by the cheapest of three ways: sparse components, dense product, chain of rotations. A dask array
            stays lazy.
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        if is_dask(X):
            whole = X.rechunk({1: -1})
            dtype = np.result_type(X.dtype, self.components_.dtype)
            return whole.map_blocks(self._project, dtype=dtype, chunks=(whole.chunks[0], (self.n_components_,)))
        return self._project(X)

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the samples that have given coefficients.

        Parameters
        ----------
        X : array_like (n_samples, n_components)
            Coefficients, as `transform` returns them.

        Returns
        -------
        ndarray (n_samples, n_features)
            In the units of the data.
        """
        check_is_fitted(self)
        Z = np.asarray(X)
        if Z.ndim != 2 or Z.shape[1] != self.n_components_:
            raise InvalidInputError(f"X has shape {Z.shape}; give {self.n_components_} coefficients per row.")
        Z = Z if self._whitening is None else (Z @ self._whitening[1]).astype(self.components_.dtype, copy=False)
        samples: NDArray[Any] = Z @ self.components_
        samples *= self.scale_.astype(samples.dtype, copy=False)
        samples += self.mean_.astype(samples.dtype, copy=False)
        return samples

    def _check_options(self) -> dict[str, bool]:
        """Return what a row source of the data needs, checked."""
        return {name: check_boolean(name, getattr(self, name)) for name in ("center", "scale")}

    def _validate(self, X: Any, *, reset: bool) -> Any:
        """Return X as scikit-learn checks it; dask arrays stay lazy, so only their shape is checked."""
        if is_dask(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        try:
            return super()._validate(X, reset=reset)
        except (ValueError, TypeError) as error:  # dates have no type in common with numbers
            if "NaN" in str(error):
                raise InvalidInputError(
                    "X contains NaN: fill missing values in first, for example by "
                    "make_pipeline(sklearn.impute.SimpleImputer(), JacobiPCA(...))."
                ) from error
            words = _list_words(X)
            if not words:
                raise
            raise InvalidInputError(
                f"X has columns that are not numbers ({list_names(words)}): leave them out, for example by "
                "X.select_dtypes('number'), or encode them first."
            ) from error

    def _solve(
        self, matrix: Any, which: Which = "LA", n_components: int | None = None, checkpoint: PathLike | None = None
    ) -> EigenResult:
        """Run the solver; for a share of the variance as often as it takes to find the fewest components."""
        if n_components is not None or not is_share(self.n_components):
            return super()._solve(matrix, which, n_components, checkpoint)
        return find_fewest(
            float(self.n_components),
            as_source(matrix),
            lambda p: self._solve(matrix, which, p, None if checkpoint is None else number_file(checkpoint, p)),
        )

    def _adopt(self, result: EigenResult, spread: Spread, source: Any, latent: Latent | None = None) -> Self:
        """Become the fitted model of a solver's result; `source` or `latent` tells the spread along its vectors."""
        if source is not None and not self.orthonormal:
            order = rank_by_addition(source, result.vectors)
            parts = {name: getattr(result, name)[order] for name in ("eigenvalues", "target")}
            result = replace(result, vectors=result.vectors[:, order], **parts)
        factors = choose_signs(result)
        vectors = sparse.csc_array(result.vectors * factors)
        latent = latent if source is None else Latent.of(source, vectors)
        # What transform needs is kept apart from the parameters, which may be set again without a fit.
        self._projection = make_projection(result, factors, None if np.all(spread.scale == 1.0) else spread.scale)
        self._offset = (spread.mean / spread.scale) @ vectors
        self._mix = None if self.orthonormal or latent is None else latent.mix
        self.decomposition_, self._spread, self._latent = result, spread, latent
        self._source, self._front = None if result.rotations is not None else source, None
        self._whitening = self._choose_whitening()
        self.components_ = np.ascontiguousarray(vectors.T.toarray())
        self.n_components_ = self._n_features_out = len(self.components_)
        self.mean_, self.scale_, self.n_samples_ = spread.mean, spread.scale, spread.n_samples
        explained = result.eigenvalues if self._mix is None or latent is None else np.diag(latent.covariance)
        self._set_variances(np.maximum(explained, 0.0).astype(np.float64), spread)
        return self

    def _set_variances(self, explained: NDArray[np.float64], spread: Spread) -> None:
        """Derive all that is said about variances, which come in units of `spread.unit` squared."""
        dtype, total, unit = self.components_.dtype, float(explained.sum()), spread.unit
        whole = max(spread.total_variance, total)  # rounding must not make a share larger than all
        self.explained_variance_ = (explained * unit * unit).astype(dtype)
        self.total_explained_variance_ = total * unit * unit
        self.explained_variance_ratio_ = (explained / whole if whole > 0 else np.zeros_like(explained)).astype(dtype)
        self.total_explained_variance_ratio_ = total / whole if whole > 0 else 0.0
        self.singular_values_ = (np.sqrt(explained * spread.divisor) * unit).astype(dtype)
        self._noise = spread.measure_noise(total, self.n_components_)
        self.noise_variance_ = self._noise * unit * unit

    def _project(self, X: Any) -> NDArray[Any]:
        """Return the coefficients of checked samples, whitened if that is wanted."""
        Z = self._find_coefficients(X)
        return Z if self._whitening is None else (Z @ self._whitening[0]).astype(Z.dtype, copy=False)

    def _find_coefficients(self, X: Any) -> NDArray[Any]:
        """Return the coefficients of checked samples; the mean is subtracted from them, not from the samples."""
        Z = self._projection(X)
        Z -= self._offset.astype(Z.dtype, copy=False)
        if self._mix is None:
            return Z
        least_squares = np.linalg.solve(self._mix, np.linalg.solve(self._mix.T, Z.T)).T
        return least_squares.astype(Z.dtype)

    def _choose_whitening(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return what whitens coefficients and what undoes it, in the units of the data, if that is wanted."""
        if not check_boolean("whiten", self.whiten):
            return None
        whiten, undo = self._require_latent().measure_whitening()
        return whiten / self._spread.unit, undo * self._spread.unit

    def _collect_parts(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        return self._spread.arrays | ({} if self._latent is None else self._latent.arrays), self._spread.facts

    def _list_shapes(self, n: int, p: int) -> dict[str, tuple[int, ...]]:
        return {"mean": (n,), "scale": (n,), "mix": (p, p), "covariance": (p, p)}

    def _adopt_parts(self, decomposition: EigenResult, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> None:
        for name in ("mean", "scale", "mix", "covariance"):
            if name in arrays and not (arrays[name].dtype.kind == "f" and np.isfinite(arrays[name]).all()):
                raise FileFormatError(f"{name} does not hold finite numbers.")
        self._adopt(decomposition, Spread.from_parts(arrays, facts), None, Latent.from_arrays(arrays))


def _list_words(X: Any) -> list[str]:
    """Return the columns of a data frame that hold anything but numbers."""

    def has_numbers(name: str) -> bool:
        if np.asarray(X[name]).dtype.kind in "mM":  # dates and times, which NumPy would count in days or less
            return False
        try:
            np.asarray(X[name], np.float64)
        except (ValueError, TypeError):
            return False
        return True

    return [name for name in getattr(X, "columns", ()) if not has_numbers(name)]
