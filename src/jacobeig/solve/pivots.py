"""Pivot rules: how the next pair of coordinates is chosen."""

from dataclasses import dataclass

from jacobeig.errors import InvalidInputError

__all__ = ["BLOCK_PIVOTS", "PIVOTS", "PivotRule", "resolve_pivot"]


@dataclass(frozen=True)
class PivotRule:
    """One rule, as the kernel knows it."""

    name: str  # what the user writes
    kernel_rule: int  # its number in the kernel (`_kernels.scan.Rule`)
    all_rows: bool = False  # every row is active, and the p vectors are chosen at the end


# The numbers are those of `_kernels.scan.Rule`, which is not imported here because it loads Numba.
PIVOTS = {
    rule.name: rule
    for rule in (
        PivotRule("gain", 0),
        PivotRule("gain_per_nonzero", 1),
        PivotRule("offdiagonal", 2),
        PivotRule("classic", 3, all_rows=True),
        PivotRule("cyclic", 4),
        PivotRule("random", 5),
    )
}
BLOCK_PIVOTS = ("gain", "offdiagonal", "random")


def resolve_pivot(pivot: object, budgeted: bool) -> PivotRule:
    """Return the rule of that name; "auto" counts nonzeros where they are budgeted, else it is the paper's."""
    if isinstance(pivot, str) and pivot == "auto":
        return PIVOTS["gain_per_nonzero" if budgeted else "gain"]
    if not isinstance(pivot, str) or pivot not in PIVOTS:
        raise InvalidInputError(f"pivot is {pivot!r}; give 'auto' or one of {', '.join(map(repr, PIVOTS))}.")
    return PIVOTS[pivot]
