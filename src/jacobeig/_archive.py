"""Plain npz files with a kind and a format version: no pickle, written whole or not at all."""

import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import FileFormatError

__all__ = ["FORMAT_VERSION", "read_archive", "write_archive"]

FORMAT_VERSION = 1
_HEADER = "jacobeig"


def write_archive(path: str | os.PathLike[str], kind: str, arrays: Mapping[str, NDArray[Any]], **facts: Any) -> None:
    """Write arrays and facts (anything JSON can hold) to `path`; an existing file is replaced in one step."""
    target = Path(path)
    header = np.array(json.dumps({"kind": kind, "version": FORMAT_VERSION, "facts": facts}))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **{_HEADER: header}, **arrays)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def read_archive(path: str | os.PathLike[str], *kinds: str) -> tuple[str, dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the kind (one of `kinds`), the arrays and the facts of a file that `write_archive` wrote."""
    try:
        # Opened here, because NumPy leaves a file open that it cannot read.
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop(_HEADER)))
        kind, version, facts = header["kind"], header["version"], header["facts"]
    except FileNotFoundError:
        raise
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise FileFormatError(f"{path} is not a jacobeig file, or it is damaged ({error}).") from error
    if version != FORMAT_VERSION:
        raise FileFormatError(
            f"{path} has format version {version}; this jacobeig reads version {FORMAT_VERSION}. "
            "Write it again with the version of jacobeig that you have."
        )
    if kind not in kinds:
        raise FileFormatError(f"{path} holds a {kind}; expected {' or '.join(kinds)}.")
    return kind, arrays, facts
