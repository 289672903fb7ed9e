import numpy as np

from jacobeig.comparison.baselines import pca, threshold, varimax_threshold


def test_pca_has_the_eigenvalues_of_pitprops(pitprops):
    known = [4.2186, 2.3781, 1.8782, 1.1094, 0.9100, 0.8154]
    np.testing.assert_allclose(pca(pitprops, 6).eigenvalues, known, atol=1e-4)


def test_thresholding_keeps_the_largest_entries_of_the_eigenvectors(pitprops):
    dense, sparse = pca(pitprops, 3).vectors.toarray(), threshold(pitprops, 3, 5).vectors.toarray()
    for full, cut in zip(dense.T, sparse.T, strict=True):
        kept = np.sort(np.argsort(-np.abs(full))[:5])
        np.testing.assert_array_equal(np.flatnonzero(cut), kept)
        np.testing.assert_allclose(cut[kept], full[kept] / np.linalg.norm(full[kept]))


def test_varimax_finds_blocks_that_the_eigenvectors_mix():
    S = np.kron(np.eye(3), np.ones((4, 4))) + 0.2
    V = varimax_threshold(S, 3, 4).vectors.toarray()
    blocks = np.abs(V).reshape(3, 4, 3).sum(axis=1) > 1e-3
    assert sorted(map(tuple, blocks.T.tolist())) == sorted(map(tuple, np.eye(3, dtype=bool).tolist()))
