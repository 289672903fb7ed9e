"""Reading for commands: with a sign of life, and a sentence for files that cannot be opened."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import jacobeig as je
from jacobeig.cli._output import Session
from jacobeig.errors import FileFormatError, InvalidInputError

T = TypeVar("T")
KINDS = {
    "JacobiPCA": "sparse principal components",
    "GraphFourier": "sparse Fourier modes of a graph",
    "EigenResult": "sparse eigenvectors of a matrix",
}


def read(session: Session, reader: Callable[..., T], path: Path, *rest: Any, **options: Any) -> T:
    """Return what a reader makes of a file; the session tells its notes."""
    called = "standard input" if str(path) == je.files.STANDARD_INPUT else str(path)
    if called != str(path) and sys.stdin is None:
        raise FileFormatError("standard input is closed; give a file.")
    try:
        with session.show_waiting(f"reading {called}"):
            content = reader(path, *rest, **options)
    except FileNotFoundError as error:
        raise FileFormatError(f"There is no file {path}{_suggest_path(path)}") from error
    except IsADirectoryError as error:
        raise FileFormatError(f"{path} is a folder; give a file in it{_suggest_file(path)}.") from error
    except PermissionError as error:
        raise FileFormatError(f"{path} may not be read by you: change its permissions, or copy it.") from error
    except (InvalidInputError, FileFormatError) as error:
        raise type(error)(error.message if called in error.message else f"{called}: " + error.message) from error
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}.") from error
    session.note(*getattr(content, "notes", ()))
    return content


def load_model(path: Path) -> Any:
    """Return the model in a file, of whichever kind."""
    from jacobeig.results.archive import read_archive

    kind, _, _ = read_archive(path, *KINDS)
    return je.load(path) if kind == "EigenResult" else getattr(je, kind).load(path)


def strip_name(path: Path) -> str:
    """Return a file's name without endings, for what is made of it."""
    return "stdin" if str(path) == je.files.STANDARD_INPUT else path.name.split(".")[0] or path.name


def _suggest_path(path: Path) -> str:
    from jacobeig._arguments import find_closest

    if path.is_symlink():
        return f": it is a link to {path.readlink()}, which leads nowhere."
    if not path.parent.is_dir():
        return f", nor a folder {path.parent}."
    # Endings are alike without the files being so.
    stem, names = path.name.split(".")[0], [file.name for file in path.parent.iterdir()]
    alike = [name for name in names if find_closest(stem, [name.split(".")[0]]) is not None]
    close = find_closest(path.name, alike)
    return "." if close is None else f"; did you mean {path.with_name(close)}?"


def _suggest_file(path: Path) -> str:
    first = next((file for file in sorted(path.iterdir()) if file.is_file()), None)
    return "" if first is None else f", such as {first}"
