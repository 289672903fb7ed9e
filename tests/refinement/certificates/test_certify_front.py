"""One bound for each point of a front, and the line through them."""

import numpy as np
import pytest
from enumeration import best_captured

import jacobeig as je
from jacobeig.errors import InvalidInputError

DENSITIES = [0.5, 0.2, 0.35]


@pytest.fixture(scope="module")
def matrix():
    return je.datasets.random_covariance(12, rng=1)


@pytest.fixture(scope="module")
def certificates(matrix):
    return je.certify_front(matrix, n_components=3, densities=DENSITIES)


def test_every_density_has_its_bound_in_the_order_given(matrix, certificates):
    assert [c.budgets.total_nonzeros for c in certificates] == [18, 7, 12]
    for density, certificate in zip(DENSITIES, certificates, strict=True):
        alone = je.certify(matrix, n_components=3, density=density)
        assert certificate.bound == pytest.approx(alone.bound, rel=2e-3)
        assert certificate.verify(matrix) == pytest.approx(certificate.bound, rel=1e-9)


def test_results_are_certified_by_their_nonzeros_in_all(matrix):
    results = [je.sparse_eigsh(matrix, 3, density=density, refine=True) for density in DENSITIES]
    for result, certificate in zip(results, je.certify_front(matrix, results), strict=True):
        assert certificate.budgets.total_nonzeros == result.vectors.nnz
        assert certificate.captured == pytest.approx(result.eigenvalues.sum(), rel=1e-12)
        assert certificate.captured <= certificate.bound


def test_one_basis_that_is_not_orthonormal_makes_all_bounds_free(matrix):
    free = np.zeros((12, 2))
    free[[0, 1], 0] = free[[1, 2], 1] = 1.0
    found = je.certify_front(matrix, [np.eye(12)[:, :2], free])
    assert [c.budgets.free for c in found] == [True, True]


def test_the_multipliers_of_one_point_bound_the_others():
    S = je.datasets.random_covariance(6, rng=0)
    certificate = je.certify(S, n_components=2, density=0.5)
    for nonzeros in range(2, 13):
        sizes = [min(6, nonzeros - 1 - first) for first in range(nonzeros - 1)]
        best = max(best_captured(S, [first + 1, size]) for first, size in enumerate(sizes) if size >= 1 and first < 6)
        assert best <= certificate.bound_at(nonzeros) * (1 + 1e-14)
    assert certificate.bound_at(6) == certificate.bound
    assert certificate.bound_at(5) < certificate.bound < certificate.bound_at(7)


def test_the_small_end_has_a_line_from_below(matrix):
    low = je.certify(matrix, n_components=2, density=0.2, which="SA")
    assert low.bound_at(5) <= low.bound <= low.bound_at(3)


def test_a_budget_for_each_vector_says_nothing_of_more_nonzeros(matrix):
    certificate = je.certify(matrix, n_components=2, max_nonzeros=4)
    assert certificate.bound_at(8) == certificate.bound == certificate.bound_at(5)
    with pytest.raises(InvalidInputError, match="nonzeros is 9, but the certificate is for at most 8"):
        certificate.bound_at(9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give either results or"),
        ({"results": [], "densities": [0.1]}, "give either results or"),
        ({"results": []}, "results must hold one point"),
        ({"densities": [], "n_components": 2}, "densities must hold one point"),
        ({"results": [np.eye(12)[:, :2], np.eye(12)[:, :3]]}, "as many vectors in each"),
        ({"densities": [2.0], "n_components": 2}, "density is 2.0"),
        ({"densities": [0.5], "n_components": 2, "time_limit": -1.0}, "time_limit is -1"),
    ],
)
def test_mistakes_are_named(matrix, options, message):
    with pytest.raises(InvalidInputError, match=message):
        je.certify_front(matrix, **options)


def test_a_time_limit_is_shared(matrix):
    found = je.certify_front(matrix, n_components=3, densities=DENSITIES, time_limit=1e-3)
    fan = np.linalg.eigvalsh(matrix)[-3:].sum()
    assert all(c.bound <= fan * (1 + 1e-9) for c in found)
