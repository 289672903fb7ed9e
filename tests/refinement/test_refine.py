"""The whole search: monotone, exact in its budget, and what it finds."""

from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from covariances import (
    MATRICES,
    Array,
    Matrices,
    block_matrix,
    low_rank_matrix,
    orthonormality_error,
    random_matrix,
    smooth_matrix,
    sparse_orthonormal,
    trace,
)
from scipy import sparse

from jacobeig import refine, sparse_eigsh
from jacobeig.refinement import MANY, refine_source
from jacobeig.refinement.spectrum import leading_eigenvectors
from jacobeig.results.metrics import captured_variance
from jacobeig.results.progress import Progress
from jacobeig.sources import as_source

DATA = Path(__file__).parents[1] / "data"


class Refined(NamedTuple):
    """Vectors as an array, what they capture, and whether time was up."""

    vectors: Array
    captured_variance: float
    stopped_by_time: bool


def refine_vectors(S: Array, U: Array, **options: Any) -> Refined:
    """Refine on the whole of a small matrix."""
    source = as_source(S, check=False)
    found = refine_source(source, sparse.csc_array(U), np.ones(U.shape[1]), factor=1.0, whole=1000, **options)
    V = found.vectors.toarray()
    return Refined(V, captured_variance(S, V), found.stopped_by_time)


@pytest.mark.compiled
@pytest.mark.parametrize("make", MATRICES)
@pytest.mark.parametrize("orthonormal", [True, False])
@pytest.mark.parametrize("nonzeros", [20, *(pytest.param(k, marks=pytest.mark.slow) for k in (60, 150))])
def test_refining_is_monotone_exact_in_its_budget_and_orthonormal(
    make: Matrices, orthonormal: bool, nonzeros: int
) -> None:
    S, U = make(50), sparse_orthonormal(50, 5, 8)
    refined = refine_vectors(S, U, nonzeros=nonzeros, orthonormal=orthonormal)
    assert np.count_nonzero(refined.vectors) <= nonzeros
    if orthonormal:
        assert orthonormality_error(refined.vectors) < 1e-12
    if np.count_nonzero(U) <= nonzeros:
        assert refined.captured_variance >= trace(S, U) * (1 - 1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("orthonormal", [True, False])
@pytest.mark.parametrize("effort", ["quick", "best"])
def test_no_column_passes_its_own_limit(orthonormal: bool, effort: Literal["quick", "best"]) -> None:
    S, U = low_rank_matrix(40), np.eye(40)[:, :4]
    refined = refine_vectors(S, U, nonzeros=60, max_nonzeros=12, orthonormal=orthonormal, effort=effort)
    assert np.count_nonzero(refined.vectors, axis=0).max() <= 12
    assert np.count_nonzero(refined.vectors) <= 48


@pytest.mark.slow
@pytest.mark.parametrize("make", MATRICES)
def test_more_effort_never_gives_less(make: Matrices) -> None:
    S, U = make(40), np.eye(40)[:, :5]
    quick = refine_vectors(S, U, nonzeros=60)
    best = refine_vectors(S, U, nonzeros=60, effort="best")
    assert best.captured_variance >= quick.captured_variance * (1 - 1e-9)
    assert orthonormality_error(best.vectors) < 1e-12


def test_a_full_budget_reaches_the_leading_eigenspace() -> None:
    S = random_matrix(30)
    refined = refine_vectors(S, np.eye(30)[:, :3], nonzeros=90)
    assert refined.captured_variance == pytest.approx(np.linalg.eigvalsh(S)[-3:].sum(), rel=1e-6)


def test_one_nonzero_each_takes_the_largest_diagonal_entries() -> None:
    S = low_rank_matrix(30)
    refined = refine_vectors(S, np.eye(30)[:, :4], nonzeros=4)
    assert refined.captured_variance == pytest.approx(np.sort(S.diagonal())[-4:].sum())


@pytest.mark.compiled
def test_disjoint_blocks_are_recovered_exactly() -> None:
    S = block_matrix(40)
    refined = refine_vectors(S, np.eye(40)[:, :4], nonzeros=20, effort="best")
    assert refined.captured_variance == pytest.approx(np.linalg.eigvalsh(S)[-4:].sum(), rel=1e-9)


@pytest.mark.compiled
def test_one_component_reaches_the_optimum_on_pitprops() -> None:
    S = np.loadtxt(DATA / "pitprops.csv", delimiter=",")
    for k, value in {2: 1.954000, 3: 2.475331, 4: 2.937479, 5: 3.406155, 8: 4.068607}.items():
        refined = refine_vectors(S, np.eye(13)[:, :1], nonzeros=k, effort="best")
        assert refined.captured_variance == pytest.approx(value, abs=2e-6)


@pytest.mark.compiled
def test_an_indefinite_matrix_is_refined_like_its_shift() -> None:
    S = smooth_matrix(30) - 2 * np.eye(30)
    U = np.eye(30)[:, :3]
    refined = refine_vectors(S, U, nonzeros=20)
    shifted = refine_vectors(S + 2 * np.eye(30), U, nonzeros=20)
    assert refined.captured_variance == pytest.approx(shifted.captured_variance - 6, rel=1e-3)
    assert refined.captured_variance >= trace(S, U)


@pytest.mark.compiled
def test_vectors_beyond_the_budget_are_cut_down_to_it() -> None:
    S = random_matrix(30)
    U = leading_eigenvectors(S, 3)
    refined = refine_vectors(S, U, nonzeros=25)
    assert np.count_nonzero(refined.vectors) <= 25
    assert orthonormality_error(refined.vectors) < 1e-12


@pytest.mark.compiled
def test_the_same_seed_gives_the_same_vectors() -> None:
    S, U = random_matrix(40), np.eye(40)[:, :4]
    first, second = (refine_vectors(S, U, nonzeros=40, effort="best", rng=np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_a_short_time_limit_returns_feasible_vectors_and_says_so() -> None:
    S, U = random_matrix(80), np.eye(80)[:, :8]
    refined = refine_vectors(S, U, nonzeros=200, effort="best", time_limit=1e-6)
    assert refined.stopped_by_time
    assert refined.captured_variance >= trace(S, U) * (1 - 1e-12)
    assert orthonormality_error(refined.vectors) < 1e-12


@pytest.mark.compiled
def test_the_callback_sees_rising_values_and_can_stop_the_search() -> None:
    S, U = random_matrix(40), np.eye(40)[:, :4]
    seen: list[Progress] = []
    refine_vectors(S, U, nonzeros=60, effort="best", callback=seen.append)
    assert [p.captured for p in seen] == sorted(p.captured for p in seen)
    calls: list[float] = []

    def stop(progress: Progress) -> bool:
        calls.append(progress.seconds)
        return True

    stopped = refine_vectors(S, U, nonzeros=60, effort="best", callback=stop)
    assert len(calls) < len(seen)
    assert not stopped.stopped_by_time


@pytest.mark.compiled
@pytest.mark.parametrize("rank", [0, 1, 3])
@pytest.mark.parametrize("orthonormal", [True, False])
def test_matrices_of_lower_rank_than_vectors_are_refined_without_warnings(rank: int, orthonormal: bool) -> None:
    X = np.random.default_rng(0).standard_normal((20, rank))
    refined = refine_vectors(X @ X.T, np.eye(20)[:, :5], nonzeros=30, orthonormal=orthonormal)
    assert np.isfinite(refined.vectors).all()
    assert np.count_nonzero(refined.vectors) <= 30


@pytest.mark.compiled
def test_many_components_gain_where_orthogonality_binds_all_pairs() -> None:
    S = random_matrix(200)
    run = sparse_eigsh(S, MANY + 5, density=0.25)
    refined = refine(S, run, density=0.25)
    assert refined.eigenvalues.sum() > 1.02 * run.eigenvalues.sum()
    assert refined.vectors.nnz <= 0.25 * 200 * (MANY + 5)
    assert orthonormality_error(refined.vectors.toarray()) < 1e-12


@pytest.mark.compiled
def test_a_chain_of_another_matrix_is_refined_without_being_polished() -> None:
    run = sparse_eigsh(random_matrix(120), MANY + 1, density=0.05)
    refined = refine(random_matrix(120, seed=1), run, time_limit=1e-6)
    assert orthonormality_error(refined.vectors.toarray()) < 1e-12
