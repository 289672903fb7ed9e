"""What a run returns: plain values, which can be shortened, saved and loaded without the matrix."""

from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import find_compressed_fault, name_type
from jacobeig._types import FloatArray, IntArray, PathLike
from jacobeig.errors import InvalidInputError, InvalidTypeError, Mention
from jacobeig.results.archive import blame_file, read_archive, write_archive
from jacobeig.results.ends import adapt_weights, count_high, find_best_coordinates
from jacobeig.results.pictures import draw, tabulate_html
from jacobeig.results.rotations import BlockSequence, RotationSequence
from jacobeig.results.trail import Method, Trail, find_fault, follow_trail

__all__ = ["EigenResult", "Method", "Status", "Trail", "assemble_vectors", "load", "require_chain", "select_part"]

# The attributes of a result that are arrays already.
_PLAIN = ("eigenvalues", "gains", "nonzeros", "target")


class Status(Enum):
    """Why a run stopped. The value of each member says what to do about it.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> print(je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 1).status)
    converged: No rotation is left that gains more than rounding; more will change nothing.
    """

    CONVERGED = "No rotation is left that gains more than rounding; more will change nothing."
    ROTATIONS = (
        "The number of rotations was reached; give more "
        + Mention("n_rotations")
        + " for more accuracy and less sparsity."
    )
    DENSITY = "The next rotation would pass the density; raise " + Mention("density") + " for more accuracy."
    MAX_NONZEROS = (
        "Every rotation left would give a vector more than " + Mention("max_nonzeros") + "; raise it for more accuracy."
    )
    TOLERANCE = "The best gain fell to tol; lower tol to go on."
    REFINED = (
        "The vectors were improved until no single entry would help; " + Mention("effort", "best") + " searches longer."
    )
    ROUNDS = "The working set was extended as often as the effort allows; " + Mention("effort", "best") + " goes on."
    EXHAUSTED = (
        "Every start and the longest search were tried; raise "
        + Mention("density")
        + " or "
        + Mention("max_nonzeros")
        + " to capture more."
    )
    SHRUNK = "Memory was too small for the working set that the budget wants, so a smaller one was searched."
    TIME_LIMIT = "The time limit cut the search short; these are the best vectors so far."
    CALLBACK = "The callback asked to stop; where there are rotations, extend() goes on from here."
    INTERRUPTED = "Ctrl-C stopped the work; this is what was there by then."

    @property
    def advice(self) -> str:
        """A sentence on what the user can do."""
        advice: str = self.value
        return advice

    def __str__(self) -> str:
        return f"{self.name.lower()}: {self.value}"


@dataclass(frozen=True, kw_only=True, eq=False)
class EigenResult:
    """A few sparse orthonormal approximate eigenvectors, and how they were reached.

    Attributes
    ----------
    eigenvalues : ndarray (p,)
        Rayleigh quotients of the vectors, the wanted end first (largest first for ``which="BE"``).
    vectors : csc_array (n, p)
        Orthonormal columns, in the same order, without explicit zeros.
    rotations : RotationSequence, BlockSequence or None
        The same vectors in factored form; None where they no longer have one.
    gains : ndarray (k,)
        What the weighted trace rose by at each rotation.
    nonzeros : ndarray (k,)
        Nonzeros of the p vectors after each rotation.
    status : Status
        Why the run stopped, with advice.
    target : ndarray (p,)
        The weight of each column.
    method : Method
        The options of the run, with every "auto" resolved.
    stored_entries : int or None
        How many entries of the rotated matrix the run kept when it ended: the fill-in of a sparse matrix. None where
        that is not known, as after `truncate`.
    passes : int or None
        How often the source had read its data whole when the result was made (means and variances included), where it
        counts: data matrices that are not formed, memory maps, dask arrays, operators.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> result = je.sparse_eigsh(je.datasets.random_covariance(100, rng=0), 5, density=0.1)
    >>> result.vectors.shape, bool(result.density <= 0.1)
    ((100, 5), True)
    >>> result.truncate(10).n_rotations
    10
    """

    eigenvalues: FloatArray
    vectors: sparse.csc_array
    rotations: RotationSequence | BlockSequence | None
    gains: FloatArray
    nonzeros: IntArray
    status: Status
    target: FloatArray
    method: Method
    trail: Trail | None = None
    stored_entries: int | None = None
    passes: int | None = None

    @property
    def n_rotations(self) -> int:
        """Number of rotations (of blocks, for `block_eigsh`)."""
        return len(self.gains)

    @property
    def density(self) -> float:
        """Nonzeros of the vectors over n p."""
        n, p = self.vectors.shape
        return float(self.vectors.nnz / (n * p))

    @property
    def captured(self) -> FloatArray:
        """Sum of the vectors' Rayleigh quotients before the first rotation and after each, (k + 1,)."""
        chain, trail = require_chain(self)
        weights = trail.weights
        if isinstance(chain, RotationSequence) and not self.method.chooses_at_end:
            is_seed = np.isin(np.arange(chain.n), trail.seeds).astype(float)
            rises = trail.shifts * (is_seed[chain.pivots[:, 0]] - is_seed[chain.pivots[:, 1]])
        elif np.all(weights == weights[0]):
            rises = self.gains / weights[0]
        else:  # only the weighted sum of the columns, chosen again at each step, is known
            raise InvalidInputError(f"captured is known along a {self.method.pivot} run only for target='ones'.")
        risen = np.concatenate([[0.0], np.cumsum(rises)])
        return np.asarray(self.eigenvalues.sum(dtype=np.float64) - (risen[-1] - risen))

    @classmethod
    def from_chain(
        cls, chain: RotationSequence | BlockSequence, gains: FloatArray, nonzeros: IntArray, status: Status,
        method: Method, trail: Trail,
    ) -> Self:  # fmt: skip
        """Make the result of a chain whose columns are not chosen and ordered yet."""
        diagonal = follow_trail(chain, trail)
        if method.chooses_at_end:
            n_high = count_high(trail.weights, method.which)
            seeds = find_best_coordinates(diagonal, n_high, len(trail.weights) - n_high)
        else:
            seeds = trail.seeds
        entries, weights = diagonal[seeds], trail.weights
        if method.target == "adaptive" and not method.chooses_at_end:
            weights = adapt_weights(entries, weights, trail.bounds)
        order = np.lexsort((seeds, entries if method.which == "SA" else -entries))
        chain = chain.with_coordinates(seeds[order])
        real = np.finfo(chain.dtype).dtype
        return cls(
            eigenvalues=entries[order].astype(real),
            vectors=chain.to_sparse(),
            rotations=chain,
            gains=gains,
            nonzeros=nonzeros,
            status=status,
            target=weights[order],
            method=method,
            trail=trail,
        )

    def truncate(self, n_rotations: int) -> Self:
        """Return the same run stopped earlier; nothing is solved again.

        Parameters
        ----------
        n_rotations : int
            How many of the rotations to keep, from 0.

        Returns
        -------
        EigenResult
            What the run would have returned after that many rotations; its columns may come in another order.
        """
        chain, trail = require_chain(self)
        chain = chain.truncate(n_rotations)
        status = self.status if n_rotations == self.n_rotations else Status.ROTATIONS
        trail = replace(trail, shifts=trail.shifts[:n_rotations])
        return self.from_chain(chain, self.gains[:n_rotations], self.nonzeros[:n_rotations], status, self.method, trail)

    def save(self, path: PathLike) -> None:
        """Write the result to an npz file (no pickle); `jacobeig.load` reads it."""
        arrays, facts = self.to_parts()
        write_archive(path, "EigenResult", arrays, **facts)

    def to_parts(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return everything that a file must hold of it: arrays, and facts that JSON can hold."""
        vectors = self.vectors
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in _PLAIN}
        arrays |= {"data": vectors.data, "indices": vectors.indices, "indptr": vectors.indptr}
        arrays["shape"] = np.array(vectors.shape)
        if self.rotations is not None:
            arrays |= {f"rotations.{name}": array for name, array in self.rotations._arrays().items()}
        if self.trail is not None:
            arrays |= {f"trail.{name}": array for name, array in vars(self.trail).items()}
        chain = None if self.rotations is None else type(self.rotations).__name__
        facts = {"status": self.status.name, "method": asdict(self.method), "chain": chain}
        return arrays, facts | {"stored_entries": self.stored_entries, "passes": self.passes}

    @classmethod
    def from_parts(cls, arrays: dict[str, NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Rebuild it from a file's parts; what does not fit together raises FileFormatError."""
        with blame_file("a result"):
            chain = {"RotationSequence": RotationSequence, "BlockSequence": BlockSequence, None: None}[facts["chain"]]
            rows, columns = arrays["shape"].tolist()
            trail = select_part(arrays, "trail.")
            result = cls(
                vectors=assemble_vectors(arrays, rows, columns),
                rotations=None if chain is None else chain._from_arrays(select_part(arrays, "rotations.")),
                status=Status[facts["status"]],
                method=Method(**facts["method"]),
                trail=Trail(**trail) if trail else None,
                stored_entries=facts.get("stored_entries"),
                passes=facts.get("passes"),
                **{name: arrays[name] for name in _PLAIN},
            )
            _check_values(result)
            if result.trail is not None:
                require_chain(result)
            return result

    def plot(self, **options: Any) -> Any:
        """Draw what the vectors are made of, as `jacobeig.plotting.plot_overview` does, and return the axes."""
        return draw("plot_overview", self, **options)

    def __repr__(self) -> str:
        n, p = self.vectors.shape
        chain = f"{self.n_rotations} rotations" if self.rotations is not None else "refined"
        return (
            f"EigenResult({p} vectors of length {n}, density {self.density:.2%}, {chain}, "
            f"{self.method.which} by {self.method.pivot}; {self.status.name.lower()})"
        )

    def _repr_html_(self) -> str:
        columns = {
            "vector": [str(t) for t in range(len(self.eigenvalues))],
            "Rayleigh quotient": [f"{value:.6g}" for value in self.eigenvalues],
            "nonzeros": np.diff(self.vectors.indptr).tolist(),
        }
        return tabulate_html(repr(self), columns, self.status.advice)


def load(path: PathLike) -> EigenResult:
    """Read a result that `EigenResult.save` wrote.

    Parameters
    ----------
    path : path-like
        The file. A damaged or foreign file raises FileFormatError; nothing in it is executed.

    Returns
    -------
    EigenResult
        Equal to the one saved, to the bit.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> je.sparse_eigsh(np.diag([1.0, 2.0, 3.0]), 1).save("result.npz")
    >>> je.load("result.npz").eigenvalues
    array([3.])
    """
    _, arrays, facts = read_archive(path, "EigenResult")
    with blame_file(path):
        return EigenResult.from_parts(arrays, facts)


def require_chain(result: object) -> tuple[RotationSequence | BlockSequence, Trail]:
    """Return the chain of a result and what it left behind, or raise if there is none."""
    if not isinstance(result, EigenResult):
        raise InvalidTypeError(f"result is {name_type(result)}; pass what sparse_eigsh returned.")
    if result.rotations is None or result.trail is None:
        raise InvalidInputError("result has no chain of rotations (it was refined); pass the result from before that.")
    result.rotations.check()
    fault = find_fault(result.rotations, result.trail, result.method)
    if fault or len(result.rotations) != len(result.gains):
        raise InvalidInputError(
            f"result does not fit together ({fault or 'gains and rotations differ in number'}): it was changed. Run "
            "sparse_eigsh again."
        )
    return result.rotations, result.trail


def assemble_vectors(arrays: dict[str, NDArray[Any]], rows: int, columns: int) -> sparse.csc_array:
    """Return the vectors that a file holds, or raise ValueError for parts that are not those of finite vectors."""
    parts = arrays["data"], arrays["indices"], arrays["indptr"]
    fault = find_compressed_fault(*parts, (columns, rows))
    if fault is not None:
        raise ValueError(fault)
    if parts[0].dtype.kind not in "fc" or not np.isfinite(parts[0]).all():
        raise ValueError("its vectors are not finite numbers")
    return sparse.csc_array(parts, shape=(rows, columns))


def _check_values(result: EigenResult) -> None:
    """Raise ValueError unless the plain parts of a loaded result have the shapes and kinds of a run's."""
    (n, p), k = result.vectors.shape, len(result.gains)
    fits = result.eigenvalues.shape == result.target.shape == (p,) and result.nonzeros.shape == (k,)
    fits = fits and result.nonzeros.dtype.kind == "i"
    fits = fits and all(getattr(result, name).dtype.kind == "f" for name in ("eigenvalues", "target", "gains"))
    chain = result.rotations
    if not fits or (chain is not None and (chain.shape != (n, p) or len(chain) != k)):
        raise ValueError("its arrays do not fit together")
    if not np.isfinite([result.eigenvalues, result.target]).all():
        raise ValueError("its eigenvalues or weights are not finite")
    _check_method(result.method)


def _check_method(method: Any) -> None:
    """Raise ValueError for options that no run has; a file may hold anything."""
    words = (method.which, method.target, method.pivot, method.start, method.refined_from or "")
    known = all(isinstance(word, str) for word in words) and method.which in ("LA", "SA", "BE")
    seeded = isinstance(method.seed, int) and 0 <= method.seed < 2**63
    most = method.max_nonzeros
    limited = most is None or (isinstance(most, int) and most >= 1)
    if not known or not seeded or not limited or not isinstance(method.polished, bool):
        raise ValueError("its method is unknown")


def select_part(arrays: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with `prefix`, which is taken off."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
