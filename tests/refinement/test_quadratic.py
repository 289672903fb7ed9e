"""Products and blocks of the form that a refinement raises, on large matrices and nested supports."""

import numpy as np
import pytest
from covariances import random_matrix
from scipy import sparse

from jacobeig.refinement import spectrum
from jacobeig.refinement._masked_product import MaskedProduct
from jacobeig.refinement._quadratic import Quadratic, multiply
from jacobeig.refinement._stiefel import MaskedStiefel


@pytest.mark.parametrize("density", [0.01, 0.5])
def test_a_large_matrix_is_multiplied_by_few_or_many_nonzeros_alike(density: float) -> None:
    rng = np.random.default_rng(0)
    S = rng.standard_normal((1100, 1100))
    S = S + S.T
    V = rng.standard_normal((1100, 4)) * (rng.random((1100, 4)) < density)
    np.testing.assert_allclose(multiply(S, V), S @ V, atol=1e-10)


def test_blocks_on_nested_and_on_other_supports_are_those_of_the_matrix() -> None:
    form = Quadratic.make_plain(random_matrix(20), 2)
    for rows in ([0, 3, 4, 9, 15], [0, 4, 15], [0, 4, 15], [4, 15, 19], [1]):
        at = np.array(rows)
        np.testing.assert_array_equal(form.take_block(0, at), form.S[np.ix_(at, at)])


def test_the_largest_diagonal_entry_is_found_without_the_diagonal_of_every_column() -> None:
    S = random_matrix(20) - 3.0 * np.eye(20)
    for shift in (0.0, 5.0):
        form = Quadratic(S=S, weights=np.array([1.0, 2.0, -0.5]), shifts=shift * np.arange(3.0), offset=0.0)
        assert form.largest_diagonal() == np.abs(form.diagonal()).max()


@pytest.mark.parametrize("density", [0.05, 0.2])
def test_products_on_a_mask_are_the_same_by_the_blocks_of_a_sparse_matrix(density: float) -> None:
    S, mask = random_matrix(60), np.random.default_rng(0).random((60, 5)) < density
    S[np.abs(S) < np.quantile(np.abs(S), 0.7)] = 0.0
    space, u = MaskedStiefel(mask), np.random.default_rng(1).standard_normal(int(mask.sum()))
    product = MaskedProduct(Quadratic.make_plain(sparse.csr_array(S), 5), space)
    assert product.blocks
    np.testing.assert_allclose(product(u), space.pack(S @ space.unpack(u)), atol=1e-12)


@pytest.mark.parametrize("least", [0.5, -0.8])
def test_the_shift_of_a_long_matrix_makes_it_semidefinite_and_is_hardly_more_than_that_takes(
    monkeypatch: pytest.MonkeyPatch, least: float
) -> None:
    monkeypatch.setattr(spectrum, "LONG", 50)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((60, 60)))[0]
    shift = spectrum.psd_shift((Q * np.linspace(least, 10.0, 60)) @ Q.T)
    assert max(0.0, -least) <= shift < max(0.0, -least) + 0.1


def test_rough_eigenvectors_capture_almost_as_much_as_exact_ones() -> None:
    S = random_matrix(200).astype(np.float32)
    V, exact = spectrum.find_rough_leading(S, 4), np.linalg.eigvalsh(S)[-4:].sum()
    assert np.abs(V.T @ V - np.eye(4)).max() < 1e-12
    assert np.sum(V * (S @ V)) > 0.99 * exact
