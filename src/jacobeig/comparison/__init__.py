"""Every method on the same matrix at the same numbers of nonzeros; the methods of the literature are in `baselines`."""

from jacobeig.comparison._compare import MEANINGS, OURS, compare
from jacobeig.comparison.table import Comparison, ComparisonRow

__all__ = ["MEANINGS", "OURS", "Comparison", "ComparisonRow", "compare"]
