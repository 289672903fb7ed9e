"""The solvers as a user meets them: the author's runs, budgets, inputs of every kind, bad input."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import tolerances
from equality import assert_same
from matrices import covariance, generic, integers, laplacian, mostly_zero, projection, rank_one

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError, JacobeigError
from jacobeig.results.result import Status

DATA = Path(__file__).parent / "data"
RULES = ("gain", "gain_per_nonzero", "offdiagonal", "classic", "cyclic", "random")


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


# --- inputs of every kind -----------------------------------------------------------------------------------------


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


# --- scale ----------------------------------------------------------------------------------------------------------


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


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_without_a_budget_there_are_n_log_n_rotations():
    result = je.sparse_eigsh(generic(20), 3)
    assert result.n_rotations == 20 * 5
    assert result.status is Status.ROTATIONS


@pytest.mark.parametrize("pivot", RULES)
def test_no_rotations_give_unit_vectors(pivot):
    S = generic(9)
    result = je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=0, start="natural")
    assert result.n_rotations == len(result.gains) == len(result.nonzeros) == len(result.rotations) == 0
    assert result.status is Status.ROTATIONS
    assert result.vectors.nnz == 3
    expected = np.sort(np.diag(S))[::-1][:3] if pivot == "classic" else np.sort(np.diag(S)[:3])[::-1]
    np.testing.assert_array_equal(result.eigenvalues, expected)


@pytest.mark.parametrize("pivot", RULES)
def test_tol_stops_where_the_best_gain_has_fallen_to_it(pivot):
    S = generic(10)
    largest, tol = np.abs(S).max(), 0.05
    free = je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=100_000, rng=0)
    result = je.sparse_eigsh(S, 3, pivot=pivot, tol=tol, rng=0)
    assert result.status is Status.TOLERANCE
    assert 0 < result.n_rotations < free.n_rotations
    further = je.sparse_eigsh(S, 3, pivot=pivot, tol=0.0, n_rotations=100_000, rng=0)
    assert further.status is Status.CONVERGED
    if pivot == "gain":
        n = result.n_rotations
        assert (result.gains > tol * largest).all()
        assert free.gains[n] <= tol * largest
        assert_same(free.truncate(n), je.sparse_eigsh(S, 3, pivot=pivot, n_rotations=n, rng=0))


@pytest.mark.parametrize("pivot", RULES)
def test_a_huge_tol_stops_at_once(pivot):
    result = je.sparse_eigsh(generic(10), 3, pivot=pivot, tol=np.inf)
    assert result.n_rotations == 0
    assert result.status is Status.TOLERANCE


def test_of_several_budgets_the_first_one_reached_stops_the_run_and_is_named():
    S = generic(16)
    run = {"n_components": 3, "pivot": "gain", "start": "natural"}
    free = je.sparse_eigsh(S, **run, n_rotations=60)
    density = 12 / 48
    at_density = je.sparse_eigsh(S, **run, density=density).n_rotations
    tol = float(free.gains[3]) / np.abs(S).max()
    cases = [
        ({"n_rotations": at_density - 1, "density": density}, Status.ROTATIONS, at_density - 1),
        ({"n_rotations": at_density + 5, "density": density}, Status.DENSITY, at_density),
        (
            {"n_rotations": 50, "density": density, "tol": tol * 0.999},
            Status.TOLERANCE,
            int((free.gains > tol * 0.999 * np.abs(S).max()).argmin()),
        ),
        ({"n_rotations": 2, "density": 1.0, "tol": 0.0}, Status.ROTATIONS, 2),
    ]
    for budgets, status, n_rotations in cases:
        result = je.sparse_eigsh(S, **run, **budgets)
        assert result.status is status
        assert result.n_rotations == n_rotations
        assert result.gains.tobytes() == free.gains[:n_rotations].tobytes()


def test_a_density_that_is_a_whole_number_of_nonzeros_allows_all_of_them():
    result = je.sparse_eigsh(generic(10), 1, density=0.3, pivot="gain")
    assert result.vectors.nnz == 3
    assert result.status is Status.DENSITY


def test_the_least_density_leaves_unit_vectors_and_swaps():
    S = np.diag([1.0, 5.0, 3.0, 4.0]) + 0.01 * generic(4)
    result = je.sparse_eigsh(S, 2, density=0.25, start="natural")
    assert result.vectors.nnz == 2
    assert result.status is Status.DENSITY


@pytest.mark.parametrize(
    ("budgets", "rule"),
    [
        ({}, "gain"),
        ({"tol": 0.1}, "gain"),
        ({"density": 1.0}, "gain"),
        ({"density": 0.5}, "gain_per_nonzero"),
        ({"max_nonzeros": 3}, "gain_per_nonzero"),
    ],
)
def test_auto_counts_nonzeros_only_where_they_are_budgeted(budgets, rule):
    assert je.sparse_eigsh(generic(8), 2, **budgets).method.pivot == rule


@pytest.mark.parametrize("pivot", RULES)
def test_max_nonzeros_stops_with_its_own_status(pivot):
    result = je.sparse_eigsh(generic(12), 3, max_nonzeros=4, pivot=pivot, n_rotations=10_000)
    assert result.status is Status.MAX_NONZEROS
    assert np.diff(result.vectors.indptr).max() <= 4


# --- callbacks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pivot", RULES)
def test_a_callback_sees_the_run_and_does_not_change_it(pivot, monkeypatch):
    import jacobeig.solve._dense_driver as drivers

    S = generic(14)
    run = {"n_components": 3, "pivot": pivot, "n_rotations": 50, "rng": 4}
    expected = je.sparse_eigsh(S, **run)
    for chunk in (1, 7, 50):
        monkeypatch.setattr(drivers, "CHUNK", chunk)
        seen = []
        assert_same(je.sparse_eigsh(S, **run, callback=seen.append), expected)
        assert [record.n_rotations for record in seen] == [*range(chunk, 50, chunk), 50]
        for record in seen:
            part = expected.truncate(record.n_rotations)
            assert record.nonzeros == part.nonzeros[-1]
            assert record.best_gain == part.gains[-1]
            assert abs(record.captured - part.eigenvalues.sum()) <= tolerances.rayleigh(S)
        assert_same(je.extend(S, je.sparse_eigsh(S, **(run | {"n_rotations": 13})), n_rotations=50), expected)


@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("density", [0.3, 0.6])
def test_the_chunk_does_not_change_where_a_density_stops_the_run(pivot, density, monkeypatch):
    import jacobeig.solve._dense_driver as drivers

    S = generic(14)
    expected = je.sparse_eigsh(S, 3, pivot=pivot, density=density, rng=4, n_rotations=300)
    for chunk in (1, 7):
        monkeypatch.setattr(drivers, "CHUNK", chunk)
        assert_same(je.sparse_eigsh(S, 3, pivot=pivot, density=density, rng=4, n_rotations=300), expected)


@pytest.mark.parametrize("answer", [True, np.True_])
def test_a_callback_that_returns_true_stops_the_run(answer, monkeypatch):
    import jacobeig.solve._dense_driver as drivers

    monkeypatch.setattr(drivers, "CHUNK", 5)
    S = generic(14)
    result = je.sparse_eigsh(S, 3, callback=lambda record: answer if record.n_rotations >= 15 else None)
    assert result.n_rotations == 15
    assert result.status is Status.CALLBACK
    assert_same(je.extend(S, result, n_rotations=40), je.sparse_eigsh(S, 3, n_rotations=40))


@pytest.mark.parametrize("answer", [None, False, np.False_, 1, "no"])
def test_any_other_answer_of_a_callback_is_none(answer, monkeypatch):
    import jacobeig.solve._dense_driver as drivers

    monkeypatch.setattr(drivers, "CHUNK", 5)
    assert je.sparse_eigsh(generic(14), 3, n_rotations=20, callback=lambda record: answer).n_rotations == 20


def test_an_exception_in_a_callback_reaches_the_user():
    def fail(record):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        je.sparse_eigsh(generic(6), 2, callback=fail)


# --- matrices on which nothing is left to do --------------------------------------------------------------------------

ENDINGS = {
    "zero": np.zeros((6, 6)),
    "identity": np.eye(7),
    "diagonal": np.diag([3.0, -1.0, 4.0, 1.0, -5.0, 9.0]),
    "constant": np.ones((8, 8)),
    "rank one": rank_one(9),
    "rank one Hermitian": rank_one(9, np.complex128),
    "projection": projection(10),
    "projection that went on for ever": projection(4),
    "Hermitian projection": projection(10, np.complex128),
    "equal blocks": np.kron(np.eye(3), np.ones((10, 10))),
    "whole numbers": integers(8),
    "laplacian": laplacian(9),
    "two by two": np.array([[1.0, 2.0], [2.0, -3.0]]),
    "two by two Hermitian": np.array([[1.0, 2j], [-2j, 1.0]]),
    "hollow": np.ones((5, 5)) - np.eye(5),
    "hollow with a tiny diagonal": np.array([[1e-200, 1.0], [1.0, 0.0]]),
}


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("pivot", RULES)
@pytest.mark.parametrize("target", ["ones", "log", "adaptive"])
def test_runs_end_by_themselves_far_before_their_last_rotation(name, pivot, target):
    S = ENDINGS[name]
    n = len(S)
    for which, p in itertools.product(("LA", "SA", "BE"), sorted({1, 2, n - 1, n})):
        for dtype in (S.dtype, np.complex64 if S.dtype.kind == "c" else np.float32):
            result = je.sparse_eigsh(
                S.astype(dtype), p, which=which, target=target, pivot=pivot, n_rotations=100_000, start="natural", rng=0
            )
            assert result.status is Status.CONVERGED
            assert result.n_rotations < 100_000
            U = result.vectors.toarray()
            assert je.metrics.orthonormality_error(U) <= tolerances.orthonormality(dtype)
            error = tolerances.rayleigh(S, dtype)
            quotients = np.sum(U.conj() * (S @ U), axis=0).real
            np.testing.assert_allclose(result.eigenvalues, quotients, rtol=0, atol=error)
            assert np.linalg.eigvalsh(S)[0] - error <= result.eigenvalues.min()
            assert result.eigenvalues.max() <= np.linalg.eigvalsh(S)[-1] + error


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("pivot", ["gain", "offdiagonal", "random"])
def test_block_runs_end_by_themselves_too(name, pivot):
    S = ENDINGS[name]
    for which, p in itertools.product(("LA", "SA"), sorted({1, len(S) // 2})):
        result = je.block_eigsh(S, p, 5000, which=which, pivot=pivot, rng=0)
        assert result.status is Status.CONVERGED
        assert je.metrics.orthonormality_error(result.vectors) <= 1e-12


@pytest.mark.parametrize("which", ["LA", "SA", "BE"])
def test_long_runs_find_the_eigenvectors_themselves(which):
    S = covariance(10)
    result = je.sparse_eigsh(S, 3, which=which, target="log", n_rotations=100_000)
    assert result.status is Status.CONVERGED
    expected = je.metrics.extreme_eigenvalues(S, 3, which)
    np.testing.assert_allclose(result.eigenvalues, expected, rtol=0, atol=tolerances.rayleigh(S))
    U = result.vectors.toarray()
    np.testing.assert_allclose(S @ U, U * result.eigenvalues, rtol=0, atol=1e-10 * tolerances.norm_of(S))


def test_an_adaptive_vector_leaves_the_far_end_of_the_spectrum():
    for which, d in (("SA", [5.0, 1.0, 2.0]), ("LA", [-5.0, 1.0, 2.0])):
        result = je.sparse_eigsh(np.diag(d), 1, which=which, target="adaptive", start="natural")
        assert result.eigenvalues == (min(d) if which == "SA" else max(d))
        assert (result.target < 0) == (which == "SA")


def test_classic_takes_a_vector_of_weight_zero_from_the_wanted_end():
    result = je.sparse_eigsh(np.diag([1.0, 2.0, 3.0, 9.0]), 2, which="SA", target=[-1.0, 0.0], pivot="classic")
    assert result.eigenvalues.tolist() == [1.0, 2.0]


# --- extend -----------------------------------------------------------------------------------------------------------


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
    with pytest.raises(InvalidTypeError, match="result is a ndarray"):
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


# --- random -----------------------------------------------------------------------------------------------------------


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


# --- bad input --------------------------------------------------------------------------------------------------------

S4 = generic(4)


def bad(matrix=S4, n_components=2, **options):
    return matrix, n_components, options


with_nan, with_inf, lopsided = (generic(4) for _ in range(3))
with_nan[1, 2] = with_nan[2, 1] = np.nan
with_inf[3, 3] = np.inf
lopsided[0, 3] += 0.5

BAD = [
    (bad(np.ones((3, 4))), InvalidInputError, r"matrix.*square.*\(3, 4\)"),
    (bad(np.ones(4)), InvalidInputError, r"matrix.*square.*\(4,\)"),
    (bad(np.ones((2, 2, 2))), InvalidInputError, r"matrix.*square.*\(2, 2, 2\)"),
    (bad(lopsided), InvalidInputError, r"matrix.*symmetric.*\(0, 3\).*0\.5"),
    (bad(1j * generic(4) + np.eye(4)), InvalidInputError, r"matrix.*Hermitian"),
    (bad(with_nan), InvalidInputError, r"matrix.*finite.*\(1, 2\).*nan"),
    (bad(with_inf), InvalidInputError, r"matrix.*finite.*\(3, 3\).*inf"),
    (bad(np.empty((0, 0))), InvalidInputError, r"matrix is empty.*\(0, 0\)"),
    (bad(np.ones((1, 1)), 1), InvalidInputError, r"matrix is 1 x 1"),
    (bad(np.array([["a", "b"], ["b", "a"]]), 1), InvalidTypeError, r"matrix has dtype <U1"),
    (bad(np.array([[1, None], [None, 1]]), 1), InvalidTypeError, r"matrix has dtype object"),
    (bad("matrix"), InvalidTypeError, r"matrix is a str"),
    (bad(None), InvalidTypeError, r"matrix is a NoneType"),
    (bad(n_components=0), InvalidInputError, r"n_components is 0"),
    (bad(n_components=-3), InvalidInputError, r"n_components is -3"),
    (bad(n_components=5), InvalidInputError, r"n_components is 5.*4 x 4"),
    (bad(n_components=2.0), InvalidTypeError, r"n_components is 2\.0 \(float\)"),
    (bad(n_components=True), InvalidTypeError, r"n_components is True \(bool\)"),
    (bad(n_components="2"), InvalidTypeError, r"n_components is '2' \(str\)"),
    (bad(n_rotations=-1), InvalidInputError, r"n_rotations is -1"),
    (bad(n_rotations=1.5), InvalidTypeError, r"n_rotations is 1\.5 \(float\)"),
    (bad(density=0.0), InvalidInputError, r"density is 0\.0"),
    (bad(density=-0.1), InvalidInputError, r"density is -0\.1"),
    (bad(density=1.5), InvalidInputError, r"density is 1\.5"),
    (bad(density=np.nan), InvalidInputError, r"density is nan"),
    (bad(density=0.1), InvalidInputError, r"density is 0\.1.*0 nonzeros.*0\.25"),
    (bad(density="half"), InvalidTypeError, r"density is 'half' \(str\)"),
    (bad(density=True), InvalidTypeError, r"density is True \(bool\)"),
    (bad(max_nonzeros=0), InvalidInputError, r"max_nonzeros is 0"),
    (bad(max_nonzeros=2.5), InvalidTypeError, r"max_nonzeros is 2\.5"),
    (bad(tol=-1e-3), InvalidInputError, r"tol is -0\.001"),
    (bad(tol=np.nan), InvalidInputError, r"tol is nan"),
    (bad(tol="0"), InvalidTypeError, r"tol is '0'"),
    (bad(target=[1.0]), InvalidInputError, r"target has shape \(1,\).*2 components"),
    (bad(target=[[1.0, 2.0]]), InvalidInputError, r"target has shape \(1, 2\)"),
    (bad(target=[1.0, -1.0]), InvalidInputError, r"target holds -1.*'LA'.*'BE'"),
    (bad(target=[1.0, -1.0], which="SA"), InvalidInputError, r"target holds 1.*'SA'.*'BE'"),
    (bad(target=[1.0, np.nan]), InvalidInputError, r"target.*nan"),
    (bad(target=[0.0, 0.0]), InvalidInputError, r"target is zero"),
    (bad(target=["2", "1"]), InvalidTypeError, r"target has dtype <U1"),
    (bad(target=np.array([1 + 1j, 1])), InvalidTypeError, r"target has dtype complex128"),
    (bad(target="twos"), InvalidInputError, r"target is 'twos'.*'ones', 'log', 'adaptive'"),
    (bad(which="LM"), InvalidInputError, r"which is 'LM'.*'LA', 'SA', 'BE'"),
    (bad(which=None), InvalidInputError, r"which is None.*'LA'"),
    (bad(pivot="largest"), InvalidInputError, r"pivot is 'largest'.*'auto'.*'gain'.*'classic'.*'cyclic'"),
    (bad(pivot=3), InvalidInputError, r"pivot is 3"),
    (bad(pivot=np.array(["gain", "cyclic"])), InvalidInputError, r"pivot is array"),
    (bad(start="first"), InvalidInputError, r"start is 'first'.*'auto', 'natural', 'diagonal'"),
    (bad(start=[0]), InvalidInputError, r"start has .*\(1,\).*2 integer"),
    (bad(start=[0.0, 1.0]), InvalidInputError, r"start has dtype float64"),
    (bad(start=[0, 4]), InvalidInputError, r"start holds 4.*0 to 3"),
    (bad(start=[-1, 2]), InvalidInputError, r"start holds -1"),
    (bad(start=[2, 2]), InvalidInputError, r"start holds 2 more than once"),
    (bad(rng="dice", pivot="random"), InvalidTypeError, r"rng is 'dice'"),
    (bad(rng=-1, pivot="random"), InvalidTypeError, r"rng is -1"),
    (bad(callback=3), InvalidTypeError, r"callback is a int"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[message for _, _, message in BAD])
def test_bad_input_is_refused_by_name_before_any_work(call, error, message, monkeypatch):
    import jacobeig.solve._dense_driver as drivers

    def work(*args):
        raise AssertionError("the work has begun")

    monkeypatch.setattr(drivers, "Run", work)
    matrix, n_components, options = call
    with pytest.raises(error, match=message) as caught:
        je.sparse_eigsh(matrix, n_components, **options)
    assert isinstance(caught.value, JacobeigError)
    assert isinstance(caught.value, (ValueError, TypeError))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_components": 3}, InvalidInputError, r"n_components is 3.*only 5.*at most 2.*sparse_eigsh"),
        ({"n_components": 0}, InvalidInputError, r"n_components is 0"),
        ({"n_blocks": -1}, InvalidInputError, r"n_blocks is -1"),
        ({"n_blocks": 2.0}, InvalidTypeError, r"n_blocks is 2\.0"),
        ({"which": "BE"}, InvalidInputError, r"which is 'BE'.*'LA', 'SA'"),
        ({"pivot": "classic"}, InvalidInputError, r"pivot is 'classic'.*'gain', 'offdiagonal', 'random'"),
        ({"start": "first"}, InvalidInputError, r"start is 'first'"),
    ],
)
def test_bad_input_of_the_block_variant_is_refused_by_name(options, error, message):
    with pytest.raises(error, match=message):
        je.block_eigsh(generic(5), **({"n_components": 2} | options))


def test_an_asymmetry_within_rounding_is_accepted():
    S = generic(6)
    S[0, 1] *= 1 + 4e-16
    assert je.sparse_eigsh(S, 2, n_rotations=5).n_rotations == 5
