"""How many nonzeros there may be, in all and in each column."""

from dataclasses import dataclass

import numpy as np

from jacobeig._types import Floats, Mask

__all__ = ["NonzeroBudget"]


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
        order = np.argsort(-scores, axis=0, kind="stable")
        ranked = np.take_along_axis(scores, order, axis=0)
        ranked[cap:] = -np.inf
        ranked[0] = np.inf
        best = np.argpartition(-ranked, min(count, n * p) - 1, axis=None)[:count]
        rank, column = np.unravel_index(best, (n, p))
        mask = np.zeros((n, p), np.bool_)
        mask[order[rank, column], column] = True
        return mask & (scores > -np.inf)
