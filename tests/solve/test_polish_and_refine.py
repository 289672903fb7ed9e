"""Results made better by the calls: polish and refine."""

from pathlib import Path

import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError


@pytest.fixture(scope="module")
def covariance():
    return je.datasets.random_covariance(40, rng=3)


@pytest.fixture(scope="module")
def run(covariance):
    return je.sparse_eigsh(covariance, 4, density=0.2)


def rayleigh(S, vectors):
    U = vectors.toarray()
    return np.einsum("ij,ij->j", U, S @ U)


@pytest.mark.parametrize("pairs", ["keep", "choose"])
@pytest.mark.parametrize("target", ["ones", "log"])
@pytest.mark.parametrize("which", ["LA", "SA", "BE"])
def test_polish_never_lowers_the_weighted_trace_and_keeps_the_number_of_rotations_and_nonzeros(
    covariance, pairs, target, which
):
    run = je.sparse_eigsh(covariance, 4, n_rotations=30, target=target, which=which)
    better = je.polish(covariance, run, pairs=pairs, n_sweeps=3)
    assert better.n_rotations == run.n_rotations
    assert better.vectors.nnz <= run.vectors.nnz
    assert je.metrics.orthonormality_error(better.vectors) < 1e-12
    before, after = run.target @ run.eigenvalues, better.target @ better.eigenvalues
    assert after >= before - 1e-12 * np.abs(run.eigenvalues).sum()
    np.testing.assert_allclose(better.eigenvalues, rayleigh(covariance, better.vectors), rtol=1e-12, atol=1e-10)


def test_polished_gains_and_nonzeros_are_those_of_the_new_chain(covariance, run):
    better = je.polish(covariance, run, pairs="choose", n_sweeps=2)
    seeds = better.trail.seeds
    captured = np.diag(covariance)[seeds].sum() + np.cumsum(better.gains)
    for k in (0, 1, 7, better.n_rotations):
        shorter = better.truncate(k)
        value = rayleigh(covariance, shorter.vectors).sum()
        expected = captured[k - 1] if k else np.diag(covariance)[seeds].sum()
        assert value == pytest.approx(expected, rel=1e-11)
        np.testing.assert_allclose(
            np.sort(shorter.eigenvalues), np.sort(rayleigh(covariance, shorter.vectors)), rtol=1e-11
        )
        if k:
            assert better.nonzeros[k - 1] == shorter.vectors.nnz


def test_polish_as_an_option_equals_polish_afterwards(covariance, run):
    together = je.sparse_eigsh(covariance, 4, density=0.2, polish=True)
    apart = je.polish(covariance, run)
    assert (together.vectors != apart.vectors).nnz == 0


def test_a_polished_run_of_classic_jacobi_keeps_its_columns(covariance):
    run = je.sparse_eigsh(covariance, 3, pivot="classic", n_rotations=25)
    better = je.polish(covariance, run)
    assert better.eigenvalues.sum() >= run.eigenvalues.sum() - 1e-9


def test_a_polished_result_cannot_be_extended(covariance, run):
    with pytest.raises(InvalidInputError, match="polished"):
        je.extend(covariance, je.polish(covariance, run), n_rotations=10_000)


def test_polish_refuses_what_has_no_fixed_goal_or_no_rotations(covariance, run):
    with pytest.raises(InvalidInputError, match="adaptive"):
        je.polish(covariance, je.sparse_eigsh(covariance, 2, target="adaptive", n_rotations=5))
    with pytest.raises(InvalidInputError, match="block_eigsh"):
        je.polish(covariance, je.block_eigsh(covariance, 2, 3))
    with pytest.raises(InvalidTypeError, match="complex"):
        je.polish(covariance.astype(complex), run)
    with pytest.raises(InvalidTypeError, match="result is an ndarray"):
        je.polish(covariance, np.eye(3))


@pytest.mark.parametrize("effort", ["quick", "best"])
@pytest.mark.parametrize("which", ["LA", "SA"])
def test_refine_is_monotone_orthonormal_and_within_its_budget(covariance, which, effort):
    run = je.sparse_eigsh(covariance, 4, density=0.2, which=which)
    better = je.refine(covariance, run, effort=effort)
    sign = 1.0 if which == "LA" else -1.0
    assert sign * better.eigenvalues.sum() >= sign * run.eigenvalues.sum() - 1e-10 * np.abs(run.eigenvalues).sum()
    assert je.metrics.orthonormality_error(better.vectors) < 1e-12
    assert better.vectors.nnz <= run.vectors.nnz
    assert better.rotations is None
    assert better.n_rotations == 0
    assert better.status is (je.Status.REFINED if effort == "quick" else je.Status.EXHAUSTED)
    assert ("effort" in better.status.advice) == (effort == "quick")
    assert better.method.refined_from is not None
    np.testing.assert_allclose(better.eigenvalues, rayleigh(covariance, better.vectors), rtol=1e-12)


def test_a_free_basis_captures_at_least_as_much_as_orthonormal_vectors(covariance, run):
    tied = je.refine(covariance, run, effort="best")
    free = je.refine(covariance, run, effort="best", orthonormal=False)
    captured = [je.metrics.captured_variance(covariance, result.vectors) for result in (tied, free)]
    assert captured[1] >= captured[0] * (1.0 - 1e-9)
    assert free.vectors.nnz <= run.vectors.nnz


def test_refine_keeps_budgets_per_vector(covariance, run):
    better = je.refine(covariance, run, max_nonzeros=5)
    assert np.diff(better.vectors.indptr).max() <= 5


def test_refine_as_an_option_equals_refine_afterwards(covariance, run):
    together = je.sparse_eigsh(covariance, 4, density=0.2, refine=True)
    apart = je.refine(covariance, run, density=0.2)
    assert (together.vectors != apart.vectors).nnz == 0


def test_refine_gives_the_same_bits_twice(covariance, run):
    first, second = (je.refine(covariance, run, effort="best") for _ in range(2))
    assert (first.vectors != second.vectors).nnz == 0


def test_a_refined_result_is_saved_and_loaded_and_cannot_be_truncated(covariance, run, tmp_path):
    better = je.refine(covariance, run)
    better.save(tmp_path / "refined.npz")
    again = je.load(tmp_path / "refined.npz")
    assert (again.vectors != better.vectors).nnz == 0
    assert again.method == better.method
    with pytest.raises(InvalidInputError, match="no chain of rotations"):
        better.truncate(3)


def test_float32_matrices_get_float32_vectors(covariance):
    better = je.sparse_eigsh(covariance.astype(np.float32), 3, density=0.2, refine=True)
    assert better.vectors.dtype == better.eigenvalues.dtype == np.float32


def test_refine_stops_at_the_time_limit_with_the_best_so_far(covariance, run):
    better = je.refine(covariance, run, effort="best", time_limit=1e-9)
    assert better.status is je.Status.TIME_LIMIT
    assert better.eigenvalues.sum() >= run.eigenvalues.sum() * (1.0 - 1e-12)


def test_a_callback_can_stop_the_search(covariance, run):
    stages = []

    def stop(progress):
        stages.append(progress)
        return True

    je.refine(covariance, run, effort="best", callback=stop)
    assert len(stages) >= 1


def test_refine_says_what_is_wrong_with_its_arguments(covariance, run):
    with pytest.raises(InvalidInputError, match="orthonormal"):
        je.refine(covariance, np.ones((40, 2)))
    with pytest.raises(InvalidInputError, match="vectors has shape"):
        je.refine(covariance, np.eye(39)[:, :2])
    with pytest.raises(InvalidInputError, match="vectors has shape"):
        je.refine(covariance, np.empty((40, 0)))
    with pytest.raises(InvalidInputError, match="vectors has a column that is zero"):
        je.refine(covariance, np.zeros((40, 2)))
    with pytest.raises(InvalidInputError, match="vectors has a column that is zero or not finite"):
        je.refine(covariance, np.full((40, 2), np.nan))
    with pytest.raises(InvalidTypeError, match="vectors has dtype complex128"):
        je.refine(covariance, np.eye(40)[:, :2] + 0j)
    with pytest.raises(InvalidInputError, match="max_nonzeros is 0"):
        je.refine(covariance, run, max_nonzeros=0)
    with pytest.raises(InvalidInputError, match="symmetric"):
        je.refine(np.triu(np.ones((40, 40))), run)
    with pytest.raises(InvalidTypeError, match="rng is 'x'"):
        je.refine(covariance, run, rng="x")
    with pytest.raises(InvalidInputError, match="which is 'BE', but a free basis has one end"):
        je.refine(covariance, je.sparse_eigsh(covariance, 2, which="BE", n_rotations=3), orthonormal=False)
    with pytest.raises(InvalidTypeError, match="callback is an int"):
        je.refine(covariance, run, callback=5)
    with pytest.raises(InvalidTypeError, match="orthonormal is 'x'"):
        je.refine(covariance, run, orthonormal="x")
    with pytest.raises(InvalidInputError, match="time_limit"):
        je.refine(covariance, run, time_limit=0.0)
    with pytest.raises(InvalidInputError, match="effort"):
        je.refine(covariance, run, effort="worst")
    with pytest.raises(InvalidInputError, match="density"):
        je.refine(covariance, run, density=0.001)
    with pytest.raises(InvalidInputError, match="refine is 'yes'"):
        je.sparse_eigsh(covariance, 2, refine="yes")
    with pytest.raises(InvalidTypeError, match="polish is 1"):
        je.sparse_eigsh(covariance, 2, polish=1)


@pytest.mark.parametrize("size", [1e-250, 1e250])
def test_huge_and_tiny_entries_change_nothing_but_the_scale(covariance, size):
    plain, scaled = (je.sparse_eigsh(S, 3, density=0.2) for S in (covariance, covariance * size))
    for improve in (je.polish, je.refine):
        expected, found = improve(covariance, plain), improve(covariance * size, scaled)
        np.testing.assert_allclose(found.eigenvalues / size, expected.eigenvalues, rtol=1e-6)
        assert je.metrics.orthonormality_error(found.vectors) < 1e-12


@pytest.mark.parametrize("S", [np.zeros((12, 12)), np.eye(12), np.outer(np.arange(12.0), np.arange(12.0))])
@pytest.mark.parametrize("orthonormal", [True, False])
def test_matrices_with_little_to_improve_end_well(S, orthonormal):
    run = je.sparse_eigsh(S, 8, density=0.3)
    better = je.refine(S, run, effort="best", orthonormal=orthonormal)
    before, after = (je.metrics.captured_variance(S, result.vectors) for result in (run, better))
    assert after >= before - 1e-9 * max(1.0, before)


@pytest.mark.compiled
@pytest.mark.parametrize("cardinality", range(1, 14))
def test_one_component_of_pitprops_is_the_one_that_branch_and_bound_certifies(cardinality):
    S = np.loadtxt(Path(__file__).parents[1] / "data" / "pitprops.csv", delimiter=",")
    certificate = je.baselines.bb(S, 1, cardinality).certificate
    assert certificate is not None
    assert certificate.optimal
    found = je.sparse_eigsh(S, 1, max_nonzeros=cardinality, refine="best").eigenvalues[0]
    assert found >= certificate.upper_bound[0] * (1.0 - 1e-6)
