"""How many nonzeros there may be, in all and in each column."""

from dataclasses import dataclass

import numpy as np

from jacobeig._types import Floats, Mask

# Components beyond which orthogonality has so many equations (p^2 / 2 at most) that searches must do with less.
MANY = 45
# The order of a set beyond which its matrix no longer fits in a cache, and every product with it costs what it weighs.
LONG = 2048


def mask_largest(values: Floats, count: int) -> Mask:
    """Mask the `count` largest values; of equal ones the first."""
    if count >= values.size:
        return np.ones(values.shape, np.bool_)
    limit = _find_limit(values, count) if count else np.inf
    mask: Mask = values > limit
    mask.flat[np.flatnonzero(values == limit)[: count - np.count_nonzero(mask)]] = True
    return mask


def _find_limit(values: Floats, count: int) -> float:
    """Return the smallest of the `count` largest values; selection is slow among many equal ones, as zeros and -inf."""
    for floor in (0.0, -np.inf):
        above = values[values > floor]
        if above.size >= count:
            return float(np.partition(above, above.size - count)[above.size - count])
    return -np.inf


@dataclass(frozen=True, kw_only=True)
class NonzeroBudget:
    """At most `total` nonzeros, and at most `per_column` in any column."""

    total: int
    per_column: int

    def limit(self, n: int) -> "NonzeroBudget":
        """Return the same budget for columns of length n."""
        return NonzeroBudget(total=self.total, per_column=min(self.per_column, n))

    def admits(self, mask: Mask) -> bool:
        """Say whether the mask keeps within the budget."""
        counts = mask.sum(axis=0)
        return bool(counts.sum() <= self.total and counts.max() <= self.per_column)

    def keep(self, scores: Floats, count: int) -> Mask:
        """Mask the `count` largest scores, and the largest of every column; entries of -inf are never kept.

        While `count` differs from the total, as on the way down to it, the columns' own limit changes in proportion.
        """
        n, p = scores.shape
        cap = min(n, max(1, round(self.per_column * count / self.total)))
        allowed: Mask = scores > -np.inf
        if cap < n:
            allowed &= np.column_stack([mask_largest(column, cap) for column in scores.T])
        ranked = np.where(allowed, scores, -np.inf)
        ranked[scores.argmax(axis=0), np.arange(p)] = np.inf
        return mask_largest(ranked, count) & allowed
