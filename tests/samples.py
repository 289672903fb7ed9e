"""Samples of known structure."""

import numpy as np
from scipy import sparse


def gapped(m=400, n=30, p=4, seed=0, dtype=np.float64):
    """Samples with p strong directions, well apart from each other and from the rest."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.standard_normal((n, n)))[0]
    spread = np.concatenate([10.0 - np.arange(p), np.full(n - p, 0.3)])
    return (rng.standard_normal((m, n)) * spread @ axes.T + rng.standard_normal(n)).astype(dtype)


def counts(m=200, n=60, seed=0):
    return sparse.random_array((m, n), density=0.1, rng=seed, format="csr")
