"""Rows of a linear operator: products with unit vectors."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jacobeig._arguments import check_square, largest_absolute, working_dtype
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.sources._protocol import check_diagonal, share_attributes
from jacobeig.sources.krylov import build_krylov
from jacobeig.sources.units import power_of_two_scale

# Entries of a block of unit vectors: small enough to leave memory alone, large enough to hide Python's overhead.
BLOCK_ENTRIES = 1 << 20
LANCZOS_STEPS = 20  # for a bound of the norm, to which the last residual is added: more only tighten it


@share_attributes
class OperatorRows:
    """Rows of a symmetric or Hermitian operator, known only by its products with vectors.

    Row j is the conjugate of the product with the unit vector j, so a row costs one product.

    Parameters
    ----------
    operator : scipy.sparse.linalg.LinearOperator or similar (n, n)
        Anything with ``shape`` and one of ``matmat``, ``matvec`` or ``@``, such as a pylops operator.
    diagonal : array_like (n,), optional
        The diagonal, if known. Otherwise the operator's own ``diagonal()`` is used if it has one, and n products
        if it has not.

    Attributes
    ----------
    %(square)s
    batch : int
        How many rows to ask for at once: products with a few vectors cost little more than with one.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse.linalg import LinearOperator
    >>> from jacobeig.sources import OperatorRows
    >>> reverse = LinearOperator((3, 3), matvec=lambda x: x[::-1], dtype=float)
    >>> source = OperatorRows(reverse)
    >>> source.rows(np.array([0]))
    array([[0., 0., 1.]])
    >>> source.diagonal()
    array([0., 1., 0.])
    """

    batch = 8

    def __init__(self, operator: Any, diagonal: ArrayLike | None = None) -> None:
        self._operator, self._name = operator, type(operator).__name__
        self.shape = check_square(tuple(operator.shape), self._name)
        self.dtype = self._find_dtype()
        self.passes = 0
        self._diagonal = None if diagonal is None else check_diagonal(self, np.array(diagonal))

    def __repr__(self) -> str:
        return f"OperatorRows({self._name}, shape={self.shape}, dtype={self.dtype})"

    def diagonal(self) -> NDArray[Any]:
        """Return the n diagonal entries as real numbers; computed once."""
        if self._diagonal is None:
            own = getattr(self._operator, "diagonal", None)
            values = own() if callable(own) else self._compute_diagonal()
            self._diagonal = check_diagonal(self, np.asarray(values).real)
        return self._diagonal.copy()

    def rows(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows `indices`, (len(indices), n), by one product for each."""
        return np.ascontiguousarray(self._compute_columns(np.asarray(indices)).conj().T)

    def product(self, V: NDArray[Any]) -> NDArray[Any]:
        """Return the operator times the columns of V."""
        self.passes += 1
        return self._multiply(V.astype(self.dtype, copy=False))

    def norm_bound(self) -> float:
        """Return an upper bound of the largest absolute eigenvalue from a few Lanczos steps.

        The largest Ritz value in absolute terms plus the size of the last residual: cheap, and in practice safe, but
        not a proven bound as Gershgorin's is.
        """
        space = build_krylov(self._multiply, self._draw_vectors(1).T, LANCZOS_STEPS)
        return float(np.abs(np.linalg.eigvalsh(space.inner, UPLO="U")).max()) + space.outside

    def check(self) -> None:
        """See by two random vectors that the operator is finite, symmetric, and of the dtype that it declares."""
        u, v = probes = self._draw_vectors(2)
        products = self._multiply(probes.T)
        if not np.isfinite(products).all():
            raise InvalidInputError(f"{self._name} is not finite: its product with a random vector has nan or inf.")
        unit = power_of_two_scale(largest_absolute(products), products.dtype)
        products = products * products.dtype.type(unit)
        difference = abs(np.vdot(u, products[:, 1]) - np.vdot(v, products[:, 0]).conjugate())
        scale = float(np.linalg.norm(products) * np.linalg.norm(probes))
        if difference > np.sqrt(np.finfo(self.dtype).eps) * scale:
            raise InvalidInputError(
                f"{self._name} must be symmetric (Hermitian), but <u, A v> and <A u, v> differ by "
                f"{difference / unit:.3g} for random u and v; if that is noise, pass the operator (A + A.H) / 2."
            )

    def _find_dtype(self) -> np.dtype[Any]:
        """Return the working dtype that the operator declares, or else that of a product."""
        declared = getattr(self._operator, "dtype", None)
        if declared is None:
            declared = np.asarray(self._apply(np.zeros((self.shape[0], 1)))).dtype
        return working_dtype(np.dtype(declared), self._name)

    def _compute_diagonal(self) -> NDArray[Any]:
        """Return the diagonal by n products, in blocks."""
        n = self.shape[0]
        width = max(1, BLOCK_ENTRIES // n)
        blocks = (np.arange(start, min(start + width, n)) for start in range(0, n, width))
        return np.concatenate([self._compute_columns(block)[block, np.arange(len(block))] for block in blocks])

    def _compute_columns(self, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return the columns `indices`, (n, len(indices))."""
        unit = np.zeros((self.shape[0], len(indices)), dtype=self.dtype)
        unit[indices, np.arange(len(indices))] = 1
        return self._multiply(unit)

    def _multiply(self, vectors: NDArray[Any]) -> NDArray[Any]:
        """Return the operator times the columns of `vectors`, after checking that it did not lie about itself."""
        try:
            product = np.asarray(self._apply(vectors))
        except ValueError as error:
            raise InvalidInputError(
                f"{self._name} declares shape {self.shape} but fails on vectors of length {self.shape[0]}: {error}"
            ) from error
        if product.shape != vectors.shape:
            raise InvalidInputError(
                f"{self._name} declares shape {self.shape}, but its product with an array of shape {vectors.shape} has "
                f"shape {product.shape}; expected {vectors.shape}."
            )
        if product.dtype.kind not in "biuf" + self.dtype.kind:
            raise InvalidTypeError(f"{self._name} declares dtype {self.dtype}, but its products are {product.dtype}.")
        return product.astype(self.dtype, copy=False)

    def _apply(self, vectors: NDArray[Any]) -> Any:
        """Return the operator times the columns of `vectors`, by the best means it offers."""
        if hasattr(self._operator, "matmat"):
            return self._operator.matmat(vectors)
        if hasattr(self._operator, "matvec"):
            return np.stack([np.asarray(self._operator.matvec(column)) for column in vectors.T], axis=1)
        return self._operator @ vectors

    def _draw_vectors(self, count: int) -> NDArray[Any]:
        """Return `count` vectors as rows; always the same ones, so that a run can be repeated."""
        rng = np.random.default_rng(0)
        vectors = rng.standard_normal((count, self.shape[0])).astype(self.dtype)
        if self.dtype.kind == "c":
            vectors.imag = rng.standard_normal(vectors.shape)
        return vectors
