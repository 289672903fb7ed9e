"""Measures of how good vectors are."""

import numpy as np
import pytest
from matrices import covariance, generic, laplacian
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import jacobeig as je
from jacobeig import metrics
from jacobeig.errors import InvalidInputError

WHICH = ("LA", "SA", "BE")


def wrapped(S):
    return {"array": S, "list": S.tolist(), "sparse": sparse.csr_array(S), "operator": aslinearoperator(S)}


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("p", [1, 3, 8, 20])
def test_the_exact_ends_of_the_spectrum_are_found_for_every_kind_of_matrix(which, dtype, p):
    S = generic(20, dtype)
    values = np.linalg.eigvalsh(S)
    high = {"LA": p, "SA": 0, "BE": (p + 1) // 2}[which]
    expected = np.concatenate([values[::-1][:high], values[: p - high][::-1]])
    if which == "SA":
        expected = expected[::-1]
    for kind, matrix in wrapped(S).items():
        got = metrics.extreme_eigenvalues(matrix, p, which)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9, err_msg=kind)


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_accuracy_is_the_trace_over_the_eigenvalues(which, dtype):
    S = generic(20, dtype)
    values, vectors = np.linalg.eigh(S)
    exact = {"LA": vectors[:, -4:], "SA": vectors[:, :4], "BE": vectors[:, [0, 1, 18, 19]]}[which]
    for matrix in wrapped(S).values():
        assert metrics.accuracy(matrix, exact, which=which) == pytest.approx(1.0, abs=1e-9)
    some = np.linalg.qr(generic(20, dtype, seed=4)[:, :4])[0]
    ends = metrics.extreme_eigenvalues(S, 4, which)
    expected = np.abs(np.diag(some.conj().T @ S @ some).real).sum() / np.abs(ends).sum()
    assert metrics.accuracy(S, some, which=which) == pytest.approx(expected)
    assert metrics.accuracy(S, some, eigenvalues=ends) == pytest.approx(expected)
    assert metrics.accuracy(S, sparse.csc_array(some), eigenvalues=ends.tolist()) == pytest.approx(expected)
    assert values.shape == (20,)


def test_whole_numbers_have_an_accuracy_too():
    L = laplacian(30).astype(int)
    U = np.eye(30)[:, :3]
    for which in WHICH:
        assert metrics.accuracy(sparse.csr_array(L), U, which=which) == pytest.approx(
            metrics.accuracy(L, U, which=which)
        )


def test_the_accuracy_of_a_null_space_is_refused():
    with pytest.raises(InvalidInputError, match="eigenvalues are all zero"):
        metrics.accuracy(np.diag([0.0, 1.0]), [[1.0], [0.0]], which="SA")


@pytest.mark.parametrize("measure", [metrics.accuracy, metrics.captured_variance, metrics.rayleigh_quotients])
def test_vectors_that_do_not_fit_the_matrix_are_refused_with_both_shapes(measure):
    with pytest.raises(InvalidInputError, match=r"\(2, 5\), but the matrix is 5 x 5: .* as in components_.T"):
        measure(np.eye(5), np.eye(5)[:2])
    with pytest.raises(InvalidInputError, match=r"\(5,\), but the matrix is 5 x 5: .* per column\."):
        measure(np.eye(5), np.ones(5))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_captured_variance_depends_on_the_span_alone(dtype):
    S, V = covariance(12, dtype), generic(12, dtype)[:, :3]
    mix = np.array([[1.0, 5.0, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
    Q = np.linalg.qr(V)[0]
    expected = np.trace(Q.conj().T @ S @ Q).real
    for matrix in wrapped(S).values():
        for vectors in (V, V @ mix, sparse.csc_array(V), Q):
            assert metrics.captured_variance(matrix, vectors) == pytest.approx(expected)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_the_subspace_angle_is_that_of_the_paper(dtype):
    U, V = (np.linalg.qr(generic(12, dtype, seed)[:, :3])[0] for seed in (0, 1))
    distance = np.linalg.norm(U - V @ (V.conj().T @ U), 2)
    assert metrics.subspace_angle(U, V) == pytest.approx(np.arcsin(distance))
    assert metrics.subspace_angle(sparse.csc_array(U), V) == pytest.approx(np.arcsin(distance))
    assert metrics.subspace_angle(U, U @ np.linalg.qr(generic(3, dtype))[0]) == pytest.approx(0.0, abs=1e-7)
    E = np.eye(6)
    assert metrics.subspace_angle(E[:, :3], E[:, 3:]) == pytest.approx(np.pi / 2)


def test_density_counts_what_is_not_zero():
    U = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 3.0], [0.0, 0.0]])
    stored = sparse.csc_array((np.array([1.0, 0.0, 2.0]), (np.array([0, 1, 2]), np.array([0, 0, 1]))), shape=(4, 2))
    assert metrics.density(U) == metrics.density(U.tolist()) == metrics.density(sparse.csr_array(U)) == 3 / 8
    assert metrics.density(stored) == 2 / 8


def test_the_orthonormality_error_is_the_largest_entry():
    U = np.array([[1.0, 0.1], [0.0, 1.0]])
    assert metrics.orthonormality_error(U) == metrics.orthonormality_error(sparse.csc_array(U)) == pytest.approx(0.1)
    assert metrics.orthonormality_error([[1j]]) == 0.0


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero", "classic"])
def test_the_quotients_along_a_run_are_those_of_the_run_stopped_there(dtype, pivot):
    S = covariance(14, dtype)
    result = je.sparse_eigsh(S, 3, target="log", pivot=pivot, n_rotations=60)
    quotients = metrics.quotients_along(result)
    assert quotients.shape == (result.n_rotations + 1, 3)
    np.testing.assert_allclose(quotients[-1], result.eigenvalues, rtol=1e-12)
    for k in (0, 1, 7, 30):
        at = result.rotations.truncate(k).to_sparse().toarray()
        np.testing.assert_allclose(quotients[k], np.einsum("ij,ij->j", at.conj(), S @ at).real, rtol=1e-10)


def test_the_quotients_along_a_block_run_are_those_after_each_block():
    S = covariance(16)
    result = je.block_eigsh(S, 3, 10)
    quotients = metrics.quotients_along(result)
    assert quotients.shape == (result.n_rotations + 1, 3)
    np.testing.assert_allclose(quotients.sum(axis=1), result.captured, rtol=1e-12)
    np.testing.assert_allclose(quotients[-1], result.eigenvalues, rtol=1e-12)


def test_a_result_without_its_chain_has_no_quotients_along_it():
    S = covariance(10)
    with pytest.raises(InvalidInputError, match="no chain of rotations"):
        metrics.quotients_along(je.refine(S, je.sparse_eigsh(S, 2, density=0.5)))


@pytest.mark.parametrize("which", WHICH)
def test_repeated_eigenvalues_of_large_sparse_matrices_are_all_found(which):
    part = sparse.csr_array(laplacian(200))
    S = sparse.block_diag([part, part, part], format="csr")  # a graph of three equal parts: products alone see one
    for matrix in (S, aslinearoperator(S)):
        got = metrics.extreme_eigenvalues(matrix, 7, which)
        np.testing.assert_allclose(got, metrics.extreme_eigenvalues(S.toarray(), 7, which), rtol=0, atol=1e-8)


def test_every_part_of_a_graph_has_its_zero():
    parts = [sparse.csr_array(laplacian(600)), sparse.csr_array(laplacian(2)), sparse.csr_array(laplacian(3))]
    S = sparse.block_diag(parts, format="csr")
    got = metrics.extreme_eigenvalues(S, 5, "SA")
    np.testing.assert_allclose(got, np.linalg.eigvalsh(S.toarray())[:5], rtol=0, atol=1e-10)


def test_the_largest_of_a_large_dense_matrix_are_those_of_lapack():
    A = np.random.default_rng(0).standard_normal((40, 1010))
    S = A.T @ A + np.diag(np.r_[np.full(3, 5000.0), np.zeros(1007)])  # three that are almost equal
    np.testing.assert_allclose(metrics.extreme_eigenvalues(S, 6), np.linalg.eigvalsh(S)[:-7:-1], rtol=1e-10)
