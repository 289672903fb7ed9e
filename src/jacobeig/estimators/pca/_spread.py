"""What a model keeps of its data: where they lie, how far they spread, and how they spread along the components."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig.errors import InvalidInputError
from jacobeig.sources import CovarianceStream, GramRows, RowSource, as_source

__all__ = ["Latent", "Spread", "read_stream_moments"]

# Entries of the rows that are asked of a source at once.
BLOCK_ENTRIES = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """Where the data lie and how far they spread.

    Attributes
    ----------
    mean, scale : ndarray (n,)
        What is subtracted from a sample, and what it is divided by then; zeros and ones where the model does neither.
    n_samples : int
        How many samples there were.
    divisor : int
        What sums of squares were divided by.
    total_variance : float
        The variance of all features together, after scaling.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    n_samples: int
    divisor: int
    total_variance: float

    @classmethod
    def of(cls, source: GramRows, *, center: bool) -> "Spread":
        """Return the spread of the data behind a row source."""
        return cls(
            mean=source.mean_,
            scale=source.scale_,
            n_samples=source.n_samples,
            divisor=source.n_samples - int(center),
            total_variance=float(source.diagonal().sum(dtype=np.float64)),
        )

    @classmethod
    def from_parts(cls, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> "Spread":
        """Rebuild it from what a file holds of it."""
        return cls(
            mean=arrays["mean"].astype(np.float64),
            scale=arrays["scale"].astype(np.float64),
            n_samples=int(facts["n_samples"]),
            divisor=int(facts["divisor"]),
            total_variance=float(facts["total_variance"]),
        )

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file must hold of it."""
        return {"mean": self.mean, "scale": self.scale}

    @property
    def facts(self) -> dict[str, Any]:
        """The numbers that a file must hold of it."""
        return {name: getattr(self, name) for name in ("n_samples", "divisor", "total_variance")}

    @property
    def log_scale(self) -> float:
        """Logarithm of the volume by which scaling shrinks the space of the samples."""
        return float(np.log(self.scale).sum())

    def noise_variance(self, explained: float, n_components: int) -> float:
        """Return the mean variance along the directions that some components leave, in which the samples can spread."""
        left = min(len(self.mean), self.n_samples) - n_components
        return max(0.0, self.total_variance - explained) / left if left > 0 else 0.0

    def squared_distances(self, X: Any) -> NDArray[Any]:
        """Return the squared norm of each centred and scaled sample; sparse ones are not made dense."""
        if isinstance(X, np.ndarray):
            apart = (X - self.mean) / self.scale
            return np.asarray(np.einsum("ij,ij->i", apart, apart))
        scaled, mean = X.multiply(1.0 / self.scale).tocsr(), self.mean / self.scale
        squares = np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()
        return np.asarray(squares - 2.0 * (scaled @ mean) + mean @ mean)


def read_stream_moments(stream: CovarianceStream, *, center: bool, scale: bool) -> tuple[Any, Spread]:
    """Return the matrix that `GramRows` would have rows of, had it seen all samples at once, and their spread."""
    n, m = stream.shape[0], stream.n_samples
    matrix: Any = stream
    if not center:
        matrix = stream.covariance * ((m - 1) / m) + np.outer(stream.mean_, stream.mean_)
    deviations = np.ones(n)
    if scale:
        deviations = np.sqrt(matrix.diagonal())
        if not deviations.all():
            constant = np.flatnonzero(deviations == 0)
            raise InvalidInputError(
                f"scale=True divides by standard deviations, but feature {constant[0]} has been constant so far "
                f"({len(constant)} of {n} features have); drop such features, or give a larger first batch."
            )
        matrix = (stream.covariance if center else matrix) / np.outer(deviations, deviations)
        np.fill_diagonal(matrix, 1.0)  # equal entries must not differ by rounding, which would break the ties
    spread = Spread(
        mean=stream.mean_ if center else np.zeros(n),
        scale=deviations,
        n_samples=m,
        divisor=m - int(center),
        total_variance=float(matrix.diagonal().sum()),
    )
    return matrix, spread


@dataclass(frozen=True, kw_only=True, eq=False)
class Latent:
    """How the data spread along the components, in orthonormal coordinates of their span.

    Attributes
    ----------
    mix : ndarray (p, p)
        R, upper triangular with V = Q R for the components V and orthonormal Q; the identity if V is orthonormal.
    covariance : ndarray (p, p)
        Q^T S Q.
    """

    mix: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: Any, vectors: sparse.csc_array) -> "Latent":
        """Return the spread along `vectors` (n, p), from the rows of S (a matrix or row source) that they need."""
        gram = np.asarray((vectors.T @ vectors).toarray(), dtype=np.float64)
        p = len(gram)
        orthonormal = np.abs(gram - np.eye(p)).max() <= 1e3 * np.finfo(vectors.dtype).eps
        mix: NDArray[Any] = np.eye(p) if orthonormal else np.linalg.cholesky(gram).T
        inverse = np.linalg.inv(mix)
        return cls(mix=mix, covariance=inverse.T @ _compress(as_source(matrix, check=False), vectors) @ inverse)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> "Latent | None":
        """Rebuild it from what a file holds of it, if it does."""
        return cls(mix=arrays["mix"], covariance=arrays["covariance"]) if "mix" in arrays else None

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file must hold of it."""
        return {"mix": self.mix, "covariance": self.covariance}

    def log_likelihood(self, squares: NDArray[Any], Z: NDArray[Any], noise: float, n: int) -> NDArray[Any]:
        """Return Gaussian log-likelihoods of samples of n features, without any n x n matrix.

        Parameters
        ----------
        squares : ndarray (m,)
            Squared norms of the samples.
        Z : ndarray (m, p)
            Their coefficients on Q.
        noise : float
            Variance in the n - p directions other than Q.
        n : int
            Number of features.

        Returns
        -------
        ndarray (m,)
            Log-likelihoods.
        """
        p = len(self.mix)
        values, axes = np.linalg.eigh(self.covariance)
        values = np.maximum(values, noise)
        if values[0] <= 0.0 or (noise == 0.0 and p < n):
            raise InvalidInputError(
                f"{p} components leave no variance for the other directions of the samples that were fitted, so the "
                "likelihood is not defined; take fewer components."
            )
        exponent = ((Z @ axes) ** 2 / values).sum(axis=1)
        log_determinant = np.log(values).sum()
        if p < n:
            exponent += np.maximum(squares - np.einsum("ij,ij->i", Z, Z), 0.0) / noise
            log_determinant += (n - p) * np.log(noise)
        return np.asarray(-0.5 * (exponent + log_determinant + n * np.log(2.0 * np.pi)))


def _compress(source: RowSource, vectors: sparse.csc_array) -> NDArray[np.float64]:
    """Return V^T S V, a block of rows of S at a time."""
    n, p = vectors.shape
    support, by_row = np.unique(vectors.indices).astype(np.int64), vectors.tocsr()
    step = max(1, BLOCK_ENTRIES // n)
    total = np.zeros((p, p))
    for start in range(0, len(support), step):
        rows = support[start : start + step]
        total += by_row[rows].T @ (source.rows(rows) @ vectors)
    symmetric: NDArray[np.float64] = (total + total.T) / 2
    return symmetric
