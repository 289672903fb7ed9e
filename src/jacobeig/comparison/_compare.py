"""Run every method on the same matrix at the same numbers of nonzeros."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from jacobeig._arguments import (
    as_list,
    check_boolean,
    check_components,
    check_positive,
    check_real,
    largest_absolute,
    to_dense,
    working_dtype,
)
from jacobeig._types import FloatArray, Floats
from jacobeig.comparison import baselines
from jacobeig.comparison.table import Comparison, ComparisonRow, measure_row
from jacobeig.errors import InvalidInputError, JacobeigError, Mention, MissingExtraError
from jacobeig.refinement.certificates import certify
from jacobeig.results import metrics
from jacobeig.results.progress import progress_bar
from jacobeig.solve import refine, sparse_eigsh
from jacobeig.sources import GramRows
from jacobeig.sources.products import read_whole
from jacobeig.sources.units import moderate_scale

# What a density lacks of a whole number of nonzeros by rounding alone.
ROUNDING = 1e-12
# Steps that halve the range of the l1 penalty, and iterations of the short run of each. Not tuned: on USPS they left 73
# to 92% of the nonzeros asked for (docs/benchmarks.md).
PENALTY_STEPS, SHORT_RUN = 8, 20

Ours = Callable[[Floats, int, float], Any]


def _chain(S: Floats, p: int, density: float) -> Any:
    return sparse_eigsh(S, p, density=density)


def _paper(S: Floats, p: int, density: float) -> Any:
    return sparse_eigsh(S, p, density=density, pivot="gain", start="diagonal")


def _refine(S: Floats, p: int, density: float, **options: Any) -> Any:
    return refine(S, _chain(S, p, density), density=density, **options)


_TABLE: dict[str, tuple[Ours, str]] = {
    "paper": (_paper, "rotations chosen as in the paper, from the largest variances; orthonormal"),
    "chain": (_chain, "rotations as chosen by default; orthonormal"),
    "refine": (
        _refine,
        "chain, then other nonzeros where they capture more (" + Mention("refine", True) + "); orthonormal",
    ),
    "refine best": (
        partial(_refine, effort="best"),
        "the same, trying everything (" + Mention("refine", "best") + "); orthonormal",
    ),
    "free": (
        partial(_refine, orthonormal=False),
        "refine without orthonormality (" + Mention("orthonormal", False) + ")",
    ),
    "free best": (partial(_refine, orthonormal=False, effort="best"), "refine best without orthonormality"),
}
# What no vectors with as many nonzeros exceed, whatever method finds them: whether they may be other than orthonormal.
_BOUNDS = {"bound": False, "free bound": True}
OURS: dict[str, Ours] = {name: method for name, (method, _) in _TABLE.items()}
# What every method is, in a few words.
MEANINGS = (
    {name: meaning for name, (_, meaning) in _TABLE.items()}
    | {
        "bound": "no method: what no orthonormal vectors with as many nonzeros can exceed, proved",
        "free bound": "the same for vectors that need not be orthonormal",
    }
    | baselines.MEANINGS
)


def compare(
    matrix_or_data: Any,
    n_components: int,
    densities: Sequence[float],
    methods: Sequence[str] | None = None,
    *,
    make_orthonormal: bool = False,
    center: bool = True,
    scale: bool = False,
    time_limit: float = 10.0,
    progress: bool = False,
) -> Comparison:
    """Run methods on the same matrix at the same numbers of nonzeros.

    Parameters
    ----------
    matrix_or_data : array_like (n, n) or (samples, n)
        A real symmetric positive semidefinite matrix, or data whose covariance is taken.
    n_components : int
        Number p of vectors.
    densities : sequence of float
        Each allows every vector ``floor(density * n)`` nonzeros, at least one; methods with one budget for all vectors
        get p times that.
    methods : sequence of str, optional
        Names in `OURS` ("paper", "chain", "refine", "refine best", "free", "free best") and in
        `baselines.METHODS`; "bound" and "free bound" for what no (orthonormal) vectors can exceed. By default all
        whose extras are installed.
    make_orthonormal : bool, default False
        Also make every method's vectors orthonormal, by solving jointly on their supports, and say what that captures.
    center, scale : bool, default True and False
        Whether to subtract the mean of each feature of data, and to divide by its standard deviation; a symmetric
        matrix is taken as it is.
    time_limit : float, default 10
        Seconds a component for branch and bound, and for a bound.
    progress : bool, default False
        Show a progress bar.

    Returns
    -------
    Comparison
        A table, with ``plot()`` and ``to_csv()``. A method that cannot do what was asked has nan and a status.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(40, rng=0)
    >>> table = je.compare(S, 3, [0.1, 0.3], methods=["chain", "tpower", "threshold"])
    >>> len(table.rows)
    6
    """
    options = {name: check_boolean(name, value) for name, value in (("center", center), ("scale", scale))}
    S, samples = _read_matrix(matrix_or_data, **options)
    factor = moderate_scale(largest_absolute(S))  # only shares are reported
    S *= factor
    samples = None if samples is None else math.sqrt(factor) * samples
    p = check_components(n_components, len(S), f"there are {len(S)} features")
    names = _check_methods(methods)
    jobs = [(name, density) for density in _check_densities(densities) for name in names]
    bench = _Bench(
        S=S,
        exact=_find_exact(S, samples, p),
        orthonormal=check_boolean("make_orthonormal", make_orthonormal),
        time_limit=check_positive("time_limit", time_limit, "give the seconds for each component"),
        required=methods is not None,
    )
    if not bench.exact.sum() > 0.0:
        raise InvalidInputError(
            f"the {p} largest eigenvalues sum to {bench.exact.sum():g}, so there is no variance to capture; "
            "give a positive semidefinite matrix that is not zero."
        )
    rows: list[ComparisonRow] = []
    with progress_bar("methods", len(jobs), enabled=check_boolean("progress", progress)) as show:
        for done, (name, density) in enumerate(jobs):
            rows += bench.run(name, density)
            show(done + 1)
    return Comparison(tuple(rows))


def _read_matrix(matrix_or_data: Any, *, center: bool, scale: bool) -> tuple[Floats, Floats | None]:
    """Return a symmetric matrix as it is, or the covariance Y' Y of anything else; and Y if it has fewer samples."""
    given = to_dense(matrix_or_data, "matrix_or_data")
    working_dtype(given.dtype, "matrix_or_data")
    if given.ndim == 2 and given.shape[0] == given.shape[1] and np.allclose(given, given.T, equal_nan=True):
        if scale:
            raise InvalidInputError(
                "is for data, but a symmetric matrix came",
                argument="scale",
                advice="leave it out, or scale it yourself.",
            )
        return read_whole(given, "compare")[0], None
    source = GramRows(given, center=center, scale=scale)
    S = read_whole(source, "compare")[0]
    return S, source.samples() if source.n_samples < len(S) else None


def _find_exact(S: Floats, samples: Floats | None, p: int) -> FloatArray:
    """Return the p largest eigenvalues; of fewer samples than features those of Y Y', which is smaller, and zeros."""
    if samples is None:
        return metrics.extreme_eigenvalues(S, p)
    found = metrics.extreme_eigenvalues(samples @ samples.T, min(p, len(samples)))
    return np.pad(np.maximum(found, 0.0), (0, p - len(found)))


def _check_methods(methods: Sequence[str] | str | None) -> list[str]:
    known = [*OURS, *_BOUNDS, *baselines.METHODS]
    given = [methods] if isinstance(methods, str) else methods
    names = known if given is None else as_list("methods", given, "names")
    for name in names:
        if not isinstance(name, str) or name not in known:
            advice = f"give names among {', '.join(map(repr, known))}."
            raise InvalidInputError(f"holds {name!r}", argument="methods", advice=advice)
    return names


def _check_densities(densities: Any) -> list[float]:
    given = as_list("densities", densities, "numbers, such as [0.05, 0.1]")
    values = [check_real("each of densities", density) for density in given]
    for value in values:
        if not 0.0 < value <= 1.0:
            raise InvalidInputError(f"densities holds {value}; give numbers above 0 and at most 1.")
    return values


@dataclass(frozen=True, kw_only=True, eq=False)
class _Bench:
    """What all methods are given."""

    S: Floats
    exact: FloatArray
    orthonormal: bool
    time_limit: float
    required: bool

    def run(self, name: str, density: float) -> Iterator[ComparisonRow]:
        """Yield the row of one method at one density; nothing where its extra is missing and it was not asked for."""
        start = time.perf_counter()
        if name in _BOUNDS:
            yield self._bound(name, density)
            return
        try:
            result = self._solve(name, self._allow(density))
        except MissingExtraError:
            if self.required:
                raise
        except JacobeigError as error:
            seconds = time.perf_counter() - start
            yield ComparisonRow(method=name, asked=density, seconds=seconds, status=error.message)
        else:
            seconds = time.perf_counter() - start
            yield measure_row(self.S, self.exact, result, name, density, seconds, orthonormal=self.orthonormal)

    def _allow(self, density: float) -> int:
        """Return how many nonzeros a density allows every vector."""
        return max(1, int(density * len(self.S) * (1.0 + ROUNDING)))

    def _bound(self, name: str, asked: float) -> ComparisonRow:
        """Return the row of what no vectors with as many nonzeros in all exceed."""
        n, p, total = len(self.S), len(self.exact), float(self.exact.sum())
        density = self._allow(asked) / n
        certificate = certify(
            self.S, n_components=p, density=density, orthonormal=not _BOUNDS[name], time_limit=self.time_limit * p
        )
        return ComparisonRow(
            method=name,
            asked=asked,
            density=density,
            captured=certificate.bound / total,
            seconds=certificate.seconds,
            status=f"proved by {certificate.kind}",
            slope=certificate.mu * n * p / total,
        )

    def _solve(self, name: str, max_nonzeros: int) -> Any:
        n, p = len(self.S), len(self.exact)
        if name in OURS:
            return OURS[name](self.S, p, p * max_nonzeros / (n * p))
        if name == "bb":
            return baselines.bb(self.S, p, max_nonzeros, time_limit=self.time_limit)
        if name == "sklearn_spca":
            return baselines.sklearn_spca(self.S, p, alpha=_find_penalty(self.S, p, max_nonzeros))
        return baselines.METHODS[name](self.S, p, max_nonzeros)


def _find_penalty(S: Floats, p: int, max_nonzeros: int) -> float:
    """Return an l1 penalty that leaves about that many nonzeros: bisection with short runs, from what cuts all."""
    values, vectors = np.linalg.eigh(S)
    high = float(np.abs(vectors[:, -p:] * np.sqrt(np.maximum(values[-p:], 0.0))).max())
    low = 1e-6 * high
    for _ in range(PENALTY_STEPS):
        middle = math.sqrt(low * high)
        found = baselines.sklearn_spca(S, p, alpha=middle, n_iterations=SHORT_RUN).vectors.nnz
        low, high = (middle, high) if found > p * max_nonzeros else (low, middle)
    return high
