"""What a baseline returns."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from jacobeig._types import Floats
from jacobeig.comparison.baselines._task import Task
from jacobeig.results import metrics


@dataclass(frozen=True, kw_only=True, eq=False)
class OptimalityProof:
    """How good each component can be at most, on the deflated matrix that it was sought on.

    Parameters
    ----------
    upper_bound : (p,) array
        No unit vector with so few nonzeros has a larger Rayleigh quotient.
    gap : (p,) array
        (upper bound - value reached) / upper bound; 0 is proof of optimality.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import bb
    >>> bb(np.diag([3.0, 2.0, 1.0]) + 0.5, 1, 2).certificate.optimal
    True
    """

    upper_bound: Floats
    gap: Floats

    @property
    def optimal(self) -> bool:
        """Whether every component is proved optimal, to a relative 1e-6."""
        return bool((self.gap <= 1e-6).all())

    def __repr__(self) -> str:
        return f"OptimalityProof(optimal={self.optimal}, largest gap={self.gap.max():.3g})"


@dataclass(frozen=True, kw_only=True, eq=False)
class BaselineResult:
    """Sparse components found by a method of the literature.

    Parameters
    ----------
    method : str
        Its name in `METHODS`.
    vectors : csc_array
        n x p; columns have unit norm (or are zero where the method found nothing). In general they are not orthogonal.
    eigenvalues : (p,) array
        Rayleigh quotient of each column.
    seconds : float
        Time spent in the method.
    status : str
        How it ended, in a sentence.
    certificate : OptimalityProof or None
        Upper bounds, where the method proves them.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines import threshold
    >>> result = threshold(np.diag([3.0, 2.0, 1.0]), 2, 1)
    >>> result.eigenvalues
    array([3., 2.])
    >>> result.density  # doctest: +ELLIPSIS
    0.333...
    """

    method: str
    vectors: sp.csc_array
    eigenvalues: Floats
    seconds: float
    status: str
    certificate: OptimalityProof | None = None

    @property
    def density(self) -> float:
        """Share of the entries of the vectors that are not zero."""
        return metrics.density(self.vectors)

    def __repr__(self) -> str:
        n, p = self.vectors.shape
        return (
            f"BaselineResult({self.method}: {p} vectors of length {n}, density {self.density:.3g}, "
            f"largest eigenvalue {self.eigenvalues.max():.6g}, {self.seconds:.3g} s. {self.status})"
        )


class Found(NamedTuple):
    """What a method found: columns of any length, a sentence on how it ended, and bounds if it proves them."""

    vectors: Floats
    status: str
    certificate: OptimalityProof | None = None


def record(method: str, task: Task, found: Found, started: float) -> BaselineResult:
    """Normalise the columns, measure them on the caller's matrix, and stop the clock that began at `started`."""
    seconds, proof = perf_counter() - started, found.certificate
    norms = np.linalg.norm(found.vectors, axis=0)
    V = found.vectors / np.where(norms > 0, norms, 1.0)
    vectors = sp.csc_array(V)
    vectors.eliminate_zeros()
    return BaselineResult(
        method=method,
        vectors=vectors,
        eigenvalues=np.asarray(metrics.rayleigh_quotients(task.matrix, V), np.float64) / task.scale,
        seconds=seconds,
        status=found.status,
        certificate=proof and replace(proof, upper_bound=proof.upper_bound / task.scale),
    )
