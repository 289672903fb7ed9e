"""Pivot rules by name."""

import pytest

from jacobeig.errors import InvalidInputError
from jacobeig.solve.pivots import BLOCK_PIVOTS, PIVOTS, resolve_pivot


def test_auto_is_the_paper_or_counts_nonzeros_where_they_are_budgeted():
    assert resolve_pivot("auto", budgeted=False).name == "gain"
    assert resolve_pivot("auto", budgeted=True).name == "gain_per_nonzero"


@pytest.mark.parametrize("name", list(PIVOTS))
def test_every_rule_is_found_by_its_name_whatever_the_budgets(name):
    assert resolve_pivot(name, budgeted=True) is resolve_pivot(name, budgeted=False) is PIVOTS[name]
    assert PIVOTS[name].all_rows == (name == "classic")


@pytest.mark.parametrize("wrong", ["Gain", "", None, 0, ["gain"]])
def test_other_names_are_refused_with_the_valid_ones(wrong):
    with pytest.raises(InvalidInputError, match=r"pivot is .*'gain'.*'random'"):
        resolve_pivot(wrong, budgeted=False)


def test_blocks_know_three_of_them():
    assert set(BLOCK_PIVOTS) < set(PIVOTS)
