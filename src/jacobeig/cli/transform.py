"""`jacobeig transform`: new samples in terms of a model's components."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._files import load_model, read, strip_name
from jacobeig.cli._output import Session, open_output
from jacobeig.cli._results import open_csv, write_scores
from jacobeig.cli._views import view_model
from jacobeig.cli._wording import plural, write_option
from jacobeig.errors import InvalidInputError

__all__ = ["EXAMPLES", "transform"]

EXAMPLES = (
    "jacobeig transform genes-pca/model.npz new_patients.csv",
    "jacobeig transform iris-pca/model.npz iris.csv --label species --output scores.csv",
    "jacobeig transform iris-pca/model.npz iris.csv --drop species --output - | head",
)


def transform(
    model: Annotated[Path, options.take_file("MODEL", "A model.npz that pca, eig or graph wrote.")],
    data: Annotated[Path, options.take_file("DATA", "Samples (or signals on a graph) in rows; - is stdin.")],
    reading: options.Reading,
    saying: options.Saying,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel=options.WRITING,
            help="The csv file to write, - for standard output; by default the data's name with -scores. An existing "
            "file is replaced.",
        ),
    ] = None,
) -> None:
    """Write the coefficients of samples on a model's components to a csv file.

    Columns are matched by name where both sides have names.
    """
    session = saying.start("transform")
    path = output or Path(f"{strip_name(data)}-scores.csv")
    to_stdout = str(path) == je.files.STANDARD_INPUT
    if to_stdout and saying.as_json:
        raise InvalidInputError("--json and --output - both want standard output: give --output a file.")
    fitted = read(session, load_model, model)
    table = reading.read(session, data)
    with session.show_waiting("transforming"):
        names = _find_names(fitted)
        _refuse_features_in_rows(table, names, transposed=reading.transpose)
        scores = _transform(fitted, _align(session, table, names, view_model(fitted).vectors.shape[0]))
    if to_stdout:
        with open_output() as file:
            write_scores(file, table, scores)
        return
    with open_csv(path) as file:
        write_scores(file, table, scores)
    m, p = scores.shape
    session.show(f"{plural(m, 'row')} of {plural(p, 'coefficient')} written to [bold]{escape(str(path))}[/].")
    session.finish({"scores": path}, n_samples=m, n_components=p, kind=type(fitted).__name__)


def _find_names(model: Any) -> list[str] | None:
    """Return what a model calls its features, if it knows; plain numbers are no names."""
    names = getattr(model, "nodes_", getattr(model, "feature_names_in_", None))
    if names is None or list(names) == list(range(len(names))):
        return None
    return [str(name) for name in names]


def _refuse_features_in_rows(table: "je.files.Table", names: list[str] | None, *, transposed: bool) -> None:
    """Raise if the model's features are the rows, not the columns."""
    if names is None or table.rows is None or table.features == tuple(names):
        return
    if set(names) <= set(map(str, table.rows)):
        remedy = "once the file is transposed: leave --transpose out" if transposed else "of the file: add --transpose"
        raise InvalidInputError(f"the features of the model are the rows {remedy}.")


def _align(session: Session, table: "je.files.Table", names: list[str] | None, n: int) -> Any:
    """Return the values in the model's order, or raise saying what differs."""
    from jacobeig._arguments import list_names

    if names is None or table.features is None:
        if table.values.shape[1] != n:
            raise InvalidInputError(
                f"the data have {plural(table.values.shape[1], 'column')} of numbers, but the model {n:,} features: "
                "leave columns out with --drop, or say --transpose if features are in rows."
            )
        if names is not None:
            session.note("The data have no column names, so their columns are taken in the model's order.")
        return table.values
    missing = [name for name in names if name not in set(table.features)]
    if missing:
        raise InvalidInputError(
            f"the data lack {plural(len(missing), 'feature')} of the model: {list_names(missing)}; they have "
            f"{list_names(table.features)}."
        )
    unknown = [name for name in table.features if name not in set(names)]
    if unknown:
        raise InvalidInputError(
            f"the data have {plural(len(unknown), 'column')} that the model does not know: {list_names(unknown)}; "
            f"leave them out with {write_option('drop', unknown[0])}."
        )
    if tuple(names) == table.features:
        return table.values
    session.note("The columns come in another order than the model's; they were matched by name.")
    where = {name: position for position, name in enumerate(table.features)}
    return table.values[:, [where[name] for name in names]]


def _transform(model: Any, values: Any) -> Any:
    if isinstance(model, je.EigenResult):
        return values @ model.vectors.conj().toarray()
    if hasattr(model, "feature_names_in_"):
        names = tuple(map(str, model.feature_names_in_))
        return model.transform(je.files.Table(values=values, features=names).named())
    return model.transform(values)
