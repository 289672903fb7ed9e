"""Starts for refinement: budgets are exact, columns are never zero, and each method does what it is for."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from jacobeig._kernels.assignment import assign
from jacobeig._types import Floats
from jacobeig.refinement._alternation import alternate
from jacobeig.refinement._basis import entry_losses, entry_moves, measure
from jacobeig.refinement._near_orthonormal import alternate_orthonormal
from jacobeig.refinement._quadratic import add_to_diagonal
from jacobeig.refinement.matching import bipartite_matching
from jacobeig.refinement.power import truncated_power
from jacobeig.refinement.spectrum import leading_eigenvectors, psd_shift, varimax, varimax_threshold
from jacobeig.refinement.support import SMALL_BLOCK, keep_total, keep_vector, refit


def covariance(n: int, seed: int = 0, rank: int | None = None) -> Floats:
    X = np.random.default_rng(seed).standard_normal((rank or n, n))
    S: Floats = X.T @ X
    return S


def indefinite(n: int, seed: int = 0) -> Floats:
    X = np.random.default_rng(seed).standard_normal((n, n))
    S: Floats = X + X.T
    return S


def captured(S: Floats, V: Floats) -> float:
    Q, _ = np.linalg.qr(V)
    return float(np.trace(Q.T @ S @ Q))


def lift(S: Floats) -> Floats:
    return np.asarray(add_to_diagonal(S, psd_shift(S)))


def from_varimax(S: Floats, p: int, nonzeros: int) -> Floats:
    return alternate(lift(S), varimax(leading_eigenvectors(S, p)), nonzeros)


def orthonormal_from_varimax(S: Floats, p: int, nonzeros: int) -> Floats:
    return alternate_orthonormal(lift(S), varimax(leading_eigenvectors(S, p)), nonzeros)


STARTS = [varimax_threshold, truncated_power, bipartite_matching, from_varimax, orthonormal_from_varimax]
MATRICES = {
    "covariance": covariance(30),
    "rank deficient": covariance(30, rank=3),
    "indefinite": indefinite(30),
    "negative": -covariance(30),
    "zero": np.zeros((30, 30)),
    "identity": np.eye(30),
    "one feature only": np.diag(np.eye(30)[4]),
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("nonzeros", [5, 6, 17, 30, 90, 150])
@pytest.mark.parametrize("kind", MATRICES)
def test_every_start_keeps_to_the_budget_and_has_no_zero_column(start, nonzeros, kind):
    V = start(MATRICES[kind], 5, nonzeros)
    if V is None:
        assert start is bipartite_matching
        assert nonzeros > 30
        return
    assert V.shape == (30, 5)
    assert np.isfinite(V).all()
    assert np.count_nonzero(V) <= nonzeros
    assert np.count_nonzero(V, axis=0).min() >= 1


@pytest.mark.parametrize("start", STARTS)
def test_a_full_rank_matrix_uses_the_whole_budget(start):
    assert np.count_nonzero(start(covariance(30), 4, 29)) == 29


@pytest.mark.parametrize("start", STARTS)
def test_the_same_arguments_give_the_same_bits(start):
    S = covariance(40)
    np.testing.assert_array_equal(start(S, 4, 38), start(S, 4, 38))


def test_leading_eigenvectors_come_largest_first_with_positive_peaks():
    S = covariance(25)
    V = leading_eigenvectors(S, 3)
    w = np.linalg.eigvalsh(S)[::-1][:3]
    np.testing.assert_allclose(V.T @ S @ V, np.diag(w), atol=1e-10 * w[0])
    assert (V[np.abs(V).argmax(axis=0), range(3)] > 0).all()


def test_varimax_keeps_the_subspace_and_finds_a_sparse_basis_of_it():
    sparse = np.kron(np.eye(4), np.ones((5, 1))) / np.sqrt(5)
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
    V = varimax(sparse @ rotation)
    np.testing.assert_allclose(V @ V.T, sparse @ sparse.T, atol=1e-12)
    assert np.count_nonzero(np.abs(V) > 1e-4) == 20


def test_the_matching_is_as_good_as_an_assignment_with_copies():
    rng = np.random.default_rng(2)
    for n, p, places in ((12, 3, 4), (30, 4, 5), (60, 6, 3)):
        weights = np.zeros((n, p + 1))
        weights[:, :p] = rng.standard_normal((n, p)) ** 2
        capacities = np.append(np.full(p, places), n - p * places)
        owner = assign(weights, capacities)
        copies = np.repeat(weights[:, :p].T, places, axis=0)
        rows, columns = linear_sum_assignment(-copies)
        np.testing.assert_array_equal(np.bincount(owner, minlength=p + 1), capacities)
        assert weights[np.arange(n), owner].sum() == pytest.approx(copies[rows, columns].sum(), rel=1e-10)


def test_matched_columns_have_disjoint_supports_and_are_orthonormal():
    V = bipartite_matching(covariance(30), 5, 28)
    assert V is not None
    assert np.count_nonzero(V, axis=1).max() == 1
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-14)


def test_one_component_by_truncated_power_and_swaps_is_the_best_of_all_supports():
    S = covariance(12, seed=3)
    best = max(np.linalg.eigvalsh(S[np.ix_(T, T)])[-1] for T in itertools.combinations(range(12), 4))
    x = truncated_power(S, 1, 4)[:, 0]
    assert x @ S @ x == pytest.approx(best, rel=1e-12)


def test_gains_and_losses_of_single_entries_are_exact():
    rng = np.random.default_rng(5)
    S = covariance(12)
    V = np.where(rng.random((12, 3)) < 0.5, rng.standard_normal((12, 3)), 0.0)
    basis = measure(S, V)
    moves = entry_moves(S.diagonal(), basis)
    unit = np.eye(36).reshape(36, 12, 3)
    for position, direction in enumerate(unit):
        best = captured(S, basis.V + moves.change.flat[position] * direction)
        assert best - basis.captured == pytest.approx(moves.gain.flat[position], rel=1e-9, abs=1e-9)
        others = [captured(S, basis.V + t * direction) for t in np.linspace(-3, 3, 41)]
        assert best >= max(others) * (1 - 1e-12)
        zeroed = captured(S, np.where(direction > 0, 0.0, basis.V))
        assert basis.captured - zeroed == pytest.approx(moves.loss.flat[position], rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(entry_losses(S.diagonal(), basis, rows=5), moves.loss, atol=1e-12)


def test_the_ascent_direction_is_the_gradient_up_to_column_scales():
    S = covariance(10)
    basis = measure(S, np.random.default_rng(6).standard_normal((10, 2)))
    size = np.linalg.norm(basis.scaled, axis=0)
    step = 1e-6
    for i, c in itertools.product(range(10), range(2)):
        nudge = np.zeros((10, 2))
        nudge[i, c] = step
        slope = (captured(S, basis.scaled + nudge) - captured(S, basis.scaled - nudge)) / (2 * step)
        assert slope == pytest.approx(2 * basis.direction[i, c], rel=1e-4, abs=1e-5 * size.max())


def test_ties_do_not_break_the_budget():
    assert np.count_nonzero(keep_total(np.ones((10, 3)), 7)) == 7
    assert np.count_nonzero(keep_vector(np.ones(10), 4)) == 4


def test_a_column_that_would_vanish_keeps_its_largest_entry():
    V = np.column_stack([np.full(6, 10.0), np.arange(1.0, 7.0)])
    kept = keep_total(V, 5)
    assert np.count_nonzero(kept[:, 0]) == 4
    np.testing.assert_array_equal(kept[:, 1], [0, 0, 0, 0, 0, 6])


@pytest.mark.parametrize("seed", range(3))
def test_without_a_ramp_a_start_within_budget_is_never_made_worse(seed):
    S = covariance(40, seed)
    start = varimax_threshold(S, 5, 60)
    assert captured(S, alternate(S, start, 60, ramp=0)) >= captured(S, start) * (1 - 1e-12)


def test_alternation_recovers_a_sparse_basis_that_explains_everything():
    rng = np.random.default_rng(4)
    basis = np.where(rng.random((40, 4)) < 0.2, rng.standard_normal((40, 4)), 0.0)
    S = basis @ basis.T
    V = alternate(S, varimax(leading_eigenvectors(S, 4)), int(np.count_nonzero(basis)))
    assert captured(S, V) >= 0.999 * np.trace(S)


def test_supports_for_orthonormal_columns_are_nearly_orthonormal_already():
    S = covariance(60)
    start = varimax(leading_eigenvectors(S, 6))
    free, orthonormal = alternate(S, start, 72), alternate_orthonormal(S, start, 72)
    skew = [np.linalg.norm(V.T @ V - np.eye(6)) for V in (free, orthonormal)]
    assert skew[1] < skew[0] / 2
    assert captured(S, orthonormal) > captured(S, varimax_threshold(S, 6, 72))


def test_the_warm_refit_agrees_with_lapack():
    S = covariance(800)
    support = np.arange(0, 800, 2)
    assert support.size > SMALL_BLOCK
    exact = refit(S, support)
    guess = np.zeros(800)
    guess[support] = np.random.default_rng(0).standard_normal(400)
    np.testing.assert_allclose(refit(S, support, guess), exact, atol=1e-7)
