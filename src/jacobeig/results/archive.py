"""Plain npz files with a kind and a format version: no pickle, written whole or not at all."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from jacobeig._types import PathLike
from jacobeig.errors import FileFormatError, InvalidTypeError, Mention
from jacobeig.results.atomic_files import open_draft

__all__ = ["FORMAT_VERSION", "blame_file", "read_archive", "write_archive"]

FORMAT_VERSION = 1
_HEADER = "jacobeig"
_READERS = {"EigenResult": "load"} | {
    kind: f"{kind}.load" for kind in ("Certificate", "Front", "GraphFourier", "JacobiPCA")
}
_PRINTED = {9, 10, 13, *range(32, 127), *range(128, 256)}  # bytes of text in any encoding that keeps ASCII


def write_archive(path: PathLike, kind: str, arrays: Mapping[str, NDArray[Any]], **facts: Any) -> None:
    """Write arrays and facts (anything JSON can hold) to `path`; an existing file is replaced in one step."""
    _check_path(path)
    header = np.array(json.dumps({"kind": kind, "version": FORMAT_VERSION, "facts": facts}))
    # Not by savez, which pickles objects where NumPy is older than 2.1.
    with open_draft(path) as file, ZipFile(file, "w") as archive:
        for name, array in {_HEADER: header, **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def _check_path(path: Any) -> None:
    """Raise for what is no path: `open` takes a whole number for an open file, and closes that."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(f"path is {path!r} ({type(path).__name__}); give the name of a file.")


def _guess_content(path: PathLike) -> str:
    """Return what a file looks like; what NumPy says of it is no advice to follow."""
    with open(path, "rb") as file:
        head = file.read(1024)
    if not head:
        return ": it is empty"
    if head.startswith(b"PK"):
        return ", or it is damaged: it looks like an archive of something else"
    if head.startswith(b"\x93NUMPY"):
        return ": it looks like a single array (npy)"
    if not set(head) - _PRINTED:
        return ": it looks like text, such as a table"
    return ", or it is damaged"


def read_archive(path: PathLike, *kinds: str) -> tuple[str, dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the kind (one of `kinds`), the arrays and the facts of a file that `write_archive` wrote."""
    _check_path(path)
    try:
        # Opened here, because np.load leaves a damaged file open.
        with open(path, "rb") as handle, np.load(handle, allow_pickle=False) as file:
            arrays = {name: np.asanyarray(file[name]) for name in file.files}  # what is no npy file comes as bytes
        header = json.loads(str(arrays.pop(_HEADER)))
        kind, version, facts = header["kind"], header["version"], header["facts"]
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:  # zipfile and NumPy raise almost anything on a damaged file
        raise FileFormatError(
            f"{path} is not a jacobeig file{_guess_content(path)}",
            advice="give one that jacobeig saved" + Mention("saved", text=", such as a model.npz") + ".",
        ) from error
    if version != FORMAT_VERSION:
        raise FileFormatError(
            f"{path} has format version {version}; this jacobeig reads version {FORMAT_VERSION}. "
            "Write it again with the version of jacobeig that you have."
        )
    if kind not in kinds:
        reader = f": jacobeig.{_READERS[kind]} reads it" if kind in _READERS else ""
        article = "an" if kind[:1] in "AEIO" else "a"
        raise FileFormatError(f"{path} holds {article} {kind}; expected {' or '.join(kinds)}{reader}.")
    return kind, arrays, facts


@contextmanager
def blame_file(what: object, advice: str = "") -> Iterator[None]:
    """Turn what is raised while parts of a file are put together into one sentence about `what`, its path or part."""
    try:
        yield
    except FileFormatError as error:
        raise FileFormatError(f"{what}: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FileFormatError(f"{what} is damaged or was changed ({error}){advice}.") from error
