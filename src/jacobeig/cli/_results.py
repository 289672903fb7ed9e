"""What commands leave in their folder: all files of a run, or those of the run before."""

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import jacobeig as je
from jacobeig.cli._output import Session
from jacobeig.cli._views import View
from jacobeig.errors import InvalidInputError, JacobeigError

FILES = {
    "model": "model.npz", "components": "components.csv", "scores": "scores.csv", "front": "front.csv",
    "report": "report.html",
}  # fmt: skip
MEANINGS = {
    "model": "the model, for `transform`, `info` and Python",
    "components": "the loadings, for a spreadsheet",
    "scores": "the samples on the components, likewise",
    "front": "what other densities explain, likewise",
    "report": "the explorer: open it in a browser",
}
# How a formula begins, in some spreadsheet.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@contextmanager
def open_folder(folder: Path, names: Iterable[str] = FILES.values()) -> Iterator[Path]:
    """Give a hidden folder to write files of these names to; at the end they replace those in `folder`, all or none."""
    from jacobeig.results.atomic_files import replace_files

    check_folder(folder)
    with replace_files(folder, tuple(names)) as draft:
        yield draft


def check_folder(folder: Path) -> None:
    """Raise before the work begins if results cannot be written to a folder."""
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not there.is_dir():
        which = "which" if there == folder else f"but {there}"
        what = "a link that leads to no folder" if there.is_symlink() else "a file"
        raise InvalidInputError(f"--output is {folder}, {which} is {what}; give a folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(13, "you may not write to this folder; choose another with --output", str(there))


def write_results(
    session: Session, folder: Path, view: View, samples: tuple["je.files.Table", Any] | None,
    page: Mapping[str, Any] | None, path: Any,
) -> dict[str, str]:  # fmt: skip
    """Write the model, its components, the scores of samples and the report, as far as they are wanted."""
    view.model.save(folder / FILES["model"])
    with open_csv(folder / FILES["components"]) as file:
        _write_components(file, view)
    written = {name: FILES[name] for name in ("model", "components")}
    if samples is not None:
        with open_csv(folder / FILES["scores"]) as file:
            write_scores(file, *samples)
        written["scores"] = FILES["scores"]
    if path is not None:
        with open_csv(folder / FILES["front"]) as file:
            _write_path(file, path)
        written["front"] = FILES["front"]
    if page is not None and _write_report(session, folder / FILES["report"], view.model, page):
        written["report"] = FILES["report"]
    return written


def _write_report(session: Session, path: Path, model: Any, page: Mapping[str, Any]) -> bool:
    """Write the report; without it, the other results are still worth having."""
    with session.show_waiting("writing the report"):
        try:
            from jacobeig.explorer import report

            report(model, path, **page)
        except (ImportError, JacobeigError) as error:
            if isinstance(error.__cause__, OSError):  # the disk is full, or the like
                raise error.__cause__ from None
            session.note(f"No report.html: {error}")
            return False
    return True


@contextmanager
def open_csv(path: Path) -> Iterator[TextIO]:
    """Open a csv file to write, which is then replaced whole."""
    from jacobeig.results.atomic_files import replace_file

    with replace_file(path) as draft, open(draft, "x", newline="", encoding="utf-8") as file:
        yield file


def _write_components(file: TextIO, view: View) -> None:
    """Write the loadings that are not zero: component by component, the largest first."""
    from jacobeig.results.pictures import rank_loadings

    headings = ["real", "imaginary"] if view.vectors.dtype.kind == "c" else ["loading"]
    writer = csv.writer(file)
    more = [] if view.chosen is None else ["chosen again"]
    writer.writerow(["component", "rank", view.feature, *headings, *more])
    for t in range(view.vectors.shape[1]):
        indices, loadings = rank_loadings(view.vectors, t)
        parts = zip(*[part.tolist() for part in (loadings.real, loadings.imag)[: len(headings)]], strict=True)
        for rank, (i, part) in enumerate(zip(indices, parts, strict=True), start=1):
            again = [] if view.chosen is None else [view.chosen[t, i]]
            writer.writerow([t + 1, rank, _guard(view.names[i]), *map(repr, part), *again])


def _write_path(file: TextIO, path: Any) -> None:
    """Write a line for every density of the front."""
    columns = {"nonzeros": path.nonzeros, "density": path.density, "explained variance": path.explained_variance,
               "share of the variance": path.explained_variance_ratio}  # fmt: skip
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(zip(*(map(repr, column.tolist()) for column in columns.values()), strict=True))


def write_scores(file: TextIO, table: "je.files.Table", scores: Any) -> None:
    """Write row names and labels, if there are any, and the coefficients in full precision."""
    named = [("row", table.rows), (table.label_name or "label", table.labels)]
    texts = [[_guard(cell) for cell in (name, *column)] for name, column in named if column is not None]
    headings = [f"component {t + 1}" for t in range(scores.shape[1])]
    if scores.dtype.kind == "c":
        headings = [f"{heading} {part}" for heading in headings for part in ("real", "imaginary")]
        scores = scores.view(scores.real.dtype)
    writer = csv.writer(file)
    writer.writerow([*[column[0] for column in texts], *headings])
    for t, row in enumerate(scores, start=1):
        writer.writerow([*[column[t] for column in texts], *map(repr, row.tolist())])


def _guard(cell: object) -> str:
    """Return a cell that no spreadsheet runs as a formula: an apostrophe comes before text that begins like one."""
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
