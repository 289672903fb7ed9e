"""Search by luck: columns made again, never to the worse."""

import numpy as np
import pytest
from covariances import MATRICES, orthonormality_error, random_matrix, sparse_orthonormal

import jacobeig as je
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._free import FreeBasis
from jacobeig.refinement._joint import Orthonormal
from jacobeig.refinement._luck import explore
from jacobeig.refinement._pursuit import Point
from jacobeig.refinement._quadratic import Quadratic


def try_luck(S, U, budget, objective, rounds=30, clock=None):
    rng, clock = np.random.default_rng(0), clock or Clock()
    return explore(objective, S, objective.climb(U, U != 0, 0), budget, clock, rounds=rounds, rng=rng)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("tied", [True, False])
def test_luck_never_loses_and_keeps_to_the_budget(matrix, tied):
    S, U = matrix(40), sparse_orthonormal(40, 4, 12)
    counts = np.count_nonzero(U, axis=0)
    budget = NonzeroBudget(total=int(counts.sum()), per_column=int(counts.max()))
    objective = Orthonormal(Quadratic.make_plain(S, 4)) if tied else FreeBasis(S)
    before, found = objective.climb(U, U != 0, 0), try_luck(S, U, budget, objective)
    assert found.value > before.value * (1 + 1e-6)
    assert budget.admits(found.mask)
    if tied:
        assert orthonormality_error(found.vectors) < 1e-12
        assert found.value == pytest.approx(np.sum(found.vectors * (S @ found.vectors)), rel=1e-12)


def test_luck_finds_a_block_that_no_column_touches():
    S = np.eye(30)
    S[:4, :4] += 1.0
    S[10:14, 10:14] += 2.0
    S[20:24, 20:24] += 3.0
    U = np.zeros((30, 2))
    U[:4, 0] = U[10:14, 1] = 0.5
    budget = NonzeroBudget(total=8, per_column=4)
    found = try_luck(S, U, budget, Orthonormal(Quadratic.make_plain(S, 2)))
    assert found.value == pytest.approx(9.0 + 13.0)


def test_luck_gives_the_same_bits_twice_and_stops_in_time():
    S, U = random_matrix(30), sparse_orthonormal(30, 3, 8)
    budget = NonzeroBudget(total=int(np.count_nonzero(U)), per_column=30)
    first, second = (try_luck(S, U, budget, Orthonormal(Quadratic.make_plain(S, 3))) for _ in range(2))
    assert np.array_equal(first.vectors, second.vectors)
    late = try_luck(S, U, budget, Orthonormal(Quadratic.make_plain(S, 3)), clock=Clock(limit=0.0))
    assert isinstance(late, Point)
    assert np.array_equal(late.vectors, U)


def test_more_luck_captures_more_under_a_tight_limit_of_each_vector():
    S = je.datasets.random_covariance(50, rng=2)
    run = je.sparse_eigsh(S, 6, max_nonzeros=4)
    quick, best = (je.refine(S, run, max_nonzeros=4, effort=effort) for effort in ("quick", "best"))
    assert run.eigenvalues.sum() < quick.eigenvalues.sum() <= best.eigenvalues.sum() * (1 + 1e-12)
    assert np.diff(best.vectors.indptr).max() <= 4


@pytest.mark.parametrize("effort", ["quick", "best"])
def test_where_there_is_nothing_to_grow_columns_from_they_stay(effort):
    Z = np.zeros((2, 2), np.float32)
    run = je.sparse_eigsh(Z, 1, which="SA", target="adaptive")
    assert not je.refine(Z, run, effort=effort).eigenvalues.any()


def test_free_columns_that_coincide_are_made_again():
    X = np.random.default_rng(0).standard_normal((5, 5)) * [1.0, 1e6, 60.0, 8.0, 1e3]
    model = je.JacobiPCA(5, orthonormal=False, center=False).fit(X)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0, abs=1e-9)
