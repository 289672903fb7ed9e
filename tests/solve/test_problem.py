"""The one door (what it refuses is in test_bad_input.py)."""

import re

import numpy as np
import pytest
from matrices import generic

import jacobeig as je
from jacobeig._arguments import check_count
from jacobeig.errors import InvalidInputError
from jacobeig.results.metrics import count_allowed_nonzeros
from jacobeig.solve._problem import define_problem, open_source
from jacobeig.solve.budget import SAFETY, set_budget


def problem(n=10, p=3, **options):
    defaults = {"which": "LA", "target": "ones", "pivot": "gain", "start": "natural", "rng": 0}
    return define_problem(open_source(generic(n)), p, **(defaults | options))


def budget(**options):
    return set_budget(10, 3, **options)


def test_rotations_alone_are_n_log_n_and_else_a_safety_stop():
    assert budget().n_rotations == 40
    for other in ({"density": 0.5}, {"tol": 0.1}, {"max_nonzeros": 3}):
        assert budget(**other).n_rotations == 40 * SAFETY
    assert budget(n_rotations=7, density=0.5).n_rotations == 7


@pytest.mark.parametrize(
    ("density", "allowed"), [(0.1, 3), (0.3, 9), (1 / 3, 10), (0.7, 21), (1, 30), (np.float32(0.5), 15)]
)
def test_a_density_allows_whole_nonzeros(density, allowed):
    assert budget(density=density).total_nonzeros == allowed


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_whole_numbers_of_every_kind_count(value):
    count = check_count("x", value, 0)
    assert count == 3
    assert type(count) is int


def test_the_seed_is_drawn_only_for_rules_that_need_one():
    assert problem(rng=5).method.seed == 0
    assert problem(rng=5, pivot="random").method.seed == problem(rng=5, pivot="random").method.seed != 0
    generator = np.random.default_rng(0)
    before = generator.bit_generator.state
    problem(rng=generator)
    assert generator.bit_generator.state == before


def test_adaptive_weights_keep_their_sign_at_the_ends_of_the_spectrum():
    S = np.diag([4.0, -4.0, 1.0])
    for which in ("LA", "SA", "BE"):
        weights = define_problem(open_source(S), 2, which, "adaptive", "gain", [1, 0], None).weights
        signs = {"LA": [1, 1], "SA": [-1, -1], "BE": [1, -1]}[which]
        assert np.sign(weights).tolist() == signs


def test_adaptive_needs_a_bound_of_the_spectrum():
    class Source:
        shape, dtype = (3, 3), np.dtype(float)

        def diagonal(self):
            return np.arange(3.0)

        def rows(self, indices):
            return np.diag(np.arange(3.0))[indices]

    assert je.sparse_eigsh(Source(), 1).eigenvalues == [2.0]
    with pytest.raises(InvalidInputError, match=r"target is 'adaptive'.*Source has no norm_bound"):
        je.sparse_eigsh(Source(), 1, target="adaptive")


def test_classic_sorts_the_weights_for_its_best_columns():
    assert problem(target=[1.0, 3.0, 2.0], pivot="classic").weights.tolist() == [3, 2, 1]
    assert problem(target=[-1.0, 0.0, -2.0], pivot="classic", which="SA").weights.tolist() == [-2, -1, 0]
    assert problem(target=[-1.0, 3.0, -2.0], pivot="classic", which="BE").weights.tolist() == [3, -2, -1]


@pytest.mark.parametrize("n", [3, 7, 30, 99, 12345])
def test_the_density_that_is_advised_is_allowed(n):
    with pytest.raises(InvalidInputError, match=r"allows 1 nonzero in 2 vectors") as error:
        count_allowed_nonzeros(0.75 / n, n, 2)
    advised = float(re.search(r"at least (\S+) \(", str(error.value))[1])
    assert count_allowed_nonzeros(advised, n, 2) == 2
