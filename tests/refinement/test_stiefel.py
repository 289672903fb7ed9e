"""Orthonormal matrices on a mask: their tangent vectors, and the way back to them."""

from unittest.mock import Mock

import numpy as np
import pytest
from covariances import orthonormality_error, random_matrix, sparse_orthonormal

from jacobeig.refinement._clock import Clock
from jacobeig.refinement._joint import Orthonormal, climb
from jacobeig.refinement._quadratic import Quadratic
from jacobeig.refinement._stiefel import MaskedStiefel, restore, restore_in


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
    with_factor = climb(Quadratic.make_plain(S, U.shape[1]), MaskedStiefel(U != 0), U)
    monkeypatch.setattr("jacobeig.refinement._stiefel.LARGE", 3)
    without = climb(Quadratic.make_plain(S, U.shape[1]), MaskedStiefel(U != 0), U)
    assert without.value == pytest.approx(with_factor.value, rel=1e-3)
    assert orthonormality_error(without.vectors) < 1e-12


def test_restore_finds_orthonormal_vectors_near_perturbed_ones() -> None:
    U = sparse_orthonormal(30, 5, 40)
    noisy = U + 0.02 * np.random.default_rng(0).standard_normal(U.shape) * (U != 0)
    restored = restore(noisy, U != 0)
    assert restored is not None
    assert orthonormality_error(restored) < 1e-12
    assert np.abs(restored - U).max() < 0.2


def test_restore_needs_no_factor_of_many_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jacobeig.refinement._stiefel.LARGE", 3)
    U = sparse_orthonormal(30, 5, 40)
    noisy = U + 0.02 * np.random.default_rng(0).standard_normal(U.shape) * (U != 0)
    restored = restore(noisy, U != 0)
    assert restored is not None
    assert orthonormality_error(restored) < 1e-12


def test_restore_takes_longer_steps_where_equations_depend_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    U = np.zeros((9, 2))
    U[:4, 0], U[5:, 1] = 0.5, 0.5
    U[4] = 1e-3  # the only row that both have: the equation is flat where it holds
    moves = []
    for costly in (1000, 0):
        monkeypatch.setattr("jacobeig.refinement._stiefel.COSTLY", costly)
        space = MaskedStiefel(U != 0)
        move_to = Mock(wraps=space.move_to)
        monkeypatch.setattr(space, "move_to", move_to)
        restored = restore_in(space, U)
        assert restored is not None
        assert orthonormality_error(restored) < 1e-12
        moves.append(move_to.call_count)
    assert moves[1] < 0.7 * moves[0]


def test_nothing_is_done_when_time_is_up() -> None:
    S, U = random_matrix(30), sparse_orthonormal(30, 5, 40)
    over = Clock(limit=0.0)
    assert np.array_equal(climb(Quadratic.make_plain(S, 5), MaskedStiefel(U != 0), U, clock=over).vectors, U)
    assert restore(U + 0.01 * (U != 0), U != 0, clock=over) is None


def test_restore_gives_up_where_no_orthonormal_matrix_fits() -> None:
    mask = np.zeros((5, 2), bool)
    mask[0] = True
    assert restore(mask.astype(float), mask) is None


def test_a_retraction_gives_up_on_many_rows_as_soon_as_its_steps_are_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    U = sparse_orthonormal(30, 3, 40)
    space = MaskedStiefel(U != 0)
    u = space.pack(U)
    space.move_to(u)
    direction = space.tangent(np.random.default_rng(0).standard_normal(len(u)))
    near, feasible = space.retract(u + 0.05 * direction)
    assert feasible
    assert orthonormality_error(space.unpack(near)) < 1e-12
    correct = Mock(wraps=space.correction)
    monkeypatch.setattr(space, "correction", correct)
    monkeypatch.setattr("jacobeig.refinement._stiefel.LONG_STEPS", 4)
    monkeypatch.setattr(space, "long", True)
    assert not space.retract(u + 0.05 * direction)[1]
    assert correct.call_count < 3


def test_columns_that_would_meet_in_new_entries_only_are_kept_apart_and_can_climb() -> None:
    S = random_matrix(12)
    U = np.zeros((12, 2))
    U[:4, 0] = U[4:8, 1] = 0.5
    mask, scores = U != 0, np.arange(24.0).reshape(12, 2)
    wide = mask.copy()
    wide[8:] = True
    goal = Orthonormal(Quadratic.make_plain(S, 2))
    stuck, free = goal.climb(U, wide, 10), goal.climb(U, goal.separate(mask, wide.copy(), scores), 10)
    assert stuck.value == pytest.approx(goal.form.measure(U))
    assert free.value > 1.01 * stuck.value
    assert orthonormality_error(free.vectors) < 1e-12
    assert free.vectors[8:, 1].all()  # the better score of each row stays
    assert not free.vectors[8:, 0].any()
