"""Refinement: feasibility, monotonicity and budgets of every solver, and what the search finds."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from jacobeig.errors import InvalidInputError
from jacobeig.refinement import columnwise, free_basis, joint, refine_vectors
from jacobeig.refinement._budget import Budget
from jacobeig.refinement._disjoint import anneal
from jacobeig.refinement._free import FreeBasis
from jacobeig.refinement._joint import Orthonormal, climb
from jacobeig.refinement._stiefel import MaskedStiefel, restore
from jacobeig.refinement.spectrum import leading_eigenvectors, varimax_threshold
from jacobeig.results.metrics import captured_variance
from jacobeig.results.progress import Progress

Array: TypeAlias = npt.NDArray[Any]
Matrices: TypeAlias = Callable[[int], Array]

DATA = Path(__file__).parent / "data"


def random_matrix(n: int, seed: int = 0) -> Array:
    X = np.random.default_rng(seed).standard_normal((n, n))
    return X @ X.T


def low_rank_matrix(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, 6)) * np.arange(6, 0, -1)
    return L @ L.T + 3 * np.eye(n)


def smooth_matrix(n: int, seed: int = 0) -> Array:
    lag = np.subtract.outer(np.arange(n), np.arange(n))
    return 0.9 ** np.abs(lag)


def block_matrix(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    S = np.eye(n)
    for first in range(0, n, 5):
        S[first : first + 5, first : first + 5] += rng.uniform(0.5, 2.0)
    return S


def count_matrix(n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n, 0.1), size=8)
    X = rng.poisson(30 * rng.dirichlet(np.full(8, 0.2), size=100) @ topics).astype(float)
    X -= X.mean(axis=0)
    return np.asarray(X.T @ X)


MATRICES: list[Matrices] = [random_matrix, low_rank_matrix, smooth_matrix, block_matrix, count_matrix]


def trace(S: Array, U: Array) -> float:
    return float(np.sum(U * (S @ U)))


def orthonormality_error(U: Array) -> float:
    return float(np.abs(U.T @ U - np.eye(U.shape[1])).max())


def sparse_orthonormal(n: int, p: int, rotations: int, seed: int = 0) -> Array:
    """A product of random rotations applied to unit vectors: sparse, orthonormal, supports that overlap."""
    rng = np.random.default_rng(seed)
    U = np.eye(n)[:, rng.permutation(n)[:p]]
    for _ in range(rotations):
        i, j = rng.choice(n, 2, replace=False)
        c, s = np.cos(1.0), np.sin(1.0)
        U[[i, j]] = np.array([[c, -s], [s, c]]) @ U[[i, j]]
    return U


# --- the masked orthonormal matrices ---------------------------------------------------------------------------------


@pytest.mark.parametrize("density", [0.2, 0.7])
def test_the_normal_matrix_is_the_derivative_times_its_adjoint(density: float) -> None:
    rng = np.random.default_rng(1)
    mask = rng.random((12, 4)) < density
    space = MaskedStiefel(mask)
    u = rng.standard_normal(int(mask.sum()))
    space.move_to(u)
    columns = [space._derivative(u, space._adjoint(z)) for z in np.eye(len(space._identity))]
    normal = space._normal_matrix(u)
    np.testing.assert_allclose(np.tril(normal), np.tril(np.array(columns)), atol=1e-12)


@pytest.mark.parametrize("density", [0.2, 0.7])
def test_tangent_vectors_keep_orthonormality_to_first_order_and_stay_on_the_mask(density: float) -> None:
    rng = np.random.default_rng(2)
    U = sparse_orthonormal(15, 4, 12) if density < 0.5 else np.linalg.qr(rng.standard_normal((15, 4)))[0]
    space = MaskedStiefel(U != 0)
    space.move_to(space.pack(U))
    d = space.unpack(space.tangent(space.pack(rng.standard_normal(U.shape))))
    assert np.abs(U.T @ d + d.T @ U).max() < 1e-10
    assert not d[U == 0].any()


def test_many_equations_are_solved_without_a_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    S, U = random_matrix(30), sparse_orthonormal(30, 5, 40)
    with_factor = climb(S, U != 0, U)
    monkeypatch.setattr("jacobeig.refinement._stiefel.LARGE", 3)
    without = climb(S, U != 0, U)
    assert without.value == pytest.approx(with_factor.value, rel=1e-3)
    assert orthonormality_error(without.vectors) < 1e-12


def test_restore_finds_orthonormal_vectors_near_perturbed_ones() -> None:
    U = sparse_orthonormal(30, 5, 40)
    noisy = U + 0.02 * np.random.default_rng(0).standard_normal(U.shape) * (U != 0)
    restored = restore(noisy, U != 0)
    assert restored is not None
    assert orthonormality_error(restored) < 1e-12
    assert np.abs(restored - U).max() < 0.2


def test_restore_gives_up_where_no_orthonormal_matrix_fits() -> None:
    mask = np.zeros((5, 2), bool)
    mask[0] = True
    assert restore(mask.astype(float), mask) is None


# --- the solvers -----------------------------------------------------------------------------------------------------


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
    point = columnwise(S, U, nonzeros=int(np.count_nonzero(U)) + 7, max_nonzeros=most, sweeps=3)
    assert point.value >= trace(S, U)
    assert orthonormality_error(point.vectors) < 1e-12
    assert np.count_nonzero(point.vectors) <= np.count_nonzero(U) + 7
    assert np.count_nonzero(point.vectors, axis=0).max() <= most


def test_columnwise_on_a_mask_stays_on_it() -> None:
    S, U = random_matrix(30), sparse_orthonormal(30, 4, 40)
    point = columnwise(S, U, mask=U != 0)
    assert point.value > trace(S, U)
    assert not point.vectors[U == 0].any()


def test_columnwise_with_one_full_column_finds_the_leading_eigenvector() -> None:
    S = random_matrix(100)
    point = columnwise(S, np.eye(100)[:, :1], nonzeros=100, sweeps=30, tol=1e-9)
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


@pytest.mark.parametrize("source", ["sparse", "dense"])
def test_annealing_gives_disjoint_orthonormal_vectors_within_both_budgets(source: str) -> None:
    S = low_rank_matrix(60)
    V = np.eye(60)[:, :5] if source == "sparse" else leading_eigenvectors(S, 5)
    budget = Budget(total=30, per_column=8)
    U = anneal(S, V, budget, np.random.default_rng(0), steps=2000, heat=0.1)
    assert (np.count_nonzero(U, axis=1) <= 1).all()
    assert orthonormality_error(U) < 1e-12
    assert budget.admits(U != 0)


@pytest.mark.slow
def test_annealing_finds_the_best_disjoint_supports_of_a_small_matrix() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((9, 4))
    S = X @ X.T
    best = 0.0
    for owner in itertools.product([-1, 0, 1], repeat=9):
        rows = [np.nonzero(np.array(owner) == c)[0] for c in (0, 1)]
        if owner.count(-1) == 4 and all(len(r) for r in rows):
            best = max(best, sum(np.linalg.eigvalsh(S[np.ix_(r, r)])[-1] for r in rows))
    U = anneal(S, leading_eigenvectors(S, 2), Budget(total=5, per_column=9), rng, steps=5000, heat=0.1)
    assert trace(S, U) == pytest.approx(best)


def test_a_budget_keeps_the_largest_scores_and_one_of_each_column() -> None:
    scores = np.array([[9.0, 0.1], [8.0, 0.2], [7.0, -np.inf]])
    kept = Budget(total=3, per_column=3).keep(scores, 3)
    np.testing.assert_array_equal(kept, [[True, False], [True, True], [False, False]])
    assert Budget(total=2, per_column=1).keep(scores, 2).sum(axis=0).tolist() == [1, 1]


def test_lone_overlaps_lose_their_smaller_entry() -> None:
    V = np.array([[1.0, 0.1], [0.5, 0.0], [0.0, 1.0]])
    U = Orthonormal(np.eye(3)).restrict(V, V != 0)
    assert U is not None
    assert U[0, 1] == 0
    assert orthonormality_error(U) < 1e-14


# --- refine_vectors --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("make", MATRICES)
@pytest.mark.parametrize("orthonormal", [True, False])
@pytest.mark.parametrize("nonzeros", [20, 60, 150])
def test_refining_is_monotone_exact_in_its_budget_and_orthonormal(
    make: Matrices, orthonormal: bool, nonzeros: int
) -> None:
    S, U = make(50), sparse_orthonormal(50, 5, 8)
    refined = refine_vectors(S, U, nonzeros=nonzeros, orthonormal=orthonormal)
    assert np.count_nonzero(refined.vectors) <= nonzeros
    assert refined.captured_variance == pytest.approx(captured_variance(S, refined.vectors))
    if orthonormal:
        assert orthonormality_error(refined.vectors) < 1e-12
    if np.count_nonzero(U) <= nonzeros:
        assert refined.captured_variance >= trace(S, U) * (1 - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("orthonormal", [True, False])
@pytest.mark.parametrize("effort", ["quick", "best"])
def test_no_column_passes_its_own_limit(orthonormal: bool, effort: Literal["quick", "best"]) -> None:
    S, U = low_rank_matrix(40), np.eye(40)[:, :4]
    refined = refine_vectors(S, U, nonzeros=60, max_nonzeros=12, orthonormal=orthonormal, effort=effort)
    assert np.count_nonzero(refined.vectors, axis=0).max() <= 12
    assert np.count_nonzero(refined.vectors) <= 48


@pytest.mark.slow
@pytest.mark.parametrize("make", MATRICES)
def test_more_effort_never_gives_less(make: Matrices) -> None:
    S, U = make(40), np.eye(40)[:, :5]
    quick = refine_vectors(S, U, nonzeros=60)
    best = refine_vectors(S, U, nonzeros=60, effort="best")
    assert best.captured_variance >= quick.captured_variance * (1 - 1e-9)
    assert orthonormality_error(best.vectors) < 1e-12


def test_a_full_budget_reaches_the_leading_eigenspace() -> None:
    S = random_matrix(30)
    refined = refine_vectors(S, np.eye(30)[:, :3], nonzeros=90)
    assert refined.captured_variance == pytest.approx(np.linalg.eigvalsh(S)[-3:].sum(), rel=1e-6)


def test_one_nonzero_each_takes_the_largest_diagonal_entries() -> None:
    S = low_rank_matrix(30)
    refined = refine_vectors(S, np.eye(30)[:, :4], nonzeros=4)
    assert refined.captured_variance == pytest.approx(np.sort(S.diagonal())[-4:].sum())


@pytest.mark.slow
def test_disjoint_blocks_are_recovered_exactly() -> None:
    S = block_matrix(40)
    refined = refine_vectors(S, np.eye(40)[:, :4], nonzeros=20, effort="best")
    assert refined.captured_variance == pytest.approx(np.linalg.eigvalsh(S)[-4:].sum(), rel=1e-9)


@pytest.mark.slow
def test_one_component_reaches_the_optimum_on_pitprops() -> None:
    S = np.loadtxt(DATA / "pitprops.csv", delimiter=",")
    for k, value in {2: 1.954000, 3: 2.475331, 4: 2.937479, 5: 3.406155, 8: 4.068607}.items():
        refined = refine_vectors(S, np.eye(13)[:, :1], nonzeros=k, effort="best")
        assert refined.captured_variance == pytest.approx(value, abs=2e-6)


@pytest.mark.slow
def test_an_indefinite_matrix_is_refined_like_its_shift() -> None:
    S = smooth_matrix(30) - 2 * np.eye(30)
    U = np.eye(30)[:, :3]
    refined = refine_vectors(S, U, nonzeros=20)
    shifted = refine_vectors(S + 2 * np.eye(30), U, nonzeros=20)
    assert refined.captured_variance == pytest.approx(shifted.captured_variance - 6, rel=1e-3)
    assert refined.captured_variance >= trace(S, U)


@pytest.mark.slow
def test_vectors_beyond_the_budget_are_cut_down_to_it() -> None:
    S = random_matrix(30)
    U = leading_eigenvectors(S, 3)
    refined = refine_vectors(S, U, nonzeros=25)
    assert np.count_nonzero(refined.vectors) <= 25
    assert orthonormality_error(refined.vectors) < 1e-12


@pytest.mark.slow
def test_the_same_seed_gives_the_same_vectors() -> None:
    S, U = random_matrix(40), np.eye(40)[:, :4]
    first, second = (refine_vectors(S, U, nonzeros=40, effort="best", rng=np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_a_short_time_limit_returns_feasible_vectors_and_says_so() -> None:
    S, U = random_matrix(80), np.eye(80)[:, :8]
    refined = refine_vectors(S, U, nonzeros=200, effort="best", time_limit=1e-6)
    assert refined.stopped_by_time
    assert "stopped by time" in repr(refined)
    assert refined.captured_variance >= trace(S, U) * (1 - 1e-12)
    assert orthonormality_error(refined.vectors) < 1e-12


@pytest.mark.slow
def test_the_callback_sees_rising_values_and_can_stop_the_search() -> None:
    S, U = random_matrix(40), np.eye(40)[:, :4]
    seen: list[Progress] = []
    refine_vectors(S, U, nonzeros=60, effort="best", callback=seen.append)
    assert [p.captured for p in seen] == sorted(p.captured for p in seen)
    calls: list[float] = []

    def stop(progress: Progress) -> bool:
        calls.append(progress.seconds)
        return True

    stopped = refine_vectors(S, U, nonzeros=60, effort="best", callback=stop)
    assert len(calls) < len(seen)
    assert not stopped.stopped_by_time


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1, 3])
@pytest.mark.parametrize("orthonormal", [True, False])
def test_matrices_of_lower_rank_than_vectors_are_refined_without_warnings(rank: int, orthonormal: bool) -> None:
    X = np.random.default_rng(0).standard_normal((20, rank))
    refined = refine_vectors(X @ X.T, np.eye(20)[:, :5], nonzeros=30, orthonormal=orthonormal)
    assert np.isfinite(refined.vectors).all()
    assert np.count_nonzero(refined.vectors) <= 30
