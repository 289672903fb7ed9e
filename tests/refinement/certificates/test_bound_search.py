"""The search finds the relaxations' optima, and its projections are projections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jacobeig.refinement._clock import Clock
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.refinement.certificates._projections import (
    project_columns,
    project_pairs,
    project_rows,
    project_semidefinite,
    project_spectrum,
    threshold_sum,
)
from jacobeig.refinement.certificates._search import search_bound

# More than enough for a thousandth; the solver's own 1e-8 is beyond what some of its versions reach.
ACCURATE = {"tol_gap_abs": 1e-7, "tol_gap_rel": 1e-7, "tol_feas": 1e-7}


def draw_correlations(n, seed):
    return np.corrcoef(np.random.default_rng(seed).standard_normal((n + 5, n)) @ np.diag(1.0 / (1 + np.arange(n))) @
                       np.random.default_rng(seed + 1).standard_normal((n, n)), rowvar=False)  # fmt: skip


def solve_relaxation(S, budgets, linked):
    """The optimum of a relaxation by an interior point method."""
    cp = pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    n, p = len(S), budgets.n_components
    P, W, t = cp.Variable((n, n), symmetric=True), cp.Variable((n, n)), cp.Variable(n)
    own = cp.reshape(cp.diag(P), (n, 1), order="F")
    upper = np.triu_indices(n, 1)
    rules = [P >> 0, cp.trace(P) == p, W >= 0, cp.diag(W) == cp.diag(P), own @ np.ones((1, n)) >= W]
    rules += [cp.sum(W, axis=1) <= budgets.max_nonzeros * cp.diag(P), t <= 1]
    if budgets.total_nonzeros is not None:
        rules += [cp.sum(W) <= budgets.total_nonzeros]
    one, other = W[upper], W[upper[::-1]]
    rules += [cp.SOC(one + other, cp.vstack([2 * P[upper], one - other]))]
    if linked:
        rules += [cp.diag(t) - P >> 0, t <= cp.sum(W, axis=0)]
    else:
        rules += [np.eye(n) - P >> 0]
    return cp.Problem(cp.Maximize(cp.trace(S @ P)), rules).solve(solver="CLARABEL", **ACCURATE)


CASES = [(8, 2, 3, None), (13, 3, 4, None), (20, 2, 6, None), (12, 3, 12, 10), (12, 3, 5, 10), (20, 4, 3, None)]


# A budget for all vectors together needs the columns that only the linked relaxation has.
@pytest.mark.parametrize(
    ("n", "p", "k", "total", "linked"),
    [(*case, True) for case in CASES] + [(*case, False) for case in CASES if case[-1] is None],
)
def test_each_relaxation_is_solved_to_a_thousandth(n, p, k, total, linked):
    S, budgets = draw_correlations(n, n), Budgets(n_components=p, max_nonzeros=k, total_nonzeros=total)
    found = search_bound(S, budgets, Clock(), linked=linked).bound
    best = solve_relaxation(S, budgets, linked)
    assert best * (1 - 1e-6) <= found <= best * 1.001


def test_the_union_of_features_is_bounded_to_a_thousandth():
    cp = pytest.importorskip("cvxpy")
    S, p, k = draw_correlations(15, 3), 3, 2
    P, t = cp.Variable((15, 15), symmetric=True), cp.Variable(15)
    rules = [P >> 0, cp.trace(P) <= p, cp.diag(t) - P >> 0, t <= 1, cp.sum(t) <= p * k]
    best = cp.Problem(cp.Maximize(cp.trace(S @ P)), rules).solve(solver="CLARABEL", **ACCURATE)
    found = search_bound(S, Budgets(n_components=p, max_nonzeros=k, free=True), Clock()).bound
    assert best * (1 - 1e-6) <= found <= best * 1.001


class Compiling(Clock):
    """A clock by which half the time is over after the first step, and hardly any in those that follow."""

    def __init__(self):
        super().__init__(30.0)
        self._reads = 0

    @property
    def seconds(self):
        self._reads += 1
        return 16.0 + 1e-6 * self._reads


def test_a_first_step_that_compiles_does_not_end_the_search():
    S, budgets = draw_correlations(12, 1), Budgets(n_components=2, max_nonzeros=3)
    assert search_bound(S, budgets, Compiling()).bound == search_bound(S, budgets, Clock()).bound


def test_stronger_relaxations_give_smaller_bounds():
    S, budgets = draw_correlations(15, 1), Budgets(n_components=2, max_nonzeros=4)
    weaker, stronger = (search_bound(S, budgets, Clock(), linked=linked).bound for linked in (False, True))
    assert np.linalg.eigvalsh(S)[-2:].sum() > weaker > stronger


@given(st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([1.0, 0.0]))
@settings(deadline=None, max_examples=60)
def test_rows_are_projected_on_their_cone(n, seed, rounded):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, n + 1))
    V = rng.standard_normal((n, n))
    V = np.round(V) if rounded else V
    W = project_rows(V, k)
    own, rest = W.diagonal(), V - W
    assert (W >= 0).all()
    assert (own[:, np.newaxis] + 1e-12 >= W).all()
    assert (W.sum(axis=1) <= k * own + 1e-12).all()
    # What is left lies in the polar cone, and is orthogonal to the projection.
    assert np.abs((rest * W).sum(axis=1)).max() <= 1e-12 * (1 + np.abs(V).sum())
    others = np.sort(np.where(np.eye(n, dtype=bool), 0.0, np.maximum(rest, 0.0)), axis=1)[:, n - k + 1 :]
    assert (rest.diagonal() + others.sum(axis=1)).max() <= 1e-12 * (1 + np.abs(V).sum())


def test_pairs_are_projected_on_their_cone():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((40, 40)), rng.standard_normal((40, 40))
    X = X + X.T
    x, y = project_pairs(X, Y)
    assert (np.abs(x) <= np.sqrt(np.maximum(y * y.T, 0.0)) + 1e-12).all()
    # By symmetry each pair counts twice in X and once in each of Y's entries.
    assert abs(np.sum((X - x) * x) + np.sum((Y - y) * y)) <= 1e-10


def test_spectra_are_projected_on_those_of_projections():
    A = np.random.default_rng(0).standard_normal((12, 12))
    P = project_spectrum(A + A.T, 3)
    values = np.linalg.eigvalsh(P)
    assert np.trace(P) == pytest.approx(3.0, abs=1e-12)
    assert values[0] >= -1e-12
    assert values[-1] <= 1 + 1e-12
    for seed in range(20):  # a projection is at an obtuse angle to every point of the set
        U = np.linalg.qr(np.random.default_rng(seed).standard_normal((12, 3)))[0]
        assert np.sum((A + A.T - P) * (U @ U.T - P)) <= 1e-10


@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_the_positive_part_is_taken_from_either_side(shift):
    A = np.random.default_rng(0).standard_normal((9, 9))
    A = A + A.T + shift * np.eye(9)
    values, vectors = np.linalg.eigh(A)
    np.testing.assert_allclose(project_semidefinite(A), (vectors * np.maximum(values, 0)) @ vectors.T, atol=1e-12)


@pytest.mark.parametrize("total", [0.5, 2.0, 7.0])
def test_clipped_values_sum_to_what_is_asked(total):
    values = np.random.default_rng(0).standard_normal(8)
    assert np.clip(values - threshold_sum(values, total), 0.0, 1.0).sum() == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("total", [None, 3.0])
def test_columns_keep_to_their_budgets_at_least_distance(total):
    rng = np.random.default_rng(0)
    W, t = rng.standard_normal((7, 7)) / 3, rng.standard_normal(7) + 0.5
    found = project_columns(W, t, total)
    sums = found.weights.sum(axis=0)
    assert (found.uses <= np.minimum(sums, 1.0) + 1e-9).all()
    assert total is None or sums.sum() <= total + 1e-9
    assert (found.prices >= 0).all()
    for _ in range(100):  # other points of the set are at an obtuse angle
        V = rng.standard_normal((7, 7)) / 7
        V -= 0.0 if total is None else max(V.sum() - total, 0.0) / 49
        u = np.minimum(V.sum(axis=0), 1.0) - rng.random(7)
        obtuse = np.sum((W - found.weights) * (V - found.weights)) + (t - found.uses) @ (u - found.uses)
        assert obtuse <= 1e-8
