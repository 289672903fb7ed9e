"""Columns as a file has them: numbers or text, with or without names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig.files._checks import number_doubles, raise_unknown


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """The columns of a text or parquet file, numbered from 0, with their names if there is a header."""

    frame: Any
    names: tuple[str, ...] | None
    unnamed_first: bool = False  # the header leaves the first column without a name, as for row names
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, frame: Any, names: Sequence[str] | None, notes: Iterable[str] = ()) -> "Sheet":
        """Make it of a frame and the names that its file gives, which may be empty or come twice."""
        frame = frame.set_axis(range(frame.shape[1]), axis=1)
        if names is None:
            return cls(frame=frame, names=None, notes=tuple(notes))
        kept = [t for t, name in enumerate(names) if name.strip() or not frame[t].isna().all()]
        if len(kept) < len(names):  # a separator at the end of each line makes a column
            frame = frame[kept].set_axis(range(len(kept)), axis=1)
        plain = [names[t].strip() for t in kept]
        unique, more = number_doubles(plain)
        return cls(frame=frame, names=unique, unnamed_first=plain[:1] == [""], notes=(*notes, *more))

    @cached_property
    def _text_columns(self) -> frozenset[int]:
        """Columns that hold anything but numbers."""
        others = [t for t, dtype in enumerate(self.frame.dtypes) if not _is_number(dtype)]
        return frozenset(t for t in others if not _holds_integers(self.frame[t]))

    def name_column(self, position: int) -> str:
        """Return what to call a column in a message or an option: its name, or its number from 1."""
        return str(position + 1) if self.names is None else self.names[position]

    def find_column(self, option: str, name: str) -> int:
        """Return where the column `name` is, or raise naming the option that asked for it."""
        known = [self.name_column(position) for position in range(self.frame.shape[1])]
        if name not in known:
            numbered = "" if self.names is not None else " (the file has no header, so columns are numbered from 1)"
            raise_unknown(option, name, known, numbered)
        return known.index(name)

    def is_text(self, position: int) -> bool:
        """Whether a column holds anything but numbers."""
        return position in self._text_columns

    def counts_rows(self, position: int) -> bool:
        """Whether a column only numbers the rows: 0, 1, 2, ... or 1, 2, 3, ..."""
        if self.is_text(position) or self.frame[position].isna().any() or len(self.frame) < 2:
            return False
        column = self.frame[position].to_numpy(np.float64)
        return bool(column[0] in (0.0, 1.0) and np.all(np.diff(column) == 1.0))

    def read_text(self, position: int) -> NDArray[Any]:
        """Return a column as strings; what is missing is empty."""
        column = self.frame[position]
        return np.array(["" if missing else str(v) for v, missing in zip(column, column.isna(), strict=True)])

    def read_numbers(self, positions: Sequence[int]) -> NDArray[np.float64]:
        """Return columns as numbers; what is missing is nan."""
        # By rows, as an array of the same numbers would be: sums in another order differ in the last bit.
        return np.ascontiguousarray(self.frame[list(positions)].to_numpy(np.float64, na_value=np.nan))


def _is_number(dtype: Any) -> bool:
    """Whether a dtype, NumPy's or one of pandas' own (Int64, Float64, boolean), holds numbers."""
    own = not isinstance(dtype, np.dtype)
    return dtype.kind in "biuf" and (not own or bool(getattr(dtype, "_is_numeric", False)))


def _holds_integers(column: Any) -> bool:
    """Whether a column of objects holds Python's integers, which stand for those that no machine integer can hold."""
    present = column.dropna()
    return len(present) > 0 and all(isinstance(value, int) for value in present)


def name_row(row: int, names: NDArray[Any] | None) -> str:
    """Return what to call a row in a message: its number from 1, and its name."""
    return f"row {row + 1:,}" + ("" if names is None else f" ({str(names[row])!r})")
