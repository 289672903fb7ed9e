"""Which coordinates begin as the vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import covariance, generic, laplacian, matrices

import jacobeig as je
from jacobeig.solve.starts import choose_seeds
from jacobeig.sources import as_source


def seeds_of(start, S, p, n_high):
    return choose_seeds(start, as_source(S), np.diag(S).real.astype(float), p, n_high)


def test_natural_is_the_first_coordinates():
    name, seeds = seeds_of("natural", generic(6), 3, 3)
    assert name == "natural"
    assert seeds.tolist() == [0, 1, 2]


def test_diagonal_takes_the_most_wanted_entries_from_each_end():
    S = np.diag([3.0, 9.0, -2.0, 9.0, 0.0])
    assert seeds_of("diagonal", S, 2, 2)[1].tolist() == [1, 3]
    assert seeds_of("diagonal", S, 2, 0)[1].tolist() == [2, 4]
    assert seeds_of("diagonal", S, 3, 2)[1].tolist() == [1, 3, 2]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint32])
def test_indices_are_taken_in_their_order(dtype):
    name, seeds = seeds_of(np.array([4, 0, 2], dtype), generic(6), 3, 3)
    assert name == "indices"
    assert seeds.dtype == np.int64
    assert seeds.tolist() == [4, 0, 2]


def test_auto_is_cholesky():
    S = covariance(9)
    assert seeds_of("auto", S, 3, 3)[0] == "cholesky"
    assert seeds_of("auto", S, 3, 3)[1].tolist() == seeds_of("cholesky", S, 3, 3)[1].tolist()


def plain_cholesky(S, p):
    """Take the largest diagonal entry, project it out of the whole matrix, repeat."""
    S, seeds = S.copy(), []
    for _ in range(p):
        d = np.diag(S).real.copy()
        d[seeds] = -np.inf
        j = int(d.argmax())
        S = S - np.outer(S[:, j], S[j]) / S[j, j]
        seeds.append(j)
    return seeds


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("seed", range(5))
def test_cholesky_takes_what_is_largest_after_projecting_out_the_seeds_so_far(dtype, seed):
    S = covariance(12, dtype, seed)
    assert seeds_of("cholesky", S, 5, 5)[1].tolist() == plain_cholesky(S, 5)
    bound = np.abs(S).sum(axis=1).max()
    assert seeds_of("cholesky", S, 5, 0)[1].tolist() == plain_cholesky(bound * np.eye(12) - S, 5)


def test_cholesky_avoids_copies_of_a_seed_it_has():
    S = np.array([[5.0, 5.0, 0.0], [5.0, 5.0, 0.0], [0.0, 0.0, 1.0]])
    assert seeds_of("cholesky", S, 2, 2)[1].tolist() == [0, 2]


@given(S=matrices(), which=st.sampled_from(["LA", "SA", "BE"]), data=st.data())
def test_seeds_are_always_different_coordinates(S, which, data):
    p = data.draw(st.integers(1, len(S)))
    for start in ("natural", "diagonal", "cholesky"):
        result = je.sparse_eigsh(S, p, which=which, start=start, n_rotations=0)
        assert len(set(result.trail.seeds.tolist())) == p
        assert result.method.start == start


def test_cholesky_without_a_bound_of_the_spectrum_still_finds_the_small_end():
    class Source:
        def __init__(self, array):
            self.array, self.shape, self.dtype = array, array.shape, array.dtype

        def diagonal(self):
            return self.array.diagonal()

        def rows(self, indices):
            return self.array[indices]

    L = laplacian(10, seed=2)
    name, seeds = choose_seeds("cholesky", Source(L), np.diag(L), 4, 0)
    assert name == "cholesky"
    assert len(set(seeds.tolist())) == 4


@pytest.mark.parametrize("tiny", [1e-100, 1e-200, 1e-310, 0.0])
@pytest.mark.parametrize("which", ["LA", "SA"])
def test_cholesky_ends_well_where_the_diagonal_is_tiny_beside_the_entries(tiny, which):
    S = np.array([[tiny, 1.0], [1.0, 0.0]])
    result = je.sparse_eigsh(S, 1, which=which, start="cholesky")
    assert result.eigenvalues == pytest.approx(1.0 if which == "LA" else -1.0)
