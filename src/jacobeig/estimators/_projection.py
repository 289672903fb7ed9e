"""Products X V with a few sparse orthonormal vectors, by the cheapest of three ways."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_info

from jacobeig._types import NumberArray
from jacobeig.results.rotations import RotationSequence

WAYS = ("sparse", "dense", "chain")

# What the three ways cost, in nanoseconds, by benchmarks/bench_transform.py --constants. Where two figures are given,
# the first holds while what is read again and again (in brackets) stays in cache, the second when it does not.
MULTIPLY = (0.06, 0.11)  # a multiplication of the dense product (the vectors), float64; float32 takes half
MULTIPLY_ALONE = 0.15  # the same for a single sample, which waits for memory
GATHER = (0.4, 1.3)  # a nonzero of the sparse product (four samples), of any precision
GATHER_ALONE = 0.8  # the same for a single sample
ROTATE = (2.0, 5.0)  # a rotation of the chain (a tile of samples), with the copy of its samples
CALL = {"sparse": 1_000.0, "dense": 1_000.0, "chain": 20_000.0}
COPY = 5.0  # an entry of samples that lie neither row by row nor column by column
VISIT, MEET, FILL = 3.0, 25.0, 0.45  # a stored entry of a sparse X; with a nonzero of V; with an entry of dense V
SECOND_CACHE, FIRST_CACHE = 1 << 19, 1 << 15  # bytes
# Up to this many multiplications choosing takes longer than it can save.
SMALL = 1 << 16
# The dense product is never far from its estimate; the others must promise more than their estimates may err.
DOUBT = 1.25
# Entries of a tile of samples that the chain rotates while it stays in the second cache.
TILE_ENTRIES = 1 << 15


@dataclass(frozen=True, kw_only=True, eq=False)
class Projection:
    """The map from samples (rows of X) to their coefficients X V."""

    vectors: sparse.csc_array  # V (n, p), conjugated already if it is complex
    chain: RotationSequence | None = None  # whose analysis is the same product up to `factors`
    factors: NumberArray | None = None  # what each coefficient of the chain is multiplied by

    def __call__(self, X: Any, way: str | None = None) -> NDArray[Any]:
        """Return X V for samples X (m, n), dense or sparse, by one of `WAYS` or else the one expected to cost least."""
        if not isinstance(X, np.ndarray):
            return self._multiply_stored(X, way or self.choose_for_stored(X))
        ways = {"sparse": self._multiply_sparse, "dense": self._multiply_dense, "chain": self._multiply_by_chain}
        return ways[way or self.find_cheapest(X)](X)

    def find_cheapest(self, X: NDArray[Any]) -> str:
        """Return the way with the least expected cost for dense samples."""
        n, p, _ = self._sizes
        if X.shape[0] * n * p <= SMALL:
            return "dense"
        costs = self.estimate_costs(X)
        return min(costs, key=lambda way: costs[way] * (1.0 if way == "dense" else DOUBT))

    def estimate_costs(self, X: NDArray[Any]) -> dict[str, float]:
        """Return the expected cost of each way for dense samples, in nanoseconds."""
        n, p, nonzeros = self._sizes
        m, size = X.shape[0], X.dtype.itemsize
        alone = m < 4
        multiply = MULTIPLY_ALONE if alone else MULTIPLY[n * p * size > SECOND_CACHE] / count_blas_threads()
        gather = GATHER_ALONE if alone else GATHER[4 * n * size > FIRST_CACHE]
        copy = 0.0 if X.flags.forc else COPY * m * n
        costs = {
            "sparse": gather * m * nonzeros + copy + CALL["sparse"],
            "dense": multiply * size / 8 * m * n * p + CALL["dense"],
        }
        if self.chain is not None:
            costs["chain"] = ROTATE[m > 1 and n > 512] * m * len(self.chain) + CALL["chain"]
        return costs

    def _multiply_sparse(self, X: NDArray[Any]) -> NDArray[Any]:
        contiguous = X.flags.c_contiguous
        if not contiguous and X.flags.f_contiguous:  # each feature lies together, which SciPy's product likes
            return np.ascontiguousarray((self.vectors.T @ X.T).T)
        starts, indices, values = self._columns
        dtype = X.dtype if X.dtype == values.dtype else np.result_type(X.dtype, values.dtype)
        out = np.empty((X.shape[0], len(starts) - 1), dtype)
        _load_kernel()(X if contiguous else np.ascontiguousarray(X), starts, indices, values, out)
        return out

    def _multiply_dense(self, X: NDArray[Any]) -> NDArray[Any]:
        product: NDArray[Any] = X @ self._dense_rows.T
        return product

    def _multiply_by_chain(self, X: NDArray[Any]) -> NDArray[Any]:
        """Apply the rotations to tiles of samples, which stay in cache meanwhile."""
        assert self.chain is not None  # or its cost would not have been asked for
        step = max(8, TILE_ENTRIES // self.chain.n)
        out = np.empty((len(X), self.chain.n_components), np.result_type(X.dtype, self.vectors.dtype))
        for start in range(0, len(X), step):
            out[start : start + step] = self.chain.analyse(X[start : start + step].T).T
        if self.factors is not None:
            out *= self.factors
        return out

    def _multiply_stored(self, X: Any, way: str) -> NDArray[Any]:
        """Return the product with a sparse X."""
        if way == "dense":
            return np.asarray(X @ self._dense)
        product: NDArray[Any] = (X @ self._by_row).toarray()
        return product

    def choose_for_stored(self, X: Any) -> str:
        """Return the way with the least expected cost for sparse samples."""
        n, p, nonzeros = self._sizes
        return "sparse" if (VISIT + MEET * nonzeros / n) * DOUBT < FILL * p * X.dtype.itemsize / 8 else "dense"

    @cached_property
    def _by_row(self) -> sparse.csr_array:
        return self.vectors.tocsr()

    @cached_property
    def _sizes(self) -> tuple[int, int, int]:
        """Length, number and nonzeros of the vectors, which SciPy takes microseconds to tell."""
        n, p = self.vectors.shape
        return n, p, int(self.vectors.nnz)

    @cached_property
    def _dense(self) -> NDArray[Any]:
        """The vectors, in the order that a product with a sparse X needs."""
        dense: NDArray[Any] = self.vectors.toarray(order="C")
        return dense

    @cached_property
    def _dense_rows(self) -> NDArray[Any]:
        """One vector a row, with which a product with a dense X is a little quicker."""
        rows: NDArray[Any] = self.vectors.T.toarray(order="C")
        return rows

    @cached_property
    def _columns(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NumberArray]:
        """The vectors as the kernel reads them."""
        vectors = self.vectors
        return vectors.indptr.astype(np.uint64), vectors.indices.astype(np.uint32), vectors.data

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {name: getattr(self, name) for name in ("vectors", "chain", "factors")}


@cache
def _load_kernel() -> Any:
    """Return the kernel, which loads the compiler that NumPy alone does not need."""
    from jacobeig._kernels.projection import project

    return project


@cache
def count_blas_threads() -> int:
    """Return how many threads NumPy's dense products use, asked once."""
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
