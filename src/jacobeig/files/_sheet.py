"""Columns as a file has them: numbers or text, with or without names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import find_closest, list_names
from jacobeig.errors import InvalidInputError

__all__ = ["Sheet", "name_row"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """The columns of a text or parquet file.

    Attributes
    ----------
    frame : pandas DataFrame
        Its columns numbered from 0.
    names : tuple of str or None
        What the file calls the columns, each once; None if it has no header.
    unnamed_first : bool
        Whether there is a header that leaves the first column without a name, as for row names.
    notes : tuple of str
        What the user should know of how the file was understood.
    """

    frame: Any
    names: tuple[str, ...] | None
    unnamed_first: bool = False
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, frame: Any, names: Sequence[str] | None, notes: Iterable[str] = ()) -> "Sheet":
        """Make it of a frame and the names that its file gives, which may be empty or come twice."""
        frame = frame.set_axis(range(frame.shape[1]), axis=1)
        if names is None:
            return cls(frame=frame, names=None, notes=tuple(notes))
        kept = [t for t, name in enumerate(names) if name.strip() or not frame[t].isna().all()]
        frame = frame[kept].set_axis(range(len(kept)), axis=1)  # a separator at the end of each line makes a column
        plain = [names[t].strip() for t in kept]
        unique, doubles = _unique(plain)
        told = [f"Column names that come twice were numbered: {list_names(doubles)}."] if doubles else []
        return cls(
            frame=frame,
            names=tuple(unique),
            unnamed_first=bool(plain) and plain[0] == "",
            notes=(*notes, *told),
        )

    def name(self, position: int) -> str:
        """Return what to call a column in a message or an option: its name, or its number from 1."""
        return str(position + 1) if self.names is None else self.names[position]

    def position(self, option: str, name: str) -> int:
        """Return where the column `name` is, or raise naming the option that asked for it."""
        known = [self.name(position) for position in range(self.frame.shape[1])]
        if name in known:
            return known.index(name)
        close = find_closest(name, known)
        remedy = f"there are {list_names(known)}." if close is None else f"did you mean {close!r}?"
        numbered = "" if self.names is not None else " (the file has no header, so columns are numbered from 1)"
        raise InvalidInputError(f"is {name!r}, but there is no such column{numbered}:", argument=option, advice=remedy)

    def is_text(self, position: int) -> bool:
        """Whether a column holds anything but numbers."""
        return self.frame[position].dtype.kind not in "biuf" and not _is_extension_number(self.frame[position].dtype)

    def counts_rows(self, position: int) -> bool:
        """Whether a column only numbers the rows: 0, 1, 2, ... or 1, 2, 3, ..."""
        if self.is_text(position) or self.frame[position].isna().any() or len(self.frame) < 2:
            return False
        column = self.frame[position].to_numpy(np.float64)
        return bool(column[0] in (0.0, 1.0) and np.all(np.diff(column) == 1.0))

    def text(self, position: int) -> NDArray[Any]:
        """Return a column as strings; what is missing is empty."""
        column = self.frame[position]
        return np.array(["" if missing else str(v) for v, missing in zip(column, column.isna(), strict=True)])

    def numbers(self, positions: Sequence[int]) -> NDArray[np.float64]:
        """Return columns as numbers; what is missing is nan."""
        # By rows, as an array of the same numbers would be: sums in another order differ in the last bit.
        return np.ascontiguousarray(self.frame[list(positions)].to_numpy(np.float64, na_value=np.nan))


def _is_extension_number(dtype: Any) -> bool:
    """Whether a dtype of pandas' own (Int64, Float64, boolean) holds numbers."""
    return bool(getattr(dtype, "_is_numeric", False)) and getattr(dtype, "kind", "O") in "biuf"


def _unique(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names that are all different and not empty, and those that were not."""
    seen: dict[str, int] = {}
    unique, doubles = [], []
    taken = set(names)
    for position, name in enumerate(names):
        base = name or f"column {position + 1}"
        seen[base] = seen.get(base, 0) + 1
        if seen[base] > 1:
            doubles.append(base)
            while f"{base}.{seen[base]}" in taken:
                seen[base] += 1
            base = f"{base}.{seen[base]}"
        unique.append(base)
    return unique, sorted(set(doubles))


def name_row(row: int, names: NDArray[Any] | None) -> str:
    """Return what to call a row in a message: its number from 1, and its name."""
    return f"row {row + 1:,}" + ("" if names is None else f" ({str(names[row])!r})")
