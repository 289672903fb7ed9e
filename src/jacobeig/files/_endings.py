"""Which reader a file's ending asks for."""

import os
from pathlib import Path
from typing import Any

from jacobeig.errors import FileFormatError, MissingExtraError
from jacobeig.files import _arrays, _text
from jacobeig.files._sheet import Sheet

__all__ = ["ENDINGS", "STANDARD_INPUT", "read_content"]

STANDARD_INPUT = "-"
ENDINGS = {
    "text": (".csv", ".tsv", ".tab", ".txt", ".dat", ".edges", ".edgelist"),
    "npy": (".npy",),
    "npz": (".npz",),
    "parquet": (".parquet", ".pq"),
    "mtx": (".mtx",),
    "mat": (".mat",),
    "hdf5": (".h5", ".hdf5", ".h5ad"),
}
_PACKED = (".gz", ".bz2", ".xz")
_READERS: dict[str, Any] = {
    "npy": _arrays.read_npy,
    "npz": _arrays.read_npz,
    "mtx": _arrays.read_mtx,
    "mat": _arrays.read_mat,
    "hdf5": _arrays.read_hdf5,
}


def read_content(path: str | os.PathLike[str], *, key: str | None = None, header: bool | None = None) -> Any:
    """Return what a file holds, as it is: a `Sheet` of columns, an array, or a scipy sparse array.

    Parameters
    ----------
    path : path-like
        The file; "-" is text on standard input.
    key : str, optional
        Which array of a file with several.
    header : bool, optional
        Whether the first line of a text has the names of the columns; by default that is found out.

    Returns
    -------
    Sheet, ndarray or csr_array
        Two-dimensional.
    """
    if os.fspath(path) == STANDARD_INPUT:
        return _text.read_text(None, header=header)
    file = Path(path)
    kind = _find_kind(file)
    if file.stat().st_size == 0:
        raise FileFormatError(f"{path} is empty.")
    if kind == "text":
        return _text.read_text(file, header=header)
    if kind == "parquet":
        return _read_parquet(file)
    return _READERS[kind](file, key)


def _find_kind(file: Path) -> str:
    """Return the kind of a file that exists."""
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder")
    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist")
    name = file.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    for kind, endings in ENDINGS.items():
        if name.endswith(endings):
            if kind not in ("text", "mtx") and name != file.name.lower():
                raise FileFormatError(f"{file} is compressed, which only text may be: unpack it first.")
            return kind
    known = " ".join(ending for endings in ENDINGS.values() for ending in endings)
    raise FileFormatError(
        f"{file} has an ending that says nothing about its format; known are {known}: convert the file or rename it "
        "(spreadsheets: save as csv)."
    )


def _read_parquet(file: Path) -> Sheet:
    pandas = _text.import_pandas()
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtraError("pyarrow", "files") from error
    try:
        frame = pandas.read_parquet(file, engine="pyarrow")
    except (pa.ArrowException, ValueError) as error:
        raise FileFormatError(f"{file} is not a parquet file, or it is damaged ({read_first_line(error)}).") from error
    names = [str(name) for name in frame.columns]
    if not isinstance(frame.index, pandas.RangeIndex):
        names = ["" if frame.index.name is None else str(frame.index.name), *names]
        frame = frame.reset_index()
    return Sheet.of(frame, names)


def read_first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
