"""Matrix Market files: the whole text is scanned before a compiled parser sees it, as odd bytes crash that."""

import re
from pathlib import Path
from typing import IO, Any

from jacobeig._arguments import is_sparse
from jacobeig.errors import FileFormatError
from jacobeig.files._content import NamedArray, Wanted, check_matrix, explain_damage, refuse_key
from jacobeig.files._names import find_side_names
from jacobeig.files._packed import open_unpacked
from jacobeig.files._sparse import build_sparse, check_extent

__all__ = ["read_mtx"]

BLOCK_BYTES = 1 << 22
_BANNER = re.compile(
    rb"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+(real|double|integer|unsigned-integer|complex|pattern)\s+"
    rb"(general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE,
)
_LONGEST_LINE = 1 << 16
_NUMBER_BYTES = b"0123456789+-.eEdD \t\r\nnNaAiIfFtTyY"  # nan, inf and infinity are numbers, too


def read_mtx(file: Path, wanted: Wanted) -> NamedArray:
    """Return the matrix of a Matrix Market file, with the names that files beside it give to rows and columns."""
    from scipy.io import mmread

    refuse_key(file, wanted.key)
    with explain_damage(file, "a Matrix Market file"), open_unpacked(file) as stream:
        form = _scan(stream)
        stream.seek(0)
        matrix = mmread(stream)
        if form == "array" and is_sparse(matrix):
            raise FileFormatError(f"{file} says that it is dense, but is not.")
        rows, columns, notes = find_side_names(file, matrix.shape)
        return NamedArray(values=check_matrix(_to_csr(matrix), file), rows=rows, columns=columns, notes=notes)


def _to_csr(matrix: Any) -> Any:
    if not is_sparse(matrix):
        return matrix
    return build_sparse("coo", {"data": matrix.data, "row": matrix.row, "col": matrix.col}, matrix.shape)


def _scan(stream: IO[bytes]) -> str:
    """Return whether the text is an `array` or has a `coordinate` for each entry; raise unless it is as declared."""
    banner = _BANNER.fullmatch(stream.readline(_LONGEST_LINE))
    if banner is None:
        raise ValueError("its first line is not the banner of a matrix")
    form = banner[1].decode().lower()
    sizes = _read_sizes(stream, 3 if form == "coordinate" else 2)
    lines = _count_lines(stream)
    if form == "coordinate":
        entries = sizes[2]
        check_extent((sizes[0], sizes[1]), entries)
    else:
        entries = sizes[0] * sizes[1] if banner[3].lower() == b"general" else sizes[0] * max(0, sizes[1] - 1) // 2
    if entries > lines:
        raise ValueError(f"it declares {entries:,} entries but has {lines:,} lines")
    return form


def _read_sizes(stream: IO[bytes], count: int) -> list[int]:
    line = b"%"
    while line.startswith(b"%") or (line and not line.strip()):
        line = stream.readline(_LONGEST_LINE)
    sizes = line.split()
    if len(sizes) != count or not all(re.fullmatch(rb"\d{1,18}", size) for size in sizes):
        raise ValueError("the line of its sizes is missing or damaged")
    return [int(size) for size in sizes]


def _count_lines(stream: IO[bytes]) -> int:
    """Return how many lines are left, or raise for a byte that no number has."""
    lines = 1
    while block := stream.read(BLOCK_BYTES):
        strange = block.translate(None, _NUMBER_BYTES)
        if strange:
            raise ValueError(f"it has the byte {strange[:1]!r} among its numbers")
        lines += block.count(b"\n")
    return lines
