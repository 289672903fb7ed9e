"""What solving commands leave in their folder: each file whole or not at all."""

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from jacobeig.cli._output import Session
from jacobeig.cli._scores import write_scores
from jacobeig.cli._summary import rank_loadings
from jacobeig.errors import InvalidInputError, JacobeigError
from jacobeig.files import Table
from jacobeig.results.drafts import replace_file

__all__ = ["MODEL", "output_folder", "tell_files", "write_components", "write_results"]

MODEL = "model.npz"
MEANINGS = {
    "model": "the model, for `transform`, `info` and Python",
    "components": "the loadings, for a spreadsheet",
    "scores": "the samples on the components, likewise",
    "report": "the explorer: open it in a browser",
}


@contextmanager
def output_folder(folder: Path) -> Iterator[Path]:
    """Make a folder before the work begins; if the work fails, a new one that is still empty goes again."""
    if folder.exists() and not folder.is_dir():
        raise InvalidInputError(f"--output is {folder}, which is a file; give a folder.")
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "you may not write to this folder; choose another with --output", str(folder))
    try:
        yield folder
    except BaseException:
        if new and not any(folder.iterdir()):
            folder.rmdir()
        raise


def write_results(
    session: Session,
    folder: Path,
    model: Any,
    vectors: Any,
    names: Sequence[str],
    *,
    what: str = "feature",
    samples: tuple[Table, Any] | None = None,
    report: dict[str, Any] | None,
) -> dict[str, Path]:
    """Write the model, its components and its report, and return where they are.

    `samples` is a table and its scores, if those are to be written too; `report` holds what the report is given.
    """
    files = {"model": folder / MODEL, "components": folder / "components.csv"}
    model.save(files["model"])
    write_components(files["components"], vectors, names, what=what)
    if samples is not None:
        files["scores"] = folder / "scores.csv"
        with replace_file(files["scores"]) as draft, open(draft, "x", newline="", encoding="utf-8") as file:
            write_scores(file, *samples)
    path = folder / "report.html"
    if report is None:
        path.unlink(missing_ok=True)  # it would show an earlier run
    else:
        with session.show_waiting("writing the report"):
            try:
                _write_report(model, path, report)
            except (ImportError, JacobeigError) as error:  # the result is there; only the page is not
                path.unlink(missing_ok=True)
                session.note(f"No report.html: {error}")
            else:
                files["report"] = path
    return files


def _write_report(model: Any, path: Path, options: dict[str, Any]) -> None:
    from jacobeig.explorer import report  # only here: its library takes a second to load

    report(model, path, **options)


def write_components(path: Path, vectors: Any, names: Sequence[str], *, what: str = "feature") -> None:
    """Write the loadings that are not zero: component by component, the largest first."""
    headings = ["real", "imaginary"] if vectors.dtype.kind == "c" else ["loading"]
    with replace_file(path) as draft, open(draft, "x", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["component", "rank", what, *headings])
        for t in range(vectors.shape[1]):
            indices, loadings = rank_loadings(vectors, t)
            parts = np.ascontiguousarray(loadings)[:, np.newaxis].view(loadings.real.dtype).tolist()
            rows = enumerate(zip(indices, parts, strict=True), start=1)
            writer.writerows([t + 1, rank, names[i], *map(repr, part)] for rank, (i, part) in rows)


def tell_files(session: Session, files: dict[str, Path], next_steps: dict[str, str]) -> None:
    """Say what was written, and what to do next: commands or options, and what for."""
    session.pairs({str(path): MEANINGS[name] for name, path in files.items()})
    session.next_steps(next_steps)
