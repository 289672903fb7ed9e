"""What is asked of a baseline: the matrix and the budget, checked, and components found one after another."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jacobeig._arguments import as_generator, check_choice, check_count
from jacobeig._types import Floats, Rng
from jacobeig.comparison.baselines.deflation import DEFLATIONS
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.power import deflated_components
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.sources.products import read_whole


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A symmetric matrix in float64 and what is asked of it."""

    matrix: Floats
    n_components: int
    max_nonzeros: int

    @property
    def n(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[0])

    def require_semidefinite(self, method: str) -> None:
        """Refuse an indefinite matrix, for methods whose answer a shift would change."""
        shift = psd_shift(self.matrix)
        if shift > 1e-10 * np.abs(self.matrix).max():
            raise InvalidInputError(
                f"{method} needs a positive semidefinite matrix, but the least eigenvalue is {-shift:.6g}: "
                "give a covariance or Gram matrix, or choose another method."
            )

    def find_in_turn(self, find: Callable[[Floats], Floats], deflation: str = "projection") -> Floats:
        """Return unit vectors (n, p): ``find(matrix)`` gives one, which is removed before the next is sought."""
        deflate = DEFLATIONS[check_choice("deflation", deflation, DEFLATIONS)]
        return deflated_components(self.matrix, self.n_components, lambda S, _: find(S), deflate)


def read_task(matrix: Any, n_components: Any, max_nonzeros: Any, *, budget: bool = True) -> Task:
    """Check the three arguments that all baselines share; without `budget` None stands for as many nonzeros as fit."""
    S, _ = read_whole(matrix, "the method")
    n = S.shape[0]
    max_nonzeros = n if max_nonzeros is None and not budget else max_nonzeros
    return Task(
        matrix=S,
        n_components=check_count("n_components", n_components, 1, n, "the size of the matrix"),
        max_nonzeros=check_count("max_nonzeros", max_nonzeros, 1, n, "the size of the matrix"),
    )


def make_generator(rng: Rng) -> np.random.Generator:
    """Return a random generator; None is seed 0, so that results can be repeated."""
    return as_generator(0 if rng is None else rng)
