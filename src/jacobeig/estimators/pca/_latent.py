"""How data spread along components that need not be orthogonal, and how likely samples are by it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._types import Indices
from jacobeig.errors import InvalidInputError
from jacobeig.results.metrics import orthonormality_error
from jacobeig.sources import RowSource, as_source

# Entries of the rows that are asked of a source at once: 32 MB.
BLOCK_ENTRIES = 1 << 22
# What is left of a unit vector once those before it are taken out, below which it counts as dependent on them.
DEPENDENT = 1e-7


@dataclass(frozen=True, kw_only=True, eq=False)
class Latent:
    """How the data spread along components V = Q R, in orthonormal coordinates Q of their span."""

    mix: NDArray[np.float64]  # R (p, p), upper triangular; the identity if V is orthonormal
    covariance: NDArray[np.float64]  # Q^T S Q (p, p)

    @classmethod
    def of(cls, matrix: Any, vectors: sparse.csc_array) -> "Latent":
        """Return the spread along `vectors` (n, p), from the rows of S (a matrix or row source) that they need."""
        p, compressed = vectors.shape[1], _compress(as_source(matrix, check=False), vectors)
        if orthonormality_error(vectors) <= 1e3 * np.finfo(vectors.dtype).eps:
            return cls(mix=np.eye(p), covariance=compressed)
        mix = np.linalg.qr(vectors.toarray().astype(np.float64))[1]
        mix *= np.where(mix.diagonal() < 0.0, -1.0, 1.0)[:, np.newaxis]
        # A component that depends on those before it adds nothing: its direction in Q is zero.
        dependent = mix.diagonal() < DEPENDENT
        mix[dependent] = np.eye(p)[dependent]
        inverse = np.linalg.inv(mix)
        covariance = inverse.T @ compressed @ inverse
        covariance[dependent], covariance[:, dependent] = 0.0, 0.0
        return cls(mix=mix, covariance=covariance)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> "Latent | None":
        """Rebuild it from what a file holds of it, if it does."""
        return cls(mix=arrays["mix"], covariance=arrays["covariance"]) if "mix" in arrays else None

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file must hold of it."""
        return {"mix": self.mix, "covariance": self.covariance}

    def measure_likelihood(self, squares: NDArray[Any], Z: NDArray[Any], noise: float, n: int) -> NDArray[Any]:
        """Return Gaussian log-likelihoods of samples of n features, without any n x n matrix.

        `squares` (m,) are the samples' squared norms, `Z` (m, p) their coefficients on Q, and `noise` is the variance
        in the n - p other directions.
        """
        p, axes = len(self.mix), np.linalg.eigh(self.covariance)[1]
        values = self.list_variances(noise, n, invertible=True)
        exponent = ((Z @ axes) ** 2 / values).sum(axis=1)
        log_determinant = np.log(values).sum()
        if p < n:
            exponent += np.maximum(squares - np.einsum("ij,ij->i", Z, Z), 0.0) / noise
            log_determinant += (n - p) * np.log(noise)
        return np.asarray(-0.5 * (exponent + log_determinant + n * np.log(2.0 * np.pi)))

    def list_variances(self, noise: float, n: int, *, invertible: bool) -> NDArray[np.float64]:
        """Return the variances along the axes of `covariance`, at least `noise`, or raise where they must not vanish.

        `noise` is the variance in the n - p other directions.
        """
        p = len(self.mix)
        values: NDArray[np.float64] = np.maximum(np.linalg.eigvalsh(self.covariance), noise)
        if invertible and (values[0] <= 0.0 or (noise == 0.0 and p < n)):
            raise InvalidInputError(
                f"{p} components leave no variance for the other directions of the samples that were fitted, so the "
                "likelihood is not defined; take fewer components."
            )
        return values

    def measure_whitening(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the symmetric matrices that make coefficients uncorrelated with variance 1, and that undo it.

        Of all that do, the symmetric root changes the coefficients least (ZCA). Directions without variance stay zero.
        """
        inverse = np.linalg.inv(self.mix)
        values, axes = np.linalg.eigh(inverse @ self.covariance @ inverse.T)
        roots = np.sqrt(np.maximum(values, 0.0))
        varies = roots > DEPENDENT * max(float(roots.max()), np.finfo(np.float64).tiny)
        shrink = np.divide(1.0, roots, out=np.zeros_like(roots), where=varies)
        return (axes * shrink) @ axes.T, (axes * np.where(varies, roots, 0.0)) @ axes.T


def rank_by_addition(matrix: Any, vectors: sparse.csc_array) -> Indices:
    """Return an order of the columns in which each explains the most beyond those before it."""
    C, G = _compress(as_source(matrix, check=False), vectors), (vectors.T @ vectors).toarray().astype(np.float64)
    left = list(range(len(C)))
    order: list[int] = []
    while left:
        added = [C[t, t] / G[t, t] if G[t, t] > DEPENDENT**2 else -1.0 for t in left]
        best = left.pop(int(np.argmax(added)))
        order.append(best)
        if G[best, best] > DEPENDENT**2:  # take its direction out of the others
            share = G[best] / G[best, best]
            G = G - np.outer(share, G[best])
            C = C - np.outer(share, C[best]) - np.outer(C[best], share) + C[best, best] * np.outer(share, share)
    return np.array(order, dtype=np.intp)


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
