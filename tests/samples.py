"""Samples of known structure."""

import numpy as np
import scipy
from scipy import sparse


def gapped(m=400, n=30, p=4, seed=0, dtype=np.float64):
    """Samples with p strong directions, well apart from each other and from the rest."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.standard_normal((n, n)))[0]
    spread = np.concatenate([10.0 - np.arange(p), np.full(n - p, 0.3)])
    return (rng.standard_normal((m, n)) * spread @ axes.T + rng.standard_normal(n)).astype(dtype)


def draw_sparse(shape, density, seed, **options):
    """A sparse array with uniform entries, of any SciPy: what a seed is called has changed."""
    called = "rng" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else "random_state"
    return sparse.random_array(shape, density=density, format="csr", **{called: seed}, **options)


def counts(m=200, n=60, seed=0):
    return draw_sparse((m, n), 0.1, seed)
