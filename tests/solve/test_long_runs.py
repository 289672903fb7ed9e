"""Runs of very many rotations: they stay orthonormal, and end when what is left to gain is rounding."""

import numpy as np
import pytest
from figures import record
from scipy import sparse

import jacobeig as je
from jacobeig import Status
from jacobeig.solve._tolerances import estimate_left


def loss_of_orthonormality(result):
    U = result.vectors.toarray()
    return np.abs(U.T @ U - np.eye(U.shape[1])).max()


@pytest.mark.slow
@pytest.mark.parametrize("pivot", ["cyclic", "random"])
def test_a_million_rotations_keep_vectors_orthonormal(pivot):
    S = je.datasets.random_covariance(500, rng=0)
    result = je.sparse_eigsh(S, 10, n_rotations=10**6, pivot=pivot, rng=0, tol=0)
    assert result.n_rotations == 10**6
    assert loss_of_orthonormality(result) < 1e-12
    identity = result.rotations.analyse(result.vectors.toarray())
    assert np.abs(identity - np.eye(10)).max() < 1e-12
    record("rotations", rotations=10**6, n=500, error=loss_of_orthonormality(result))


@pytest.mark.slow
@pytest.mark.parametrize("angle", [1e-10, 1e-9, 3e-9, 1e-8, 1e-5, 1e-2, 1.0])
def test_ten_million_equal_rotations_keep_vectors_orthonormal(angle):
    k, n = 10**7, 4
    chain = je.RotationSequence(
        n=n,
        pivots=np.random.default_rng(0).permuted(np.tile([0, 1, 2, 3], (k, 1)), axis=1)[:, :2].copy(),
        cosines=np.full(k, np.cos(angle)),
        sines=np.full(k, np.sin(angle)),
        coordinates=[0, 1, 2],
    )
    U = chain.to_sparse().toarray()
    assert np.abs(U.T @ U - np.eye(3)).max() < 1e-12
    record("rotations", rotations=k, n=n, error=float(np.abs(U.T @ U - np.eye(3)).max()))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_analyse_undoes_synthesise_at_every_angle(dtype):
    rng = np.random.default_rng(0)
    angles = np.concatenate([rng.uniform(-1.5, 1.5, 200), rng.uniform(-1e-8, 1e-8, 200), np.zeros(5)])
    phases = np.exp(1j * rng.uniform(0, 6, 405)) if dtype == np.complex128 else 1.0
    pivots = np.array([rng.choice(8, 2, replace=False) for _ in angles])
    chain = je.RotationSequence(
        n=8, pivots=pivots, cosines=np.cos(angles), sines=np.sin(angles) * phases, coordinates=range(8), dtype=dtype
    )
    G = np.eye(8, dtype=dtype)
    for (i, j), c, s in zip(pivots, chain.cosines, chain.sines, strict=True):
        G[:, [i, j]] = G[:, [i, j]] @ np.array([[c, -np.conj(s)], [s, c]])
    np.testing.assert_allclose(chain.to_sparse().toarray(), G, atol=1e-13)
    np.testing.assert_allclose(chain.analyse(G), np.eye(8), atol=1e-13)


def grid(a, b):
    def path(m):
        degrees, edges = np.r_[1, np.full(m - 2, 2.0), 1], -np.ones(m - 1)
        return sparse.diags_array([degrees, edges, edges], offsets=[0, 1, -1])

    return (sparse.kron(path(a), sparse.eye_array(b)) + sparse.kron(sparse.eye_array(a), path(b))).tocsr()


@pytest.mark.parametrize("size", [(20, 20), (50, 50)])  # dense and sparse rows
def test_a_run_ends_when_what_is_left_is_rounding(size):
    L = grid(*size)
    n = L.shape[0]
    result = je.sparse_eigsh(L, 4, which="SA", density=0.05)
    to_the_end = je.extend(L, result, density=0.05, tol=0)
    assert result.n_rotations < 0.95 * to_the_end.n_rotations
    assert result.status is Status.DENSITY  # more nonzeros would help
    rounding = np.finfo(float).eps * 4.0  # of the largest entry, for each rotation
    assert to_the_end.gains[result.n_rotations :].sum() <= 1.1 * result.n_rotations * rounding
    assert result.gains.min() > rounding / (4 * n)
    left = result.eigenvalues.sum() - to_the_end.eigenvalues.sum()
    assert left <= 1.1 * result.n_rotations * rounding


def test_a_settled_run_is_not_extended_by_asking_again():
    L = grid(50, 50)
    result = je.sparse_eigsh(L, 4, which="SA", density=0.05)
    assert result.n_rotations % 1000 == 0  # where it is seen whether a run has settled
    assert je.extend(L, result, density=0.05).n_rotations == result.n_rotations
    in_parts = je.extend(L, je.sparse_eigsh(L, 4, which="SA", density=0.05, n_rotations=1234), density=0.05)
    np.testing.assert_array_equal(in_parts.rotations.pivots, result.rotations.pivots)


def test_a_run_that_still_gains_nonzeros_or_falls_slowly_has_not_settled():
    falling = 0.99 ** np.arange(4000)
    assert estimate_left(falling, np.full(4000, 9)) == pytest.approx(falling[-1] * 0.99 / 0.01, rel=1e-6)
    assert estimate_left(falling, np.arange(4000)) == np.inf
    assert estimate_left(np.ones(4000), np.full(4000, 9)) == np.inf
    assert estimate_left(falling[:5], np.full(5, 9)) == np.inf


@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero"])  # the others pass over single pairs
def test_the_run_that_ends_is_the_beginning_of_the_one_that_goes_on(pivot):
    S = je.datasets.random_covariance(40, rng=0)
    options = {"pivot": pivot, "max_nonzeros": 12, "n_rotations": 10**5, "rng": 0}
    result, further = je.sparse_eigsh(S, 3, **options), je.sparse_eigsh(S, 3, tol=0, **options)
    assert result.status is further.status is Status.MAX_NONZEROS
    k = result.n_rotations
    assert k < further.n_rotations
    np.testing.assert_array_equal(further.rotations.pivots[:k], result.rotations.pivots)
    np.testing.assert_array_equal(further.rotations.cosines[:k], result.rotations.cosines)


@pytest.mark.parametrize("options", [{}, {"density": 1.0}, {"max_nonzeros": 15}])
def test_without_a_budget_that_binds_runs_go_on_to_the_eigenvectors(options):
    S = je.datasets.random_covariance(15, rng=0)
    result = je.sparse_eigsh(S, 3, target="log", n_rotations=10**5, **options)
    U = result.vectors.toarray()
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(S @ U, U * result.eigenvalues, rtol=0, atol=1e-10 * np.linalg.norm(S, 2))


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize(("weights", "same"), [([1e-30, 2e-30], [1.0, 2.0]), ([1e30, 1e28], [100.0, 1.0])])
def test_the_end_does_not_depend_on_the_units(scale, weights, same):
    S = je.datasets.random_covariance(30, rng=0)
    plain = je.sparse_eigsh(S, 2, target=same, max_nonzeros=10)
    other = je.sparse_eigsh(S * scale, 2, target=weights, max_nonzeros=10)
    assert other.status is plain.status is Status.MAX_NONZEROS
    assert abs(other.n_rotations - plain.n_rotations) <= 0.05 * plain.n_rotations


@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero", "cyclic", "random", "offdiagonal", "classic"])
@pytest.mark.parametrize("target", ["ones", "log", "adaptive"])
def test_every_rule_ends_by_itself(pivot, target):
    S = je.datasets.random_covariance(15, rng=0)
    result = je.sparse_eigsh(S, 3, pivot=pivot, target=target, n_rotations=10**5, rng=0)
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(result.eigenvalues.sum(), np.linalg.eigvalsh(S)[-3:].sum(), rtol=1e-9)
