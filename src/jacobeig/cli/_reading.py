"""Reading for commands: with a sign of life, and a sentence for files that cannot be opened."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from jacobeig._arguments import find_closest
from jacobeig.cli._output import Session
from jacobeig.errors import FileFormatError, InvalidInputError
from jacobeig.files import STANDARD_INPUT

__all__ = ["read"]

T = TypeVar("T")


def read(session: Session, reader: Callable[..., T], path: Path, *rest: Any, **options: Any) -> T:
    """Return what a reader makes of a file; the session tells its notes."""
    try:
        with session.show_waiting(f"reading {_name_file(path)}"):
            content = reader(path, *rest, **options)
    except FileNotFoundError as error:
        raise FileFormatError(f"There is no file {path}{_suggest_path(path)}") from error
    except IsADirectoryError as error:
        raise FileFormatError(f"{path} is a folder; give a file in it{_suggest_file(path)}.") from error
    except PermissionError as error:
        raise FileFormatError(f"{path} may not be read by you: change its permissions, or copy it.") from error
    except (InvalidInputError, FileFormatError) as error:
        message = str(error)
        raise type(error)(message if str(path) in message else f"{_name_file(path)}: {message}") from error
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}.") from error
    session.note(*getattr(content, "notes", ()))
    return content


def _name_file(path: Path) -> str:
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def _suggest_path(path: Path) -> str:
    if not path.parent.is_dir():
        return f", nor a folder {path.parent}."
    # Endings are alike without the files being so.
    stem, names = _strip_endings(path.name), [file.name for file in path.parent.iterdir()]
    alike = [name for name in names if find_closest(stem, [_strip_endings(name)]) is not None]
    close = find_closest(path.name, alike)
    return "." if close is None else f"; did you mean {path.with_name(close)}?"


def _strip_endings(name: str) -> str:
    return name.split(".")[0]


def _suggest_file(path: Path) -> str:
    first = next((file for file in sorted(path.iterdir()) if file.is_file()), None)
    return "" if first is None else f", such as {first}"
