"""The one place for tolerances: each is scaled by the size, the precision and the norm of the matrix."""

import numpy as np

# Ties: pivots whose scores agree to this, relative to the best, are equally good.
TIE = 1e-12
# What the project promises of a gain, relative to the norm of the matrix.
GAIN = 1e-10


def eps_of(dtype):
    return float(np.finfo(np.dtype(dtype)).eps)


def norm_of(matrix):
    """Spectral norm; of a list, sparse or integer matrix too."""
    dense = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    exact = dense.astype(np.complex128 if dense.dtype.kind == "c" else np.float64)
    largest = np.abs(exact).max()
    return float(largest * np.linalg.norm(exact / largest, 2)) if largest > 0 else 0.0


def orthonormality(dtype):
    """U^H U = I to 1e-12 in double precision, and to 100 eps in single."""
    return 1e-12 if eps_of(dtype) < 1e-10 else 100 * eps_of(dtype)


def rounding(matrix, steps=0, dtype=np.float64):
    """Absolute error of an entry after `steps` rotations of the matrix: (n + steps) eps times its norm, times 4."""
    return 4 * (len(matrix) + steps) * eps_of(dtype) * norm_of(matrix)


def rayleigh(matrix, dtype=np.float64):
    """Absolute error of a Rayleigh quotient, in the same proportion as the orthonormality of the vectors."""
    return orthonormality(dtype) * norm_of(matrix)
