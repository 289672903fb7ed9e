"""Propositions 3, 4 and 5, on matrices for which they claim something."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import SEEDS, covariance
from reference import gain_of

import jacobeig as je
from jacobeig import bounds
from jacobeig.errors import InvalidInputError


def well_conditioned(n, seed, spread):
    """Positive definite with eigenvalues between 1 and 1 + spread; entries as large as 1 are common then."""
    q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    S = (q * np.linspace(1.0, 1.0 + spread, n)) @ q.T
    return (S + S.T) / 2


def test_delta_is_the_reciprocal_of_the_golden_ratio():
    assert pytest.approx((math.sqrt(5) - 1) / 2) == bounds.DELTA


@given(n=st.integers(2, 10), seed=SEEDS, spread=st.floats(0.5, 60.0))
def test_proposition_3_bounds_every_gain_between_a_vector_and_the_rest(n, seed, spread):
    S = well_conditioned(n, seed, spread)
    order = np.argsort(-np.diag(S))
    S = S[np.ix_(order, order)]  # the diagonal decreases
    values = np.linalg.eigvalsh(S)
    bound = bounds.gain_lower_bound(values)
    assert bound == pytest.approx(bounds.gain_lower_bound([values[0], values[-1]]))
    assert bound == pytest.approx(bounds.DELTA * values[0] / (values[-1] / values[0]))
    for i in range(n):
        for j in range(i + 1, n):
            if abs(S[i, j]) >= values[0]:
                assert gain_of(1.0, S[i, i], S[j, j], S[i, j]) >= bound * (1 - 1e-12)


def test_proposition_3_needs_the_weights_to_differ():
    """The slip of the paper: within the first p the gain is 0, whatever the entry."""
    assert gain_of(0.0, 2.0, 1.0, 5.0) == 0.0 < bounds.gain_lower_bound([1.0, 9.0])


@given(n=st.integers(3, 14), p=st.integers(1, 3), seed=SEEDS, spread=st.floats(5.0, 60.0))
def test_proposition_4_bounds_the_trace_while_its_hypothesis_holds(n, p, seed, spread):
    p = min(p, n - 1)
    S = well_conditioned(n, seed, spread)
    values = np.linalg.eigvalsh(S)
    result = je.sparse_eigsh(S, p, start="diagonal", n_rotations=n * 4)
    start = result.truncate(0).eigenvalues.sum()
    trace = start
    # each rotation on an entry of at least the smallest eigenvalue: read it off its gain and angle
    for k, (gain, angle) in enumerate(zip(result.gains, result.rotations.angles, strict=True), start=1):
        entry = gain / abs(np.tan(angle)) if abs(np.cos(angle)) > 0 else 0.0
        if entry < values[0]:
            break
        trace += gain
        assert trace >= bounds.trace_lower_bound(start, k, n, p, values) * (1 - 1e-12)
        assert k <= bounds.rotations_covered(start, n, p, values)


def test_the_trace_bound_grows_from_the_start_by_a_constant_factor():
    values = [4.0, 2.0]
    factor = 1 + bounds.DELTA / (2 * 10 * 4)
    for k in (0, 1, 7):
        assert bounds.trace_lower_bound(3.0, k, 10, 2, values) == pytest.approx(3.0 * factor**k)


def test_no_rotations_are_covered_once_the_trace_is_best():
    assert bounds.rotations_covered(4.0, 2, 1, [4.0, 2.0]) == 0
    assert bounds.rotations_covered(4.0 + 1e-9, 2, 1, [4.0, 2.0]) == 0


@pytest.mark.parametrize("smallest", [0.0, -1.0])
def test_the_bounds_are_refused_to_matrices_that_are_not_positive_definite(smallest):
    with pytest.raises(InvalidInputError, match=rf"smallest eigenvalue is {smallest:g}"):
        bounds.gain_lower_bound([3.0, smallest])
    with pytest.raises(InvalidInputError, match="positive definite"):
        bounds.trace_lower_bound(1.0, 1, 2, 1, [3.0, smallest])


def filled(n, k, rng):
    """Fraction of nonzero off-diagonal entries of a diagonal matrix after k random rotations."""
    pattern = np.eye(n, dtype=bool)
    for _ in range(k):
        i, j = rng.choice(n, 2, replace=False)
        pattern[i] = pattern[j] = pattern[i] | pattern[j]
        pattern[:, i] = pattern[:, j] = pattern[:, i] | pattern[:, j]
    return (pattern.sum() - n) / (n * (n - 1))


@pytest.mark.parametrize("per_n", [0.25, 0.5, 1.0, 2.0, 4.0])
def test_proposition_5_follows_random_rotations_of_a_diagonal_matrix(per_n):
    """The recurrence takes neighbourhoods for independent; the fill is within a tenth of it, and of the same shape."""
    n, rng = 60, np.random.default_rng(0)
    k = int(per_n * n)
    counted = np.mean([filled(n, k, rng) for _ in range(12)])
    assert abs(counted - bounds.expected_fill(n, k)[0]) <= 0.1


def test_the_expected_fill_is_a_sigmoid_from_nothing_to_everything():
    n = 64
    fill = bounds.expected_fill(n, np.arange(12 * n))
    assert fill[0] == 0.0
    assert fill[1] == pytest.approx(2 / (n * (n - 1)))
    assert (np.diff(fill) >= 0).all()
    assert fill[-1] == pytest.approx(1.0, abs=1e-6)
    steepest = np.diff(fill).argmax()
    assert 0.4 <= fill[steepest] <= 0.6
    half = np.abs(fill - 0.5).argmin()
    rate = 4 * (n - 2) / (n * (n - 1))
    sigmoid = 1 / (1 + np.exp(-rate * (np.arange(12 * n) - half)))
    assert np.abs(fill - sigmoid).max() < 0.02


def test_the_expected_fill_takes_one_number_or_many():
    assert bounds.expected_fill(10, 5).shape == (1,)
    assert bounds.expected_fill(10, [5, 0, 5]).tolist() == [
        bounds.expected_fill(10, 5)[0],
        0.0,
        bounds.expected_fill(10, 5)[0],
    ]
    assert bounds.expected_fill(2, [0, 1, 2]).tolist() == [0.0, 1.0, 1.0]


def test_covariances_satisfy_the_hypotheses_often_enough_to_be_a_test():
    S = covariance(10)
    values = np.linalg.eigvalsh(S)
    assert (np.abs(S[np.triu_indices(10, 1)]) >= values[0]).mean() > 0.5
