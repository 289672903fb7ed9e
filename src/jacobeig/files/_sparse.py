"""Sparse matrices from the parts that a file holds, checked in full: compiled code follows their indices blindly."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import find_compressed_fault
from jacobeig.errors import TooLargeError
from jacobeig.files._checks import is_numeric

SPARSE_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
# A file of a few bytes may declare any number of empty rows, and each takes memory: the first number is always
# believed (64 million rows, half a gigabyte of pointers), the second for each entry.
BELIEVED_LENGTH = 1 << 26
BELIEVED_PER_ENTRY = 64

Parts = Mapping[str, NDArray[Any]]
Shape = tuple[int, int]


def build_sparse(form: str, parts: Parts, shape: Shape) -> sparse.csr_array:
    """Return the matrix that the parts of a format describe, or raise ValueError if they fit no matrix."""
    if form not in SPARSE_PARTS:
        raise ValueError(f"its sparse format is {form!r}; known are {', '.join(SPARSE_PARTS)}")
    data = parts["data"]
    if not is_numeric(data.dtype):
        raise ValueError(f"its entries are of type {data.dtype}, which are not numbers")
    check_extent(shape, data.size)
    # Compiled code knows neither half precision nor foreign byte orders.
    wide = np.dtype(np.float32) if data.dtype == np.float16 else data.dtype.newbyteorder("=")
    matrix = _BUILDERS[form](data.astype(wide, copy=False), parts, shape).tocsr()
    matrix.sum_duplicates()
    return sparse.csr_array(matrix)


def check_extent(shape: Sequence[int], entries: int) -> None:
    """Raise for a shape that cannot be, or whose empty rows alone would fill the memory."""
    if len(shape) != 2 or min(shape) < 0:
        raise ValueError(f"its shape is {tuple(shape)}, which no matrix has")
    most = max(BELIEVED_LENGTH, BELIEVED_PER_ENTRY * entries)
    if max(shape) > most:
        raise TooLargeError(
            f"a sparse matrix of shape {shape[0]:,} x {shape[1]:,} with {entries:,} entries is mostly empty rows and "
            "columns: leave those out."
        )


def _check_compressed(data: NDArray[Any], parts: Parts, shape: Shape) -> None:
    fault = find_compressed_fault(data, parts["indices"], parts["indptr"], shape)
    if fault is not None:
        raise ValueError(fault)


def _build_csr(data: NDArray[Any], parts: Parts, shape: Shape) -> Any:
    _check_compressed(data, parts, shape)
    return sparse.csr_array((data, parts["indices"], parts["indptr"]), shape=shape)


def _build_csc(data: NDArray[Any], parts: Parts, shape: Shape) -> Any:
    return _build_csr(data, parts, (shape[1], shape[0])).T


def _build_bsr(data: NDArray[Any], parts: Parts, shape: Shape) -> Any:
    if data.ndim != 3 or min(data.shape[1:]) == 0 or any(n % b for n, b in zip(shape, data.shape[1:], strict=True)):
        raise ValueError(f"its blocks of shape {data.shape[1:]} do not tile a matrix of shape {shape}")
    blocks = (shape[0] // data.shape[1], shape[1] // data.shape[2])
    _check_compressed(data[:, 0, 0], parts, blocks)
    return sparse.bsr_array((data, parts["indices"], parts["indptr"]), shape=shape)


def _build_coo(data: NDArray[Any], parts: Parts, shape: Shape) -> Any:
    for name, length in zip(("row", "col"), shape, strict=True):
        places = parts[name]
        fits = places.dtype.kind in "iu" and places.ndim == data.ndim == 1 and len(places) == len(data)
        if not fits or (len(places) and not (int(places.min()) >= 0 and int(places.max()) < length)):
            raise ValueError(f"its {name} indices do not fit a matrix of shape {shape}")
    return sparse.coo_array((data, (parts["row"].astype(np.int64), parts["col"].astype(np.int64))), shape=shape)


def _build_dia(data: NDArray[Any], parts: Parts, shape: Shape) -> Any:
    offsets = parts["offsets"]
    fits = offsets.dtype.kind in "iu" and offsets.ndim == 1 and data.ndim == 2 and len(offsets) == len(data)
    if not fits or len(np.unique(offsets)) != len(offsets) or any(abs(int(o)) > max(shape) for o in offsets):
        raise ValueError(f"its diagonals do not fit a matrix of shape {shape}")
    return sparse.dia_array((data, offsets.astype(np.int64)), shape=shape)


_BUILDERS: dict[str, Callable[[NDArray[Any], Parts, Shape], Any]] = {
    "csr": _build_csr,
    "csc": _build_csc,
    "bsr": _build_bsr,
    "coo": _build_coo,
    "dia": _build_dia,
}
