"""Many columns with few nonzeros are searched in groups of rows, which leaves fewer equations between them."""

import numpy as np
import pytest
import tolerances

import jacobeig as je
from jacobeig.refinement import MANY
from jacobeig.refinement._groups import count_groups, share_columns, split_rows

pytestmark = pytest.mark.compiled


def blocks(sizes, rng):
    """A covariance of blocks that have nothing to do with each other, its coordinates shuffled, and their blocks."""
    S = np.zeros((sum(sizes), sum(sizes)))
    home = np.repeat(np.arange(len(sizes)), sizes)
    for number, size in enumerate(sizes):
        S[np.ix_(home == number, home == number)] = je.datasets.random_covariance(size, rng=number)
    order = rng.permutation(len(S))
    return S[np.ix_(order, order)], home[order]


def test_rows_that_belong_together_stay_together():
    S, home = blocks([40, 40, 40], np.random.default_rng(0))
    groups = split_rows(S, 3, np.random.default_rng(0))
    assert sorted(np.concatenate(groups).tolist()) == list(range(120))
    assert all(len(np.unique(home[rows])) == 1 for rows in groups)


def test_groups_are_of_about_the_same_size_where_rows_are_equal():
    assert sorted(len(rows) for rows in split_rows(np.eye(10), 3, np.random.default_rng(0))) == [3, 3, 4]


def test_a_group_gets_columns_for_its_large_eigenvalues():
    S = np.diag([9.0, 1.0, 8.0, 2.0, 7.0, 3.0])
    assert share_columns(S, [np.array([0, 2, 4]), np.array([1, 3, 5])], 4).tolist() == [3, 1]


def test_groups_leave_half_as_many_equations_as_nonzeros():
    for p, nonzeros in ((200, 8000), (200, 20_000), (60, 3600), (100, 1)):
        groups = count_groups(p, nonzeros)
        assert p * p / 2 / groups <= nonzeros / 2 < p * p / 2 / max(groups - 1, 0.5)


def test_many_columns_with_few_nonzeros_capture_more_in_groups():
    S = je.datasets.random_covariance(400, rng=0)
    chain = je.sparse_eigsh(S, MANY + 15, density=0.05)
    refined = je.refine(S, chain, density=0.05)
    assert refined.method.refined_from == "groups"
    assert refined.eigenvalues.sum() > 1.02 * je.polish(S, chain).eigenvalues.sum()
    assert refined.vectors.nnz <= 0.05 * S.shape[0] * (MANY + 15)
    assert je.metrics.orthonormality_error(refined.vectors) < tolerances.orthonormality(np.float64)
    assert np.array_equal(je.refine(S, chain, density=0.05).vectors.data, refined.vectors.data)
