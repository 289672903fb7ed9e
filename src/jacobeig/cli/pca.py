"""`jacobeig pca`: sparse principal components of a table."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy import sparse

from jacobeig import files
from jacobeig.cli import _options as options
from jacobeig.cli._naming import name_features
from jacobeig.cli._output import Session, plural
from jacobeig.cli._reading import read
from jacobeig.cli._results import output_folder, tell_files, write_results
from jacobeig.cli._summary import components_table, describe_error
from jacobeig.errors import InvalidInputError
from jacobeig.results import metrics

__all__ = ["EXAMPLES", "model_facts", "pca"]

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
    components: options.Components = None,
    density: options.Density = None,
    max_nonzeros: options.MaxNonzeros = None,
    rotations: options.Rotations = None,
    refine: options.Refine = options.RefineChoice.off,
    orthonormal: options.Orthonormal = True,
    center: Annotated[
        bool, typer.Option("--center/--no-center", help="Whether to subtract each feature's mean.")
    ] = True,
    scale: Annotated[bool, typer.Option("--scale", help="Divide each feature by its standard deviation.")] = False,
    pivot: options.Pivot = "auto",
    target: options.Target = "ones",
    shape: options.Shape = None,
    label: options.Label = None,
    drop: options.Drop = None,
    transpose: options.Transpose = False,
    key: options.Key = None,
    header: options.Header = None,
    output: options.Folder = None,
    report: options.Report = True,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Find sparse principal components of a table: each of a few features, all orthonormal.

    Writes a model, components.csv, scores.csv and report.html into a folder.
    """
    session = Session("pca", quiet=quiet, as_json=as_json)
    budgets = options.budgets(components, density, max_nonzeros, rotations)
    table = read(
        session, files.read_table, data, label=label, drop=drop or (), key=key, header=header, transpose=transpose
    )
    n_samples, n_features = table.values.shape
    picture = options.parse_shape(shape, n_features)
    _check_table(table, scale=scale)
    name = options.strip_name(data)
    with output_folder(output or Path(f"{name}-pca")) as folder:
        model = _model(
            session, **budgets, refine=options.translate_refine(refine), orthonormal=orthonormal, center=center,
            scale=scale, pivot=pivot, target=target,
        ).fit(table.named())  # fmt: skip
        model.set_params(progress=False)
        vectors = sparse.csc_array(model.components_.T)
        names = name_features(table.features, n_features)
        page = {
            "feature_names": names, "shape": picture, "title": f"Sparse principal components of {name}",
            **_select_samples(table),
        }  # fmt: skip
        samples = (table, model.transform(table.named()))
        written = write_results(
            session, folder, model, vectors, names, samples=samples, report=page if report else None
        )
    options.note_if_complete(session, model.n_components_, n_features, "features")
    facts = model_facts(model)
    with session.show_waiting("comparing with full PCA"):
        facts["share_of_full_pca"] = _share_of_full(model, table.values)
    _tell(
        session,
        model,
        vectors,
        names,
        f"{name}: {plural(n_samples, 'sample')} of {plural(n_features, 'feature')}",
        facts,
    )
    reading = options.repeat_reading_options(label, drop, key, header, transpose=transpose)
    refined = refine != options.RefineChoice.off
    tell_files(session, written, _next_steps(data, reading, written, facts, refined=refined))
    session.finish(written, n_samples=n_samples, n_features=n_features, **facts)


def _model(session: Session, **parameters: Any) -> Any:
    with session.show_waiting("loading scikit-learn"):
        from jacobeig.estimators.pca import JacobiPCA
    return JacobiPCA(progress=session.progress, **parameters)


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
            names = name_features(table.features, n_features)
            raise InvalidInputError(
                f"--scale divides by standard deviations, but {plural(len(constant), 'column')} never change, first "
                f"{names[constant[0]]!r}: leave them out with --drop."
            )


def _select_samples(table: files.Table) -> dict[str, Any]:
    """Return what the report shows of the samples; nothing where they would make the page too heavy."""
    if files.is_sparse(table.values) or table.values.size > PAGE_ENTRIES:
        return {}
    return {"data": table.values, "labels": table.named_labels(), "sample_names": table.rows}


def model_facts(model: Any) -> dict[str, Any]:
    """Return the figures of a fitted model."""
    result = model.decomposition_
    return {
        "n_components": model.n_components_,
        "density": result.density,
        "nonzeros": np.diff(result.vectors.indptr),
        "explained_variance": model.explained_variance_,
        "explained_variance_ratio": model.explained_variance_ratio_,
        "total_explained_variance_ratio": model.total_explained_variance_ratio_,
        "orthonormality_error": metrics.orthonormality_error(result.vectors),
        "n_rotations": result.n_rotations,
        "solver_status": result.status.name.lower(),
        "solver_advice": result.status.advice,
    }


def _share_of_full(model: Any, values: Any) -> float | None:
    """Return the explained variance over that of full PCA, where that is quickly known."""
    from jacobeig.estimators.pca.full import measure_full_pca

    total = measure_full_pca(model, values)
    return None if total is None else model.total_explained_variance_ / total


def _tell(session: Session, model: Any, vectors: Any, names: list[str], what: str, facts: dict[str, Any]) -> None:
    ratio = model.explained_variance_ratio_
    columns = {
        "variance": [f"{share:.1%}" for share in ratio],
        "cumulative": [f"{share:.1%}" for share in np.cumsum(ratio)],
    }
    session.headline(what)
    session.show(components_table(columns, vectors, names))
    full = facts["share_of_full_pca"]
    compared = "" if full is None else f", [bold]{full:.1%}[/] of what full PCA explains"
    session.show(
        f"Together they explain [bold]{facts['total_explained_variance_ratio']:.1%}[/] of the variance{compared}, with "
        f"[bold]{facts['density']:.1%}[/] of the entries not zero; orthonormal to "
        f"{describe_error(facts['orthonormality_error'])}.",
        "",
    )


def _next_steps(
    data: Path, reading: str, written: dict[str, Path], facts: dict[str, Any], *, refined: bool
) -> dict[str, str]:
    """Return what to go on with; `reading` holds the options that the same file needs."""
    file = ("DATA" if str(data) == files.STANDARD_INPUT else shlex.quote(str(data))) + reading
    steps = {f"jacobeig transform {shlex.quote(str(written['model']))} {file}": "scores, also of other samples"}
    if not refined and facts["density"] < 1.0:  # full vectors leave nothing to choose
        steps["--refine quick"] = "more variance with as many nonzeros"
    if facts["solver_status"] == "density":
        steps["--density SHARE"] = "more variance, or fewer nonzeros"
        steps[f"jacobeig compare {file}"] = "what there is to choose from"
    return steps
