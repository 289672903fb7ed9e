"""Files that hold arrays: npy, npz, Matrix Market, MATLAB and HDF5."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import is_sparse
from jacobeig.errors import FileFormatError, InvalidInputError, JacobeigError, Mention, MissingExtraError

__all__ = ["read_hdf5", "read_mat", "read_mtx", "read_npy", "read_npz"]

# Larger arrays stay on the disk, and only what is asked for is read.
MAPPED_BYTES = 1 << 30
_SPARSE = ({"format", "shape", "data", "indices", "indptr"}, {"format", "shape", "data", "row", "col"})


@contextmanager
def _explain_damage(file: Path, kind: str) -> Iterator[None]:
    """Turn whatever a library raises for a damaged file, which is almost anything, into one sentence."""
    try:
        yield
    except (JacobeigError, MemoryError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        lines = str(error).strip("'\n ").splitlines() or [type(error).__name__]
        detail = "" if "pickle" in lines[0] else f" ({lines[0].rstrip('.')})"  # to allow pickles is no advice
        raise FileFormatError(f"{file} is not {kind}, or it is damaged{detail}.") from error


def read_npy(file: Path, key: str | None) -> Any:
    """Return the array of an npy file."""
    _refuse_key(file, key)
    with _explain_damage(file, "an npy file"):
        try:
            return _check_matrix(np.load(file, mmap_mode="r" if file.stat().st_size > MAPPED_BYTES else None), file)
        except ValueError as error:
            if "Object arrays" in str(error):
                raise FileFormatError(f"{file} holds Python objects, not numbers: save a numeric array.") from error
            raise


def read_npz(file: Path, key: str | None) -> Any:
    """Return an array of an npz file, or the sparse array that scipy wrote to it."""
    # Opened here, because np.load leaves a damaged file open.
    with _explain_damage(file, "an npz file"), open(file, "rb") as handle, np.load(handle) as archive:
        names = set(archive.files)
        if "jacobeig" in names:
            raise FileFormatError(
                f"{file} is a model that jacobeig wrote, not data:",
                advice=Mention("load", text="jacobeig.load or the estimator's load reads it") + ".",
            )
        if any(parts <= names for parts in _SPARSE):
            _refuse_key(file, key)
            return _check_matrix(sparse.load_npz(file), file)
        shapes = {name: _read_shape(archive, name) for name in archive.files}
        return _check_matrix(archive[_choose_array(shapes, key, file)], file)


def _read_shape(archive: Any, name: str) -> tuple[int, ...] | None:
    """Return the shape of an array of numbers; None for anything else."""
    try:
        array = archive[name]
    except ValueError as error:
        if "Object arrays" in str(error):
            return None
        raise
    return array.shape if array.dtype.kind in "biufc" else None


def read_mtx(file: Path, key: str | None) -> Any:
    """Return the matrix of a Matrix Market file."""
    from scipy.io import mmread

    _refuse_key(file, key)
    with _explain_damage(file, "a Matrix Market file"):
        return _check_matrix(mmread(str(file)), file)


def read_mat(file: Path, key: str | None) -> Any:
    """Return a variable of a MATLAB file, of any version."""
    from scipy.io import loadmat

    with _explain_damage(file, "a MATLAB file"):
        try:
            variables = loadmat(str(file))
        except NotImplementedError:  # version 7.3 is HDF5, by columns
            return read_hdf5(file, key).T
        arrays = {name: value for name, value in variables.items() if not name.startswith("__")}
        return _check_matrix(arrays[_choose_array(_read_shapes(arrays), key, file)], file)


def read_hdf5(file: Path, key: str | None) -> Any:
    """Return a dataset of an HDF5 file; `key` is its path."""
    try:
        import h5py
    except ImportError as error:
        raise MissingExtraError("h5py", "files") from error
    arrays: dict[str, Any] = {}

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            arrays[name] = item

    with _explain_damage(file, "an HDF5 file"), h5py.File(file, "r") as archive:
        archive.visititems(note)
        return _check_matrix(arrays[_choose_array(_read_shapes(arrays), key and key.strip("/"), file)][()], file)


def _read_shapes(arrays: Mapping[str, Any]) -> dict[str, tuple[int, ...] | None]:
    return {
        name: tuple(array.shape) if getattr(getattr(array, "dtype", None), "kind", "O") in "biufc" else None
        for name, array in arrays.items()
    }


def _choose_array(shapes: Mapping[str, tuple[int, ...] | None], key: str | None, file: Path) -> str:
    """Return the name of the array to take: the one asked for, or the only one that is a matrix of numbers."""
    described = ", ".join(
        f"{name!r} ({'not numbers' if shape is None else ' x '.join(map(str, shape)) or 'one number'})"
        for name, shape in shapes.items()
    )
    if key is not None:
        if key not in shapes:
            raise InvalidInputError(f"is {key!r}, but {file} holds {described or 'nothing'}.", argument="key")
        if shapes[key] is None:
            raise InvalidInputError(f"is {key!r}, which holds no numbers; {file} holds {described}.", argument="key")
        return key
    matrices = [name for name, shape in shapes.items() if shape is not None and len(shape) == 2 and min(shape) > 1]
    if len(matrices) == 1:
        return matrices[0]
    if not matrices:
        raise InvalidInputError(f"{file} holds no matrix of numbers, but {described or 'nothing'}.")
    raise InvalidInputError(
        f"{file} holds several matrices, {described}:", advice="choose one with " + Mention("key", matrices[0]) + "."
    )


def _check_matrix(array: Any, file: Path) -> Any:
    """Return a matrix of numbers as it is, sparse ones as csr_array, or raise for anything else."""
    if array.dtype.kind not in "biufc":
        raise InvalidInputError(f"{file} holds entries of type {array.dtype}, which are not numbers.")
    if len(array.shape) != 2:
        raise InvalidInputError(
            f"{file} holds an array of shape {tuple(array.shape)}; two dimensions are needed, rows and columns."
        )
    return sparse.csr_array(array) if is_sparse(array) else array


def _refuse_key(file: Path, key: str | None) -> None:
    if key is not None:
        raise InvalidInputError(
            f"is {key!r}, but {file} holds a single array, which has no name:",
            argument="key",
            advice="leave " + Mention("key") + " out.",
        )
