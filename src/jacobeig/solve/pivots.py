"""Pivot rules: how the next pair of coordinates is chosen; the one list of them."""

from dataclasses import dataclass

from jacobeig.errors import InvalidInputError

__all__ = ["BLOCK_PIVOTS", "PIVOTS", "PivotRule", "resolve_pivot"]


@dataclass(frozen=True)
class PivotRule:
    """One rule, as the kernel knows it."""

    name: str  # what the user writes
    meaning: str  # what it chooses, in a few words
    kernel_rule: int  # its number in the kernel (`_kernels.scan.Rule`)
    by_entry: bool = False  # pairs are chosen by their entry, and not by what they gain
    all_rows: bool = False  # every row is active, and the p vectors are chosen at the end


# The numbers are those of `_kernels.scan.Rule`, which is not imported here: loading kernels takes longer than all else.
PIVOTS = {
    rule.name: rule
    for rule in (
        PivotRule("gain", "largest gain", 0),
        PivotRule("gain_per_nonzero", "largest gain per nonzero", 1),
        PivotRule("offdiagonal", "largest entry between a vector and the rest", 2, by_entry=True),
        PivotRule("classic", "largest entry anywhere, as in Jacobi's own method", 3, by_entry=True, all_rows=True),
        PivotRule("cyclic", "all pairs in turn", 4),
        PivotRule("random", "pairs drawn at random", 5),
    )
}
BLOCK_PIVOTS = ("gain", "offdiagonal", "random")


def resolve_pivot(pivot: object, budgeted: bool) -> PivotRule:
    """Return the rule of that name; "auto" counts nonzeros where they are budgeted, else it is the paper's."""
    if isinstance(pivot, str) and pivot == "auto":
        return PIVOTS["gain_per_nonzero" if budgeted else "gain"]
    if not isinstance(pivot, str) or pivot not in PIVOTS:
        raise InvalidInputError(
            f"is {pivot!r}", argument="pivot", advice=f"give 'auto' or one of {', '.join(map(repr, PIVOTS))}."
        )
    return PIVOTS[pivot]
