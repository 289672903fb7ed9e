"""Every method on the same matrix at the same numbers of nonzeros; the methods of the literature are in `baselines`."""

from jacobeig.comparison._compare import MEANINGS, OURS, Comparison, ComparisonRow, compare

__all__ = ["MEANINGS", "OURS", "Comparison", "ComparisonRow", "compare"]
