"""Products with a few columns and blocks, from every kind of source."""

import numpy as np
import pytest
from samples import draw_sparse
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from jacobeig.errors import InvalidInputError
from jacobeig.sources import CovarianceStream, GramRows, as_source
from jacobeig.sources._symmetry import COMPILED
from jacobeig.sources.products import count_passes, multiply, read_block

N, M = 40, 60
rng = np.random.default_rng(0)
X = rng.standard_normal((M, N)) * rng.uniform(0.5, 2.0, N) + 100.0 * rng.standard_normal(N)
X[:, 7] = 3.0  # a constant column
COUNTS = draw_sparse((M, N), 0.2, 1)
V = rng.standard_normal((N, 3)) * (rng.random((N, 3)) < 0.5)
W = np.array([3, 7, 8, 20, 39])


class Rows:
    """A source of a user's own: nothing but rows."""

    def __init__(self, S):
        self._S, self.shape, self.dtype = S, S.shape, S.dtype

    def diagonal(self):
        return self._S.diagonal().real.copy()

    def rows(self, indices):
        return self._S[indices]


def covariance(X):
    return np.cov(X, rowvar=False)


def stream(X):
    source = CovarianceStream()
    for batch in np.array_split(X, 4):
        source.partial_fit(batch)
    return source


def on_disk(array, folder):
    stored = np.memmap(folder / "array", dtype=array.dtype, mode="w+", shape=array.shape)
    stored[:] = array
    return stored


def cases(folder):
    da = pytest.importorskip("dask.array")
    S, C = covariance(X), covariance(COUNTS.toarray())
    H = S + 1j * (V @ V.T @ np.diag(np.arange(N)) - np.diag(np.arange(N)) @ V @ V.T)
    scaled = np.corrcoef(np.delete(X, 7, axis=1), rowvar=False)
    yield "dense", S, S, 1e-12
    yield "Fortran order", np.asfortranarray(S), S, 1e-12
    yield "single precision", S.astype(np.float32), S, 1e-5
    yield "on disk", on_disk(S, folder), S, 1e-12
    yield "sparse", sparse.csr_array(C * (np.abs(C) > 0.01)), C * (np.abs(C) > 0.01), 1e-12
    yield "operator", aslinearoperator(S), S, 1e-12
    yield "complex", H, H, 1e-12
    yield "data", GramRows(X, form=False), S, 1e-10
    yield "formed data", GramRows(X, form=True), S, 1e-10
    yield "data in single precision", GramRows(X.astype(np.float32), form=False), S, 1e-4
    yield "data on disk", GramRows(on_disk(X, folder), form=False), S, 1e-10
    yield "sparse data", GramRows(COUNTS, form=False), C, 1e-12
    yield "data not centred", GramRows(X, center=False, form=False), X.T @ X / M, 1e-12
    yield "correlations", GramRows(np.delete(X, 7, axis=1), scale=True, form=False), scaled, 1e-10
    yield "stream", stream(X), S, 1e-10
    yield "dask", da.from_array(S, chunks=7), S, 1e-12
    yield "dask data", GramRows(da.from_array(X, chunks=(11, 9)), form=False), S, 1e-10
    yield "rows alone", Rows(S), S, 1e-12
    yield "complex rows alone", Rows(H), H, 1e-12


def test_products_and_blocks_of_every_source_are_those_of_the_matrix(tmp_path):
    for name, given, S, tolerance in cases(tmp_path):
        source, n = as_source(given), len(S)
        scale = np.abs(S).max()
        columns, chosen = V[:n].astype(np.result_type(S.dtype, float)), W[n > W]
        np.testing.assert_allclose(multiply(source, columns), S @ columns, atol=20 * tolerance * scale, err_msg=name)
        block = read_block(source, chosen)
        np.testing.assert_allclose(block, S[np.ix_(chosen, chosen)], atol=tolerance * scale, err_msg=name)
        np.testing.assert_array_equal(block, block.conj().T, err_msg=name)


def test_a_product_or_a_block_of_data_is_one_pass():
    source = GramRows(X, form=False)
    assert count_passes(source) == 1
    multiply(source, V)
    read_block(source, W)
    assert count_passes(source) == 3
    assert count_passes(Rows(covariance(X))) is None


def test_a_product_of_the_wrong_shape_or_with_nan_is_refused():
    class Lying(Rows):
        def product(self, V):
            return V[:-1]

    class Missing(Rows):
        def product(self, V):
            return V * np.nan

    S = covariance(X)
    with pytest.raises(InvalidInputError, match=r"Lying.product returned shape \(39, 3\)"):
        multiply(Lying(S), V)
    with pytest.raises(InvalidInputError, match="Missing is not finite"):
        multiply(Missing(S), V)


@pytest.mark.parametrize("size", [COMPILED - 1, COMPILED])
def test_a_large_block_is_checked_as_small_ones_are_and_is_a_copy(size):
    S, everything = np.ones((size, size)), np.arange(size)
    source = as_source(S)
    block = read_block(source, everything)
    np.testing.assert_array_equal(block, S)
    assert not np.shares_memory(block, S)
    S[900, 3] += 1e-12
    block = read_block(source, everything)
    assert block[900, 3] == block[3, 900] > 1.0
    S[900, 3] = 2.0
    with pytest.raises(InvalidInputError, match="is not symmetric"):
        read_block(source, everything)
    S[900, 3] = np.nan
    with pytest.raises(InvalidInputError, match=r"entry \(900, 3\)"):
        read_block(source, everything)


def test_a_block_that_is_not_symmetric_is_refused():
    class Lopsided(Rows):
        def block(self, indices):
            return np.triu(np.ones((len(indices), len(indices))))

    with pytest.raises(InvalidInputError, match="Lopsided is not symmetric"):
        read_block(Lopsided(covariance(X)), W)
