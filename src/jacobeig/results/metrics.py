"""Measures of how good a set of vectors is."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import subspace_angles

from jacobeig._arguments import check_real, is_sparse, to_dense
from jacobeig._docs import share_docs
from jacobeig._types import FloatArray, Which
from jacobeig.errors import InvalidInputError
from jacobeig.results.ends import count_wanted_high
from jacobeig.results.result import EigenResult, require_chain
from jacobeig.results.rotations import BlockSequence

__all__ = [
    "accuracy",
    "captured_variance",
    "density",
    "extreme_eigenvalues",
    "orthonormality_error",
    "quotients_along",
    "rayleigh_quotients",
    "subspace_angle",
]

DEPENDENT = 1e-10  # a singular value of unit columns, relative to the largest, below which their span is thinner
REPEATED = 1e-10  # of the spectrum, by which an eigenvalue must be better to count as overlooked
SMALL = 500  # order up to which all eigenvalues are found in a fraction of a second
# From this order on the largest few of a dense matrix are found by products: ten of 5,000 in 4 s, where LAPACK takes
# over 20. The smallest may converge slowly, as those of a Laplacian, and are left to LAPACK.
FEW_OF_MANY = 1000
TINY = 1e-300  # keeps the norm of a zero column out of divisions

MATRIX = """
matrix : array_like, sparse array or LinearOperator (n, n)
    The symmetric or Hermitian matrix S.
"""
share_measured = share_docs(
    matrix=MATRIX,
    measured=f"""
Parameters
----------{MATRIX}vectors : array_like or sparse array (n, p)
    One vector per column.
""",
)


@share_measured
def extreme_eigenvalues(matrix: Any, n_components: int, which: Which = "LA") -> FloatArray:
    """Return the exact extreme eigenvalues that `accuracy` compares with.

    Parameters
    ----------
    %(matrix)s
    n_components : int
        How many.
    which : {"LA", "SA", "BE"}, default "LA"
        From which end of the spectrum; for "BE" one more from the high end if `n_components` is odd.

    Returns
    -------
    ndarray (n_components,)
        The wanted end first; for "BE" largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.results.metrics import extreme_eigenvalues
    >>> extreme_eigenvalues(np.diag([1.0, 2.0, 3.0, 4.0]), 3, which="BE")
    array([4., 3., 1.])
    """
    values = _find_ends(matrix, n_components, which)
    return values if which == "SA" else values[::-1]


def _find_ends(matrix: Any, p: int, which: Which) -> FloatArray:
    """Return the wanted eigenvalues in ascending order, by the solver that suits the kind of matrix."""
    n, n_high = matrix.shape[0] if hasattr(matrix, "shape") else len(matrix), count_wanted_high(which, p)
    if is_sparse(matrix) or (not hasattr(matrix, "__array__") and hasattr(matrix, "matvec")):
        if p < n // 2 and n > SMALL:
            # ARPACK has no "BE" for complex matrices
            parts: tuple[tuple[int, Which], ...] = ((n_high, "LA"), (p - n_high, "SA"))
            return np.sort(np.concatenate([_find_end(matrix, k, end) for k, end in parts if k > 0]))
        matrix = matrix.toarray() if is_sparse(matrix) else matrix @ np.eye(n)
    dense = np.asarray(matrix)
    if which == "LA" and n > FEW_OF_MANY and p < n // 10:
        return np.sort(_find_end(dense, p, "LA"))
    values: FloatArray = np.linalg.eigvalsh(dense)
    return np.concatenate([values[: p - n_high], values[n - n_high :]])


def _find_end(matrix: Any, k: int, end: Which) -> FloatArray:
    """Return the k eigenvalues at one end by products, repeated ones included.

    A Krylov space holds one vector of a repeated eigenvalue, and only rounding brings the others. So what was found is
    moved to the other end, until nothing better is left; each time from another start, as the first has no part in the
    vectors that it left out. The spectrum is shifted away from zero, because ARPACK multiplies its start by the matrix,
    which takes all parts in eigenvectors of zero out of it: of a graph of two parts it never saw the second.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    n, rng = matrix.shape[0], np.random.default_rng(0)
    reach = abs(eigsh(matrix, 1, which="LM", v0=rng.standard_normal(n), return_eigenvectors=False)[0])
    sign = 1.0 if end == "LA" else -1.0

    def find(count: int, found: Any) -> Any:
        def multiply(x: Any) -> Any:
            return matrix @ x + sign * reach * (x - 2 * (found @ (found.conj().T @ x)))

        shifted = LinearOperator(matrix.shape, matvec=multiply, dtype=found.dtype)
        return eigsh(shifted, count, which=end, v0=rng.standard_normal(n))

    values, V = find(k, np.zeros((n, 0), np.result_type(matrix.dtype, np.float32)))
    while True:
        more, W = find(1, V)
        if not sign * more[0] > np.min(sign * values) + 2 * REPEATED * reach:
            return np.asarray(values - sign * reach)
        keep = np.argsort(-sign * values, kind="stable")[: k - 1]
        values, V = np.append(values[keep], more), np.column_stack([V, W])


@share_measured
def accuracy(matrix: Any, vectors: Any, eigenvalues: ArrayLike | None = None, which: Which = "LA") -> float:
    """Return ``tr |U^H S U|`` over the sum of the exact eigenvalues' moduli (eq. error of the paper); 1 is perfect.

    The measure over-counts vectors that are not orthonormal (see `captured_variance`).

    %(measured)s
    eigenvalues : array_like (p,), optional
        The exact ones, if known; computed otherwise.
    which : {"LA", "SA", "BE"}, default "LA"
        The end of the spectrum that the vectors are meant for. From the small end of a positive semidefinite matrix the
        measure falls towards 1 from above.

    Returns
    -------
    float
        The ratio.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.results.metrics import accuracy
    >>> accuracy(np.diag([1.0, 2.0]), [[0.0], [1.0]])
    1.0
    """
    U = _read_columns(matrix, vectors)
    if eigenvalues is None:
        eigenvalues = extreme_eigenvalues(matrix, U.shape[1], which)
    total = float(np.abs(eigenvalues).sum())
    if total == 0.0:
        raise InvalidInputError("the exact eigenvalues are all zero, so the accuracy is not defined for this matrix.")
    return float(np.abs(rayleigh_quotients(matrix, U)).sum() / total)


@share_measured
def rayleigh_quotients(matrix: Any, vectors: Any) -> FloatArray:
    """Return ``u^H S u`` for each column u, of unit norm.

    %(measured)s

    Returns
    -------
    ndarray (p,)
        The variance along each.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.results.metrics import rayleigh_quotients
    >>> rayleigh_quotients(np.diag([1.0, 2.0]), np.eye(2))
    array([1., 2.])
    """
    U = _read_columns(matrix, vectors)
    quotients: FloatArray = np.einsum("ij,ij->j", U.conj(), matrix @ U).real
    return quotients


@share_measured
def captured_variance(matrix: Any, vectors: Any) -> float:
    """Return tr(Q^H S Q) for an orthonormal basis Q of the vectors' span: fair to vectors that are not orthogonal.

    Those that depend on others, or are zero, add nothing.

    %(measured)s

    Returns
    -------
    float
        The variance captured; divide by the sum of the p largest eigenvalues for a fraction.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.results.metrics import captured_variance
    >>> round(captured_variance(np.diag([1.0, 2.0, 4.0]), [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 12)
    6.0
    """
    V = _read_columns(matrix, vectors)
    Q, sizes, _ = np.linalg.svd(V / np.maximum(np.linalg.norm(V, axis=0), TINY), full_matrices=False)
    Q = Q[:, sizes > DEPENDENT * sizes[0]]
    return float(np.einsum("ij,ij->", Q.conj(), matrix @ Q).real)


def subspace_angle(U: Any, V: Any) -> float:
    """Return the largest canonical angle between the spans of U and V (eq. subspacedistance), in radians.

    Parameters
    ----------
    U, V : array_like or sparse array (n, p)
        Columns that span the subspaces.

    Returns
    -------
    float
        From 0 (the same subspace) to pi/2.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.results.metrics import subspace_angle
    >>> float(np.degrees(subspace_angle([[1.0], [0.0]], [[1.0], [1.0]])).round(6))
    45.0
    """
    return float(subspace_angles(to_dense(U), to_dense(V)).max())


def density(vectors: Any) -> float:
    """Return the fraction of entries that are not zero.

    Parameters
    ----------
    vectors : array_like or sparse array (n, p)
        Any vectors.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from jacobeig.results.metrics import density
    >>> density([[1.0, 0.0], [0.5, 0.0]])
    0.5
    """
    n, p = vectors.shape if hasattr(vectors, "shape") else np.shape(vectors)
    count = vectors.count_nonzero() if is_sparse(vectors) else np.count_nonzero(vectors)
    return float(count / (n * p))


def count_allowed_nonzeros(density: Any, n: int, p: int) -> int:
    """Return the nonzeros that `density` allows, at least one per vector."""
    value = check_real("density", density)
    if not 0.0 < value <= 1.0:
        raise InvalidInputError(
            f"is {density}", argument="density", advice="give a fraction above 0 and at most 1 (0.05 means 5%)."
        )
    allowed = math.floor(value * n * p * (1.0 + 1e-12))  # 0.3 * 10 must allow 3
    if allowed < p:
        places = 10 ** (2 + len(str(n)))
        least = math.ceil(places / n) / places  # rounded up, as less would be refused again
        held = f"{allowed} nonzero{'' if allowed == 1 else 's'} in {p} vector{'' if p == 1 else 's'} of length {n}"
        raise InvalidInputError(
            f"is {value:.3g} ({100 * value:.3g}%), which allows {held}; every vector needs one:",
            argument="density",
            advice=f"give at least {least:.3g} ({100 * least:.3g}%).",
        )
    return allowed


def orthonormality_error(vectors: Any) -> float:
    """Return ``max |U^H U - I|``.

    Parameters
    ----------
    vectors : as for `density`
        The columns U.

    Returns
    -------
    float
        0 for perfectly orthonormal columns.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.results.metrics import orthonormality_error
    >>> orthonormality_error(np.eye(3)[:, :2])
    0.0
    """
    U = vectors if is_sparse(vectors) else np.asarray(vectors)
    gram = to_dense(U.conj().T @ U)
    return float(np.abs(gram - np.eye(gram.shape[0])).max())


def quotients_along(result: EigenResult) -> FloatArray:
    """Return the Rayleigh quotient of each vector before the first rotation of a run and after each.

    Parameters
    ----------
    result : EigenResult
        A result with its chain of rotations (of blocks, for `block_eigsh`). The matrix is not needed.

    Returns
    -------
    ndarray (k + 1, p)
        In the order of the result's columns; after a "classic" run, of the coordinates that they end on.

    Examples
    --------
    >>> import jacobeig as je
    >>> result = je.sparse_eigsh(je.datasets.random_covariance(40, rng=0), 3, n_rotations=20)
    >>> quotients = je.metrics.quotients_along(result)
    >>> quotients.shape
    (21, 3)
    >>> bool(abs(quotients[-1] - result.eigenvalues).max() < 1e-10)
    True
    """
    chain, trail = require_chain(result)
    if isinstance(chain, BlockSequence):
        diagonal, path = trail.diagonal.copy(), [trail.diagonal[chain.coordinates]]
        for index, entries in zip(chain.indices, trail.shifts, strict=True):
            diagonal[index] = entries
            path.append(diagonal[chain.coordinates])
        return np.array(path)
    first, second = chain.pivots[:, :1] == chain.coordinates, chain.pivots[:, 1:] == chain.coordinates
    rises = trail.shifts[:, np.newaxis] * (first.astype(float) - second)
    start = trail.diagonal[chain.coordinates]
    return np.concatenate([start[np.newaxis], start + np.cumsum(rises, axis=0)])


def _read_columns(matrix: Any, vectors: Any) -> NDArray[Any]:
    """Return vectors as dense columns, or raise where a matrix cannot be multiplied by them."""
    n, V = np.shape(matrix)[0], to_dense(vectors)
    if V.ndim != 2 or len(V) != n:
        rows = V.ndim == 2 and V.shape[1] == n
        advice = f"give one vector of length {n} per column" + (", as in components_.T." if rows else ".")
        raise InvalidInputError(f"has shape {V.shape}, but the matrix is {n} x {n}:", argument="vectors", advice=advice)
    return V
