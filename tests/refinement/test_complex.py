"""Refinement of complex Hermitian matrices: the same search as for real ones, on complex entries."""

import numpy as np
import pytest
from matrices import covariance

import jacobeig as je
from jacobeig.refinement._columnwise import columnwise
from jacobeig.refinement._joint import Orthonormal
from jacobeig.refinement._quadratic import Quadratic
from jacobeig.refinement._stiefel import MaskedStiefel, multiply_real, restore


def magnetic_laplacian(n, seed=0):
    """Of a directed graph of nearest neighbours."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    distances = np.sum((points[:, None] - points) ** 2, axis=2)
    A = np.zeros((n, n))
    np.put_along_axis(A, np.argsort(distances, axis=1)[:, 1:5], 1.0, axis=1)
    W = (A + A.T) / 2
    return np.diag(W.sum(axis=0)) - W * np.exp(0.5j * np.pi * (A - A.T))


def draw_entries(size, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(size) + 1j * rng.standard_normal(size)


def draw_mask(density, shape=(24, 4)):
    mask = np.random.default_rng(1).random(shape) < density
    mask[np.arange(shape[1]), np.arange(shape[1])] = True
    return mask


@pytest.mark.parametrize("density", [0.15, 0.7])
def test_the_equations_of_complex_entries_fit_together(density):
    space = MaskedStiefel(draw_mask(density), np.complex128)
    u, v = (draw_entries(len(space.row), seed) for seed in (0, 1))
    gram = space.unpack(u).conj().T @ space.unpack(v)
    np.testing.assert_allclose(
        space.symmetric(space._derivative(u, v)), np.where(space.equation >= 0, gram + gram.conj().T, 0) / 2, atol=1e-12
    )
    z = space._derivative(v, v) + space._derivative(u, v)
    assert multiply_real(space._derivative(u, v), z) == pytest.approx(multiply_real(v, space.combine(u, z)))
    space.move_to(u)
    np.testing.assert_allclose(space._derivative(u, space._adjoint(space._solve(z, 0.0))), z, rtol=1e-8, atol=1e-8)
    tangent = space.tangent(v)
    np.testing.assert_allclose(space._derivative(u, tangent), 0.0, atol=1e-8)


def test_complex_vectors_are_brought_back_to_orthonormality_on_their_mask():
    mask = draw_mask(0.5)
    U = restore(MaskedStiefel(mask, np.complex128).unpack(draw_entries(mask.sum())), mask)
    assert np.abs(U.conj().T @ U - np.eye(4)).max() < 1e-12
    assert not U[~mask].any()


def test_all_columns_at_once_reach_more_than_one_after_the_other():
    S, mask = covariance(24, np.complex128), draw_mask(0.5)
    U = restore(MaskedStiefel(mask, np.complex128).unpack(draw_entries(mask.sum())), mask)
    form = Quadratic.make_plain(S, 4)
    apart = columnwise(form, U, mask=mask, sweeps=50)
    together = Orthonormal(form).climb(apart.vectors, mask, 200)
    assert together.value > apart.value * (1 + 1e-3)
    assert together.value == pytest.approx(form.measure(together.vectors), rel=1e-12)


@pytest.mark.parametrize("effort", ["quick", "best"])
@pytest.mark.parametrize(("which", "target"), [("LA", "ones"), ("SA", "ones"), ("BE", "ones"), ("SA", "log")])
def test_complex_results_keep_every_promise(which, target, effort):
    S = magnetic_laplacian(40)
    run = je.sparse_eigsh(S, 4, which=which, target=target, density=0.2)
    better, again = (je.refine(S, run, effort=effort) for _ in range(2))
    assert np.array_equal(better.vectors.toarray(), again.vectors.toarray())
    assert better.vectors.nnz <= run.vectors.nnz
    assert je.metrics.orthonormality_error(better.vectors) < 1e-12
    U = better.vectors.toarray()
    np.testing.assert_allclose(better.eigenvalues, np.sum(U.conj() * (S @ U), axis=0).real, rtol=1e-10)
    assert better.target @ better.eigenvalues > run.target @ run.eigenvalues


def test_modes_of_a_directed_graph_come_near_the_exact_ones():
    S = magnetic_laplacian(80)
    run = je.sparse_eigsh(S, 6, which="SA", density=0.15)
    quick, best = (je.refine(S, run, effort=effort).eigenvalues.sum() for effort in ("quick", "best"))
    exact = np.linalg.eigvalsh(S)[:6].sum()
    assert exact <= best <= quick < exact + 0.5 * (run.eigenvalues.sum() - exact)


def test_a_limit_of_each_complex_vector_is_kept():
    S = covariance(30, np.complex128)
    better = je.sparse_eigsh(S, 5, max_nonzeros=4, refine=True)
    assert np.diff(better.vectors.indptr).max() <= 4
    assert better.eigenvalues.sum() > je.sparse_eigsh(S, 5, max_nonzeros=4).eigenvalues.sum()
