"""Products X V with a few sparse orthonormal vectors, by the cheapest of three ways."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._types import NumberArray
from jacobeig.rotations import RotationSequence

__all__ = ["WAYS", "Projection"]

WAYS = ("sparse", "dense", "chain")

# What the three ways cost, in nanoseconds, by benchmarks/bench_transform.py --constants. Where two figures are given,
# the first holds while what is read again and again (in brackets) stays in cache, the second when it does not.
MULTIPLY = (0.06, 0.11)  # a multiplication of the dense product (the vectors), float64; float32 takes half
MULTIPLY_ALONE = 0.15  # the same for a single sample, which waits for memory
GATHER = (0.4, 1.3)  # a nonzero of the sparse product (four samples), of any precision
GATHER_ALONE = 0.8
ROTATE = (2.0, 5.0)  # a rotation of the chain (a tile of samples), with the copy of its samples
CALL = {"sparse": 2_000.0, "dense": 1_000.0, "chain": 20_000.0}
COPY = 1.0  # an entry of samples that do not lie in C order, which the gathers need
VISIT, MEET, FILL = 3.0, 8.0, 0.5  # a stored entry of a sparse X; it and a nonzero of V; it and any entry of dense V
SECOND_CACHE, FIRST_CACHE = 1 << 19, 1 << 15  # bytes
# The dense product is never far from its estimate; the others must promise more than their estimates may err.
DOUBT = 1.25
# Entries of a tile of samples that the chain rotates while it stays in the second cache.
TILE_ENTRIES = 1 << 15


@dataclass(frozen=True, kw_only=True, eq=False)
class Projection:
    """The map from samples (rows of X) to their coefficients X V.

    Parameters
    ----------
    vectors : csc_array (n, p)
        V, conjugated already if it is complex.
    chain : RotationSequence, optional
        A chain whose analysis is the same product up to `factors`.
    factors : ndarray (p,), optional
        What each coefficient of the chain is multiplied by.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> from jacobeig._projection import Projection
    >>> vectors = je.sparse_eigsh(np.diag([1.0, 2.0, 3.0]), 2).vectors
    >>> Projection(vectors=vectors)(np.array([[5.0, 6.0, 7.0]]))
    array([[7., 6.]])
    """

    vectors: sparse.csc_array
    chain: RotationSequence | None = None
    factors: NumberArray | None = None

    def __call__(self, X: Any, way: str | None = None) -> NDArray[Any]:
        """Return X V for samples X (m, n), dense or scipy sparse, which are neither changed nor made dense.

        Parameters
        ----------
        X : ndarray or scipy sparse array (m, n)
            One sample a row.
        way : {"sparse", "dense", "chain"}, optional
            How; by default the way with the least expected cost.

        Returns
        -------
        ndarray (m, p)
            The coefficients.
        """
        if sparse.issparse(X):
            return self._of_stored(X, way or self._cheapest_for_stored())
        return getattr(self, f"_by_{way or self.cheapest(X)}")(X)  # type: ignore[no-any-return]

    def cheapest(self, X: NDArray[Any]) -> str:
        """Return the way with the least expected cost for dense samples."""
        costs = self.costs(X)
        return min(costs, key=lambda way: costs[way] * (1.0 if way == "dense" else DOUBT))

    def costs(self, X: NDArray[Any]) -> dict[str, float]:
        """Return the expected cost of each way for dense samples, in nanoseconds."""
        m, (n, p) = X.shape[0], self.vectors.shape
        size, nnz = X.dtype.itemsize, self.vectors.nnz
        alone = m < 4
        multiply = MULTIPLY_ALONE if alone else MULTIPLY[n * p * size > SECOND_CACHE]
        gather = GATHER_ALONE if alone else GATHER[4 * n * size > FIRST_CACHE]
        copy = 0.0 if X.flags.c_contiguous else COPY * m * n
        costs = {
            "sparse": gather * m * nnz + copy,
            "dense": multiply * size / 8 * m * n * p / (1 if alone else blas_threads()),
        }
        if self.chain is not None:
            costs["chain"] = ROTATE[m > 1 and n > 512] * m * len(self.chain)
        return {way: cost + CALL[way] for way, cost in costs.items()}

    def _by_sparse(self, X: NDArray[Any]) -> NDArray[Any]:
        from jacobeig._kernels.projection import project

        dtype = np.result_type(X.dtype, self.vectors.dtype)
        out = np.empty((X.shape[0], self.vectors.shape[1]), dtype)
        starts, indices = self._places
        project(np.ascontiguousarray(X), starts, indices, self.vectors.data, out)
        return out

    def _by_dense(self, X: NDArray[Any]) -> NDArray[Any]:
        product: NDArray[Any] = X @ self._dense
        return product

    def _by_chain(self, X: NDArray[Any]) -> NDArray[Any]:
        """Apply the rotations to tiles of samples, which stay in cache meanwhile."""
        assert self.chain is not None  # or its cost would not have been asked for
        step = max(8, TILE_ENTRIES // self.vectors.shape[0])
        tiles = [self.chain.analyse(X[start : start + step].T) for start in range(0, len(X), step)]
        coefficients = np.concatenate([tile.T for tile in tiles])
        if self.factors is not None:
            coefficients *= self.factors
        return coefficients.astype(np.result_type(X.dtype, self.vectors.dtype), copy=False)

    def _of_stored(self, X: Any, way: str) -> NDArray[Any]:
        """Return the product with a sparse X."""
        if way == "dense":
            return np.asarray(X @ self._dense)
        product: NDArray[Any] = (X @ self._by_row).toarray()
        return product

    def _cheapest_for_stored(self) -> str:
        n, p = self.vectors.shape
        return "sparse" if VISIT + MEET * self.vectors.nnz / n < FILL * p else "dense"

    @cached_property
    def _by_row(self) -> sparse.csr_array:
        return self.vectors.tocsr()

    @cached_property
    def _dense(self) -> NDArray[Any]:
        dense: NDArray[Any] = self.vectors.toarray(order="C")
        return dense

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        return self.vectors.indptr.astype(np.int64), self.vectors.indices.astype(np.uint32)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {name: getattr(self, name) for name in ("vectors", "chain", "factors")}


@cache
def blas_threads() -> int:
    """Return how many threads NumPy's dense products use, asked once."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return 1
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
