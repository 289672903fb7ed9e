"""NumPy's files, npy and npz: sizes are checked before memory is taken, and nothing in them is executed."""

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from jacobeig.errors import FileFormatError, Mention
from jacobeig.files._checks import (
    MOST_EXPANSION,
    check_matrix,
    choose_array,
    explain_damage,
    is_numeric,
    raise_unknown,
    refuse_key,
)
from jacobeig.files._content import Table, Wanted
from jacobeig.files._sparse import SPARSE_PARTS, build_sparse

# Larger arrays stay on the disk, and only what is asked for is read.
MAPPED_BYTES = 1 << 30
# What people call the arrays that stand beside a matrix.
FEATURE_NAMES = ("feature_names", "features", "vocab", "vocabulary", "columns", "var_names", "gene_names", "genes")
ROW_NAMES = ("row_names", "sample_names", "samples", "index", "rows", "obs_names", "barcodes", "ids")
LABELS = ("y", "labels", "label", "target", "targets", "classes")

Header = tuple[tuple[int, ...], np.dtype[Any]]


def read_npy(file: Path, wanted: Wanted) -> Table:
    """Return the array of an npy file."""
    refuse_key(file, wanted.key)
    with explain_damage(file, "an npy file"):
        with open(file, "rb") as handle:
            if handle.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
                raise FileFormatError(f"{file} is not an npy file, or it is damaged.")
            handle.seek(0)
            _, dtype = _read_header(handle, file.stat().st_size)
        if dtype.hasobject:
            raise FileFormatError(f"{file} holds Python objects, not numbers: save a numeric array.")
        values = np.load(file, mmap_mode="r" if file.stat().st_size > MAPPED_BYTES else None)
        return Table(values=check_matrix(values, file))


def read_npz(file: Path, wanted: Wanted) -> Table:
    """Return an array of an npz file, or the sparse matrix whose parts it holds, with names and labels beside it."""
    with explain_damage(file, "an npz file"), zipfile.ZipFile(file) as archive:
        headers = _read_headers(archive)
        if "jacobeig" in headers:
            raise FileFormatError(
                f"{file} is a model that jacobeig wrote, not data:",
                advice=Mention("load", text="jacobeig.load or the estimator's load reads it") + ".",
            )
        if "shape" in headers and any(set(parts) <= set(headers) for parts in SPARSE_PARTS.values()):
            refuse_key(file, wanted.key)
            values = _read_sparse(archive, headers)
        else:
            shapes = {name: shape if is_numeric(dtype) else None for name, (shape, dtype) in headers.items()}
            values = _read_array(archive, choose_array(shapes, wanted.key, file))
        return _add_names(archive, headers, check_matrix(values, file), wanted)


def _read_header(handle: IO[bytes], size: int) -> Header:
    """Return shape and dtype of an npy file of `size` bytes, or raise if it is too short for them."""
    version = npy.read_magic(handle)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"its npy version is {version}; arrays of numbers have 1.0 or 2.0")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(handle)
    short = math.prod(shape) * dtype.itemsize > size - handle.tell()
    if any(length < 0 for length in shape) or (short and not dtype.hasobject):
        raise ValueError(f"it declares an array of shape {shape}, but has not that many entries")
    return shape, dtype


def _read_headers(archive: zipfile.ZipFile) -> dict[str, Header]:
    headers = {}
    for info in archive.infolist():
        if info.filename.endswith(".npy"):
            if info.file_size > MOST_EXPANSION * (info.compress_size + 1):
                raise ValueError(f"{info.filename} is said to be packed {MOST_EXPANSION} times or more")
            with archive.open(info) as handle:
                headers[info.filename.removesuffix(".npy")] = _read_header(handle, info.file_size)
    return headers


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as handle:
        array: NDArray[Any] = npy.read_array(handle, allow_pickle=False)
        return array


def _read_sparse(archive: zipfile.ZipFile, headers: Mapping[str, Header]) -> Any:
    """Return the matrix of scipy's save_npz, or of its parts saved by hand without the format's name."""
    shape = tuple(int(length) for length in _read_array(archive, "shape").ravel())
    if len(shape) != 2:
        raise ValueError(f"its shape is {shape}")
    if "format" in headers:
        name = _read_array(archive, "format").item()
        form = name.decode("ascii") if isinstance(name, bytes) else str(name)
    else:
        form = next(form for form, parts in SPARSE_PARTS.items() if set(parts) <= set(headers))
        if form == "csr" and headers["indptr"][0] != (shape[0] + 1,):
            form = "csc"
    return build_sparse(form, {part: _read_array(archive, part) for part in SPARSE_PARTS.get(form, ())}, shape)


def _add_names(archive: zipfile.ZipFile, headers: Mapping[str, Header], values: Any, wanted: Wanted) -> Table:
    """Return a matrix with the names of rows and columns and the labels that stand beside it."""

    def read_first(names: tuple[str, ...], length: int, kinds: str) -> tuple[str | None, NDArray[Any] | None]:
        for name in names:
            shape, dtype = headers.get(name, ((), np.dtype(object)))
            if shape == (length,) and dtype.kind in kinds:
                return name, _read_array(archive, name).astype(str)
        return None, None

    rows, columns = values.shape
    column_source, column_names = read_first(FEATURE_NAMES, columns, "US")
    row_source, row_names = read_first(ROW_NAMES, rows, "US")
    known = [name for name, (shape, dtype) in headers.items() if shape == (rows,) and dtype.kind in "biufUS"]
    if wanted.label is not None and wanted.label not in known:
        raise_unknown("label", wanted.label, known)
    # Real numbers are a target to predict rather than labels, unless they are asked for.
    label_name, labels = (
        read_first(LABELS, rows, "biuUS") if wanted.label is None else read_first((wanted.label,), rows, "biufUS")
    )
    sources = {"the columns' names": column_source, "the rows' names": row_source}
    sources |= {} if wanted.label else {"the labels": label_name}
    found = [f"{what} from {source!r}" for what, source in sources.items() if source is not None]
    objects = [name for name in (*FEATURE_NAMES, *ROW_NAMES) if name in headers and headers[name][1].hasobject]
    return Table(
        values=values,
        rows=row_names,
        features=None if column_names is None else tuple(column_names.tolist()),
        labels=labels,
        label_name=label_name,
        notes=(
            *([f"The file gives {', '.join(found)}."] if found else []),
            *[f"{name!r} holds Python objects and was left out: save it as an array of strings." for name in objects],
        ),
    )
