"""Matrices to test on, by structure; and Hypothesis strategies that draw them."""

import numpy as np
from hypothesis import strategies as st

REAL, HERMITIAN = np.float64, np.complex128


def generic(n, dtype=REAL, seed=0):
    """Gaussian entries: no ties, no zeros, indefinite."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal((n, n))
    return ((a + a.conj().T) / 2).astype(dtype)


def covariance(n, dtype=REAL, seed=0):
    """Positive definite, as the paper's random matrices."""
    a = generic(n, dtype, seed) + generic(n, dtype, seed + 1)[::-1]
    s = a @ a.conj().T
    return ((s + s.conj().T) / 2).astype(dtype)


def integers(n, dtype=REAL, seed=0, top=3):
    """Small whole numbers: ties and exact cancellation everywhere."""
    rng = np.random.default_rng(seed)
    a = np.triu(rng.integers(-top, top + 1, (n, n))).astype(dtype)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * np.triu(rng.integers(-top, top + 1, (n, n)), 1)
    return a + np.triu(a, 1).conj().T


def mostly_zero(n, dtype=REAL, seed=0):
    """A sparse matrix: swaps without an off-diagonal entry are needed."""
    rng = np.random.default_rng(seed)
    keep = np.triu(rng.random((n, n)) < 0.25, 1)
    a = generic(n, dtype, seed)
    return np.where(keep | keep.T, a, 0) + np.diag(np.diag(a))


def projection(n, dtype=REAL, seed=0, rank=None):
    """Eigenvalues 0 and 1 only, each many times."""
    q, _ = np.linalg.qr(generic(n, dtype, seed))
    q = q[:, : max(1, n // 2) if rank is None else rank]
    s = q @ q.conj().T
    return (s + s.conj().T) / 2


def laplacian(n, dtype=REAL, seed=0):
    """Graph Laplacian: an M-matrix of whole numbers with a null vector."""
    rng = np.random.default_rng(seed)
    a = np.triu(rng.random((n, n)) < 0.4, 1).astype(float)
    a = a + a.T
    return (np.diag(a.sum(axis=0)) - a).astype(dtype)


def ones(n, dtype=REAL, seed=0):
    return np.ones((n, n), dtype)


def rank_one(n, dtype=REAL, seed=0):
    v = generic(n, dtype, seed)[0]
    s = np.outer(v, v.conj())
    return (s + s.conj().T) / 2


def zero(n, dtype=REAL, seed=0):
    return np.zeros((n, n), dtype)


def identity(n, dtype=REAL, seed=0):
    return np.eye(n, dtype=dtype)


def diagonal(n, dtype=REAL, seed=0):
    return np.diag(np.random.default_rng(seed).permutation(n) - n / 3).astype(dtype)


GENERIC = (generic, covariance)
SPECIAL = (integers, mostly_zero, projection, laplacian, ones, rank_one, zero, identity, diagonal)
SEEDS = st.integers(0, 2**20)


@st.composite
def matrices(draw, kinds=GENERIC + SPECIAL, dtypes=(REAL, HERMITIAN), least=2, most=10):
    kind, dtype = draw(st.sampled_from(kinds)), draw(st.sampled_from(dtypes))
    return kind(draw(st.integers(least, most)), dtype, draw(SEEDS))


@st.composite
def starts(draw, n, p):
    """Every kind of start: by name, or any p different coordinates in any order."""
    name = draw(st.sampled_from(["natural", "diagonal", "cholesky", "indices"]))
    return draw(st.permutations(range(n)))[:p] if name == "indices" else name


@st.composite
def targets(draw, p, which, name):
    """A target by name, or weights with the signs that `which` allows (ties and zeros among them)."""
    if name != "array":
        return name
    weights = np.array(draw(st.lists(st.integers(0, 4), min_size=p, max_size=p).filter(any)), float)
    if which == "SA":
        return -weights
    if which == "BE":
        return weights * np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=p, max_size=p)))
    return weights
