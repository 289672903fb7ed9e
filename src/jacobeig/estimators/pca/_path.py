"""Every point of a fit: what each rotation bought, and what it cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jacobeig._types import FloatArray, IntArray
from jacobeig.errors import InvalidInputError, MissingExtraError
from jacobeig.estimators.pca._spread import Spread
from jacobeig.results.result import EigenResult

__all__ = ["PCAPath"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PCAPath:
    """Explained variance and nonzeros before the first rotation of a fit and after each; see `jacobeig.JacobiPCA.path`.

    Attributes
    ----------
    n_rotations : ndarray (k + 1,)
        0, 1, ..., k.
    nonzeros : ndarray (k + 1,)
        Nonzeros of all components together.
    density : ndarray (k + 1,)
        Nonzeros over the number of entries.
    explained_variance : ndarray (k + 1,)
        Variance that all components explain together.
    explained_variance_ratio : ndarray (k + 1,)
        The same over the variance of the data.
    accuracy : ndarray (k + 1,) or None
        The same over what full PCA explains with as many components, where that is known.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from jacobeig import JacobiPCA
    >>> path = JacobiPCA(3, scale=True, n_rotations=20).fit(load_wine().data).path()
    >>> path
    PCAPath(20 rotations, density 7.7% to 97.4%, explained variance 23.1% to 65.5%)
    """

    n_rotations: IntArray
    nonzeros: IntArray
    density: FloatArray
    explained_variance: FloatArray
    explained_variance_ratio: FloatArray
    accuracy: FloatArray | None = None

    @classmethod
    def of(cls, result: EigenResult, spread: Spread, eigenvalues: Any = None) -> "PCAPath":
        """Return all points of a run with its chain; `eigenvalues` are the variances that full PCA explains."""
        captured = result.captured
        explained, whole = captured * spread.unit * spread.unit, max(spread.total_variance, float(captured.max()))
        n, p = result.vectors.shape
        nonzeros = np.concatenate([[p], result.nonzeros]).astype(np.int64)
        return cls(
            n_rotations=np.arange(len(captured)),
            nonzeros=nonzeros,
            density=nonzeros / (n * p),
            explained_variance=explained,
            explained_variance_ratio=captured / whole if whole > 0 else np.zeros_like(captured),
            accuracy=None if eigenvalues is None else explained / _sum_exact(eigenvalues, p),
        )

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each point, indexed by the number of rotations."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("pandas", "pca") from error
        columns = ["nonzeros", "density", "explained_variance", "explained_variance_ratio", "accuracy"]
        known = {name: getattr(self, name) for name in columns if getattr(self, name) is not None}
        return pd.DataFrame(known, index=pd.Index(self.n_rotations, name="n_rotations"))

    def __repr__(self) -> str:
        return (
            f"PCAPath({len(self.n_rotations) - 1} rotations, "
            f"density {self.density[0]:.1%} to {self.density[-1]:.1%}, explained variance "
            f"{self.explained_variance_ratio[0]:.1%} to {self.explained_variance_ratio[-1]:.1%})"
        )


def _sum_exact(eigenvalues: Any, p: int) -> float:
    """Return the sum of the exact eigenvalues, or raise for what are none."""
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.shape != (p,) or not values.sum() > 0:
        raise InvalidInputError(
            f"eigenvalues has shape {values.shape} and sum {values.sum():g}; "
            f"give the {p} variances that full PCA explains, for example PCA({p}).fit(X).explained_variance_."
        )
    return float(values.sum())
