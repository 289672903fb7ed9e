"""Every solver of refinement: feasible, monotone, within its budget."""

import itertools

import numpy as np
import pytest
from covariances import (
    MATRICES,
    Array,
    Matrices,
    low_rank_matrix,
    orthonormality_error,
    random_matrix,
    smooth_matrix,
    sparse_orthonormal,
    trace,
)
from scipy.sparse import csr_array

from jacobeig.errors import InvalidInputError
from jacobeig.refinement import columnwise, free_basis, joint
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._disjoint import anneal
from jacobeig.refinement._free import FreeBasis
from jacobeig.refinement._joint import Orthonormal
from jacobeig.refinement._quadratic import Quadratic
from jacobeig.refinement._stiefel import MaskedStiefel
from jacobeig.refinement.spectrum import leading_eigenvectors, varimax_threshold
from jacobeig.results.metrics import captured_variance


@pytest.mark.parametrize("make", MATRICES)
@pytest.mark.parametrize("rotations", [10, 60])
def test_joint_is_monotone_orthonormal_and_on_the_mask(make: Matrices, rotations: int) -> None:
    S, U = make(40), sparse_orthonormal(40, 6, rotations)
    point = joint(S, U != 0, U)
    assert point.value >= trace(S, U)
    assert point.value == pytest.approx(trace(S, point.vectors))
    assert orthonormality_error(point.vectors) < 1e-12
    assert not point.vectors[U == 0].any()


def test_joint_on_a_full_mask_reaches_the_leading_eigenspace() -> None:
    S = random_matrix(25)
    point = joint(S, np.ones((25, 4), bool), np.eye(25)[:, :4])
    assert point.value == pytest.approx(np.linalg.eigvalsh(S)[-4:].sum(), rel=1e-5)


def test_joint_is_stationary_where_it_stops() -> None:
    S, U = random_matrix(30), sparse_orthonormal(30, 4, 40)
    point = joint(S, U != 0, U, tol=1e-14)
    space = MaskedStiefel(U != 0)
    space.move_to(space.pack(point.vectors))
    gradient = space.tangent(space.pack(S @ point.vectors))
    assert np.abs(gradient).max() < 1e-3 * np.abs(S).max()


def test_joint_starts_from_vectors_that_are_not_orthonormal() -> None:
    S = smooth_matrix(60)
    V = varimax_threshold(S, 5, 150)
    point = joint(S, V != 0, V)
    assert orthonormality_error(point.vectors) < 1e-12
    assert not point.vectors[V == 0].any()


def test_joint_falls_back_on_unit_vectors_when_newton_finds_nothing() -> None:
    S = random_matrix(6)
    mask = np.array([[1, 1, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]], bool)
    point = joint(S, mask, np.ones((6, 3)) * mask)
    assert orthonormality_error(point.vectors) < 1e-12
    assert not point.vectors[~mask].any()


def test_joint_refuses_a_mask_that_no_orthonormal_matrix_fits() -> None:
    mask = np.zeros((6, 3), bool)
    mask[:2] = True
    with pytest.raises(InvalidInputError, match="no orthonormal matrix fits"):
        joint(random_matrix(6), mask, np.ones((6, 3)) * mask)


@pytest.mark.parametrize("make", MATRICES)
@pytest.mark.parametrize("n", [30, 120])
def test_columnwise_is_monotone_orthonormal_and_within_both_budgets(make: Matrices, n: int) -> None:
    S, U = make(n), sparse_orthonormal(n, 5, n)
    most = max(int(np.count_nonzero(U, axis=0).max()), n // 4)
    budget = NonzeroBudget(total=int(np.count_nonzero(U)) + 7, per_column=most)
    point = columnwise(Quadratic.make_plain(S, 5), U, budget=budget, sweeps=3)
    assert point.value >= trace(S, U)
    assert orthonormality_error(point.vectors) < 1e-12
    assert np.count_nonzero(point.vectors) <= np.count_nonzero(U) + 7
    assert np.count_nonzero(point.vectors, axis=0).max() <= most


def test_columnwise_on_a_mask_stays_on_it() -> None:
    S, U = random_matrix(30), sparse_orthonormal(30, 4, 40)
    point = columnwise(Quadratic.make_plain(S, 4), U, mask=U != 0)
    assert point.value > trace(S, U)
    assert not point.vectors[U == 0].any()


def test_columnwise_with_one_full_column_finds_the_leading_eigenvector() -> None:
    S = random_matrix(100)
    budget = NonzeroBudget(total=100, per_column=100)
    point = columnwise(Quadratic.make_plain(S, 1), np.eye(100)[:, :1], budget=budget, sweeps=30, tol=1e-9)
    assert point.value == pytest.approx(np.linalg.eigvalsh(S)[-1], rel=1e-5)


@pytest.mark.parametrize("make", MATRICES)
def test_free_basis_is_monotone_on_the_mask_and_reports_what_it_captures(make: Matrices) -> None:
    S = make(40)
    V = varimax_threshold(S, 4, 50)
    point = free_basis(S, V != 0, V)
    assert point.value >= captured_variance(S, V) * (1 - 1e-10)
    assert point.value == pytest.approx(captured_variance(S, point.vectors), rel=1e-9)
    assert not point.vectors[V == 0].any()


def test_free_basis_captures_at_least_what_orthonormal_vectors_on_its_mask_do() -> None:
    S, U = random_matrix(40), sparse_orthonormal(40, 5, 40)
    tied = joint(S, U != 0, U)
    assert free_basis(S, U != 0, tied.vectors).value >= tied.value * (1 - 1e-10)


def test_free_scores_are_exact_for_one_entry_with_the_scores_held_fixed() -> None:
    rng = np.random.default_rng(3)
    S = random_matrix(12)
    mask = rng.random((12, 3)) < 0.5
    mask[0] = True
    problem = FreeBasis(S)
    V = rng.standard_normal((12, 3)) * mask
    C, B = problem._row_problems(V)

    def explained(mask: Array) -> float:
        rows = [(B[r, m], C[np.ix_(m, m)]) for r, m in enumerate(mask)]
        return float(sum(b @ np.linalg.solve(c, b) for b, c in rows if len(b)))

    worth = problem.score(V, mask)
    for r, t in itertools.product(range(12), range(3)):
        other = mask.copy()
        other[r, t] ^= True
        assert abs(explained(other) - explained(mask)) == pytest.approx(worth[r, t], rel=1e-8)


@pytest.mark.parametrize("kind", ["long", "sparse"])
def test_prices_of_entries_are_their_scores_without_a_product_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    S, U = random_matrix(40), sparse_orthonormal(40, 5, 40)
    goal = Orthonormal(Quadratic.make_plain(csr_array(S) if kind == "sparse" else S, 5))
    monkeypatch.setattr("jacobeig.refinement._joint.LONG", 10)
    prices = goal.price(U, U != 0)
    np.testing.assert_allclose(prices[U != 0], goal.score(U, U != 0)[U != 0], rtol=1e-9)
    assert np.isneginf(prices[U == 0]).all()


@pytest.mark.parametrize("source", ["sparse", "dense"])
def test_annealing_gives_disjoint_orthonormal_vectors_within_both_budgets(source: str) -> None:
    S = low_rank_matrix(60)
    V = np.eye(60)[:, :5] if source == "sparse" else leading_eigenvectors(S, 5)
    budget = NonzeroBudget(total=30, per_column=8)
    U = anneal(S, V, budget, np.random.default_rng(0), steps=2000, heat=0.1)
    assert (np.count_nonzero(U, axis=1) <= 1).all()
    assert orthonormality_error(U) < 1e-12
    assert budget.admits(U != 0)


@pytest.mark.compiled
def test_annealing_finds_the_best_disjoint_supports_of_a_small_matrix() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((9, 4))
    S = X @ X.T
    best = 0.0
    for owner in itertools.product([-1, 0, 1], repeat=9):
        rows = [np.nonzero(np.array(owner) == c)[0] for c in (0, 1)]
        if owner.count(-1) == 4 and all(len(r) for r in rows):
            best = max(best, sum(np.linalg.eigvalsh(S[np.ix_(r, r)])[-1] for r in rows))
    U = anneal(S, leading_eigenvectors(S, 2), NonzeroBudget(total=5, per_column=9), rng, steps=5000, heat=0.1)
    assert trace(S, U) == pytest.approx(best)


def test_a_budget_keeps_the_largest_scores_and_one_of_each_column() -> None:
    scores = np.array([[9.0, 0.1], [8.0, 0.2], [7.0, -np.inf]])
    kept = NonzeroBudget(total=3, per_column=3).keep(scores, 3)
    np.testing.assert_array_equal(kept, [[True, False], [True, True], [False, False]])
    assert NonzeroBudget(total=2, per_column=1).keep(scores, 2).sum(axis=0).tolist() == [1, 1]


def test_lone_overlaps_lose_their_smaller_entry() -> None:
    V = np.array([[1.0, 0.1], [0.5, 0.0], [0.0, 1.0]])
    U = Orthonormal(Quadratic.make_plain(np.eye(3), 2)).restrict(V, V != 0)
    assert U is not None
    assert U[0, 1] == 0
    assert orthonormality_error(U) < 1e-14
