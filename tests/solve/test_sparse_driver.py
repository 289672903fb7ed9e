"""The sparse-row kernel against the dense one: the same rotations from the same matrix, stored otherwise."""

import logging
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from compiled import from_python
from hypothesis import given
from hypothesis import strategies as st
from samples import draw_sparse
from scipy import sparse

import jacobeig as je
from jacobeig._kernels.extremes import Tournament, count_leaves, play, replay_match
from jacobeig.errors import TooLargeError
from jacobeig.results.checkpoints import Checkpoint
from jacobeig.solve import _drive, _sparse_driver
from jacobeig.solve._dense_driver import Run
from jacobeig.solve._drive import drive
from jacobeig.solve._problem import define_problem, open_source
from jacobeig.solve._sparse_driver import SparseRun, choose_run
from jacobeig.solve.budget import set_budget

(replay_match,) = from_python(replay_match)


def laplacian(adjacency):
    adjacency = sparse.csr_array(adjacency)
    return sparse.csr_array(sparse.diags_array(adjacency.sum(axis=1)) - adjacency)


def path_graph(n, rng):
    return laplacian(sparse.diags_array([np.ones(n - 1)] * 2, offsets=[1, -1], shape=(n, n)))


def star_graph(n, rng):
    adjacency = np.zeros((n, n))
    adjacency[0, 1:] = adjacency[1:, 0] = 1.0
    return laplacian(adjacency)


def two_components(n, rng):
    half = n // 2
    return sparse.csr_array(sparse.block_diag([path_graph(half, rng), star_graph(n - half, rng)]))


def random_sparse(n, rng, density=0.2):
    upper = draw_sparse((n, n), density, rng, data_sampler=rng.standard_normal)
    return sparse.csr_array(upper + upper.T + sparse.diags_array(rng.standard_normal(n)))


def block_diagonal(n, rng):
    sizes = [3] * (n // 3) + ([n % 3] if n % 3 else [])
    blocks = [rng.standard_normal((size, size)) for size in sizes]
    return sparse.block_diag([sparse.csr_array(block + block.T) for block in blocks], format="csr")


FAMILIES = {
    "random": random_sparse,
    "dense": lambda n, rng: random_sparse(n, rng, density=0.9),
    "path": path_graph,
    "star": star_graph,
    "two components": two_components,
    "block diagonal": block_diagonal,
    "diagonal": lambda n, rng: sparse.csr_array(sparse.diags_array(rng.integers(-3, 4, n).astype(float))),
    "identity": lambda n, rng: sparse.eye_array(n, format="csr"),
    "zero": lambda n, rng: sparse.csr_array((n, n)),
}


def with_phases(matrix, rng):
    """Return a Hermitian matrix with the same moduli."""
    phases = sparse.diags_array(np.exp(2j * np.pi * rng.random(matrix.shape[0])))
    return sparse.csr_array(phases @ matrix @ phases.conj())


@st.composite
def problems(draw):
    n = draw(st.integers(4, 24))
    p = draw(st.integers(1, min(n, 6)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))](n, rng)
    if draw(st.booleans()):
        matrix = with_phases(matrix, rng)
    which = draw(st.sampled_from(["LA", "SA", "BE"]))
    target = draw(st.sampled_from(["ones", "log", "adaptive", "array"]))
    if target == "array":
        target = {"LA": 1.0, "SA": -1.0}.get(which, rng.choice([-1.0, 1.0], p)) * rng.integers(1, 4, p)
    start = draw(st.sampled_from(["natural", "diagonal", "cholesky", "indices"]))
    options = {
        "which": which,
        "target": target,
        "pivot": draw(st.sampled_from(["gain", "gain_per_nonzero", "offdiagonal"])),
        "start": rng.permutation(n)[:p] if start == "indices" else start,
    }
    budgets = {
        "n_rotations": draw(st.integers(0, 4 * n)),
        "density": draw(st.none() | st.floats(0.3, 1.0)),
        "max_nonzeros": draw(st.none() | st.integers(1, n)),
        "tol": draw(st.none() | st.floats(0.0, 0.1)),
    }
    return matrix, p, options, budgets


def run_with(kind, matrix, n_components, options, budgets):
    names = ("which", "target", "pivot", "start")
    problem = define_problem(open_source(matrix), n_components, *(options[name] for name in names), rng=0)
    budget = set_budget(problem.n, problem.n_components, **budgets)
    return drive(kind(problem, budget), Checkpoint())


@contextmanager
def always_sparse(chunk=1000):
    """Use the sparse kernel for matrices of any order, and look for a successor every `chunk` rotations."""
    with (
        mock.patch.multiple(_sparse_driver, FORM_UP_TO=0, MOST_STORED=1.0),
        mock.patch.object(_drive, "CHUNK", chunk),
    ):
        yield


def assert_same_run(one, other, rtol=1e-12):
    """Same pivots, gains and nonzeros, up to a first choice between pairs that tie."""
    k = min(one.n_rotations, other.n_rotations)
    differ = np.flatnonzero((one.rotations.pivots[:k] != other.rotations.pivots[:k]).any(axis=1))
    same = int(differ[0]) if len(differ) else k
    compared = min(same + 1, k)
    scale = max(1e-300, np.abs(one.trail.diagonal).max() ** 2, np.abs(one.gains).max(initial=0.0))
    np.testing.assert_allclose(one.gains[:compared], other.gains[:compared], rtol=rtol, atol=rtol * scale)
    np.testing.assert_array_equal(one.nonzeros[:same], other.nonzeros[:same])
    if same == k:
        assert one.n_rotations == other.n_rotations
        assert one.status is other.status
        np.testing.assert_allclose(one.eigenvalues, other.eigenvalues, rtol=rtol, atol=rtol * scale)


def assert_same_bits(one, other):
    np.testing.assert_array_equal(one.rotations.pivots, other.rotations.pivots)
    for name in ("eigenvalues", "gains", "nonzeros", "target"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.rotations.cosines, other.rotations.cosines)
    np.testing.assert_array_equal(one.rotations.sines, other.rotations.sines)
    np.testing.assert_array_equal(one.vectors.toarray(), other.vectors.toarray())


@given(problems())
def test_sparse_rows_give_the_rotations_of_dense_rows(problem):
    matrix, p, options, budgets = problem
    dense = run_with(Run, matrix.toarray(), p, options, budgets)
    assert_same_run(dense, run_with(SparseRun, matrix, p, options, budgets))


@given(problems(), st.integers(0, 100))
def test_sparse_runs_are_shortened_and_extended_to_the_bit(problem, percent):
    matrix, p, options, budgets = problem
    with always_sparse():
        whole = je.sparse_eigsh(matrix, p, **options, **budgets)
        k = whole.n_rotations * percent // 100
        part = je.sparse_eigsh(matrix, p, **options, **(budgets | {"n_rotations": k}))
        assert_same_bits(whole.truncate(k), part.truncate(k))
        if k < budgets["n_rotations"]:
            extended = je.extend(matrix, part, **budgets)
            assert_same_bits(extended, whole)
            assert extended.status is whole.status
            assert extended.stored_entries == whole.stored_entries


@given(problems())
def test_dense_rows_take_over_from_filled_sparse_rows_to_the_bit(problem):
    matrix, p, options, budgets = problem
    with always_sparse(chunk=5), mock.patch.object(_sparse_driver, "MOST_FILLED", 0.3):
        switching = je.sparse_eigsh(matrix, p, **options, **budgets)
    sparse_only = run_with(SparseRun, matrix, p, options, budgets)
    assert_same_bits(switching, sparse_only)
    assert switching.status is sparse_only.status


@pytest.mark.slow  # each precision compiles the longest kernel again
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero", "offdiagonal"])
def test_single_precision_gives_the_rotations_of_dense_rows(dtype, pivot):
    rng = np.random.default_rng(0)
    matrix = random_sparse(40, rng, density=0.05)
    matrix = (with_phases(matrix, rng) if dtype is np.complex64 else matrix).astype(dtype)
    options = {"which": "BE", "target": "log", "pivot": pivot, "start": "cholesky"}
    budgets = {"n_rotations": 200, "density": None, "max_nonzeros": None, "tol": None}
    dense = run_with(Run, matrix.toarray(), 4, options, budgets)
    assert_same_run(dense, run_with(SparseRun, matrix, 4, options, budgets), rtol=1e-5)


@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero", "offdiagonal"])
def test_budgets_of_nonzeros_are_kept(pivot):
    matrix = random_sparse(60, np.random.default_rng(1), density=0.05)
    with always_sparse():
        result = je.sparse_eigsh(matrix, 5, density=0.2, max_nonzeros=15, pivot=pivot)
    assert result.vectors.nnz <= result.nonzeros[-1] <= 0.2 * 60 * 5
    assert np.diff(result.vectors.indptr).max() <= 15
    assert result.status in (je.Status.DENSITY, je.Status.MAX_NONZEROS)


def test_a_matrix_with_huge_entries_loses_nothing_by_scaling():
    matrix = random_sparse(30, np.random.default_rng(2), density=0.1)
    with always_sparse():
        plain, huge = (je.sparse_eigsh(matrix * scale, 3, n_rotations=60) for scale in (1.0, 2.0**900))
    np.testing.assert_array_equal(plain.rotations.pivots, huge.rotations.pivots)
    np.testing.assert_array_equal(plain.gains * 2.0**900, huge.gains)


def test_the_matrix_is_not_changed_even_if_it_could_be():
    matrix = random_sparse(30, np.random.default_rng(3))
    before = matrix.copy()
    with always_sparse():
        je.sparse_eigsh(matrix, 3, n_rotations=100)
    assert (matrix != before).nnz == 0


def test_stored_entries_are_counted_and_saved(tmp_path):
    matrix = path_graph(50, None)
    with always_sparse():
        short, long = (je.sparse_eigsh(matrix, 2, which="SA", n_rotations=k) for k in (2, 20))
    assert short.stored_entries < long.stored_entries < 50 * 50
    long.save(tmp_path / "run.npz")
    assert je.load(tmp_path / "run.npz").stored_entries == long.stored_entries
    assert long.truncate(2).stored_entries is None


def test_an_empty_run_stores_the_seeds_rows_only():
    with always_sparse():
        result = je.sparse_eigsh(path_graph(50, None), 2, start=[10, 30], n_rotations=0)
    assert result.stored_entries == 2 * 2 + 4


def test_the_switch_to_dense_rows_is_logged_once(caplog):
    matrix = random_sparse(40, np.random.default_rng(4), density=0.1)
    with always_sparse(chunk=10), caplog.at_level(logging.INFO, logger="jacobeig"):
        result = je.sparse_eigsh(matrix, 3, n_rotations=100)
    assert caplog.text.count("going on with dense rows") == 1
    assert result.stored_entries % 40 == 0


def test_rows_that_would_not_fit_stay_sparse():
    matrix = random_sparse(40, np.random.default_rng(4), density=0.1)
    with always_sparse(chunk=10), mock.patch.object(_sparse_driver, "available_memory", return_value=100):
        result = je.sparse_eigsh(matrix, 3, n_rotations=100)
    assert result.n_rotations == 100


def test_a_callback_hears_of_both_kernels():
    matrix, heard = random_sparse(40, np.random.default_rng(4), density=0.1), []
    with always_sparse(chunk=10):
        result = je.sparse_eigsh(matrix, 3, n_rotations=100, callback=heard.append)
    assert [record.n_rotations for record in heard] == list(range(10, 101, 10))
    assert heard[-1].captured == pytest.approx(result.eigenvalues.sum())


def test_growth_that_does_not_fit_in_memory_is_refused_before_it_is_tried():
    matrix = random_sparse(40, np.random.default_rng(4), density=0.1)
    with (
        always_sparse(),
        mock.patch("jacobeig.sources.memory.SMALL", 0),
        mock.patch("jacobeig.sources.memory.available_memory", return_value=1000),
        pytest.raises(TooLargeError, match="GB"),
    ):
        je.sparse_eigsh(matrix, 3, start="natural", n_rotations=100)


def kernel_for(matrix, pivot="gain"):
    problem = define_problem(open_source(matrix), 2, "LA", "ones", pivot, "natural", rng=0)
    return type(choose_run(problem, set_budget(problem.n, problem.n_components, n_rotations=1)))


def test_large_sparse_matrices_get_the_sparse_kernel_and_others_the_dense_one():
    large = path_graph(3000, None)
    assert kernel_for(large) is SparseRun
    assert kernel_for(large, pivot="cyclic") is Run
    assert kernel_for(path_graph(300, None)) is Run
    assert kernel_for(path_graph(300, None).toarray()) is Run
    assert kernel_for(random_sparse(2100, np.random.default_rng(0), density=0.11)) is Run


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_the_tournament_finds_the_extremes_and_the_lowest_of_those_that_tie(n, seed):
    rng = np.random.default_rng(seed)
    leaves = count_leaves(n)
    nodes = np.full(2 * leaves, -1, np.int32)
    taking_part = np.flatnonzero(rng.random(n) < 0.8)
    nodes[leaves + taking_part] = taking_part
    tournament = Tournament(entries=rng.integers(0, 5, n).astype(float), high=nodes, low=nodes.copy())
    play(tournament)
    for _ in range(10 if len(taking_part) else 0):
        entries = tournament.entries[taking_part]
        assert tournament.high[1] == taking_part[entries.argmax()]
        assert tournament.low[1] == taking_part[entries.argmin()]
        replay_match(tournament, int(rng.choice(taking_part)), float(rng.integers(0, 5)))


def grid_with_shortcuts(side, rng):
    nodes = np.arange(side * side).reshape(side, side)
    pairs = [
        np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()]),
        np.stack([nodes[:-1].ravel(), nodes[1:].ravel()]),
        rng.integers(side * side, size=(2, side * side)),
    ]
    i, j = np.concatenate(pairs, axis=1)
    i, j = i[i != j], j[i != j]
    half = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(side * side, side * side)).tocsr()
    return laplacian(((half + half.T) > 0).astype(float))


@pytest.mark.compiled
@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero"])
def test_a_large_graph_keeps_the_invariants(pivot):
    matrix = grid_with_shortcuts(142, np.random.default_rng(5))
    result = je.sparse_eigsh(matrix, 16, which="SA", pivot=pivot, n_rotations=3000)
    vectors = result.vectors
    assert abs((vectors.T @ vectors).toarray() - np.eye(16)).max() < 1e-12
    quotients = (vectors.T @ (matrix @ vectors)).diagonal()
    np.testing.assert_allclose(result.eigenvalues, quotients, atol=1e-11)
    before = matrix.diagonal()[result.trail.seeds].sum()
    assert before - result.gains.sum() == pytest.approx(quotients.sum(), rel=1e-12)
    assert (result.gains > 0.0).all()
    assert result.nonzeros[-1] == vectors.nnz
    assert matrix.nnz // 1000 < result.stored_entries < 0.15 * matrix.shape[0] * 3000
