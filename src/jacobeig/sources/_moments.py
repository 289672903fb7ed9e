"""Counts, means and sums of squares or products about the mean, which can be merged without loss."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments"]


@dataclass(frozen=True, kw_only=True)
class Moments:
    """The first two moments of some samples.

    Attributes
    ----------
    count : int
        The number of samples.
    mean : ndarray (n,)
        Their mean, float64.
    scatter : ndarray (n,) or (n, n)
        The sums of squares about the mean, or of all products, float64.
    """

    count: int
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]

    @classmethod
    def of_columns(cls, block: NDArray[Any]) -> "Moments":
        """Return the moments of the columns of `block` (samples x features), with the sums of squares alone."""
        # Relative to the first sample a constant column is exactly zero, and a mean far from 0 costs no digits.
        origin = block[0].astype(np.float64)
        apart = block - origin
        offset = apart.mean(axis=0)
        apart -= offset
        return cls(count=len(block), mean=origin + offset, scatter=np.einsum("ij,ij->j", apart, apart))

    def merge(self, other: "Moments") -> "Moments":
        """Return the moments of both sets of samples together: Chan's update, which never subtracts large sums."""
        count = self.count + other.count
        apart = other.mean - self.mean
        squares = np.outer(apart, apart) if self.scatter.ndim == 2 else apart * apart
        squares *= self.count * other.count / count
        squares += self.scatter
        squares += other.scatter
        return Moments(count=count, mean=self.mean + apart * (other.count / count), scatter=squares)
