"""Read a matrix of an HDF5 file in a process of its own, as a damaged file can crash the library or hang it.

Run as a script, it imports nothing but NumPy and h5py. It takes a line of JSON that says what to read, answers with a
line that lists the matrices of the file, takes a line that names one, and answers with a line that describes its
arrays, then their bytes. An error is a line as well.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

BLOCK_BYTES = 1 << 24  # sent at a time
_SPARSE_FORMS = {"csr_matrix": "csr", "csc_matrix": "csc", "csr": "csr", "csc": "csc"}


def main() -> None:
    """Serve one request."""
    request = _receive()
    sys.path[:] = request["path"]
    _limit_memory(request["memory"])
    try:
        import h5py

        with h5py.File(request["file"], "r") as archive:
            _serve(archive, by_columns=request["by_columns"])
    except Exception as error:
        lines = str(error).strip("'\n ").splitlines() or [type(error).__name__]
        _send({"error": lines[0].rstrip("."), "memory": isinstance(error, MemoryError)})


def _receive() -> Any:
    return json.loads(sys.stdin.buffer.readline())


def _send(answer: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


def _limit_memory(size: int) -> None:
    """Let the process have no more than `size` bytes, and leave no core when it crashes, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, limit in ((resource.RLIMIT_AS, size), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        try:
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
        except (ValueError, OSError):  # macOS refuses some
            continue


def _serve(archive: Any, *, by_columns: bool) -> None:
    shapes = _list_matrices(archive, by_columns=by_columns)
    is_anndata = "X" in shapes and "obs" in archive and "var" in archive
    if is_anndata:  # what it says of rows and columns is no matrix
        shapes = {name: shape for name, shape in shapes.items() if not name.startswith(("obs/", "var/"))}
    _send({"shapes": shapes, "preferred": "X" if is_anndata else None})
    chosen = _receive()
    item = archive[chosen["key"]]
    arrays, form, shape = _describe(item)
    described = [{"name": name, "dtype": array.dtype.str, "shape": array.shape} for name, array in arrays.items()]
    names = _read_annotations(archive, chosen, shapes[chosen["key"]] or []) if is_anndata else {}
    _send({"arrays": described, "form": form, "shape": shape, **names})
    _limit_memory(_receive()["memory"])
    for array in arrays.values():
        for block in _cut_blocks(array):
            sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()


def _list_matrices(archive: Any, *, by_columns: bool) -> dict[str, list[int] | None]:
    """Return the shape of each array of the file, dense or sparse, by its path; None for what is not numbers."""
    import h5py

    shapes: dict[str, list[int] | None] = {}
    parts: list[str] = []

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            lengths = [int(length) for length in item.shape or ()]
            shapes[name] = (lengths[::-1] if by_columns else lengths) if _holds_numbers(item) else None
        elif _is_sparse(item):
            _, _, shape = _describe(item)
            shapes[name] = shape
            parts.append(f"{name}/")

    archive.visititems(note)
    hidden = (*parts, "#refs#", "#subsystem#")  # the two last are MATLAB's own
    return {name: shape for name, shape in shapes.items() if not name.startswith(hidden)}


def _holds_numbers(dataset: Any) -> bool:
    """Whether a dataset holds numbers, here and not in another file; MATLAB keeps text as numbers."""
    kind = _decode(dataset.attrs.get("MATLAB_class", "double"))
    return (
        dataset.dtype.kind in "biufc"
        and dataset.shape is not None
        and not dataset.external
        and kind not in ("char", "cell", "struct", "string")
    )


def _decode(attribute: Any) -> str:
    """Return an attribute that is text, which comes as bytes from some writers."""
    return attribute.decode() if isinstance(attribute, bytes) else str(attribute)


def _is_sparse(group: Any) -> bool:
    return "MATLAB_sparse" in group.attrs or all(name in group for name in ("data", "indices", "indptr"))


def _describe(item: Any) -> tuple[dict[str, Any], str | None, list[int] | None]:
    """Return the datasets of a matrix, and format and shape of a sparse one."""
    import h5py

    if isinstance(item, h5py.Dataset):
        return {"dense": item}, None, None
    if "MATLAB_sparse" in item.attrs:
        import numpy as np

        pointers = item["jc"]
        empty = np.empty(0), np.empty(0, np.int64)  # without entries, two parts are left out
        data, rows = (item["data"], item["ir"]) if "data" in item else empty
        shape = [int(item.attrs["MATLAB_sparse"]), len(pointers) - 1]
        return {"data": data, "indices": rows, "indptr": pointers}, "csc", shape
    form = item.attrs.get("encoding-type", item.attrs.get("h5sparse_format", "csr_matrix"))
    form = _SPARSE_FORMS[_decode(form)]
    lengths = item.attrs["shape"] if "shape" in item.attrs else item.attrs["h5sparse_shape"]
    shape = [int(length) for length in lengths]
    return {name: item[name] for name in ("data", "indices", "indptr")}, form, shape


def _cut_blocks(array: Any) -> Iterator[bytes]:
    """Go through the bytes of an array or dataset by blocks of rows, never through half a chunk."""
    import numpy as np

    if not array.shape or 0 in array.shape:
        yield np.asarray(array[()]).tobytes()
        return
    height = (getattr(array, "chunks", None) or (1,))[0]
    step = max(1, BLOCK_BYTES // max(1, array.nbytes // array.shape[0]))
    step = -(-step // height) * height
    for start in range(0, array.shape[0], step):
        yield np.ascontiguousarray(array[start : start + step]).tobytes()


def _read_annotations(archive: Any, chosen: dict[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    """Return names of rows and columns and the labels asked for, as AnnData keeps them."""
    answer: dict[str, Any] = {"rows": _read_index(archive["obs"], shape[0])}
    key, label = chosen["key"], chosen["label"]
    if key == "X" or key.startswith("layers/"):
        answer["columns"] = _read_index(archive["var"], shape[1])
    if label is not None:
        known = list(archive["obs"])
        answer |= {"known": known, "labels": _read_column(archive["obs"][label]) if label in known else None}
    return answer


def _read_index(group: Any, length: int) -> list[str] | None:
    """Return the names in obs or var, if there are as many as there should be."""
    column = group.get(_decode(group.attrs.get("_index", "_index")))
    names = None if column is None else _read_column(column)
    return names if names is not None and len(names) == length else None


def _read_column(item: Any) -> list[str] | None:
    """Return a column as strings; one of categories is a group of codes and their meanings."""
    import h5py

    if isinstance(item, h5py.Group):
        if not ("codes" in item and "categories" in item):
            return None
        meanings = _read_column(item["categories"]) or []
        return ["" if code < 0 else meanings[code] for code in item["codes"][()].tolist()]
    if item.ndim != 1:
        return None
    if h5py.check_string_dtype(item.dtype) is not None:
        return [str(value) for value in item.asstr(errors="replace")[()]]
    return [str(value) for value in item[()].tolist()] if item.dtype.kind in "biuf" else None


if __name__ == "__main__":
    main()
