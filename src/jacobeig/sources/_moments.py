"""Counts, means and sums of squares or products about the mean, which can be merged without loss.

References
----------
T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample variance: analysis and recommendations",
The American Statistician 37, 1983.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Moments:
    """The first two moments of some samples: the mean, and the sums of squares (n,) or products (n, n) about it.

    The mean is kept as the sum of two parts, a point near the samples and what to add to it, because a single float64
    near 1e6 is known only to 1e-10: too little for the distance between the means of two batches.
    """

    count: int
    origin: NDArray[np.float64]
    offset: NDArray[np.float64]
    scatter: NDArray[np.float64]

    @classmethod
    def of_columns(cls, block: NDArray[Any]) -> "Moments":
        """Return the moments of the columns of `block` (samples x features), with the sums of squares alone."""
        # Relative to the first sample a constant column is exactly zero.
        origin = block[0].astype(np.float64)
        apart = block - origin
        offset = apart.mean(axis=0)
        apart -= offset
        return cls(count=len(block), origin=origin, offset=offset, scatter=np.einsum("ij,ij->j", apart, apart))

    @classmethod
    def side_by_side(cls, parts: Sequence["Moments"]) -> "Moments":
        """Return the moments of the same samples' features together, from those of some features each."""
        names = ("origin", "offset", "scatter")
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(count=parts[0].count, **joined)

    @property
    def mean(self) -> NDArray[np.float64]:
        return self.origin + self.offset

    def mean_from(self, point: NDArray[Any]) -> NDArray[np.float64]:
        """Return the mean minus `point`, accurate even where the two nearly agree."""
        distance: NDArray[np.float64] = (self.origin - point) + self.offset
        return distance

    def merge(self, other: "Moments") -> "Moments":
        """Return the moments of both sets of samples together: Chan's update, which never subtracts large sums."""
        count = self.count + other.count
        apart = (other.origin - self.origin) + (other.offset - self.offset)
        scatter = np.outer(apart, apart) if self.scatter.ndim == 2 else apart * apart
        scatter *= self.count * other.count / count
        scatter += self.scatter
        scatter += other.scatter
        offset = self.offset + apart * (other.count / count)
        return Moments(count=count, origin=self.origin, offset=offset, scatter=scatter)
