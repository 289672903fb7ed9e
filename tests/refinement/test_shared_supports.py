"""Columns that share a support become axes: eigenvectors at full density, Ritz vectors on shared supports."""

import numpy as np
import pytest
from scipy import sparse

import jacobeig as je
from jacobeig.refinement import find_alike, turn_alike


def covariance(n, *, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * n, n)) * np.linspace(3.0, 0.5, n)
    X = X + 1j * rng.standard_normal((2 * n, n)) if np.dtype(dtype).kind == "c" else X
    return X.conj().T @ X / (2 * n)


def as_columns(vectors):
    return vectors.toarray() if sparse.issparse(vectors) else np.asarray(vectors)


def angles(U, V):
    """Return how far columns are from each other, up to sign or phase."""
    return 1 - np.abs(np.sum(as_columns(U).conj() * as_columns(V), axis=0))


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("n", [24, 150])
@pytest.mark.parametrize("which", ["LA", "SA", "BE"])
def test_full_density_gives_the_eigenvectors(which, n, dtype):
    S = covariance(n, dtype=dtype)
    result = je.sparse_eigsh(S, 5, which=which, density=1.0, refine=True)
    values, V = np.linalg.eigh(S)
    at = {"LA": [-1, -2, -3, -4, -5], "SA": [0, 1, 2, 3, 4], "BE": [-1, -2, -3, 1, 0]}[which]
    np.testing.assert_allclose(result.eigenvalues, values[at], rtol=1e-9)
    assert angles(result.vectors, V[:, at]).max() < 1e-9
    assert je.metrics.orthonormality_error(result.vectors) < 1e-12


@pytest.mark.compiled
def test_pca_at_full_density_has_the_axes_of_pca():
    X = np.random.default_rng(1).standard_normal((90, 40)) * np.linspace(2.0, 0.5, 40)
    model = je.JacobiPCA(6, density=1.0).fit(X)
    _, singular, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert angles(model.components_.T, axes[:6].T).max() < 1e-10
    np.testing.assert_allclose(model.explained_variance_, singular[:6] ** 2 / 89, rtol=1e-10)


@pytest.mark.compiled
@pytest.mark.parametrize("orthonormal", [True, False])
def test_given_vectors_of_full_density_are_replaced_by_the_best_ones(orthonormal):
    S = covariance(40)
    given = np.linalg.qr(np.random.default_rng(2).standard_normal((40, 4)))[0]
    result = je.refine(S, given, orthonormal=orthonormal)
    assert je.metrics.captured_variance(S, result.vectors) == pytest.approx(np.linalg.eigvalsh(S)[-4:].sum(), rel=1e-9)


@pytest.mark.compiled
def test_columns_on_the_same_block_are_its_leading_eigenvectors():
    S = np.zeros((30, 30))
    blocks = [slice(0, 6), slice(6, 12)]
    for seed, block in enumerate(blocks):
        S[block, block] = covariance(6, seed=seed)
    S[12:, 12:] = 1e-3 * np.eye(18)
    result = je.sparse_eigsh(S, 4, density=24 / 120, refine=True)
    expected = np.sort(np.concatenate([np.linalg.eigvalsh(S[block, block]) for block in blocks]))[::-1][:4]
    inner = result.vectors.T @ (S @ result.vectors.toarray())
    groups = find_alike(result.vectors)
    assert groups
    for group in groups:
        block = inner[np.ix_(group, group)]
        np.testing.assert_allclose(block, np.diag(block.diagonal()), atol=1e-12)
    assert result.eigenvalues.sum() <= expected.sum() * (1 + 1e-12)


def test_groups_are_columns_with_the_same_rows_only():
    U = sparse.csc_array(np.array([[1.0, 0, 1, 0, 0], [1, 1, 1, 0, 2], [0, 1, 0, 1, 0], [0, 1, 0, 0, 0]]))
    assert [group.tolist() for group in find_alike(U)] == [[0, 2]]


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("weights", [np.ones(4), np.array([0.5, 2.0, -1.0, 1.0]), -np.ones(4)])
def test_a_turn_keeps_the_span_and_orders_quotients_as_the_weights_are(weights, dtype):
    S = covariance(12, dtype=dtype)
    U = np.zeros((12, 4), dtype)
    for columns, rows in (([0, 1, 2], slice(0, 7)), ([3], slice(7, 12))):
        U[rows, columns] = np.linalg.qr(covariance(12, dtype=dtype, seed=1)[rows][:, columns])[0]
    inner = U.conj().T @ S @ U
    turned = turn_alike(sparse.csc_array(U), inner, [np.array([0, 1, 2])], weights).toarray()
    np.testing.assert_allclose(turned @ turned.conj().T, U @ U.conj().T, atol=1e-13)
    np.testing.assert_array_equal(turned[:, 3], U[:, 3])
    quotients = np.diag(turned.conj().T @ S @ turned).real
    np.testing.assert_allclose(np.sort(quotients[:3]), np.linalg.eigvalsh(inner[:3, :3]), rtol=1e-10)
    assert weights @ quotients >= weights @ np.diag(inner).real - 1e-12
    if len(set(weights)) > 1:
        assert np.argmax(quotients[:3]) == np.argmax(weights[:3])


@pytest.mark.compiled
def test_chains_are_not_turned():
    S = covariance(20)
    chain = je.sparse_eigsh(S, 3, density=1.0)
    assert chain.rotations is not None
    inner = chain.vectors.T @ (S @ chain.vectors.toarray())
    np.testing.assert_allclose(chain.vectors.toarray(), chain.rotations.to_sparse().toarray(), atol=1e-14)
    assert np.abs(inner - np.diag(np.diag(inner))).max() > 1e-9
