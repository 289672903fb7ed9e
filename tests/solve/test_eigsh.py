"""The solver as a user meets it: the author's runs, inputs of every kind and every scale, random pivots."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import tolerances
from equality import assert_same
from matrices import covariance, generic, integers, mostly_zero
from reference import RULES

import jacobeig as je

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("file", ["small", "mid"])
@pytest.mark.parametrize(
    ("run", "sign", "pivot"), [("ones", 1, "gain"), ("offdiagonal", 1, "offdiagonal"), ("negated_ones", -1, "gain")]
)
def test_every_pivot_and_trace_is_the_authors(file, run, sign, pivot):
    golden = np.load(DATA / f"{file}.npz")
    S, p, k = sign * golden["S"], int(golden["p"]), int(golden["k"])
    result = je.sparse_eigsh(S, p, n_rotations=k, pivot=pivot, start="natural")
    np.testing.assert_array_equal(result.rotations.pivots, golden[f"author_{run}_pivots"])
    traces = np.trace(S[:p, :p]) + np.cumsum(result.gains)
    np.testing.assert_allclose(traces, golden[f"author_{run}_trace"], rtol=1e-10)
    by_vectors = [result.truncate(q + 1).eigenvalues.sum() for q in range(k)]
    np.testing.assert_allclose(by_vectors, golden[f"author_{run}_trace"], rtol=1e-10)


@pytest.mark.parametrize("file", ["small", "mid"])
def test_smallest_of_a_matrix_is_largest_of_its_negative(file):
    golden = np.load(DATA / f"{file}.npz")
    S, p, k = golden["S"], int(golden["p"]), int(golden["k"])
    result = je.sparse_eigsh(S, p, which="SA", n_rotations=k, start="natural")
    np.testing.assert_array_equal(result.rotations.pivots, golden["author_negated_ones_pivots"])


@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_the_layout_of_the_input_does_not_change_a_bit_of_the_result(pivot, dtype):
    S = generic(12, dtype)
    options = {"pivot": pivot, "n_rotations": 40, "rng": 1}
    expected = je.sparse_eigsh(np.ascontiguousarray(S), 3, **options)
    spread = np.zeros((24, 36), dtype)
    spread[::2, ::3] = S
    read_only = S.copy()
    read_only.flags.writeable = False
    for variant in (np.asfortranarray(S), spread[::2, ::3], read_only, S[::-1, ::-1][::-1, ::-1], S.tolist()):
        assert_same(je.sparse_eigsh(variant, 3, **options), expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.int64])
def test_the_input_is_never_changed(order, dtype):
    S = np.array(integers(10, dtype), order=order)
    before = S.copy()
    for pivot in RULES:
        je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=60, target="adaptive")
    je.block_eigsh(S, 3, 5)
    assert (before == S).all()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.complex64, np.complex64),
        (np.complex128, np.complex128),
        (np.int8, np.float64),
        (np.int64, np.float64),
        (np.uint16, np.float64),
        (np.bool_, np.float64),
        (np.float16, np.float32),
        (np.longdouble, np.float64),
    ],
)
def test_results_have_the_dtype_that_the_matrix_is_computed_in(given, expected):
    S = (np.abs(integers(8)) > 1).astype(given)
    for result in (je.sparse_eigsh(S, 3, n_rotations=20), je.block_eigsh(S, 3, 2)):
        real = np.finfo(expected).dtype
        assert result.vectors.dtype == expected
        assert result.eigenvalues.dtype == result.gains.dtype == real
        assert result.target.dtype == np.float64
        assert result.nonzeros.dtype == np.int64
        U = result.vectors.toarray()
        assert je.metrics.orthonormality_error(U) <= tolerances.orthonormality(expected)


def test_whole_numbers_give_what_the_same_floats_give():
    S = integers(10)
    assert_same(je.sparse_eigsh(S.astype(int), 3), je.sparse_eigsh(S, 3))


def test_the_vectors_are_a_csc_array_without_stored_zeros():
    for S in (integers(10), mostly_zero(10), np.eye(10)):
        vectors = je.sparse_eigsh(S, 4, n_rotations=30).vectors
        assert vectors.format == "csc"
        assert vectors.nnz == vectors.count_nonzero()
        assert vectors.has_sorted_indices


@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("target", ["ones", "log", "adaptive"])
@pytest.mark.parametrize(
    ("dtype", "power"), [(np.float64, 996), (np.float64, -996), (np.float32, 99), (np.float32, -99)]
)
def test_huge_and_tiny_entries_are_rotated_as_ordinary_ones(pivot, target, dtype, power):
    S = covariance(12).astype(dtype)
    options = {"pivot": pivot, "target": target, "n_rotations": 50, "rng": 2}
    plain = je.sparse_eigsh(S, 3, **options)
    scaled = je.sparse_eigsh(S * dtype(2.0**power), 3, **options)
    assert scaled.status is plain.status
    np.testing.assert_array_equal(scaled.rotations.pivots, plain.rotations.pivots)
    np.testing.assert_array_equal(scaled.vectors.toarray(), plain.vectors.toarray())
    np.testing.assert_allclose(scaled.eigenvalues / dtype(2.0**power), plain.eigenvalues, rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("dtype", "scale"), [(np.float64, 1e300), (np.float64, 1e-300), (np.float32, 1e30), (np.float32, 1e-30)]
)
def test_entries_of_ten_to_the_three_hundred_have_the_pivots_of_ordinary_ones(dtype, scale):
    S = covariance(12)
    S = (S / np.abs(S).max()).astype(dtype)
    for which, start in itertools.product(("LA", "SA", "BE"), ("natural", "diagonal", "cholesky")):
        plain = je.sparse_eigsh(S, 3, which=which, start=start, n_rotations=30)
        scaled = je.sparse_eigsh(S * dtype(scale), 3, which=which, start=start, n_rotations=30)
        np.testing.assert_array_equal(scaled.rotations.pivots, plain.rotations.pivots)
        assert np.isfinite(scaled.eigenvalues).all()
    blocks = [je.block_eigsh(M, 3, 5).rotations.indices for M in (S, S * dtype(scale))]
    np.testing.assert_array_equal(*blocks)


@pytest.mark.parametrize("scale", [5e-324, 1e-310])
def test_entries_below_the_smallest_normal_number_end_well(scale):
    S = covariance(6)
    S = S / np.abs(S).max() * scale
    for start in ("natural", "cholesky"):
        result = je.sparse_eigsh(S, 2, start=start)
        assert je.metrics.orthonormality_error(result.vectors) <= 1e-12


def test_random_pivots_follow_their_seed():
    S = generic(12)

    def pivots(rng):
        return je.sparse_eigsh(S, 3, pivot="random", n_rotations=40, rng=rng).rotations.pivots.tolist()

    assert pivots(1) == pivots(1) == pivots(np.random.SeedSequence(1)) == pivots(np.random.default_rng(1))
    assert pivots(1) != pivots(2)
    assert pivots(None) != pivots(None)


def test_random_pivots_reach_every_pair():
    S = generic(6)
    pairs = {
        tuple(p)
        for rng in range(60)
        for p in je.sparse_eigsh(
            S, 2, pivot="random", n_rotations=3, target="log", rng=rng, start="natural"
        ).rotations.pivots.tolist()
    }
    assert pairs == {(i, j) for i in range(2) for j in range(i + 1, 6)}


def test_an_asymmetry_within_rounding_is_accepted():
    S = generic(6)
    S[0, 1] *= 1 + 4e-16
    assert je.sparse_eigsh(S, 2, n_rotations=5).n_rotations == 5
