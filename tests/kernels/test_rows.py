"""The row kernel: rows read late, rows replayed, draws, the floor below which entries are noise."""

import numpy as np
import pytest
import tolerances
from compiled import from_python
from equality import assert_same
from matrices import generic, projection
from reference import RULES

import jacobeig as je
import jacobeig.solve._dense_driver as drivers
from jacobeig._kernels.advance import _find_pair, _hash, find_cursor
from jacobeig._kernels.rows import _raise_floor, _replay
from jacobeig._kernels.scan import Rule
from jacobeig._kernels.sequence import analyse
from jacobeig._kernels.state import Count, Scalar
from jacobeig.solve.pivots import PIVOTS

_hash, _find_pair, _raise_floor, _replay = from_python(_hash, _find_pair, _raise_floor, _replay)


class Source:
    """A matrix that hands out rows and tells which were asked for."""

    def __init__(self, array, batch=1):
        self.array, self.batch, self.asked = array, batch, []
        self.shape, self.dtype = array.shape, array.dtype

    def diagonal(self):
        return self.array.diagonal().real.copy()

    def rows(self, indices):
        self.asked.extend(indices.tolist())
        return self.array[indices]

    def norm_bound(self):
        return float(np.abs(self.array).sum(axis=1).max())


def test_the_rules_have_the_numbers_that_the_kernel_knows_them_by():
    assert {name.upper(): rule.kernel_rule for name, rule in PIVOTS.items()} == {
        rule.name: int(rule) for rule in Rule if rule != Rule.FOLLOW
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("pivot", RULES)
def test_rows_from_a_source_give_the_bits_that_an_array_gives(dtype, pivot):
    S = generic(20, dtype)
    options = {"pivot": pivot, "n_rotations": 70, "start": "natural", "target": "log", "rng": 3}
    expected = je.sparse_eigsh(S, 4, **options)
    assert_same(je.sparse_eigsh(Source(S), 4, **options), expected)
    assert_same(je.sparse_eigsh(Source(S, batch=6), 4, **options), expected)


def test_rows_are_read_once_and_those_never_chosen_are_never_read():
    S = generic(30)
    source = Source(S)
    result = je.sparse_eigsh(source, 3, n_rotations=10, start="natural")
    touched = set(result.rotations.pivots.ravel().tolist()) | {0, 1, 2}
    used = source.asked[8:]  # after the few rows that are compared with each other
    assert sorted(used) == sorted(touched)
    assert len(touched) < 30


def test_space_for_rows_grows_when_it_is_needed(monkeypatch):
    S = generic(90)
    expected = je.sparse_eigsh(S, 3, n_rotations=300)
    monkeypatch.setattr(drivers, "FIRST_BYTES", 0)
    assert_same(je.sparse_eigsh(S, 3, n_rotations=300), expected)
    assert_same(
        je.sparse_eigsh(Source(S), 3, n_rotations=300, density=0.999999),
        je.sparse_eigsh(S, 3, n_rotations=300, density=0.999999),
    )


def test_a_row_read_late_raises_the_level_of_noise():
    S = generic(12)
    S[7, 8] = S[8, 7] = 1e5
    result = je.sparse_eigsh(Source(S), 3, n_rotations=200, start="natural")
    assert je.metrics.orthonormality_error(result.vectors) <= 1e-12
    quotients = np.sum(result.vectors.toarray() * (S @ result.vectors.toarray()), axis=0)
    np.testing.assert_allclose(result.eigenvalues, quotients, rtol=0, atol=tolerances.rayleigh(S))


def test_a_row_read_late_that_dwarfs_the_others_is_refused():
    S = generic(12)
    S[7, 8] = S[8, 7] = 1e100
    with pytest.raises(je.errors.InvalidInputError, match=r"matrix has an entry of 1e\+100 in a row read late"):
        je.sparse_eigsh(Source(S), 3, n_rotations=200, start="natural")


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_replaying_a_row_is_applying_the_rotations_to_its_conjugate(dtype):
    S = generic(9, dtype)
    result = je.sparse_eigsh(S, 2, n_rotations=25, start="natural", target="log")
    chain = result.rotations
    first, second = chain.pivots[:, 0].astype(np.uint32), chain.pivots[:, 1].astype(np.uint32)
    for begin, end in ((0, 25), (3, 17), (5, 5)):
        row = S[4].copy()
        _replay(row, first, second, chain.cosines, chain.sines, begin, end)
        expected = S[4].conj().reshape(-1, 1).copy()
        analyse(expected, chain.pivots[begin:end], chain.cosines[begin:end], chain.sines[begin:end])
        np.testing.assert_allclose(row, expected[:, 0].conj(), rtol=0, atol=1e-14)


def splitmix64(seed, counter):
    mask = 2**64 - 1
    z = (seed + counter * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def test_the_hash_is_splitmix64():
    for seed, counter in ((0, 0), (1, 2), (2**63 - 1, 10**12), (123456789, 2**62)):
        assert int(_hash(np.uint64(seed), np.uint64(counter))) == splitmix64(seed, counter)
    # the first output of the published generator for seed 0
    assert int(_hash(np.uint64(0), np.uint64(1))) == 0xE220A8397B1DCDAF


def test_draws_are_spread_evenly_over_the_pairs():
    counts = np.zeros((3, 5))
    for cursor in range(6000):
        i, j = _find_pair(int(Rule.RANDOM), np.uint64(7), cursor, 3, 5)
        counts[i, j] += 1
    assert abs(counts / 400 - 1).max() < 0.25  # five standard deviations


def test_a_sweep_takes_the_pairs_row_by_row_for_ever():
    pairs = [tuple(map(int, _find_pair(int(Rule.CYCLIC), np.uint64(0), cursor, 2, 3))) for cursor in range(8)]
    assert pairs == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 0), (0, 1)]


@pytest.mark.parametrize("pivot", ["cyclic", "random"])
def test_the_cursor_is_found_again_from_the_rotations(pivot):
    from jacobeig.results.checkpoints import Checkpoint
    from jacobeig.solve._drive import drive
    from jacobeig.solve._problem import define_problem, open_source
    from jacobeig.solve.budget import set_budget

    problem = define_problem(open_source(generic(9)), 3, "LA", "log", pivot, "natural", 5)
    run = drivers.Run(problem, set_budget(problem.n, problem.n_components, n_rotations=60))
    drive(run, Checkpoint())
    cursor = int(run.state.counts[Count.CURSOR])
    run.state.counts[Count.CURSOR] = 0
    find_cursor(run.state, problem.pivot.kernel_rule, np.uint64(problem.method.seed))
    assert run.n_rotations == 60
    assert run.state.counts[Count.CURSOR] == cursor


def test_the_floor_follows_the_largest_entry_in_powers_of_two():
    scalars, stale = np.zeros(len(Scalar)), np.zeros(3, bool)
    scalars[Scalar.TOP], scalars[Scalar.FLOOR2] = 1.0, 1e-30
    _raise_floor(scalars, stale, 0.9)
    assert not stale.any()
    _raise_floor(scalars, stale, 5.0)
    assert scalars[Scalar.TOP] == 8.0
    assert scalars[Scalar.FLOOR2] == 64e-30
    assert stale.all()


def test_rows_of_equal_eigenvalues_leave_noise_that_is_not_rotated_for_ever():
    for seed in range(30):
        result = je.sparse_eigsh(projection(6, seed=seed), 1, n_rotations=50_000)
        assert result.status is je.Status.CONVERGED


def test_the_places_in_the_state_are_told_apart():
    for places in (Count, Scalar):
        assert list(places) == list(range(7))
