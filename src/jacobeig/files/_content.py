"""What a reader is asked for, what it returns, and the checks that readers of arrays share."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import find_closest, is_sparse, list_names
from jacobeig._docs import share_docs
from jacobeig._extras import import_extra
from jacobeig.errors import FileFormatError, InvalidInputError, JacobeigError, Mention

# No honest file unpacks to more: deflate, which zip, MATLAB and HDF5 use, shrinks by 1032 at most.
MOST_EXPANSION = 1100

share_reading = share_docs(
    path="""
path : path-like
    The file; "-" is text on standard input.
""",
    content="""
key : str, optional
    Which array of a file with several; in HDF5 files its path.
header : bool, optional
    Whether the first line of a text has the names of the columns; by default that is found out.
""",
    notes="""
notes : tuple of str
    What the user should know of how the file was understood.
""",
)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is asked of a file: an array by name, whether there is a header, a column of labels."""

    key: str | None = None
    header: bool | None = None
    label: str | None = None


@share_reading
@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Samples by features.

    Attributes
    ----------
    values : ndarray or csr_array (samples, features)
        As `read_table` returns them, finite real numbers.
    features : tuple of str or None
        The names of the columns.
    rows : ndarray of str (samples,) or None
        The names of the samples.
    labels : ndarray of str (samples,) or None
        What the label column says of each sample.
    label_name : str or None
        What that column is called.
    %(notes)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.files import Table
    >>> Table(values=np.eye(2), features=("length", "width")).named().columns.tolist()
    ['length', 'width']
    """

    values: Any
    features: tuple[str, ...] | None = None
    rows: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    label_name: str | None = None
    notes: tuple[str, ...] = field(default=())

    def named(self) -> Any:
        """Return the values as estimators take them, not copied: as a data frame if the features have names."""
        if self.features is None or is_sparse(self.values):
            return self.values
        return import_extra("pandas").DataFrame(self.values, columns=list(self.features), copy=False)

    def named_labels(self) -> Any:
        """Return the labels, as a series where their column has a name; None where there are no labels."""
        if self.labels is None or self.label_name is None:
            return self.labels
        return import_extra("pandas").Series(self.labels, name=self.label_name)


@share_reading
@dataclass(frozen=True, kw_only=True, eq=False)
class GraphContent:
    """Edges or weights, and nodes.

    Attributes
    ----------
    nodes : ndarray (n,)
        What the file calls the nodes: whole numbers or strings.
    edges : ndarray (m, 3) or None
        From, to (positions in `nodes`) and weight of each edge, if the file lists edges.
    weights : ndarray or csr_array (n, n) or None
        The weight of the edge from row to column, if the file holds a matrix.
    %(notes)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.files import GraphContent
    >>> GraphContent(nodes=np.array(["Ada", "Bob"]), edges=np.array([[0.0, 1.0, 2.5]])).nodes[1]
    np.str_('Bob')
    """

    nodes: NDArray[Any]
    edges: NDArray[np.float64] | None = None
    weights: Any = None
    notes: tuple[str, ...] = field(default=())


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


def refuse_key(file: Path, key: str | None) -> None:
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
