"""The table of a comparison, and how one row of it is measured."""

import csv
import math
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import Any

from jacobeig._extras import import_extra
from jacobeig._types import FloatArray, Floats, PathLike
from jacobeig.errors import JacobeigError
from jacobeig.refinement import joint
from jacobeig.results import metrics
from jacobeig.results.pictures import draw, tabulate_html

__all__ = ["Comparison", "ComparisonRow", "measure_row"]


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """One method at one number of nonzeros; nan where it could not do what was asked.

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
    slope : float
        nan for methods. For a bound, which no vectors exceed: at most how much more can be captured for each unit of
        density more, and how much less for each unit less.

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
    density: float = math.nan
    accuracy: float = math.nan
    captured: float = math.nan
    captured_orthonormal: float = math.nan
    orthonormality_error: float = math.nan
    seconds: float
    status: str
    slope: float = math.nan


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

    def _list_columns(self) -> dict[str, list[str]]:
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
        return columns

    def __repr__(self) -> str:
        methods = list(dict.fromkeys(row.method for row in self.rows))
        densities = len({row.asked for row in self.rows})
        return f"Comparison({len(self.rows)} rows: {', '.join(methods)} at {densities} densities; print it)"

    def __str__(self) -> str:
        columns = self._list_columns()
        widths = [max(map(len, (name, *cells))) for name, cells in columns.items()]
        lines = [tuple(columns), *zip(*columns.values(), strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

    def _repr_html_(self) -> str:
        return tabulate_html("Captured variance over what exact eigenvectors capture, at most 1.", self._list_columns())

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each method and density."""
        columns = [field.name for field in fields(ComparisonRow)]
        return import_extra("pandas").DataFrame([asdict(row) for row in self.rows], columns=columns)

    def to_csv(self, path: PathLike) -> None:
        """Write the rows to a csv file with a header."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(field.name for field in fields(ComparisonRow))
            writer.writerows(astuple(row) for row in self.rows)

    def plot(self, **options: Any) -> Any:
        """Draw captured variance against density, as `jacobeig.plotting.plot_front` does, and return the axes."""
        return draw("plot_front", self.rows, **options)


def measure_row(
    S: Floats, exact: FloatArray, result: Any, method: str, asked: float, seconds: float, *, orthonormal: bool = False
) -> ComparisonRow:
    """Return the row of a result; `exact` are the leading eigenvalues of S."""
    vectors = result.vectors.toarray()
    vectors = vectors[:, vectors.any(axis=0)]  # a method may lose components
    row = ComparisonRow(method=method, asked=asked, seconds=seconds, status=str(result.status))
    if vectors.size == 0:
        return replace(row, density=0.0, accuracy=0.0, captured=0.0)
    total = float(exact.sum())
    return replace(
        row,
        density=metrics.density(result.vectors),
        accuracy=metrics.accuracy(S, vectors, exact),
        captured=metrics.captured_variance(S, vectors) / total,
        captured_orthonormal=_solve_jointly(S, vectors) / total if orthonormal else math.nan,
        orthonormality_error=metrics.orthonormality_error(vectors),
    )


def _solve_jointly(S: Floats, vectors: Floats) -> float:
    """Return what the best orthonormal vectors on the same supports capture."""
    try:
        return joint(S, vectors != 0.0, vectors).value
    except JacobeigError:
        return math.nan
