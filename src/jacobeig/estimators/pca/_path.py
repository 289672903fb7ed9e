"""Every point of a fit: what nonzeros bought."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jacobeig._extras import import_extra
from jacobeig._types import FloatArray, IntArray
from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca._spread import Spread
from jacobeig.results.front import Front
from jacobeig.results.pictures import draw
from jacobeig.results.result import EigenResult


@dataclass(frozen=True, kw_only=True, eq=False)
class PCAPath:
    """Explained variance and nonzeros at every point of a fit; see `jacobeig.JacobiPCA.path`.

    The points are those of the front of a refined fit, and else the state before the first rotation and after each.

    Attributes
    ----------
    n_rotations : ndarray (m,) or None
        0, 1, ..., m - 1; None for a refined fit, which has no rotations.
    nonzeros : ndarray (m,)
        Nonzeros of all components together.
    density : ndarray (m,)
        Nonzeros over the number of entries.
    explained_variance : ndarray (m,)
        Variance that all components explain together.
    explained_variance_ratio : ndarray (m,)
        The same over the variance of the data.
    accuracy : ndarray (m,) or None
        The same over what full PCA explains with as many components, where that is known.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from jacobeig import JacobiPCA
    >>> path = JacobiPCA(3, scale=True, n_rotations=20).fit(load_wine().data).path()
    >>> path
    PCAPath(20 rotations, density 7.7% to 97.4%, explained variance 23.1% to 65.5%)
    """

    n_rotations: IntArray | None
    nonzeros: IntArray
    density: FloatArray
    explained_variance: FloatArray
    explained_variance_ratio: FloatArray
    accuracy: FloatArray | None = None

    @classmethod
    def of(cls, run: EigenResult | Front, spread: Spread, eigenvalues: Any = None) -> "PCAPath":
        """Return all points of a chain or a front; `eigenvalues` are the variances that full PCA explains."""
        if isinstance(run, Front):
            n, p = run.results[0].vectors.shape
            nonzeros = np.array([result.vectors.nnz for result in run], np.int64)
        else:
            n, p = run.vectors.shape
            nonzeros = np.concatenate([[p], run.nonzeros]).astype(np.int64)
        captured = run.captured
        explained, whole = captured * spread.unit * spread.unit, max(spread.total_variance, float(captured.max()))
        return cls(
            n_rotations=None if isinstance(run, Front) else np.arange(len(nonzeros)),
            nonzeros=nonzeros,
            density=nonzeros / (n * p),
            explained_variance=explained,
            explained_variance_ratio=captured / whole if whole > 0 else np.zeros_like(captured),
            accuracy=None if eigenvalues is None else explained / _sum_exact(eigenvalues, p),
        )

    def plot(self, **options: Any) -> Any:
        """Draw explained variance against density, as `jacobeig.plotting.plot_path` does, and return the axes."""
        return draw("plot_path", self, **options)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each point, indexed by the number of rotations if there are any."""
        pd = import_extra("pandas")
        columns = ["nonzeros", "density", "explained_variance", "explained_variance_ratio", "accuracy"]
        known = {name: getattr(self, name) for name in columns if getattr(self, name) is not None}
        index = None if self.n_rotations is None else pd.Index(self.n_rotations, name="n_rotations")
        return pd.DataFrame(known, index=index)

    def __repr__(self) -> str:
        count = f"{len(self.nonzeros)} points" if self.n_rotations is None else f"{len(self.nonzeros) - 1} rotations"
        return (
            f"PCAPath({count}, "
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
