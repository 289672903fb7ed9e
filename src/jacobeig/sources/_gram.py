"""Rows of the covariance or correlation of a data matrix, without forming it."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import to_dense
from jacobeig.errors import InvalidInputError
from jacobeig.sources._scatter import Scatter
from jacobeig.sources.memory import available_memory, require_memory
from jacobeig.sources.scaling import choose_scales

# A copy of some features is made only where so many of its size are free: what it is for can be done without.
SPARE = 4


class GramRows:
    """Rows of the covariance or correlation of a data matrix X, whose n x n entries are never formed for large n.

    Parameters
    ----------
    X : dense array, numpy.memmap, scipy sparse array or matrix, or dask array (samples x features)
        The data, neither copied nor changed. Sparse data are never made dense: their centring stays implicit.
        float32 is computed in float32, all else in float64.
    center : bool, default True
        Whether to subtract the mean of each column, as a covariance does. Otherwise ``X.T @ X / (n_samples - ddof)``.
    scale : bool, default False
        Whether to divide by the standard deviations (or, if not centred, the root mean squares), as a correlation
        does: the diagonal is then 1. Columns that never change are divided by 1.
    ddof : int, optional
        The divisor is ``n_samples - ddof``; by default 1 if centred, as in `numpy.cov`, and 0 otherwise.
    form : bool, optional
        Whether to form all n x n entries at the first call, and serve rows from there, which costs as much as a third
        to a half of the rows in batches; by default if there are at most 4096 features (sparse data: 1024) and memory
        allows.

    Attributes
    ----------
    shape : tuple of int
        (n, n), with n the number of features.
    dtype : dtype
        float32 or float64.
    n_samples : int
        The number of rows of X.
    mean_ : ndarray (n,)
        The mean of each column, zeros if not centred.
    scale_ : ndarray (n,)
        What each column is divided by, ones if not scaled.
    variance_ : ndarray (n,)
        The variance of each column (if not centred, its mean square) before scaling.
    batch : int
        How many rows to ask for at once: one product of matrices gives them all.
    semidefinite : bool
        True: no eigenvalue is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.sources import GramRows
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [6.0, 3.0]])
    >>> source = GramRows(X)
    >>> source.rows(np.array([0]))
    array([[7. , 0.5]])
    >>> source.diagonal()
    array([7., 1.])
    """

    semidefinite = True

    def __init__(
        self, X: Any, *, center: bool = True, scale: bool = False, ddof: int | None = None, form: bool | None = None
    ) -> None:
        self._scatter, self._X = Scatter(X, center=center), X
        self._center, self._scale, self._ddof = center, scale, ddof
        moments, self.dtype = self._scatter.moments, self._scatter.dtype
        self.n_samples, n = self._scatter.shape
        self.shape = (n, n)
        self._divisor = _choose_divisor(self.n_samples, int(center) if ddof is None else ddof)
        self.mean_ = moments.mean if center else np.zeros(n)
        variances = self._scatter.squares / self._divisor
        self.variance_, self.scale_, diagonal = variances, np.ones(n), variances
        if scale:
            self.scale_, diagonal = choose_scales(variances, moments.mean, self.dtype)
        self._diagonal = diagonal.astype(self.dtype)
        self._form = self._fits_formed() if form is None else form
        self._formed: NDArray[Any] | None = None
        self.batch = 1 if self._form else self._scatter.batch

    def __repr__(self) -> str:
        return f"GramRows(shape={self.shape}, dtype={self.dtype}, n_samples={self.n_samples})"

    def diagonal(self) -> NDArray[Any]:
        """Return the n variances (ones if scaled, but for constant columns)."""
        return self._diagonal.copy()

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices`, (len(indices), n), by one product of matrices."""
        indices = np.asarray(indices)
        if self._form:
            return self._form_rows()[indices]
        return self._normalise(self._scatter.rows(indices), indices)

    @property
    def passes(self) -> int:
        """How often the data have been read whole so far."""
        return self._scatter.passes

    def product(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return the covariance (correlation) times the columns of V; one pass over the data if it is not formed."""
        if self._formed is not None:
            return np.asarray(self._formed @ V.astype(self.dtype, copy=False))
        scale = self.scale_[:, np.newaxis]
        return np.asarray(self._scatter.multiply(V / scale) / (scale * self._divisor))

    def block(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the covariances (correlations) among some features; one pass over the data if it is not formed."""
        if self._formed is not None:
            return np.asarray(self._formed[np.ix_(indices, indices)])
        scale = self.scale_[indices]
        block = self._scatter.block(indices)  # a large part of the memory: changed in place
        block /= scale.astype(self.dtype)[:, np.newaxis]
        block /= (scale * self._divisor).astype(self.dtype)
        block[np.arange(len(indices)), np.arange(len(indices))] = self._diagonal[indices]
        return block

    def restrict(self, indices: NDArray[np.int64]) -> "GramRows | None":
        """Return the source of some features' covariances (correlations) alone; None where a copy of them is dear."""
        in_memory = isinstance(self._X, np.ndarray) and not isinstance(self._X, np.memmap)
        free, size = available_memory(), self.n_samples * len(indices) * self.dtype.itemsize
        if self._form or not in_memory or (free is not None and SPARE * size > free):
            return None
        return GramRows(self._X[:, indices], center=self._center, scale=self._scale, ddof=self._ddof, form=True)

    @property
    def direct(self) -> NDArray[Any] | None:
        """All n x n entries as compiled code can read them, read-only, or None where they are not formed."""
        if not self._form:
            return None
        view = self._form_rows().view()
        view.flags.writeable = False
        return view

    def samples(self) -> NDArray[np.float64]:
        """Return the centred (and scaled) samples Y over the root of the divisor, dense: the matrix is ``Y.T @ Y``."""
        m, n = self.n_samples, self.shape[0]
        require_memory(16 * m * n, f"The {m} x {n} samples in double precision", ["use fewer features"])
        Y = np.asarray(to_dense(self._X), np.float64) - self.mean_
        Y /= self.scale_ * math.sqrt(self._divisor)
        Y[:, self._diagonal == 0.0] = 0.0  # where rounding of the mean would leave a trace
        return Y

    def norm_bound(self) -> float:
        """Return the trace, which bounds the largest eigenvalue because none is negative."""
        return float(self._diagonal.sum(dtype=np.float64))

    def _form_rows(self) -> NDArray[Any]:
        """Return the n x n matrix, formed at the first call."""
        if self._formed is None:
            n = self.shape[0]
            require_memory(
                2 * n * n * self.dtype.itemsize,  # the sum, and the part being added to it
                f"The {n} x {n} covariance of X",
                ["pass form=False to compute rows as they are needed", "convert X to float32"],
            )
            self._formed = self._normalise(self._scatter.matrix(), np.arange(n))
        return self._formed

    def _normalise(self, rows: NDArray[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        """Turn sums of products into covariances or correlations, in place."""
        by_column = (1 / self.scale_).astype(self.dtype)
        rows *= (by_column[indices] / self.dtype.type(self._divisor))[:, np.newaxis]
        rows *= by_column
        # The one-pass variances are the more accurate, and row and diagonal should not disagree.
        rows[np.arange(len(indices)), indices] = self._diagonal[indices]
        return rows

    def _fits_formed(self) -> bool:
        """Whether there are few enough features to form all entries, and memory for it."""
        n, free = self.shape[0], available_memory()
        return n <= self._scatter.form_up_to and (free is None or 4 * n * n * self.dtype.itemsize <= free)


def _choose_divisor(n_samples: int, ddof: int) -> int:
    """Return what sums are divided by, or raise for too few samples."""
    if n_samples < 2:
        raise InvalidInputError("X has one row, and one sample has no covariance: rows are samples; is X transposed?")
    if n_samples <= ddof:
        raise InvalidInputError(f"X has {n_samples} rows, which ddof={ddof} leaves nothing of: lower ddof.")
    return n_samples - ddof
