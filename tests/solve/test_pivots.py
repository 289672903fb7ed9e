"""Pivot rules by name."""

import pytest
from reference import RULES

from jacobeig.errors import InvalidInputError
from jacobeig.solve.pivots import BLOCK_PIVOTS, PIVOTS, resolve_pivot


def test_auto_is_the_paper_or_counts_nonzeros_where_they_are_budgeted():
    assert resolve_pivot("auto", budgeted=False).name == "gain"
    assert resolve_pivot("auto", budgeted=True).name == "gain_per_nonzero"


def test_the_rules_are_those_of_the_reference():
    assert tuple(PIVOTS) == RULES
    assert BLOCK_PIVOTS == ("gain", "offdiagonal", "random")


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_found_by_its_name_whatever_the_budgets(name):
    for budgeted in (False, True):
        assert resolve_pivot(name, budgeted).name == name


def test_only_classic_jacobi_reads_all_rows():
    assert [name for name in RULES if resolve_pivot(name, budgeted=False).all_rows] == ["classic"]


@pytest.mark.parametrize("wrong", ["Gain", "", None, 0, ["gain"]])
def test_other_names_are_refused_with_the_valid_ones(wrong):
    with pytest.raises(InvalidInputError, match=r"pivot is .*'gain'.*'random'"):
        resolve_pivot(wrong, budgeted=False)
