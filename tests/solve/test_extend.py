"""Runs that go on from where another one stopped."""

import numpy as np
import pytest
from equality import assert_same
from matrices import generic, integers
from reference import RULES

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.results.result import Status


def test_extend_needs_the_same_matrix():
    S = generic(8)
    result = je.sparse_eigsh(S, 2, n_rotations=20)
    with pytest.raises(InvalidInputError, match=r"matrix .*diagonal"):
        je.extend(S + np.eye(8), result, n_rotations=30)
    with pytest.raises(InvalidInputError, match=r"matrix \(9 x 9\)"):
        je.extend(generic(9), result, n_rotations=30)
    other = generic(8, seed=3)
    np.fill_diagonal(other, np.diag(S))
    with pytest.raises(InvalidInputError, match="matrix is not the one"):
        je.extend(other, result, n_rotations=30)
    with pytest.raises(InvalidInputError, match=r"float32.*float64"):
        je.extend(integers(8).astype(np.float32), je.sparse_eigsh(integers(8), 2, n_rotations=3), n_rotations=9)
    blocks = je.block_eigsh(S, 2, 3)
    with pytest.raises(InvalidInputError, match="matrix is not the one"):
        je.extend(other, blocks, n_rotations=5)


def test_extend_says_what_it_cannot_extend():
    S = generic(8)
    with pytest.raises(InvalidTypeError, match="result is an ndarray"):
        je.extend(S, S)
    blocks = je.block_eigsh(S, 2, 3)
    with pytest.raises(InvalidInputError, match="n_rotations is None"):
        je.extend(S, blocks)
    for budget in ({"density": 0.5}, {"tol": 0.1}, {"max_nonzeros": 3}, {"callback": print}):
        (name,) = budget
        with pytest.raises(InvalidInputError, match=f"{name} is"):
            je.extend(S, blocks, n_rotations=5, **budget)


def test_a_result_past_the_new_budget_is_returned_as_it_is():
    S = generic(8)
    for result in (je.sparse_eigsh(S, 2, n_rotations=20), je.block_eigsh(S, 2, 3)):
        assert je.extend(S, result, n_rotations=2) is result


@pytest.mark.parametrize("pivot", RULES)
def test_a_run_stopped_by_its_density_goes_on_with_a_larger_one(pivot):
    S = generic(12)
    run = {"n_components": 3, "pivot": pivot, "rng": 5, "n_rotations": 200}
    short = je.sparse_eigsh(S, **run, density=0.4)
    assert short.status is Status.DENSITY
    extended = je.extend(S, short, n_rotations=200, density=0.8)
    if pivot != "gain_per_nonzero":  # which passes pairs over, so that the longer run has another path
        assert_same(extended, je.sparse_eigsh(S, **run, density=0.8))
    assert extended.n_rotations > short.n_rotations
    assert extended.density <= 0.8
