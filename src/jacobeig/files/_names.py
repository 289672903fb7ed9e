"""Names that stand in a file of their own, one per line: of features, genes, cells, rows, columns."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._types import PathLike
from jacobeig.errors import FileFormatError, InvalidInputError
from jacobeig.files._checks import number_doubles
from jacobeig.files._packed import open_unpacked

# What stands beside a Matrix Market file, as single-cell tools and R write it: which side it names first of all.
_SIDE_FILES = {"features": 0, "genes": 0, "rownames": 0, "barcodes": 1, "cells": 1, "colnames": 1}
_SIDE_ENDINGS = (".tsv", ".txt", ".csv", "", ".tsv.gz", ".txt.gz", ".csv.gz")
_STRICT = {"rownames", "colnames"}  # the others may stand on either side
_SYMBOLS = {"features", "genes"}  # they have an identifier, then the name that people know


def read_names(path: PathLike, length: int, what: str = "features") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the `length` names of a file, all different, and notes; a line of header may stand above them."""
    file = Path(path)
    if not file.is_file():
        raise InvalidInputError(
            f"is {file}, which is not a file", argument="names", advice="give a text with one name per line."
        )
    lines = _read_lines(file)
    if len(lines) not in (length, length + 1):
        raise InvalidInputError(
            f"is {file}, which has {len(lines):,} {'line' if len(lines) == 1 else 'lines'} for {length:,} {what}",
            argument="names",
            advice="give one name per line.",
        )
    return number_doubles([line[0] for line in lines[len(lines) - length :]])


def find_side_names(
    file: Path, shape: tuple[int, int]
) -> tuple[NDArray[Any] | None, tuple[str, ...] | None, tuple[str, ...]]:
    """Return the names of rows and columns of a matrix from files beside it, and notes that tell which those were."""
    found: list[tuple[str, ...] | None] = [None, None]
    notes = []
    for kind, first in _SIDE_FILES.items():
        side = _find_side_file(file, kind)
        lines = [] if side is None else _try_lines(side)
        for axis in (first,) if kind in _STRICT else (first, 1 - first):
            if side is not None and found[axis] is None and len(lines) == shape[axis] > 0:
                position = 1 if kind in _SYMBOLS and all(len(line) > 1 for line in lines) else 0
                found[axis] = tuple(line[position] for line in lines)
                notes.append(f"The names of the {('rows', 'columns')[axis]} are from {side.name}.")
                break
    return None if found[0] is None else np.array(found[0]), found[1], tuple(notes)


def _find_side_file(file: Path, kind: str) -> Path | None:
    stem = file.name.lower().split(".mtx")[0]
    stem = file.name[: len(stem)]
    for prefix in (f"{stem}_", f"{stem}.", stem.removesuffix("matrix"), ""):
        for ending in _SIDE_ENDINGS:
            side = file.with_name(f"{prefix}{kind}{ending}")
            if side.is_file():
                return side
    return None


def _try_lines(file: Path) -> list[list[str]]:
    """Return the lines of a file that nobody asked for; none if it cannot be read."""
    try:
        return _read_lines(file)
    except (OSError, FileFormatError):
        return []


def _read_lines(file: Path) -> list[list[str]]:
    """Return the cells of each line."""
    with open_unpacked(file) as stream:
        content = stream.read()
    if b"\0" in content:
        raise FileFormatError(f"{file} is not text (it has zero bytes): names are lines of text.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    separator = "," if ".csv" in file.name.lower() else "\t"
    return [[cell.strip().strip('"') for cell in line.split(separator)] for line in text.splitlines() if line.strip()]
