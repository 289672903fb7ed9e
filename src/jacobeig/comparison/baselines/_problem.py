"""What all baselines share: the matrix and what is asked of it, checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jacobeig._arguments import as_generator, check_count
from jacobeig._types import Floats, Rng
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.sources.whole import read_whole

__all__ = ["Problem", "generator", "standardise"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """A symmetric matrix in float64 and what is asked of it."""

    matrix: Floats
    n_components: int
    max_nonzeros: int

    @property
    def n(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[0])

    def need_semidefinite(self, method: str) -> None:
        """Refuse an indefinite matrix, for methods whose answer a shift would change."""
        shift = psd_shift(self.matrix)
        if shift > 1e-10 * np.abs(self.matrix).max():
            raise InvalidInputError(
                f"{method} needs a positive semidefinite matrix, but the least eigenvalue is {-shift:.6g}: "
                "give a covariance or Gram matrix, or choose another method."
            )


def standardise(matrix: Any, n_components: Any, max_nonzeros: Any) -> Problem:
    """Check the three arguments that all baselines share."""
    S, _ = read_whole(matrix, "the method")
    n = S.shape[0]
    return Problem(
        matrix=S,
        n_components=check_count("n_components", n_components, 1, n, "the size of the matrix"),
        max_nonzeros=check_count("max_nonzeros", max_nonzeros, 1, n, "the size of the matrix"),
    )


def generator(rng: Rng) -> np.random.Generator:
    """Return a random generator; None is seed 0, so that results can be repeated."""
    return as_generator(0 if rng is None else rng)
