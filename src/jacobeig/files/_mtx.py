"""Matrix Market files, read by their published layout.

A reader of our own, because scipy's compiled one crashes on zero bytes, on indices out of range and on empty sizes.

References
----------
.. [1] R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935,
   1996.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.files._checks import explain_damage, refuse_key
from jacobeig.files._content import Table, Wanted
from jacobeig.files._names import find_side_names
from jacobeig.files._packed import open_unpacked
from jacobeig.files._sparse import build_sparse, check_extent

BLOCK_BYTES = 1 << 22  # parsed at a time
_BANNER = re.compile(
    r"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+(real|double|integer|unsigned-integer|complex|pattern)\s+"
    r"(general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE,
)
_LONGEST_LINE = 1 << 16  # of the header: what has none shorter is no such file
_NUMBER_BYTES = b"0123456789+-.eE \t\r\nnNaAiIfFtTyY"  # nan, inf and infinity are numbers, too
_INTEGERS = {"integer": np.int64, "unsigned-integer": np.uint64, "pattern": np.int64}


@dataclass(frozen=True)
class _Declaration:
    """What the first lines say: the form, the kind of numbers, the symmetry, and rows, columns and perhaps entries."""

    form: str
    field: str
    symmetry: str
    sizes: tuple[int, ...]

    @property
    def width(self) -> int:
        """How many numbers an entry has."""
        values = {"pattern": 0, "complex": 2}.get(self.field, 1)
        return values + 2 * (self.form == "coordinate")

    @property
    def entries(self) -> int:
        """How many entries are written."""
        rows, columns = self.sizes[:2]
        if self.form == "coordinate":
            return self.sizes[2]
        return {"general": rows * columns, "skew-symmetric": rows * (rows - 1) // 2}.get(
            self.symmetry, rows * (rows + 1) // 2
        )


def read_mtx(file: Path, wanted: Wanted) -> Table:
    """Return the matrix of a Matrix Market file, with the names that files beside it give to rows and columns."""
    refuse_key(file, wanted.key)
    with explain_damage(file, "a Matrix Market file"), open_unpacked(file) as stream:
        declared = _read_declaration(stream)
        numbers = _read_numbers(stream, declared)
        matrix = _fill(numbers, declared) if declared.form == "array" else _place(numbers, declared)
        rows, columns, notes = find_side_names(file, matrix.shape)
        return Table(values=matrix, rows=rows, features=columns, notes=notes)


def _read_declaration(stream: IO[bytes]) -> _Declaration:
    banner = _BANNER.fullmatch(stream.readline(_LONGEST_LINE).decode("latin-1"))
    if banner is None:
        raise ValueError("its first line is not the banner of a matrix")
    form, kind, symmetry = (word.lower() for word in banner.groups())
    line = b"%"
    while line.startswith(b"%") or (line and not line.strip()):
        line = stream.readline(_LONGEST_LINE)
    sizes = line.split()
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(re.fullmatch(rb"\d{1,18}", s) for s in sizes):
        raise ValueError("the line of its sizes is missing or damaged")
    declared = _Declaration(form, kind, symmetry, tuple(int(size) for size in sizes))
    rows, columns = declared.sizes[:2]
    if min(rows, columns) == 0 or (symmetry != "general" and rows != columns) or declared.width == 0:
        raise ValueError(f"it declares a {symmetry} matrix of {rows:,} x {columns:,}")
    return declared


def _read_numbers(stream: IO[bytes], declared: _Declaration) -> NDArray[Any]:
    """Return all numbers, an entry per row, or raise unless there are as many as declared."""
    dtype = _INTEGERS.get(declared.field, np.float64)
    wanted, count, rest = declared.entries * declared.width, 0, b""
    blocks = [np.empty(0, dtype)]
    while block := stream.read(BLOCK_BYTES):
        strange = block.translate(None, _NUMBER_BYTES)
        if strange:
            raise ValueError(f"it has the byte {strange[:1]!r} among its numbers")
        words = (rest + block).split()
        rest = words.pop() if words and not block[-1:].isspace() else b""  # it may be cut
        blocks.append(np.array(words, dtype=dtype))
        count += len(words)
        if count > wanted:
            break
    blocks.append(np.array(rest.split(), dtype=dtype))
    numbers = np.concatenate(blocks)
    if len(numbers) != wanted:
        raise ValueError(f"it declares {declared.entries:,} entries of {declared.width} numbers, and has others")
    return numbers.reshape(-1, declared.width)


def _take_values(numbers: NDArray[Any], declared: _Declaration) -> NDArray[Any]:
    if declared.field == "pattern":
        return np.ones(len(numbers))
    return numbers[:, -2] + 1j * numbers[:, -1] if declared.field == "complex" else numbers[:, -1]


def _mirror(values: NDArray[Any], symmetry: str) -> NDArray[Any]:
    """Return what stands on the other side of the diagonal."""
    return -values if symmetry == "skew-symmetric" else values.conj() if symmetry == "hermitian" else values


def _fill(numbers: NDArray[Any], declared: _Declaration) -> NDArray[Any]:
    """Return a dense matrix, written by columns, of which symmetric ones have the part below the diagonal."""
    values, (rows, columns) = _take_values(numbers, declared), declared.sizes
    if declared.symmetry == "general":
        return values.reshape(columns, rows).T
    matrix = np.zeros((rows, columns), values.dtype)
    upper = np.triu_indices(rows, int(declared.symmetry == "skew-symmetric"))  # by rows: the lower part by columns
    matrix[upper] = _mirror(values, declared.symmetry)
    matrix[upper[::-1]] = values
    return matrix


def _place(numbers: NDArray[Any], declared: _Declaration) -> Any:
    """Return a sparse matrix; of symmetric ones either side of the diagonal is written."""
    rows, columns = declared.sizes[:2]
    check_extent((rows, columns), len(numbers))
    written = numbers[:, :2]
    if not np.all((written >= 1) & (written <= max(rows, columns))):
        raise ValueError(f"it has indices beyond its {rows:,} rows and {columns:,} columns")
    places = written.astype(np.int64)
    if not np.array_equal(places, written):
        raise ValueError("its rows and columns are not whole numbers")
    (row, column), values = places.T - 1, _take_values(numbers, declared)
    if declared.symmetry != "general":
        off = row != column
        row, column = np.concatenate([row, column[off]]), np.concatenate([column, row[off]])
        values = np.concatenate([values, _mirror(values[off], declared.symmetry)])
    return build_sparse("coo", {"data": values, "row": row, "col": column}, (rows, columns))
