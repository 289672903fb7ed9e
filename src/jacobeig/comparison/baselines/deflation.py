"""Ways to remove a component before the next one is sought.

Each function takes a symmetric matrix and the unit columns found so far, and removes the last of them. None of them
makes *sparse* components orthogonal to each other.

References
----------
L. Mackey, "Deflation methods for sparse PCA", Advances in Neural Information Processing Systems 21, 2008.
"""

from collections.abc import Callable

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.power import project_out

__all__ = ["DEFLATIONS", "hotelling", "orthogonalised_hotelling", "orthogonalised_projection", "projection", "schur"]

Deflation = Callable[[Floats, Floats], Floats]
DEFLATIONS: dict[str, Deflation] = {}
SHARED = """

    Parameters
    ----------
    matrix : ndarray (n, n)
        Symmetric.
    found : ndarray (n, k)
        Unit columns; the last is removed.

    Returns
    -------
    ndarray (n, n)
        The deflated matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines.deflation import {name}
    >>> {name}(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]])).tolist()
    {example}
    """


def _register(example: str) -> Callable[[Deflation], Deflation]:
    """Return a decorator that lists a way and completes its docstring with what it leaves of [[2, 1], [1, 2]]."""

    def add(deflate: Deflation) -> Deflation:
        name = deflate.__name__
        deflate.__doc__ = (deflate.__doc__ or "") + SHARED.format(name=name, example=example)
        DEFLATIONS[name] = deflate
        return deflate

    return add


@_register("[[0.0, 1.0], [1.0, 2.0]]")
def hotelling(matrix: Floats, found: Floats) -> Floats:
    """Subtract the component's own rank-one part: the matrix may become indefinite and the component come again."""
    return _subtract(matrix, found[:, -1])


@_register("[[0.0, 0.0], [0.0, 2.0]]")
def projection(matrix: Floats, found: Floats) -> Floats:
    """Project the component out on both sides: keeps semidefiniteness."""
    return project_out(matrix, found[:, -1])


@_register("[[0.0, 0.0], [0.0, 1.5]]")
def schur(matrix: Floats, found: Floats) -> Floats:
    """Condition on the component, as for a Schur complement: keeps semidefiniteness."""
    image = matrix @ found[:, -1]
    variance = float(found[:, -1] @ image)
    return matrix - np.outer(image, image) / variance if variance > 0 else matrix


@_register("[[0.0, 1.0], [1.0, 2.0]]")
def orthogonalised_hotelling(matrix: Floats, found: Floats) -> Floats:
    """Apply Hotelling's deflation with the part of the component that is orthogonal to the earlier ones."""
    return _subtract(matrix, _find_new_part(found))


@_register("[[0.0, 0.0], [0.0, 2.0]]")
def orthogonalised_projection(matrix: Floats, found: Floats) -> Floats:
    """Project out the part of the component that is orthogonal to the earlier ones."""
    return project_out(matrix, _find_new_part(found))


def _subtract(matrix: Floats, x: Floats) -> Floats:
    deflated: Floats = matrix - float(x @ matrix @ x) * np.outer(x, x)
    return deflated


def _find_new_part(found: Floats) -> Floats:
    """Return the unit vector along what the last column adds to the earlier ones; zero when that is rounding."""
    earlier = np.linalg.qr(found[:, :-1])[0]
    q = found[:, -1]
    for _ in range(2):  # the second pass removes what cancellation left
        q = q - earlier @ (earlier.T @ q)
    length = float(np.linalg.norm(q))
    return q / length if length > 1e-8 else np.zeros_like(q)
