"""`jacobeig pca`: sparse principal components of a table."""

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._files import strip_name
from jacobeig.cli._options import name_data, repeat
from jacobeig.cli._output import Session
from jacobeig.cli._results import FILES
from jacobeig.cli._solving import NOT_AGAIN, Solution, solve_and_tell
from jacobeig.cli._tables import MOST_COMPARED, check_table, note_if_dominated
from jacobeig.cli._views import add_stability, view_model
from jacobeig.cli._wording import plural

__all__ = ["EXAMPLES", "pca"]

EXAMPLES = (
    "jacobeig pca genes.csv --components 5 --max-nonzeros 30",
    "jacobeig pca iris.csv --label species --scale --certify",
    "jacobeig pca wine.csv --label kind --scale --max-nonzeros 4 --stability 50",
    "jacobeig pca digits.npy --density 5% --refine best --shape 8x8",
    "zcat genes.csv.gz | jacobeig pca - --json --output genes",
)

# Beyond this, the samples would make the page too heavy to open.
PAGE_ENTRIES = 20_000_000
# Entries of the components up to which other densities are found without being asked for, as for a page: ten seconds.
FRONT_ENTRIES = 10_000


@dataclass(frozen=True)
class Asking:
    """What else is asked about components."""

    stability: int = options.option(
        0,
        "Fit this often again on halves of the samples, and say how often each feature is chosen again.",
        min=0,
        metavar="REFITS",
    )
    front: bool | None = options.option(
        None,
        "Also find what other densities explain (front.csv, and a slider in the report); by default where that takes "
        "seconds.",
        "--front/--no-front",
        rich_help_panel=options.WRITING,
        show_default=False,
    )
    certify: bool = options.option(
        False, "Also prove how far any components of as many nonzeros could be better.", "--certify"
    )


def pca(
    data: Annotated[Path, options.take_file("DATA", "Samples in rows, features in columns; - is stdin.")],
    search: options.Search,
    standardising: options.Standardising,
    form: options.Form,
    reading: options.Reading,
    writing: options.Writing,
    saying: options.Saying,
    asking: Asking,
) -> None:
    """Find sparse principal components of a table: each of a few features, all orthonormal.

    Writes a model, components.csv, scores.csv, front.csv and report.html into a folder.
    """
    session, arguments = saying.start("pca"), search.to_arguments()
    table = reading.read(session, data)
    picture = options.parse_shape(form.shape, table.values.shape[1])
    check_table(table)
    note_if_dominated(session, table, scaled=standardising.scale)
    name = strip_name(data)
    folder = writing.output or Path(f"{name}-pca")

    def solve() -> Solution:
        model = _fit(session, table, **arguments, orthonormal=form.orthonormal, **asdict(standardising))
        view, stable = view_model(model, table.features), None
        if asking.stability:
            stable = model.stability(table.named(), n_refits=asking.stability, progress=session.progress)
            view = add_stability(view, stable)
        certificate = _certify(session, model, table) if asking.certify else None
        (n_samples, n_features), full = table.values.shape, _compare_with_full(session, model, table.values)
        return Solution(
            view=view,
            headline=f"{name}: {plural(n_samples, 'sample')} of {plural(n_features, 'feature')}",
            quality=_describe_quality(model, full),
            better="more variance",
            facts={"n_samples": n_samples, "n_features": n_features, "share_of_full_pca": full},
            page={
                "shape": picture,
                "title": f"Sparse principal components of {name}",
                "certificates": certificate,
                "stability": stable,
                "front": asking.front,
                **_select_samples(table),
            },
            steps=_list_steps(data, folder, reading, standardising, search, n_features),
            samples=(table, model.transform(table.named())),
            command=f"pca {name_data(data)}" + repeat(reading, standardising, form, search, writing, without=NOT_AGAIN),
            certificate=certificate,
            path=_trace(session, model, wanted=asking.front),
        )

    solve_and_tell(session, folder, solve, search, report=writing.report)


def _fit(session: Session, table: "je.files.Table", **parameters: Any) -> Any:
    with session.show_waiting("loading scikit-learn"):
        from jacobeig.estimators.pca import JacobiPCA
    return (
        JacobiPCA(progress=session.progress, **parameters)
        .fit(table.named())
        .set_params(progress=False, checkpoint=None)
    )


def _trace(session: Session, model: Any, *, wanted: bool | None) -> Any:
    """Return what other densities explain, of refined components; without a wish, where that takes seconds."""
    quick = model.n_components_ * model.n_features_in_ <= FRONT_ENTRIES
    if model.decomposition_.rotations is not None or not (quick if wanted is None else wanted):
        return None
    model.front(progress=session.progress)
    return model.path()


def _certify(session: Session, model: Any, table: "je.files.Table") -> Any:
    with session.show_waiting("certifying"):
        return model.certify(table.named())


def _select_samples(table: "je.files.Table") -> dict[str, Any]:
    """Return what the report shows of the samples; nothing where they would make the page too heavy."""
    if je.files.is_sparse(table.values) or table.values.size > PAGE_ENTRIES:
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


def _list_steps(
    data: Path, folder: Path, reading: options.Reading, standardising: options.Standardising, search: options.Search,
    n_features: int,
) -> dict[str, str]:  # fmt: skip
    """Return the commands to go on with."""
    model, file = shlex.quote(str(folder / FILES["model"])), f"{name_data(data)}{repeat(reading)}"
    steps = {f"jacobeig transform {model} {file}": "scores, also of other samples"}
    if n_features <= MOST_COMPARED:
        others = repeat(standardising, search, without=(*NOT_AGAIN, "target"))
        steps[f"jacobeig compare {file}{others}"] = "what there is to choose from"
    return steps
