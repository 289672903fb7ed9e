import numpy as np
import pytest

from jacobeig.sources.krylov import build_krylov


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("width", [1, 3])
def test_a_krylov_space_sees_the_matrix_as_it_is(dtype, width):
    rng = np.random.default_rng(0)
    S = rng.standard_normal((40, 40)).astype(dtype)
    S = S + (1j * rng.standard_normal((40, 40)) if S.dtype.kind == "c" else 0)
    S = ((S + S.conj().T) / 2).astype(dtype)
    start = rng.standard_normal((40, width)).astype(dtype)
    span = np.linalg.qr(rng.standard_normal((40, 5)))[0].astype(dtype)
    space = build_krylov(S.__matmul__, start, 4, span)
    B, eps = space.basis.T, 100 * float(np.finfo(dtype).eps)
    assert B.shape == (40, 4 * width)
    np.testing.assert_allclose(B.conj().T @ B, np.eye(4 * width), atol=eps)
    np.testing.assert_allclose(span.conj().T @ B, 0, atol=eps)
    np.testing.assert_allclose(np.triu(space.inner), np.triu(B.conj().T @ S @ B), atol=10 * eps)
    image = S @ B - span @ (span.conj().T @ S @ B)
    assert space.outside == pytest.approx(np.linalg.norm(image - B @ (B.conj().T @ image)), rel=10 * eps)


def test_a_krylov_space_ends_where_products_no_longer_leave_it():
    S = np.diag([1.0, 2.0, 3.0, 4.0])
    space = build_krylov(S.__matmul__, np.array([[1.0], [0.0], [1.0], [0.0]]), 4)
    np.testing.assert_allclose(np.linalg.eigvalsh(space.inner, UPLO="U"), [1.0, 3.0])
    assert space.outside < 1e-14


def test_a_start_within_the_span_makes_no_space():
    span = np.eye(4)[:, :2]
    assert build_krylov(np.eye(4).__matmul__, span[:, :1], 3, span).basis.shape == (0, 4)
