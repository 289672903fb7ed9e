"""Budgets: when a run stops, and what a user gets who names no budget."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jacobeig._arguments import check_boolean, check_callback, check_count, check_real
from jacobeig.errors import InvalidInputError
from jacobeig.results.metrics import count_allowed_nonzeros

__all__ = [
    "Budget",
    "average_nonzeros",
    "covering_density",
    "default_components",
    "default_density",
    "default_max_nonzeros",
    "set_budget",
    "standardise_limit",
]

# With another budget in charge, n_rotations is only a safety stop: this many times its usual default.
SAFETY = 20
MOST_COMPONENTS = 10  # without other wishes
# Without other wishes, a component has on average this many square roots of the number of features as nonzeros. A fixed
# share would leave 6 of 64 features and 2,000 of 20,000; this leaves 16 and 283. On digits, wine, cells and noise that
# mostly keeps 70 to 98% of what PCA explains; on gene-like data, and with very few components, 53 to 72%.
ROOTS = 2.0
# Small tables would come out full (iris) or half full (wine): no component has more than this share of the features,
# unless that is less than two of them, which nothing could be compared in.
MOST_FEATURES, FEWEST = 1 / 3, 2
# Modes of a graph have nonzeros for each node to lie in three of them. On a grid and a road network ten refined modes
# then had 1.05 to 1.2 times the frequencies of exact ones; with two layers 1.2 to 1.5, with one 1.7 to 2.2, and what
# one layer loses of a smooth signal is more than the noise that it takes away.
LAYERS = 3.0


@dataclass(frozen=True, kw_only=True)
class Budget:
    """When to stop, and whom to tell on the way; without a `tol`, when only rounding is left to gain."""

    n_rotations: int
    total_nonzeros: int | None
    max_nonzeros: int | None
    tol: float | None
    callback: Callable[[Any], object] | None
    progress: bool

    def count_allowed(self, n_components: int) -> int | None:
        """Return the nonzeros at which a run ends; None without such a budget, when rotations are what runs out."""
        each = None if self.max_nonzeros is None else n_components * self.max_nonzeros
        return min((count for count in (self.total_nonzeros, each) if count is not None), default=None)


def set_budget(
    n: int, p: int, *, n_rotations: int | None = None, density: float | None = None, max_nonzeros: int | None = None,
    tol: float | None = None, callback: Callable[[Any], object] | None = None, progress: bool = False,
) -> Budget:  # fmt: skip
    """Check and standardise when a run of p vectors of length n stops."""
    limit = standardise_limit(max_nonzeros)
    if n_rotations is None:
        alone = density is None and max_nonzeros is None and tol is None
        n_rotations = n * math.ceil(math.log2(n)) * (1 if alone else SAFETY)
    return Budget(
        n_rotations=check_count("n_rotations", n_rotations, 0),
        total_nonzeros=None if density is None else count_allowed_nonzeros(density, n, p),
        max_nonzeros=None if limit is None else min(limit, n),
        tol=None if tol is None else _check_tol(tol),
        callback=check_callback(callback),
        progress=check_boolean("progress", progress),
    )


def average_nonzeros(density: float | None, max_nonzeros: int | None, n: int, p: int) -> float:
    """Return how many nonzeros a vector may have on average."""
    total = n * p if density is None else count_allowed_nonzeros(density, n, p)
    limit = standardise_limit(max_nonzeros)
    return min(total / p, n if limit is None else limit)


def standardise_limit(max_nonzeros: Any) -> int | None:
    """Return the nonzeros that each vector may have, at least one, or raise; None is no limit."""
    return None if max_nonzeros is None else check_count("max_nonzeros", max_nonzeros, 1)


def _check_tol(tol: Any) -> float:
    value = check_real("tol", tol)
    if not value >= 0.0:
        raise InvalidInputError(f"tol is {tol}; give a number of at least 0.")
    return value


def default_components(n_features: int) -> int:
    """Return how many components a user gets who asks for no number.

    At most half as many as there are features: the more of them, the less the choice matters, and with all of them any
    orthonormal basis captures everything.

    Examples
    --------
    >>> from jacobeig.solve import default_components
    >>> default_components(2), default_components(13), default_components(256)
    (1, 6, 10)
    """
    return max(1, min(MOST_COMPONENTS, n_features // 2))


def default_density(n_features: int) -> float:
    """Return the density of a model whose user asked for no other budget.

    Examples
    --------
    >>> from jacobeig.solve import default_density
    >>> default_density(4), default_density(256)
    (0.5, 0.125)
    """
    return min(ROOTS / float(np.sqrt(n_features)), default_max_nonzeros(n_features) / n_features)


def covering_density(n_nodes: int, n_components: int) -> float:
    """Return the density of a graph's modes whose user asked for no budget: enough for every node to lie in some.

    Examples
    --------
    >>> from jacobeig.solve import covering_density
    >>> covering_density(1_000_000, 10), covering_density(1_000_000, 2), covering_density(1_000_000, 1)
    (0.3, 0.5, 1.0)
    """
    return max(default_density(n_nodes), min(LAYERS / n_components, max(0.5, 1.0 / n_components)))


def default_max_nonzeros(n_features: int) -> int:
    """Return how many nonzeros a component may have where the user asked for no budget: a third, but at least two.

    Examples
    --------
    >>> from jacobeig.solve import default_max_nonzeros
    >>> default_max_nonzeros(4), default_max_nonzeros(13), default_max_nonzeros(256)
    (2, 4, 85)
    """
    return min(n_features, max(FEWEST, int(MOST_FEATURES * n_features)))
