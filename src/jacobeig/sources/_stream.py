"""A covariance gathered from batches of samples that never have to be in memory together."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import name_type
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._moments import Moments
from jacobeig.sources._protocol import share_attributes
from jacobeig.sources._scatter import Scatter
from jacobeig.sources.memory import require_memory


@share_attributes
class CovarianceStream:
    """The covariance of samples that arrive in batches, and a row source of it.

    Means and sums of products are merged by Chan's update, so the result is that of all samples at once, to rounding,
    in whatever batches and order they came. Memory is n x n, whatever the number of samples.

    Parameters
    ----------
    ddof : int, default 1
        The divisor is ``n_samples - ddof``, as in `numpy.cov`.

    Attributes
    ----------
    n_samples : int
        How many samples have been seen.
    mean_ : ndarray (n,)
        Their mean.
    shape : tuple of int
        (n, n), with n the number of features; known after the first batch.
    dtype : dtype
        float64.
    %(cheap)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.sources import CovarianceStream
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> stream = CovarianceStream()
    >>> for batch in np.array_split(X, 4):
    ...     stream = stream.partial_fit(batch)
    >>> np.allclose(stream.covariance, np.cov(X, rowvar=False))
    True
    """

    batch = 1
    dtype: np.dtype[Any] = np.dtype(np.float64)

    semidefinite = True

    def __init__(self, *, ddof: int = 1) -> None:
        self.ddof = ddof
        self._moments: Moments | None = None

    def __repr__(self) -> str:
        features = "" if self._moments is None else f", n_features={len(self._moments.offset)}"
        return f"CovarianceStream(n_samples={self.n_samples}{features})"

    def partial_fit(self, batch: Any) -> "CovarianceStream":
        """Add a batch of samples.

        Parameters
        ----------
        batch : dense array, numpy.memmap, scipy sparse array or matrix, or dask array (samples x features)
            One sample or more, with as many features as the batches before.

        Returns
        -------
        CovarianceStream
            The stream itself.
        """
        shape = np.shape(batch)
        if len(shape) == 2:
            self._check_features(shape[1])
        scatter = Scatter(batch, center=True, dtype=self.dtype)
        self._add(replace(scatter.moments, scatter=scatter.matrix()))
        return self

    def merge(self, other: "CovarianceStream") -> "CovarianceStream":
        """Add the samples that another stream has seen, which is left as it is.

        Parameters
        ----------
        other : CovarianceStream
            A stream with as many features.

        Returns
        -------
        CovarianceStream
            The stream itself.
        """
        if not isinstance(other, CovarianceStream):
            raise InvalidTypeError(f"merge takes a CovarianceStream, not {name_type(other)}.")
        if other._moments is not None:
            self._check_features(len(other._moments.offset))
            self._add(other._moments)
        return self

    @property
    def n_samples(self) -> int:
        """How many samples have been seen."""
        return 0 if self._moments is None else self._moments.count

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (n, n) of the covariance."""
        n = len(self._require_samples().offset)
        return n, n

    @property
    def mean_(self) -> NDArray[np.float64]:
        """The mean of the samples."""
        return self._require_samples().mean

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance of the samples, (n, n)."""
        return self._normalise(self._require_samples().scatter)

    def diagonal(self) -> NDArray[np.float64]:
        """Return the n variances."""
        return self._normalise(self._require_samples().scatter.diagonal())

    def rows(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the rows `indices` of the covariance, (len(indices), n)."""
        return self._normalise(self._require_samples().scatter[indices])

    def product(self, V: NDArray[Any]) -> NDArray[np.float64]:
        """Return the covariance times the columns of V."""
        return self._normalise(self._require_samples().scatter @ V)

    def block(self, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the covariances among some features."""
        return self._normalise(self._require_samples().scatter[np.ix_(indices, indices)])

    def norm_bound(self) -> float:
        """Return the trace, which bounds the largest eigenvalue because none is negative."""
        return float(self.diagonal().sum())

    def _add(self, moments: Moments) -> None:
        self._moments = moments if self._moments is None else self._moments.merge(moments)

    def _check_features(self, n: int) -> None:
        """Raise if n features do not fit those seen, or n x n sums do not fit in memory."""
        if self._moments is None:
            require_memory(
                3 * n * n * self.dtype.itemsize,  # the sums so far, those of a batch, and both together
                f"The sums of products of {n} features",
                ["keep the samples and use GramRows, which forms no n x n array", "select fewer features"],
            )
        elif n != len(self._moments.offset):
            raise InvalidInputError(
                f"This batch has {n} features, but the stream has {len(self._moments.offset)}: "
                "all batches must have the same columns."
            )

    def _require_samples(self) -> Moments:
        """Return the moments, or raise if there are none yet."""
        if self._moments is None:
            raise InvalidInputError("The stream has seen no samples yet: call partial_fit(batch) first.")
        return self._moments

    def _normalise(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Turn sums of products into covariances, or raise for too few samples."""
        count, needed = self.n_samples, max(2, self.ddof + 1)
        if count < needed:
            raise InvalidInputError(f"The stream has seen {count} samples; with ddof={self.ddof} it needs {needed}.")
        return np.asarray(sums / (count - self.ddof))
