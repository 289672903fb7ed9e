"""`certify` by its arguments, on the data that its figures are stated for, and where it proves vectors optimal."""

import os
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import jacobeig as je

PITPROPS = Path(__file__).parents[2] / "data" / "pitprops.csv"


@cache
def matrix_of(name):
    if name == "pitprops":
        return np.loadtxt(PITPROPS, delimiter=",")
    datasets = pytest.importorskip("sklearn.datasets")
    loaders = {"wine": datasets.load_wine, "cells": datasets.load_breast_cancer, "digits": datasets.load_digits}
    X = loaders[name]().data
    return np.cov(X, rowvar=False) if name == "digits" else np.corrcoef(X, rowvar=False)


def run(name, p, k, **options):
    S = matrix_of(name)
    return S, je.sparse_eigsh(S, p, max_nonzeros=k, refine=True, **options)


def test_a_result_is_certified_by_the_budget_that_its_vectors_show():
    S, result = run("pitprops", 2, 5)
    certificate = je.certify(S, result)
    assert certificate.budgets.max_nonzeros == 5
    assert certificate.budgets.total_nonzeros is None
    assert certificate.captured == pytest.approx(result.eigenvalues.sum(), rel=1e-12)
    assert certificate.bound >= certificate.captured


def test_vectors_with_different_counts_show_a_budget_for_all():
    S = matrix_of("pitprops")
    result = je.sparse_eigsh(S, 3, density=0.3, refine=True)
    certificate = je.certify(S, result)
    counts = np.diff(result.vectors.indptr)
    assert len(set(counts)) > 1
    assert certificate.budgets.total_nonzeros == counts.sum()
    assert certificate.captured <= certificate.bound < np.linalg.eigvalsh(S)[-3:].sum()


def test_both_budgets_bound_no_more_than_either():
    S, options = matrix_of("pitprops"), {"n_components": 3}
    each, total = je.certify(S, max_nonzeros=4, **options).bound, je.certify(S, density=0.25, **options).bound
    both = je.certify(S, max_nonzeros=4, density=0.25, **options)
    assert both.budgets.total_nonzeros == 9
    assert both.bound <= min(each, total) * (1 + 1e-4)


def test_the_small_end_is_bounded_from_below():
    S, result = run("pitprops", 2, 4, which="SA")
    certificate = je.certify(S, result)
    assert certificate.which == "SA"
    assert np.linalg.eigvalsh(S)[:2].sum() <= certificate.bound <= certificate.captured
    assert "capture less than" in certificate.claim
    assert certificate.verify(S) == pytest.approx(certificate.bound, rel=1e-9)
    mirrored = je.certify(-S, n_components=2, max_nonzeros=4)
    assert mirrored.bound == -certificate.bound


def test_a_free_basis_gets_the_part_that_holds_for_it():
    S, result = run("pitprops", 3, 2)
    free = np.zeros((13, 3))
    free[[0, 1], 0] = free[[1, 8], 1] = free[[2, 3], 2] = 1.0
    certificate = je.certify(S, free)
    assert certificate.kind == "union"
    assert certificate.budgets.free
    assert not certificate.Z.any()
    assert certificate.captured <= certificate.bound < np.linalg.eigvalsh(S)[-3:].sum()
    assert "orthonormal or not" in certificate.claim
    assert certificate.verify(S) == pytest.approx(certificate.bound, rel=1e-9)
    assert je.certify(S, result).bound < certificate.bound


def test_the_bound_for_all_bases_can_be_asked_for():
    S, result = run("pitprops", 3, 2)
    everything = je.certify(S, result, orthonormal=False)
    assert everything.kind == "union"
    assert everything.bound == je.certify(S, n_components=3, max_nonzeros=2, orthonormal=False).bound
    with pytest.raises(je.errors.InvalidInputError, match="orthonormal is True, but"):
        je.certify(S, np.ones((13, 2)), orthonormal=True)


def test_budgets_that_allow_everything_give_the_sum_of_the_largest_eigenvalues():
    S = matrix_of("pitprops")
    certificate = je.certify(S, je.sparse_eigsh(S, 3))
    assert certificate.kind == "spectrum"
    assert certificate.bound == pytest.approx(np.linalg.eigvalsh(S)[-3:].sum(), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_scale_of_the_matrix_does_not_matter(scale):
    S, result = run("pitprops", 2, 5)
    certificate = je.certify(S * scale, result.vectors)
    assert certificate.bound == pytest.approx(je.certify(S, result).bound * scale, rel=1e-3)
    assert certificate.verify(S * scale) == pytest.approx(certificate.bound, rel=1e-9)


@pytest.mark.parametrize("matrix", [np.zeros((4, 4)), np.eye(1), -np.eye(3), np.ones((5, 5))])
@pytest.mark.parametrize("effort", ["quick", "best"])
def test_degenerate_matrices_have_a_bound_too(matrix, effort):
    certificate = je.certify(matrix, n_components=1, max_nonzeros=1, effort=effort)
    assert certificate.bound == pytest.approx(matrix.diagonal().max(), abs=1e-3)
    assert certificate.bound >= matrix.diagonal().max()


def test_sparse_matrices_and_sources_are_taken():
    from scipy import sparse

    S = matrix_of("pitprops")
    bound = je.certify(S, n_components=2, max_nonzeros=3).bound
    assert je.certify(sparse.csr_array(S), n_components=2, max_nonzeros=3).bound == bound


def test_a_bound_is_returned_however_short_the_time():
    S = je.datasets.random_covariance(300, rng=0)
    start = time.perf_counter()
    certificate = je.certify(S, n_components=5, max_nonzeros=20, time_limit=1e-6)
    assert certificate.bound <= np.linalg.eigvalsh(S)[-5:].sum() * (1 + 1e-9)
    assert certificate.seconds <= time.perf_counter() - start


def test_the_bound_repeats_to_the_bit():
    S = matrix_of("wine")
    one, other = (je.certify(S, n_components=2, max_nonzeros=5) for _ in range(2))
    assert one.bound == other.bound


def test_progress_goes_to_standard_error(capsys):
    pytest.importorskip("rich")
    je.certify(matrix_of("wine"), n_components=2, max_nonzeros=5, progress=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "n_components is None and there is no result"),
        ({"n_components": 14}, "n_components is 14, but the matrix is 13 x 13: give at most 13"),
        ({"n_components": 2, "max_nonzeros": 0}, "max_nonzeros is 0"),
        ({"n_components": 2, "density": 1.5}, "density is 1.5"),
        ({"n_components": 2, "density": 0.01}, "every vector needs one"),
        ({"n_components": 2, "which": "BE"}, "which is 'BE'"),
        ({"n_components": 2, "effort": "most"}, "effort is 'most'"),
        ({"n_components": 2, "time_limit": 0}, "time_limit is 0"),
        ({"n_components": 2, "result": np.eye(13)[:, :3]}, "but result has 3"),
        ({"result": np.eye(12)[:, :3]}, "vectors of length 12"),
        ({"result": np.zeros((13, 2))}, "not zero in each column"),
        ({"result": np.ones((13, 1)), "max_nonzeros": 4}, "up to 13 nonzeros in a vector"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(je.errors.JacobeigError, match=message):
        je.certify(matrix_of("pitprops"), **options)


def test_both_ends_and_complex_results_are_refused():
    S = matrix_of("pitprops")
    with pytest.raises(je.errors.InvalidInputError, match="both ends"):
        je.certify(S, je.sparse_eigsh(S, 2, which="BE"))
    real = je.sparse_eigsh(S, 2)
    with pytest.raises(je.errors.InvalidTypeError, match="complex"):
        je.certify(S, replace(real, vectors=real.vectors.astype(complex)))


def test_an_estimator_is_as_good_as_its_result():
    X = np.random.default_rng(0).standard_normal((40, 8))
    model = pytest.importorskip("jacobeig.estimators.pca").JacobiPCA(2, max_nonzeros=3).fit(X)
    S = np.cov(X, rowvar=False)
    assert je.certify(S, model).bound == je.certify(S, model.decomposition_).bound
    with pytest.raises(je.errors.InvalidTypeError, match=r"shape \(2, 8\); give .* not zero in each column"):
        je.certify(S, model.components_)


@pytest.mark.parametrize(("name", "p", "k", "most"), [("pitprops", 2, 5, 5.86), ("wine", 2, 5, 6.00)])
def test_the_relaxation_is_as_tight_as_stated(name, p, k, most):
    assert je.certify(matrix_of(name), n_components=p, max_nonzeros=k).bound <= most


@pytest.mark.slow
@pytest.mark.parametrize(("p", "k", "gap"), [(3, 10, 0.060), (10, 6, 0.102)])
def test_digits_are_within_the_stated_gap(p, k, gap):
    S, result = run("digits", p, k)
    certificate = je.certify(S, result, max_nonzeros=k, effort="best")
    assert certificate.gap <= gap
    assert je.metrics.orthonormality_error(certificate.vectors) <= 1e-12


def gaps_of(effort):
    """Gaps on standard data, k no more than the number of features."""
    for name, n in (("pitprops", 13), ("wine", 13), ("cells", 30), ("digits", 64)):
        for p in (2, 3):
            for k in (5, 10, 20):
                if k < n:
                    S = matrix_of(name)
                    result = je.sparse_eigsh(S, p, max_nonzeros=k, refine="best")
                    yield je.certify(S, result, max_nonzeros=k, effort=effort, time_limit=60).gap


@pytest.mark.attack
def test_the_mean_gap_on_standard_data_is_as_stated():
    assert np.mean(list(gaps_of("quick"))) <= 0.03
    assert np.mean(list(gaps_of("best"))) <= 0.015


PROVED = [(p, k) for p in (2, 3) for k in (2, 3, 4, 5, 6)] + [(4, 3), (6, 2)]


@pytest.mark.parametrize(
    ("p", "k"), [pytest.param(p, k, marks=pytest.mark.slow if p * k > 12 else ()) for p, k in PROVED]
)
def test_pitprops_is_proved_optimal(p, k):
    S = matrix_of("pitprops")
    certificate = je.certify(S, n_components=p, max_nonzeros=k, effort="best")
    assert certificate.gap <= 1e-4
    assert certificate.verify(S) <= certificate.bound * (1 + 1e-12)
    U = certificate.vectors
    assert je.metrics.orthonormality_error(U) <= 1e-12
    assert np.diff(U.indptr).max() <= k
    assert np.sum(U.toarray() * (S @ U.toarray())) == pytest.approx(certificate.captured, rel=1e-12)


def test_better_vectors_are_returned_than_those_given():
    S = matrix_of("pitprops")
    poor = np.eye(13)[:, :2]
    certificate = je.certify(S, poor, max_nonzeros=3, effort="best")
    assert certificate.captured == pytest.approx(4.678843949, abs=1e-8)
    assert certificate.gap <= 1e-4


def test_the_small_end_is_proved_optimal_too():
    S = matrix_of("pitprops")
    certificate = je.certify(S, n_components=2, max_nonzeros=2, which="SA", effort="best")
    assert certificate.gap <= 1e-4
    assert certificate.bound <= certificate.captured
    assert certificate.verify(S) >= certificate.bound * (1 - 1e-9)


@pytest.mark.parametrize("orthonormal", [True, False])
def test_more_effort_never_gives_a_worse_bound(orthonormal):
    S = matrix_of("pitprops")
    start = je.sparse_eigsh(S, 3, density=0.25)
    result = start if orthonormal else je.refine(S, start, orthonormal=False)
    quick, best = (je.certify(S, result, density=0.25, effort=effort) for effort in ("quick", "best"))
    assert best.gap <= quick.gap
    assert best.captured >= quick.captured
    assert best.verify(S) == pytest.approx(best.bound, rel=1e-9)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_one_component_is_proved_optimal(k):
    exact = {1: 1.0, 3: 2.475331, 5: 3.406155}
    certificate = je.certify(matrix_of("pitprops"), n_components=1, max_nonzeros=k, effort="best")
    assert certificate.captured == pytest.approx(exact[k], abs=1e-6)
    assert certificate.gap <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(("k", "gap"), [(5, 0.060), (13, 0.145)])
def test_usps_is_within_the_stated_gap(k, gap):
    path = Path(os.environ.get("JACOBEIG_DATA", ".")) / "usps.npz"
    if not path.exists():
        pytest.skip("usps.npz is not in the folder that JACOBEIG_DATA names")
    X = je.datasets.load_usps(path).pixels
    S = np.cov(X, rowvar=False)
    result = je.sparse_eigsh(S, 20, max_nonzeros=k, refine=True)
    assert je.certify(S, result, max_nonzeros=k).gap <= gap
