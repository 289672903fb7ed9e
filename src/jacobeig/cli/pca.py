"""`jacobeig pca`: sparse principal components of a table."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from jacobeig import files
from jacobeig.cli import _options as options
from jacobeig.cli._files import strip_name
from jacobeig.cli._output import Session
from jacobeig.cli._results import FILES
from jacobeig.cli._solving import Solution, solve_and_tell
from jacobeig.cli._views import view_model
from jacobeig.cli._wording import plural
from jacobeig.errors import InvalidInputError

__all__ = ["EXAMPLES", "pca"]

EXAMPLES = (
    "jacobeig pca genes.csv --components 5 --max-nonzeros 30",
    "jacobeig pca iris.csv --label species --scale",
    "jacobeig pca digits.npy --density 5% --refine best --shape 8x8",
    "zcat genes.csv.gz | jacobeig pca - --json --output genes",
)

# Beyond this, the samples would make the page too heavy to open.
PAGE_ENTRIES = 20_000_000


def pca(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", readable=False, help="Samples in rows, features in columns; - is stdin.")
    ],
    search: options.Search,
    reading: options.Reading,
    writing: options.Writing,
    saying: options.Saying,
    orthonormal: options.Orthonormal = True,
    center: Annotated[
        bool, typer.Option("--center/--no-center", help="Whether to subtract each feature's mean.")
    ] = True,
    scale: Annotated[bool, typer.Option("--scale", help="Divide each feature by its standard deviation.")] = False,
    shape: options.Shape = None,
) -> None:
    """Find sparse principal components of a table: each of a few features, all orthonormal.

    Writes a model, components.csv, scores.csv and report.html into a folder.
    """
    session, arguments = saying.start("pca"), search.to_arguments()
    table = reading.read(session, data)
    picture = options.parse_shape(shape, table.values.shape[1])
    _check_table(table, scale=scale)
    name = strip_name(data)
    folder = writing.output or Path(f"{name}-pca")

    def solve() -> Solution:
        model = _fit(session, table, **arguments, orthonormal=orthonormal, center=center, scale=scale)
        view = view_model(model, table.features)
        title = f"Sparse principal components of {name}"
        (n_samples, n_features), full = table.values.shape, _compare_with_full(session, model, table.values)
        return Solution(
            model=model,
            view=view,
            headline=f"{name}: {plural(n_samples, 'sample')} of {plural(n_features, 'feature')}",
            quality=_describe_quality(model, full),
            better="more variance",
            facts={"n_samples": n_samples, "n_features": n_features, "share_of_full_pca": full},
            page={"feature_names": view.names, "shape": picture, "title": title, **_select_samples(table)},
            steps=_list_steps(data, reading, folder, view.facts["density"]),
            samples=(table, model.transform(table.named())),
        )

    solve_and_tell(session, folder, solve, search, report=writing.report)


def _fit(session: Session, table: files.Table, **parameters: Any) -> Any:
    with session.show_waiting("loading scikit-learn"):
        from jacobeig.estimators.pca import JacobiPCA
    return JacobiPCA(progress=session.progress, **parameters).fit(table.named()).set_params(progress=False)


def _check_table(table: files.Table, *, scale: bool) -> None:
    """Raise, in the words of the table, for what the model would refuse in its own."""
    n_samples, n_features = table.values.shape
    if n_samples < 2 or n_features < 2:
        raise InvalidInputError(
            f"the table has {plural(n_samples, 'row')} and {plural(n_features, 'column')} of numbers; principal "
            "components need at least two of both."
        )
    if scale and not files.is_sparse(table.values):
        constant = np.flatnonzero(np.ptp(table.values, axis=0) == 0)
        if len(constant):
            first = f"column {constant[0] + 1}" if table.features is None else table.features[constant[0]]
            raise InvalidInputError(
                f"--scale divides by standard deviations, but {plural(len(constant), 'column')} never change, first "
                f"{first!r}: leave them out with --drop."
            )


def _select_samples(table: files.Table) -> dict[str, Any]:
    """Return what the report shows of the samples; nothing where they would make the page too heavy."""
    if files.is_sparse(table.values) or table.values.size > PAGE_ENTRIES:
        return {}
    return {"data": table.values, "labels": table.named_labels(), "sample_names": table.rows}


def _compare_with_full(session: Session, model: Any, values: Any) -> float | None:
    """Return the explained variance over that of full PCA, where that is quickly known."""
    from jacobeig.estimators.pca.full import measure_full_pca

    with session.show_waiting("comparing with full PCA"):
        total = measure_full_pca(model, values)
    return None if total is None else model.total_explained_variance_ / total


def _describe_quality(model: Any, share_of_full: float | None) -> str:
    compared = "" if share_of_full is None else f", [bold]{share_of_full:.1%}[/] of what full PCA explains"
    return f"Together they explain [bold]{model.total_explained_variance_ratio_:.1%}[/] of the variance{compared}"


def _list_steps(data: Path, reading: options.Reading, folder: Path, density: float) -> dict[str, str]:
    """Return the commands to go on with."""
    file = ("DATA" if str(data) == files.STANDARD_INPUT else shlex.quote(str(data))) + reading.repeat()
    model = shlex.quote(str(folder / FILES["model"]))
    steps = {f"jacobeig transform {model} {file}": "scores, also of other samples"}
    if density < 1.0:  # full vectors leave nothing to choose
        steps[f"jacobeig compare {file}"] = "what there is to choose from"
    return steps
