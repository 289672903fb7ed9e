"""MATLAB files, versions 4 to 7.2, read by their published layout; those of version 7.3 are HDF5.

A reader of our own, because scipy's crashes on damaged files; it takes numeric and sparse matrices and skips the rest.

References
----------
.. [1] The MathWorks, "MAT-File Format".
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.files._checks import MOST_EXPANSION, check_matrix, choose_array, explain_damage
from jacobeig.files._content import Table, Wanted
from jacobeig.files._hdf5 import read_hdf5
from jacobeig.files._sparse import build_sparse

# The numbers that the format gives to elements, flags, types of stored numbers, and classes of arrays.
_MATRIX, _COMPRESSED, _SPARSE_CLASS = 14, 15, 5
_COMPLEX, _LOGICAL = 0x0800, 0x0200
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_OLD_PRECISIONS = ("f8", "f4", "i4", "i2", "u2", "u1")
_START_BYTES = 1 << 12  # enough of a packed variable for its name and size


@dataclass(frozen=True)
class _Variable:
    """A variable that can be read: its shape (None unless it is numbers) and how to get its values."""

    name: str
    shape: tuple[int, ...] | None
    read: Callable[[], Any]


def read_mat(file: Path, wanted: Wanted) -> Table:
    """Return a variable of a MATLAB file, of any version."""
    with explain_damage(file, "a MATLAB file"):
        with open(file, "rb") as handle:
            start = handle.read(128)
        if start[124:128] in (b"\x00\x02IM", b"\x02\x00MI") or start.startswith(b"\x89HDF\r\n"):
            return read_hdf5(file, wanted, by_columns=True)
        content, is_new = memoryview(file.read_bytes()), start[126:128] in (b"IM", b"MI")
        variables = {v.name: v for v in (_list_new(content) if is_new else _list_old(content))}
        if not variables:
            raise ValueError("it has no variables")
        name = choose_array({name: v.shape for name, v in variables.items()}, wanted.key, file)
        return Table(values=check_matrix(variables[name].read(), file))


def _list_new(content: memoryview) -> Iterator[_Variable]:
    """Find the variables of a file of version 5 to 7.2."""
    order = "<" if bytes(content[126:128]) == b"IM" else ">"
    for kind, data in _split_elements(content[128:], order):
        if kind == _COMPRESSED:
            yield _describe(_unpack(data, _START_BYTES), order, packed=data)
        elif kind == _MATRIX:
            yield _describe(data, order)


def _unpack(data: memoryview, most: int) -> memoryview:
    """Return the content of the matrix in a packed element, of which the first `most` bytes are unpacked."""
    return memoryview(zlib.decompressobj().decompress(data, most))[8:]


def _unpack_whole(data: memoryview, order: str) -> memoryview:
    length = int(np.frombuffer(zlib.decompressobj().decompress(data, 8), f"{order}u4")[1])
    if length > MOST_EXPANSION * (len(data) + 1):
        raise ValueError(f"a variable is said to be packed {MOST_EXPANSION} times or more")
    return _unpack(data, length + 8)


def _split_elements(content: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Go through elements, each a type, a size and data; a last one that was cut is shorter than it says."""
    while len(content) >= 8:
        kind, size = (int(word) for word in np.frombuffer(content[:8], f"{order}u4"))
        if kind >> 16:  # a small element: size and type in one word, data in the next
            yield kind & 0xFFFF, content[4 : 4 + min(4, kind >> 16)]
            content = content[8:]
        else:
            yield kind, content[8 : 8 + size]
            content = content[8 + (size if kind == _COMPRESSED else -(-size // 8) * 8) :]


def _describe(start: memoryview, order: str, packed: memoryview | None = None) -> _Variable:
    """Return a variable from a matrix element: flags, dimensions, name; of a packed one, from its start."""
    elements = _split_elements(start, order)
    flags = int(np.frombuffer(next(elements)[1][:4], f"{order}u4")[0])
    shape = tuple(int(length) for length in np.frombuffer(next(elements)[1], f"{order}i4"))
    name = bytes(next(elements)[1]).decode("latin-1")
    kind = flags & 0xFF
    if min(shape, default=0) < 0:
        raise ValueError(f"{name!r} has the shape {shape}")

    def read() -> Any:
        whole = start if packed is None else _unpack_whole(packed, order)
        parts = [_read_numbers(*element, order) for element in list(_split_elements(whole, order))[3:]]
        if kind == _SPARSE_CLASS:
            rows, pointers, values = parts[0], parts[1], _combine(parts[2:], flags)
            count = int(pointers[-1]) if len(pointers) else 0  # MATLAB keeps room for more
            sparse_parts = {"data": values[:count], "indices": rows[:count], "indptr": pointers}
            height, width = shape
            return build_sparse("csc", sparse_parts, (height, width))
        values = _combine(parts, flags)
        return (values if flags & (_COMPLEX | _LOGICAL) else values.astype(_CLASSES[kind])).reshape(shape, order="F")

    return _Variable(name, shape if kind in _CLASSES or kind == _SPARSE_CLASS else None, read)


def _read_numbers(kind: int, data: memoryview, order: str) -> NDArray[Any]:
    if kind not in _STORED:
        raise ValueError(f"its numbers are stored as type {kind}")
    numbers = np.frombuffer(data, order + _STORED[kind])
    return numbers.astype(numbers.dtype.newbyteorder("="))


def _combine(parts: list[NDArray[Any]], flags: int) -> NDArray[Any]:
    """Return real numbers, or complex ones of two parts."""
    values = parts[0] if not flags & _COMPLEX else parts[0] + 1j * parts[1]
    return values.astype(bool) if flags & _LOGICAL else values


def _list_old(content: memoryview) -> Iterator[_Variable]:
    """Find the variables of a file of version 4."""
    while len(content) >= 20:
        order = "<" if 0 <= int(np.frombuffer(content[:4], "<i4")[0]) < 1000 else ">"
        code, rows, columns, imaginary, length = (int(word) for word in np.frombuffer(content[:20], f"{order}i4"))
        precision, kind = code % 1000 // 10, code % 10
        if code // 1000 != (order == ">") or precision >= len(_OLD_PRECISIONS) or not 0 < length < len(content):
            raise ValueError("it has neither the header of version 5 nor that of version 4")
        name = bytes(content[20 : 20 + length]).rstrip(b"\0").decode("latin-1")
        dtype = np.dtype(order + _OLD_PRECISIONS[precision])
        size = rows * columns * dtype.itemsize * (1 + (imaginary == 1))
        data, content = content[20 + length :], content[20 + length + size :]
        if min(rows, columns) < 0 or len(data) < size:
            raise ValueError(f"{name!r} is said to have {rows:,} rows and {columns:,} columns, more than there are")
        numbers = np.frombuffer(data[:size], dtype).reshape(-1, rows * columns or 1)
        numbers = numbers.astype(dtype.newbyteorder("="))
        values = (numbers[0] + 1j * numbers[1] if imaginary == 1 else numbers.ravel()).reshape(columns, rows).T
        yield _describe_old(name, kind, values)


def _describe_old(name: str, kind: int, values: NDArray[Any]) -> _Variable:
    """Return a variable of version 4; a sparse one is a list of row, column, real and perhaps imaginary part."""
    if kind != 2:
        return _Variable(name, values.shape if kind == 0 else None, lambda: values)
    if len(values) == 0 or values.shape[1] not in (3, 4):
        raise ValueError(f"{name!r} is not a list of sparse entries")
    shape = (int(values[-1, 0]), int(values[-1, 1]))
    entries = values[:-1]
    data = entries[:, 2] + 1j * entries[:, 3] if values.shape[1] == 4 else entries[:, 2]
    parts = {"data": data, "row": entries[:, 0].astype(np.int64) - 1, "col": entries[:, 1].astype(np.int64) - 1}
    return _Variable(name, shape, lambda: build_sparse("coo", parts, shape))
