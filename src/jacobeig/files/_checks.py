"""The checks that readers share, and the one text for each mistake of a file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from jacobeig._arguments import find_closest, list_names
from jacobeig.errors import FileFormatError, InvalidInputError, JacobeigError, Mention

# No honest file unpacks to more: deflate, which zip, MATLAB and HDF5 use, shrinks by 1032 at most.
MOST_EXPANSION = 1100


@contextmanager
def explain_damage(file: Path, kind: str) -> Iterator[None]:
    """Turn whatever a library raises for a damaged file, which is almost anything, into one sentence."""
    try:
        yield
    except (JacobeigError, MemoryError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        lines = str(error).strip("'\n ").splitlines() or [type(error).__name__]
        detail = "" if "pickle" in lines[0] else f" ({lines[0].rstrip('.')})"  # to allow pickles is no advice
        raise FileFormatError(f"{file} is not {kind}, or it is damaged{detail}.") from error


def is_numeric(dtype: Any) -> bool:
    """Whether a NumPy dtype holds numbers."""
    return dtype.kind in "biufc"


def choose_array(shapes: Mapping[str, Sequence[int] | None], key: str | None, file: Path) -> str:
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


def check_matrix(array: Any, file: Path) -> Any:
    """Return a matrix of numbers as it is, or raise for anything else."""
    if not is_numeric(array.dtype):
        raise InvalidInputError(f"{file} holds entries of type {array.dtype}, which are not numbers.")
    if len(array.shape) != 2:
        raise InvalidInputError(
            f"{file} holds an array of shape {tuple(array.shape)}; two dimensions are needed, rows and columns."
        )
    return array


def refuse_key(file: object, key: str | None) -> None:
    """Raise for a key where there is nothing to choose from."""
    if key is not None:
        raise InvalidInputError(
            f"is {key!r}, but {file} holds a single array, which has no name:",
            argument="key",
            advice="leave " + Mention("key") + " out.",
        )


def number_doubles(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names that are all different and not empty, and a note if some came twice."""
    seen: dict[str, int] = {}
    unique, doubles = [], set()
    taken = set(names)
    for position, name in enumerate(names):
        base = name or f"column {position + 1}"
        seen[base] = seen.get(base, 0) + 1
        if seen[base] > 1:
            doubles.add(base)
            while f"{base}.{seen[base]}" in taken:
                seen[base] += 1
            base = f"{base}.{seen[base]}"
        unique.append(base)
    note = f"Column names that come twice were numbered: {list_names(sorted(doubles))}."
    return tuple(unique), (note,) if doubles else ()


def raise_unknown(option: str, name: str, known: Sequence[str], why: str = "") -> NoReturn:
    """Raise for an option that names a column that is not there, with the one that was probably meant."""
    if not known:
        advice = "leave " + Mention(option) + " out."
        raise InvalidInputError(f"is {name!r}, but the file names no columns:", argument=option, advice=advice)
    close = find_closest(name, known)
    remedy = f"there are {list_names(known)}." if close is None else f"did you mean {close!r}?"
    raise InvalidInputError(f"is {name!r}, but there is no such column{why}:", argument=option, advice=remedy)
