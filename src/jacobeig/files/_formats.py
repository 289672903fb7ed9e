"""Which reader a file's ending asks for: another file format is a line here and a reader."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from jacobeig._types import PathLike
from jacobeig.errors import FileFormatError
from jacobeig.files._checks import number_doubles
from jacobeig.files._content import GraphContent, Table, Wanted
from jacobeig.files._hdf5 import read_hdf5
from jacobeig.files._mat import read_mat
from jacobeig.files._mtx import read_mtx
from jacobeig.files._networks import read_gml, read_graphml
from jacobeig.files._npz import read_npy, read_npz
from jacobeig.files._parquet import read_parquet
from jacobeig.files._sheet import Sheet
from jacobeig.files._text import read_text

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Format:
    """How a kind of file ends, what reads it, and whether it may be packed."""

    endings: tuple[str, ...]
    read: Callable[[Path, Wanted], Sheet | Table | GraphContent]
    packable: bool = False


FORMATS = {
    "text": Format((".csv", ".tsv", ".tab", ".txt", ".dat", ".edges", ".edgelist"), read_text, packable=True),
    "npy": Format((".npy",), read_npy),
    "npz": Format((".npz",), read_npz),
    "parquet": Format((".parquet", ".pq"), read_parquet),
    "mtx": Format((".mtx",), read_mtx, packable=True),
    "mat": Format((".mat",), read_mat),
    "hdf5": Format((".h5", ".hdf5", ".h5ad"), read_hdf5),
    "graphml": Format((".graphml",), read_graphml, packable=True),
    "gml": Format((".gml",), read_gml, packable=True),
}
ENDINGS = {kind: known.endings for kind, known in FORMATS.items()}
_PACKED = (".gz", ".bz2", ".xz")


def read_content(path: PathLike, wanted: Wanted) -> Sheet | Table:
    """Return the columns or the array of a file, with their names; "-" is text on standard input."""
    content = read_graph_content(path, wanted)
    if isinstance(content, GraphContent):
        raise FileFormatError(f"{path} holds a graph, not a table or matrix: read it as a graph.")
    return content


def read_graph_content(path: PathLike, wanted: Wanted) -> Sheet | Table | GraphContent:
    """Return what a file holds, which may also be nodes and edges."""
    if os.fspath(path) == STANDARD_INPUT:
        return read_text(None, wanted)
    file = Path(path)
    reader = _find_format(file)
    if file.stat().st_size == 0:
        raise FileFormatError(f"{path} is empty.")
    content = reader.read(file, wanted)
    if not isinstance(content, Table) or content.features is None:
        return content
    features, notes = number_doubles(content.features)
    return replace(content, features=features, notes=(*content.notes, *notes))


def _find_format(file: Path) -> Format:
    """Return the format of a file that exists."""
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder")
    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist")
    name = file.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    for known in FORMATS.values():
        if name.endswith(known.endings):
            if not known.packable and name != file.name.lower():
                raise FileFormatError(f"{file} is compressed, which only text may be: unpack it first.")
            return known
    endings = " ".join(ending for known in FORMATS.values() for ending in known.endings)
    raise FileFormatError(
        f"{file} has an ending that says nothing about its format; known are {endings}: convert the file or rename it "
        "(spreadsheets: save as csv)."
    )
