"""Matrices on which nothing is left to do: every run ends by itself, at vectors that are right."""

import itertools

import numpy as np
import pytest
import tolerances
from matrices import covariance, integers, laplacian, projection, rank_one
from reference import RULES

import jacobeig as je
from jacobeig.results.result import Status

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
@pytest.mark.parametrize("single", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_runs_end_by_themselves_far_before_their_last_rotation(name, pivot, target, single):
    S = ENDINGS[name]
    n, dtype = len(S), S.dtype
    if single:
        dtype = np.dtype(np.complex64 if dtype.kind == "c" else np.float32)
    for which, p in itertools.product(("LA", "SA", "BE"), sorted({1, 2, n - 1, n})):
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
