"""`jacobeig eig`: sparse eigenvectors of a symmetric matrix."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._files import read, strip_name
from jacobeig.cli._options import name_data, repeat
from jacobeig.cli._output import Session
from jacobeig.cli._solving import NOT_AGAIN, Solution, solve_and_tell
from jacobeig.cli._views import view_model
from jacobeig.cli._wording import plural

__all__ = ["EXAMPLES", "eig"]

EXAMPLES = (
    "jacobeig eig correlations.csv --components 4 --density 20%",
    "jacobeig eig stiffness.mtx --which SA --rotations 5000",
    "jacobeig eig data.mat --key S --refine best",
)
# Beyond this, the exact eigenvalues of a dense matrix would take longer than the sparse vectors.
SMALL = 1000
Which = StrEnum("Which", {"LA": "LA", "SA": "SA", "BE": "BE"})


@dataclass(frozen=True)
class Ends:
    """Which end of the spectrum."""

    which: Which = options.option(
        Which.LA, "The largest eigenvalues, the smallest, or both ends.", case_sensitive=False
    )


def eig(
    matrix: Annotated[Path, options.take_file("MATRIX", "A symmetric or Hermitian matrix; - is stdin.")],
    search: options.Search,
    form: options.Form,
    reading: options.MatrixReading,
    writing: options.Writing,
    saying: options.Saying,
    ends: Ends,
) -> None:
    """Find sparse, orthonormal, approximate eigenvectors of a symmetric matrix.

    Writes a model, components.csv and report.html into a folder.
    """
    from jacobeig.solve import find_sparse_vectors

    session, arguments = saying.start("eig"), {"refine": False} | search.to_arguments()
    content = read(session, je.files.read_matrix, matrix, **asdict(reading))
    n = content.values.shape[0]
    picture = options.parse_shape(form.shape, n)
    name = strip_name(matrix)

    def solve() -> Solution:
        result = find_sparse_vectors(
            content.values, **arguments, orthonormal=form.orthonormal, which=ends.which.value, progress=session.progress
        )
        view = view_model(result, content.names)
        exact, accuracy = _compare_with_exact(session, content.values, result)
        return Solution(
            view=view,
            headline=f"{name}: {plural(n, 'row')}",
            quality=_describe_quality(result, exact),
            better="closer eigenvalues",
            facts={"n": n, "exact": exact, "accuracy": accuracy},
            page={"matrix": content.values, "shape": picture, "title": f"Sparse eigenvectors of {name}"},
            command=f"eig {name_data(matrix)}{repeat(reading, form, search, writing, ends, without=NOT_AGAIN)}",
        )

    solve_and_tell(session, writing.output or Path(f"{name}-eig"), solve, search, report=writing.report)


def _compare_with_exact(session: Session, S: Any, result: "je.EigenResult") -> tuple[float | None, float | None]:
    """Return the sum of the exact eigenvalues and the paper's accuracy, where both are quickly known and defined."""
    from jacobeig._arguments import to_dense

    if S.shape[0] > SMALL or je.metrics.orthonormality_error(result.vectors) > 1e-3:
        return None, None
    dense, which = to_dense(S), result.method.which
    with session.show_waiting("comparing with exact eigenvalues"):
        exact = je.metrics.extreme_eigenvalues(dense, result.vectors.shape[1], which)  # type: ignore[arg-type]  # one of them
    defined = abs(exact).sum() > 1e-12 * abs(dense).max()
    return _add_up(exact, which), je.metrics.accuracy(dense, result.vectors, exact) if defined else None


def _add_up(eigenvalues: Any, which: str) -> float:
    """Return the sum of eigenvalues; of both ends, whose signs differ, the sum of their sizes."""
    return float((abs(eigenvalues) if which == "BE" else eigenvalues).sum(dtype="float64"))


def _describe_quality(result: "je.EigenResult", exact: float | None) -> str:
    """Return what the eigenvalues sum to; only at the large end is that a share of what the exact ones do."""
    which = result.method.which
    found = _add_up(result.eigenvalues, which)
    sums = f"{'In size, their' if which == 'BE' else 'Their'} eigenvalues sum to [bold]{found:.5g}[/]"
    if exact is None:
        return sums
    if which == "LA" and found > 0.0:
        return f"{sums}, [bold]{found / exact:.1%}[/] of what the exact ones do"
    return f"{sums}, the exact ones to [bold]{exact:.5g}[/]"
