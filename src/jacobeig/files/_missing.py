"""Values that are missing: told where, filled in, or left out with their rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import check_choice, is_sparse
from jacobeig.errors import InvalidInputError, Mention
from jacobeig.files._sheet import name_row

BLOCK_ENTRIES = 1 << 22  # looked at in one go, so that masks of them stay small
IMPUTATIONS = ("mean", "median", "drop")


def impute_missing(
    values: Any, features: Sequence[str] | None, impute: str
) -> tuple[Any, NDArray[np.intp], tuple[str, ...]]:
    """Return values without missing ones, the rows that are kept, and a note of what was done."""
    check_choice("impute", impute, IMPUTATIONS)
    rows, columns = _find_missing(values)
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
    told = f"{len(rows):,} missing values in {len(concerned):,} columns were filled with the {impute} of their column."
    return filled, every, (told,)


def _find_missing(values: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of missing values, by rows."""
    if is_sparse(values):
        at, coordinates = np.isnan(values.data), values.tocoo()
        return coordinates.row[at], coordinates.col[at]
    rows, columns = np.nonzero(np.isnan(values))
    return rows, columns


def _measure_columns(values: Any, columns: NDArray[np.intp], impute: str) -> NDArray[np.float64]:
    """Return the mean or median of the values that columns have; nan for a column that has none."""
    known = np.asarray(values[:, columns].toarray() if is_sparse(values) else values[:, columns], np.float64)
    empty = np.isnan(known).all(axis=0)
    measured = np.full(len(columns), np.nan)
    measured[~empty] = (np.nanmean if impute == "mean" else np.nanmedian)(known[:, ~empty], axis=0)
    return measured


def check_finite(
    values: Any, rows: NDArray[Any] | None, features: Sequence[str] | None, *, whole: bool = False
) -> None:
    """Raise for the first value that is missing or infinite; a `whole`, such as a square matrix, can lack no row."""
    if is_sparse(values):
        at = np.flatnonzero(~np.isfinite(values.data))
        if len(at):
            coordinates = values.tocoo()
            _raise_missing(coordinates.row[at], coordinates.col[at], values.data[at[0]], rows, features, whole=whole)
        return
    step = max(1, BLOCK_ENTRIES // max(1, values.shape[1]))
    for start in range(0, len(values), step):
        if not np.isfinite(values[start : start + step]).all():
            where_rows, where_columns = np.nonzero(~np.isfinite(values))
            first = values[where_rows[0], where_columns[0]]
            _raise_missing(where_rows, where_columns, first, rows, features, whole=whole)


def _raise_missing(
    where_rows: NDArray[Any],
    where_columns: NDArray[Any],
    first: Any,
    rows: Any,
    features: Sequence[str] | None,
    *,
    whole: bool,
) -> None:
    def column(position: int) -> str:
        return f"column {position + 1:,}" if features is None else f"column {features[position]!r}"

    what = "has no value" if np.isnan(first) else f"has the value {first}"
    concerned, lines = np.unique(where_columns), np.unique(where_rows)
    more = ""
    if len(where_rows) > 1:
        more = f" ({len(where_rows):,} such values in {len(lines):,} rows and {len(concerned):,} columns)"
    remedy: str = f"fill {'them' if more else 'it'} in" if whole else "fill in or remove such rows"
    if not whole and np.isnan(first):
        remedy = f"fill {'them' if more else 'it'} with " + Mention("impute", "mean")
        remedy = remedy + ", leave such rows out with " + Mention("impute", "drop")
    if features is not None and not whole:
        remedy = remedy + ", or the column with " + Mention("drop", features[int(where_columns[0])])
    raise InvalidInputError(
        f"{name_row(int(where_rows[0]), rows)} {what} in {column(int(where_columns[0]))}{more}:", advice=remedy + "."
    )
