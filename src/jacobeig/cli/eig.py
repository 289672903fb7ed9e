"""`jacobeig eig`: sparse eigenvectors of a symmetric matrix."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from jacobeig import files
from jacobeig.cli import _options as options
from jacobeig.cli._naming import name_features
from jacobeig.cli._output import Session, plural
from jacobeig.cli._reading import read
from jacobeig.cli._results import output_folder, tell_files, write_results
from jacobeig.cli._summary import components_table, describe_error
from jacobeig.results import metrics
from jacobeig.results.result import EigenResult
from jacobeig.solve import find_sparse_vectors

__all__ = ["EXAMPLES", "eig", "result_facts"]

EXAMPLES = (
    "jacobeig eig correlations.csv --components 4 --density 20%",
    "jacobeig eig stiffness.mtx --which SA --rotations 5000",
    "jacobeig eig data.mat --key S --refine best",
)
# Beyond this, the exact eigenvalues of a dense matrix would take longer than the sparse vectors.
SMALL = 1000


class Which(StrEnum):
    """Which end of the spectrum."""

    LA = "LA"
    SA = "SA"
    BE = "BE"


def eig(
    matrix: Annotated[
        Path, typer.Argument(metavar="MATRIX", readable=False, help="A symmetric or Hermitian matrix; - is stdin.")
    ],
    components: options.Components = None,
    density: options.Density = None,
    max_nonzeros: options.MaxNonzeros = None,
    rotations: options.Rotations = None,
    which: Annotated[
        Which, typer.Option(case_sensitive=False, help="The largest eigenvalues, the smallest, or both ends.")
    ] = Which.LA,
    refine: options.Refine = options.RefineChoice.off,
    orthonormal: options.Orthonormal = True,
    pivot: options.Pivot = "auto",
    target: options.Target = "ones",
    shape: options.Shape = None,
    symmetrize: options.Symmetrize = False,
    key: options.Key = None,
    header: options.Header = None,
    output: options.Folder = None,
    report: options.Report = True,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Find sparse, orthonormal, approximate eigenvectors of a symmetric matrix.

    Writes a model, components.csv and report.html into a folder.
    """
    session = Session("eig", quiet=quiet, as_json=as_json)
    budgets = options.budgets(components, density, max_nonzeros, rotations)
    content = read(session, files.read_matrix, matrix, key=key, header=header, symmetrize=symmetrize)
    n = content.values.shape[0]
    picture = options.parse_shape(shape, n)
    name = options.strip_name(matrix)
    with output_folder(output or Path(f"{name}-eig")) as folder:
        result = find_sparse_vectors(
            content.values, **budgets, refine=options.translate_refine(refine), orthonormal=orthonormal,
            which=which.value, pivot=pivot, target=target, progress=session.progress,
        )  # fmt: skip
        names = name_features(content.names, n, "row")
        page = {
            "matrix": content.values, "feature_names": names, "shape": picture,
            "title": f"Sparse eigenvectors of {name}",
        }  # fmt: skip
        written = write_results(
            session, folder, result, result.vectors, names, what="row", report=page if report else None
        )
    options.note_if_complete(session, result.vectors.shape[1], n, "rows")
    with session.show_waiting("comparing with exact eigenvalues"):
        facts = result_facts(result) | {"accuracy": _accuracy(content.values, result)}
    _tell(session, result, names, f"{name}: {plural(n, 'row')}", facts)
    tell_files(session, written, _next_steps(refine, facts))
    session.finish(written, n=n, **facts)


def result_facts(result: EigenResult) -> dict[str, Any]:
    """Return the figures of a solver's result."""
    return {
        "n_components": result.vectors.shape[1],
        "density": result.density,
        "nonzeros": np.diff(result.vectors.indptr),
        "eigenvalues": result.eigenvalues,
        "captured": float(result.eigenvalues.sum(dtype=np.float64)),
        "orthonormality_error": metrics.orthonormality_error(result.vectors),
        "n_rotations": result.n_rotations,
        "which": result.method.which,
        "solver_status": result.status.name.lower(),
        "solver_advice": result.status.advice,
    }


def _accuracy(S: Any, result: EigenResult) -> float | None:
    """Return the accuracy of orthonormal vectors of a small matrix; None where it would take long or says nothing."""
    if S.shape[0] > SMALL or metrics.orthonormality_error(result.vectors) > 1e-3:
        return None
    dense = S.toarray() if files.is_sparse(S) else np.asarray(S)
    exact = metrics.extreme_eigenvalues(dense, result.vectors.shape[1], result.method.which)  # type: ignore[arg-type]  # one of them
    if float(np.abs(exact).sum()) <= 1e-12 * float(np.abs(dense).max()):
        return None
    return metrics.accuracy(dense, result.vectors, exact)


def _tell(session: Session, result: EigenResult, names: list[str], what: str, facts: dict[str, Any]) -> None:
    columns = {"eigenvalue": [f"{value:.5g}" for value in result.eigenvalues]}
    session.headline(what)
    session.show(components_table(columns, result.vectors, names, what="rows"))
    accuracy = facts["accuracy"]
    session.show(
        f"{plural(facts['n_components'], 'vector')} with [bold]{facts['density']:.1%}[/] of the entries not zero, "
        f"orthonormal to {describe_error(facts['orthonormality_error'])}"
        + ("" if accuracy is None else f"; their eigenvalues sum to [bold]{accuracy:.1%}[/] of the exact ones'")
        + ".",
        "",
    )


def _next_steps(refine: options.RefineChoice, facts: dict[str, Any]) -> dict[str, str]:
    steps = {}
    if refine == options.RefineChoice.off and facts["which"] != "BE" and facts["density"] < 1.0:
        steps["--refine quick"] = "closer eigenvalues with as many nonzeros"
    if facts["solver_status"] == "density":
        steps["--density SHARE"] = "closer eigenvalues or fewer nonzeros"
    return steps
