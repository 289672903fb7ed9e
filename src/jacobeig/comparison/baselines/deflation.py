"""Ways to remove a component before the next one is sought (Mackey 2008).

Each function takes a symmetric matrix and the unit columns found so far, and removes the last of them. None of them
makes *sparse* components orthogonal to each other.

Examples
--------
>>> import numpy as np
>>> from jacobeig.comparison.baselines.deflation import projection
>>> projection(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]]))
array([[0., 0.],
       [0., 2.]])
"""

from collections.abc import Callable

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.power import project_out

__all__ = [
    "DEFLATIONS",
    "hotelling",
    "orthogonalised_hotelling",
    "orthogonalised_projection",
    "projection",
    "schur",
]


def hotelling(matrix: Floats, found: Floats) -> Floats:
    """Subtract the component's own rank-one part: the matrix may become indefinite and the component come again.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines.deflation import hotelling
    >>> hotelling(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]]))
    array([[0., 1.],
           [1., 2.]])
    """
    return _subtract(matrix, found[:, -1])


def projection(matrix: Floats, found: Floats) -> Floats:
    """Project the component out on both sides: keeps semidefiniteness.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines.deflation import projection
    >>> projection(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]]))
    array([[0., 0.],
           [0., 2.]])
    """
    return project_out(matrix, found[:, -1])


def schur(matrix: Floats, found: Floats) -> Floats:
    """Condition on the component, as for a Schur complement: keeps semidefiniteness.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines.deflation import schur
    >>> schur(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]]))
    array([[0. , 0. ],
           [0. , 1.5]])
    """
    image = matrix @ found[:, -1]
    variance = float(found[:, -1] @ image)
    return matrix - np.outer(image, image) / variance if variance > 0 else matrix


def orthogonalised_hotelling(matrix: Floats, found: Floats) -> Floats:
    """Hotelling's deflation with the part of the component that is orthogonal to the earlier ones.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines.deflation import orthogonalised_hotelling
    >>> orthogonalised_hotelling(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]]))
    array([[0., 1.],
           [1., 2.]])
    """
    return _subtract(matrix, _find_new_part(found))


def orthogonalised_projection(matrix: Floats, found: Floats) -> Floats:
    """Projection with the part of the component that is orthogonal to the earlier ones.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.comparison.baselines.deflation import orthogonalised_projection
    >>> orthogonalised_projection(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [0.0]]))
    array([[0., 0.],
           [0., 2.]])
    """
    return project_out(matrix, _find_new_part(found))


DEFLATIONS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "hotelling": hotelling,
    "projection": projection,
    "schur": schur,
    "orthogonalised_hotelling": orthogonalised_hotelling,
    "orthogonalised_projection": orthogonalised_projection,
}


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
