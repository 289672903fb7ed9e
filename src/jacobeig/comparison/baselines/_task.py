"""What is asked of a baseline: the matrix and the budget, checked, and components found one after another."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jacobeig._arguments import as_generator, check_choice, check_count, largest_absolute
from jacobeig._types import Floats, Rng
from jacobeig.comparison.baselines.deflation import DEFLATIONS
from jacobeig.errors import InvalidInputError
from jacobeig.refinement.power import find_by_deflation
from jacobeig.refinement.spectrum import psd_shift
from jacobeig.sources.products import read_whole
from jacobeig.sources.units import moderate_scale


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A symmetric matrix in float64 and what is asked of it.

    It is the caller's times `scale`, so that squares of its entries neither overflow nor vanish: a power of four, by
    which nothing is rounded, not even where a method takes a root.
    """

    matrix: Floats
    scale: float
    n_components: int
    max_nonzeros: int

    @property
    def n(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[0])

    def require_semidefinite(self, method: str) -> None:
        """Refuse an indefinite matrix, for methods whose answer a shift would change."""
        below = psd_shift(self.matrix) / (largest_absolute(self.matrix) or 1.0)
        if below > 1e-10:
            raise InvalidInputError(
                f"{method} needs a positive semidefinite matrix, but the least eigenvalue is {-below:.3g} times the "
                "largest entry: give a covariance or Gram matrix, or choose another method."
            )

    def find_in_turn(self, find: Callable[[Floats], Floats], deflation: str = "projection") -> Floats:
        """Return unit vectors (n, p): ``find(matrix)`` gives one, which is removed before the next is sought."""
        deflate = DEFLATIONS[check_choice("deflation", deflation, DEFLATIONS)]
        return find_by_deflation(self.matrix, self.n_components, lambda S, _: find(S), deflate)


def read_task(matrix: Any, n_components: Any, max_nonzeros: Any, *, budget: bool = True) -> Task:
    """Check the three arguments that all baselines share; without `budget` None stands for as many nonzeros as fit."""
    S, _ = read_whole(matrix, "the method")
    n, scale = S.shape[0], moderate_scale(largest_absolute(S))
    max_nonzeros = n if max_nonzeros is None and not budget else max_nonzeros
    return Task(
        matrix=S * scale,
        scale=scale,
        n_components=check_count("n_components", n_components, 1, n, "the size of the matrix"),
        max_nonzeros=check_count("max_nonzeros", max_nonzeros, 1, n, "the size of the matrix"),
    )


def make_generator(rng: Rng) -> np.random.Generator:
    """Return a random generator; None is seed 0, so that results can be repeated."""
    return as_generator(0 if rng is None else rng)
