"""Projections of samples on sparse vectors."""

import numpy as np
import pytest
from scipy import sparse

from jacobeig._kernels.projection import project


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("n_samples", [0, 1, 3, 4, 5, 8, 11])
def test_the_same_as_a_product_of_matrices(dtype, n_samples):
    rng = np.random.default_rng(n_samples)
    n, nonzeros = 12, (0, 1, 3, 4, 5, 8, 11)
    X, V = rng.standard_normal((n_samples, n)), np.zeros((n, len(nonzeros)))
    if np.dtype(dtype).kind == "c":
        X = X + 1j * rng.standard_normal(X.shape)
        V = V.astype(dtype)
    for t, count in enumerate(nonzeros):
        V[rng.permutation(n)[:count], t] = rng.standard_normal(count)
    columns = sparse.csc_array(V.astype(dtype))
    out = np.full((n_samples, len(nonzeros)), np.nan, dtype)
    starts, indices = columns.indptr.astype(np.uint64), columns.indices.astype(np.uint32)
    project(X.astype(dtype), starts, indices, columns.data, out)
    np.testing.assert_allclose(out, X @ V, rtol=0, atol=40 * np.finfo(dtype).eps)
