"""Values that are missing: named by their places, filled in, or left out with their rows."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import check_choice, is_sparse, to_dense
from jacobeig.errors import InvalidInputError, Mention
from jacobeig.files._sheet import name_row

BLOCK_ENTRIES = 1 << 22  # looked at in one go, so that masks of them stay small
IMPUTATIONS = ("mean", "median", "drop")


def impute_missing(
    values: Any, features: Sequence[str] | None, impute: str
) -> tuple[Any, NDArray[np.intp], tuple[str, ...]]:
    """Return values without missing ones, the rows that are kept, and a note of what was done."""
    check_choice("impute", impute, IMPUTATIONS)
    rows, columns = _find(values, np.isnan)
    every = np.arange(values.shape[0])
    if len(rows) == 0:
        return values, every, ()
    if impute == "drop":
        kept = np.setdiff1d(every, rows)
        if len(kept) == 0:
            raise InvalidInputError(
                "every row lacks a value:", advice="fill them with " + Mention("impute", "mean") + "."
            )
        gone = len(every) - len(kept)
        return values[kept], kept, (f"{gone:,} of {len(every):,} rows lack a value and were left out.",)
    concerned, where = np.unique(columns, return_inverse=True)
    filling = _measure_columns(values, concerned, impute)
    empty = np.flatnonzero(np.isnan(filling))
    if len(empty):
        position = int(concerned[empty[0]])
        name = str(position + 1) if features is None else features[position]
        raise InvalidInputError(
            f"column {name!r} has no value at all, so it has no {impute}:",
            advice="leave it out with " + Mention("drop", name) + ".",
        )
    filled = values.copy()
    if is_sparse(filled):
        filled.data[np.isnan(filled.data)] = filling[where]  # in the order in which they were found
    else:
        filled[rows, columns] = filling[where]
    note = f"{len(rows):,} missing values in {len(concerned):,} columns were filled with the {impute} of their column."
    return filled, every, (note,)


def _find(values: Any, is_meant: Callable[[Any], Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of the values that are meant, by rows."""
    if is_sparse(values):
        at, coordinates = is_meant(values.data), values.tocoo()
        return coordinates.row[at], coordinates.col[at]
    rows, columns = np.nonzero(is_meant(values))
    return rows, columns


def _measure_columns(values: Any, columns: NDArray[np.intp], impute: str) -> NDArray[np.float64]:
    """Return the mean or median of the values that columns have; nan for a column that has none."""
    known = np.asarray(to_dense(values[:, columns]), np.float64)
    empty = np.isnan(known).all(axis=0)
    measured = np.full(len(columns), np.nan)
    measured[~empty] = (np.nanmean if impute == "mean" else np.nanmedian)(known[:, ~empty], axis=0)
    return measured


def check_finite(
    values: Any, rows: NDArray[Any] | None, features: Sequence[str] | None, *, whole: bool = False
) -> None:
    """Raise for the first value that is missing or infinite; a `whole`, such as a square matrix, can lack no row."""
    stored = values.data[:, np.newaxis] if is_sparse(values) else values
    step = max(1, BLOCK_ENTRIES // max(1, stored.shape[1]))
    if all(np.isfinite(stored[start : start + step]).all() for start in range(0, len(stored), step)):
        return
    where_rows, where_columns = _find(values, lambda found: ~np.isfinite(found))
    row, column = int(where_rows[0]), int(where_columns[0])
    first, name = values[row, column], f"{column + 1:,}" if features is None else repr(features[column])
    what = "has no value" if np.isnan(first) else f"has the value {first}"
    more = ""
    if len(where_rows) > 1:
        lines, concerned = len(np.unique(where_rows)), len(np.unique(where_columns))
        more = f" ({len(where_rows):,} such values in {lines:,} rows and {concerned:,} columns)"
    remedy: str = f"fill {'them' if more else 'it'} in" if whole else "fill in or remove such rows"
    if not whole and np.isnan(first):
        remedy = f"fill {'them' if more else 'it'} with " + Mention("impute", "mean")
        remedy = remedy + ", leave such rows out with " + Mention("impute", "drop")
    if features is not None and not whole:
        remedy = remedy + ", or the column with " + Mention("drop", features[column])
    raise InvalidInputError(f"{name_row(row, rows)} {what} in column {name}{more}:", advice=remedy + ".")
