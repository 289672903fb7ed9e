"""The bound is never wrong: random matrices of every kind, all supports enumerated."""

import numpy as np
import pytest
from enumeration import all_supports, best_captured

from jacobeig.refinement._clock import Clock
from jacobeig.refinement.certificates._cases import prove_by_cases
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers
from jacobeig.refinement.certificates._proof import least_eigenvalue, prove_bound
from jacobeig.refinement.certificates._search import search_bound

SCALES = (1e-150, 1e-3, 1.0, 1.0, 1e150)


def draw_matrix(rng, n):
    """Definite, indefinite, with ties, of rank one, diagonal, negative or with zero rows, on any scale."""
    A = rng.standard_normal((n, n))
    S = [
        lambda: A @ A.T,
        lambda: A + A.T,
        lambda: np.round(A + A.T),
        lambda: np.outer(A[0], A[0]),
        lambda: np.diag(np.round(A[0])),
        lambda: -A @ A.T,
        lambda: np.ones((n, n)) + np.eye(n),
        lambda: np.zeros((n, n)),
    ][rng.integers(8)]()
    if rng.random() < 0.2:
        gone = rng.random(n) < 0.4
        S[gone] = S[:, gone] = 0.0
    return (S + S.T) / 2 * rng.choice(SCALES)


def draw_budgets(rng, n):
    """Nonzeros for each vector, for all, or both; and sizes of supports that keep to them."""
    p = int(rng.integers(1, min(n, 3) + 1))
    sizes = rng.integers(1, n + 1, size=p)
    if rng.random() < 0.5:
        sizes[:] = sizes[0]
        return Budgets(n_components=p, max_nonzeros=int(sizes[0])), sizes
    each = int(max(sizes.max(), rng.integers(1, n + 1)))
    return Budgets(n_components=p, max_nonzeros=each, total_nonzeros=int(sizes.sum())), sizes


def assert_never_wrong(seed, cases, largest=8):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        n = int(rng.integers(1, largest + 1))
        S, (budgets, sizes) = draw_matrix(rng, n), draw_budgets(rng, n)
        settled = search_bound(S, budgets, Clock(), steps=int(rng.choice([1, 20, 60])))
        bound = prove_bound(S, budgets, settled.multipliers)
        size = budgets.n_components * np.abs(S).max()
        captured = best_captured(S, sizes, rng=rng)
        # Vectors are orthonormal to rounding only, and so is what they capture.
        assert captured <= bound + 1e-14 * size, (S, budgets)
        assert abs(bound - settled.bound) <= 1e-9 * size, (S, budgets)


@pytest.mark.parametrize("seed", range(4))
def test_no_feasible_vectors_are_above_the_bound(seed):
    assert_never_wrong(seed, 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_no_feasible_vectors_are_above_the_bound_in_ten_thousand_cases(seed):
    assert_never_wrong(seed, 500)


@pytest.mark.parametrize("seed", range(20))
def test_any_multipliers_prove_a_bound(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    S, (budgets, sizes) = draw_matrix(rng, n), draw_budgets(rng, n)
    scale = max(np.abs(S).max(), 1e-300)

    def draw(shape):
        return scale * rng.standard_normal(shape) * (rng.random(shape) < 0.7)

    multipliers = Multipliers(
        Z=draw((n, n)), B=draw((n, n)), nu=float(draw(())), Q=draw((n, n)), s=draw(n), mu=float(draw(()))
    )
    captured = best_captured(S, sizes, rng=rng)
    assert captured <= prove_bound(S, budgets, multipliers) + 1e-14 * budgets.n_components * scale


def test_free_bases_are_below_their_bound():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n, p = 6, int(rng.integers(1, 4))
        S, k = draw_matrix(rng, n), int(rng.integers(1, 4))
        budgets = Budgets(n_components=p, max_nonzeros=k, free=True)
        settled = search_bound(S, budgets, Clock(), steps=60)
        bound = prove_bound(S, budgets, settled.multipliers)
        assert not settled.multipliers.Z.any()
        scale = max(np.abs(S).max(), 1e-300)
        for _ in range(30):
            V = np.zeros((n, p))
            for c in range(p):
                V[rng.choice(n, k, replace=False), c] = rng.standard_normal(k)
            Q = np.linalg.svd(V, full_matrices=False)[0][:, : np.linalg.matrix_rank(V)]
            assert np.sum(Q * (S / scale @ Q)) <= bound / scale + 1e-12


def test_cases_are_never_wrong_whatever_the_covers():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, p, k = 5, int(rng.integers(1, 3)), int(rng.integers(1, 4))
        S = draw_matrix(rng, n)
        scale = max(np.abs(S).max(), 1e-300)
        covers = scale * rng.standard_normal((3, n, n)) * rng.choice([0.0, 0.1, 1.0])
        s = scale * rng.random(n) * rng.choice([0.0, 1.0])
        captured = best_captured(S, [k] * p)
        target = -2 * p * n * scale  # below everything: only what the covers prove counts
        assert captured <= prove_by_cases(S, p, k, covers, s, target) + 1e-14 * p * scale


def test_one_vector_by_cases_is_the_largest_sparse_eigenvalue():
    S = draw_matrix(np.random.default_rng(3), 7)
    exact = max(np.linalg.eigvalsh(S[np.ix_(rows, rows)])[-1] for rows in all_supports(7, 3))
    proved = prove_by_cases(S, 1, 3, np.zeros((1, 7, 7)), np.zeros(7), -1e3)
    assert exact <= proved <= exact + 1e-12 * np.abs(S).max()


def test_too_many_cases_prove_nothing():
    assert prove_by_cases(np.eye(24), 4, 4, np.zeros((1, 24, 24)), np.zeros(24), -1e3) == np.inf


@pytest.mark.parametrize("n", [1, 2, 10, 60])
def test_the_least_eigenvalue_is_bounded_from_below_and_closely(n):
    rng = np.random.default_rng(n)
    for rank in {0, n // 2, n}:
        A = rng.standard_normal((n, rank))
        M = A @ A.T
        found = least_eigenvalue(M)
        assert found <= max(np.linalg.eigvalsh(M)[0], 0.0)
        assert found >= -1e-12 * max(np.trace(M), 1e-200)


def test_a_matrix_that_is_not_finite_proves_nothing():
    assert least_eigenvalue(np.array([[np.nan]])) == -np.inf
