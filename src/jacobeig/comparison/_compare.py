"""Every method on the same matrix at the same numbers of nonzeros: one table, one picture."""

from __future__ import annotations

import csv
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from jacobeig._arguments import check_count
from jacobeig._types import Floats
from jacobeig.comparison import baselines
from jacobeig.errors import InvalidInputError, JacobeigError, Mention, MissingExtraError
from jacobeig.refinement import joint
from jacobeig.results import metrics
from jacobeig.results.progress import progress_bar
from jacobeig.solve import refine, sparse_eigsh
from jacobeig.sources import GramRows
from jacobeig.sources.whole import read_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MEANINGS", "OURS", "Comparison", "ComparisonRow", "compare"]


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """One method at one number of nonzeros.

    Attributes
    ----------
    method : str
        Its name.
    asked : float
        The density asked for.
    density : float
        The density reached.
    accuracy : float
        ``tr |U^T S U|`` over the sum of the exact eigenvalues (eq. error): over-counts vectors that are not orthogonal.
    captured : float
        Variance captured by projection on the vectors' span, over the same sum: at most 1, fair to all.
    captured_orthonormal : float
        The same, once the vectors are made orthonormal by solving jointly on their supports; nan if not asked for.
    orthonormality_error : float
        ``max |U^T U - I|``.
    seconds : float
        Time taken.
    status : str
        How the method ended.

    Examples
    --------
    >>> import jacobeig as je
    >>> table = je.compare(je.datasets.random_covariance(30, rng=0), 2, [0.2], methods=["chain"])
    >>> row = table.rows[0]
    >>> row.method, row.density <= 0.2, row.orthonormality_error < 1e-12
    ('chain', True, True)
    """

    method: str
    asked: float
    density: float
    accuracy: float
    captured: float
    captured_orthonormal: float
    orthonormality_error: float
    seconds: float
    status: str


@dataclass(frozen=True)
class Comparison:
    """The rows of a comparison.

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(30, rng=0)
    >>> table = je.compare(S, 2, [0.2], methods=["chain", "threshold"])
    >>> [row.method for row in table.rows]
    ['chain', 'threshold']
    """

    rows: tuple[ComparisonRow, ...]

    def __str__(self) -> str:
        columns = {
            "method": [row.method for row in self.rows],
            "density": [f"{row.density:.2%}" for row in self.rows],
            "captured": [f"{row.captured:.4f}" for row in self.rows],
            "made orthonormal": [f"{row.captured_orthonormal:.4f}" for row in self.rows],
            "orthonormality": [f"{row.orthonormality_error:.0e}" for row in self.rows],
            "seconds": [f"{row.seconds:.2f}" for row in self.rows],
        }
        if all(math.isnan(row.captured_orthonormal) for row in self.rows):  # it was not asked for
            del columns["made orthonormal"]
        widths = [max(map(len, (name, *cells))) for name, cells in columns.items()]
        lines = [tuple(columns), *zip(*columns.values(), strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a csv file with a header."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(field.name for field in fields(ComparisonRow))
            writer.writerows(astuple(row) for row in self.rows)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the front of every method: captured variance against density.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new ones by default.

        Returns
        -------
        Axes
            The axes drawn on.
        """
        from jacobeig.plotting import plot_front

        return plot_front(self.rows, ax=ax)


def _chain(S: Floats, p: int, nonzeros: int) -> Any:
    return sparse_eigsh(S, p, density=nonzeros / (len(S) * p))


def _paper(S: Floats, p: int, nonzeros: int) -> Any:
    return sparse_eigsh(S, p, density=nonzeros / (len(S) * p), pivot="gain", start="diagonal")


def _make_refined(**options: Any) -> Callable[[Floats, int, int], Any]:
    def method(S: Floats, p: int, nonzeros: int) -> Any:
        density = nonzeros / (len(S) * p)
        return refine(S, sparse_eigsh(S, p, density=density), density=density, **options)

    return method


_Method = Callable[[Floats, int, int], Any]
_TABLE: dict[str, tuple[_Method, str]] = {
    "paper": (_paper, "rotations chosen as in the paper, from the largest variances; orthonormal"),
    "chain": (_chain, "rotations as chosen by default; orthonormal"),
    "refine": (
        _make_refined(),
        "chain, then other nonzeros where they capture more (" + Mention("refine", True) + "); orthonormal",
    ),
    "refine best": (
        _make_refined(effort="best"),
        "the same, trying everything (" + Mention("refine", "best") + "); orthonormal",
    ),
    "free": (
        _make_refined(orthonormal=False),
        "refine without orthonormality (" + Mention("orthonormal", False) + ")",
    ),
    "free best": (_make_refined(orthonormal=False, effort="best"), "refine best without orthonormality"),
}
OURS: dict[str, _Method] = {name: method for name, (method, _) in _TABLE.items()}
# What every method is, in a few words.
MEANINGS = {name: meaning for name, (_, meaning) in _TABLE.items()} | baselines.MEANINGS


def compare(
    matrix_or_data: Any,
    n_components: int,
    densities: Sequence[float],
    methods: Sequence[str] | None = None,
    *,
    make_orthonormal: bool = False,
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
        `baselines.METHODS`; by default all of both whose extras are installed.
    make_orthonormal : bool, default False
        Also make every method's vectors orthonormal, by solving jointly on their supports, and say what that captures.
    time_limit : float, default 10
        Seconds a component for branch and bound.
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
    S = _find_matrix(matrix_or_data)
    p = check_count("n_components", n_components, 1)
    names = list(OURS) + list(baselines.METHODS) if methods is None else list(methods)
    unknown = [name for name in names if name not in OURS and name not in baselines.METHODS]
    if unknown:
        known = ", ".join(map(repr, [*OURS, *baselines.METHODS]))
        raise InvalidInputError(f"holds {unknown[0]!r}", argument="methods", advice=f"give names among {known}.")
    exact = float(metrics.extreme_eigenvalues(S, p).sum())
    jobs = [(name, float(density)) for density in densities for name in names]
    rows = []
    with progress_bar("methods", len(jobs), enabled=progress) as show:
        for done, (name, density) in enumerate(jobs):
            rows += list(_row(S, p, name, density, exact, make_orthonormal, time_limit, required=methods is not None))
            show(done + 1)
    return Comparison(tuple(rows))


def _find_matrix(matrix_or_data: Any) -> Floats:
    """Return a symmetric matrix as it is, and the covariance of anything else."""
    given = matrix_or_data.toarray() if hasattr(matrix_or_data, "toarray") else np.asarray(matrix_or_data)
    if given.ndim == 2 and given.shape[0] == given.shape[1] and np.allclose(given, given.T, equal_nan=True):
        return read_whole(given, "compare")[0]
    return read_whole(GramRows(given), "compare")[0]


def _row(
    S: Floats,
    p: int,
    name: str,
    density: float,
    exact: float,
    orthonormal: bool,
    time_limit: float,
    *,
    required: bool,
) -> Iterator[ComparisonRow]:
    """Yield the row of one method at one density; nothing where its extra is missing and it was not asked for."""
    start = time.perf_counter()
    try:
        result = _run(S, p, name, max(1, int(density * len(S) * (1.0 + 1e-12))), time_limit)
    except MissingExtraError:
        if required:
            raise
        return
    except JacobeigError as error:
        nan = float("nan")
        yield ComparisonRow(
            method=name, asked=density, density=nan, accuracy=nan, captured=nan, captured_orthonormal=nan,
            orthonormality_error=nan, seconds=time.perf_counter() - start, status=error.message,
        )  # fmt: skip
        return
    seconds = time.perf_counter() - start
    kept = result.vectors.toarray()
    kept = kept[:, kept.any(axis=0)]  # a method may lose components
    yield ComparisonRow(
        method=name,
        asked=density,
        density=metrics.density(result.vectors),
        accuracy=float(np.abs(np.einsum("ij,ij->j", kept, S @ kept)).sum()) / exact,
        captured=metrics.captured_variance(S, kept) / exact,
        captured_orthonormal=_solve_jointly(S, kept) / exact if orthonormal else float("nan"),
        orthonormality_error=metrics.orthonormality_error(kept),
        seconds=seconds,
        status=str(result.status),
    )


def _run(S: Floats, p: int, name: str, max_nonzeros: int, time_limit: float) -> Any:
    if name in OURS:
        return OURS[name](S, p, p * max_nonzeros)
    if name == "bb":
        return baselines.bb(S, p, max_nonzeros, time_limit=time_limit)
    if name == "sklearn_spca":
        return baselines.sklearn_spca(S, p, alpha=_find_penalty(S, p, max_nonzeros))
    return baselines.METHODS[name](S, p, max_nonzeros)


def _find_penalty(S: Floats, p: int, max_nonzeros: int) -> float:
    """Return an l1 penalty that leaves about that many nonzeros: bisection with short runs, from what cuts all."""
    values, vectors = np.linalg.eigh(S)
    high = float(np.abs(vectors[:, -p:] * np.sqrt(np.maximum(values[-p:], 0.0))).max())
    low = 1e-6 * high
    for _ in range(8):
        middle = math.sqrt(low * high)
        found = baselines.sklearn_spca(S, p, alpha=middle, n_iterations=20).vectors.nnz
        low, high = (middle, high) if found > p * max_nonzeros else (low, middle)
    return high


def _solve_jointly(S: Floats, vectors: Floats) -> float:
    """Return what the best orthonormal vectors on the same supports capture."""
    try:
        return joint(S, vectors != 0.0, vectors).value
    except JacobeigError:
        return float("nan")
