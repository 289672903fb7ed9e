"""A table of data: samples by features, with what the file says about both."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import is_sparse, list_names
from jacobeig._extras import import_extra
from jacobeig._types import PathLike
from jacobeig.errors import InvalidInputError, Mention
from jacobeig.files._checks import raise_unknown
from jacobeig.files._content import Table, Wanted, share_reading
from jacobeig.files._formats import read_content
from jacobeig.files._missing import check_finite, impute_missing
from jacobeig.files._names import read_names
from jacobeig.files._sheet import Sheet, name_row

SHOWN_CHARACTERS = 40  # of a cell in a message
_AMOUNT = re.compile(r"\s*[^\w\s]?\s*[\d.,']*\d\s*[^\w\s]?\s*")  # as $5, 12% and 1,000, which are not read as numbers


@share_reading
def read_table(
    path: PathLike,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    key: str | None = None,
    header: bool | None = None,
    transpose: bool = False,
    names: PathLike | None = None,
    impute: str | None = None,
) -> Table:
    r"""Read samples by features from a file.

    Parameters
    ----------
    %(path)s
    label : str, optional
        A column to keep beside the values, which may be text; in npz files an array, in AnnData a column of obs.
    drop : sequence of str
        Columns to leave out.
    %(content)s
    transpose : bool, default False
        Whether the file has features in its rows and samples in its columns.
    names : path-like, optional
        A text with the names of the features, one per line; of several columns, the first.
    impute : {"mean", "median", "drop"}, optional
        Fill missing values with the mean or the median of their column, or leave out the rows that have any; by default
        they are refused. Infinite ones always are.

    Returns
    -------
    Table
        A first column of text gives the names of the rows; other text raises unless it is `label` or in `drop`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from jacobeig.files import read_table
    >>> _ = Path("genes.tsv").write_text("\tBRCA1\tTP53\nanna\t1\t2.5\nben\t3\t4\n")
    >>> table = read_table("genes.tsv")
    >>> table.rows.tolist(), table.features
    (['anna', 'ben'], ('BRCA1', 'TP53'))
    """
    content = read_content(path, Wanted(key=key, header=header, label=label))
    table = _make_table(content, label, drop) if isinstance(content, Sheet) else _select_columns(content, label, drop)
    if impute is None:  # before anything is exchanged, so that the message is in the words of the file
        check_finite(table.values, table.rows, table.features)
    if transpose:
        if label is not None:
            raise InvalidInputError(
                "names a column, but " + Mention("transpose") + " makes columns samples:",
                argument="label",
                advice="leave one of the two out.",
            )
        table = _transpose(table)
    if impute is not None:
        table = _impute(table, impute)
    if names is None:
        return table
    features, notes = read_names(names, table.values.shape[1])
    return replace(table, features=features, notes=(*table.notes, *notes))


def _impute(table: Table, impute: str) -> Table:
    """Return a table without missing values."""
    values, kept, notes = impute_missing(table.values, table.features, impute)
    rows, labels = (None if column is None else column[kept] for column in (table.rows, table.labels))
    check_finite(values, rows, table.features)
    return replace(table, values=values, rows=rows, labels=labels, notes=(*table.notes, *notes))


def _make_table(sheet: Sheet, label: str | None, drop: Sequence[str]) -> Table:
    left_out = {sheet.find_column("drop", name) for name in drop}
    labels = None
    if label is not None:
        position = sheet.find_column("label", label)
        labels = sheet.read_text(position)
        left_out.add(position)
    kept = [t for t in range(sheet.frame.shape[1]) if t not in left_out]
    rows, kept = split_row_names(sheet, kept)
    values = select_numeric(sheet, kept, rows)
    notes = [*sheet.notes, *note_rows(sheet, rows)]
    if kept and sheet.counts_rows(kept[0]) and len(kept) > 1:
        name = sheet.name_column(kept[0])
        notes.append(
            f"The first column, {name!r}, only counts the rows: leave it out with " + Mention("drop", name) + "."
        )
    return Table(
        values=values,
        features=None if sheet.names is None else tuple(sheet.names[t] for t in kept),
        rows=rows,
        labels=labels,
        label_name=label,
        notes=tuple(notes),
    )


def split_row_names(sheet: Sheet, kept: Sequence[int]) -> tuple[NDArray[Any] | None, list[int]]:
    """Return the names of the rows, if the first column has them, and the columns that are left."""
    left = list(kept)
    if not left or left[0] != 0:
        return None, left
    # Numbers with some text among them are a feature to be corrected, unless the header says nothing of them.
    text = sheet.is_text(0) and (sheet.unnamed_first or not _is_mostly_numbers(sheet, 0))
    if text or (sheet.unnamed_first and sheet.counts_rows(0)):
        return sheet.read_text(0), left[1:]
    return None, left


def note_rows(sheet: Sheet, rows: NDArray[Any] | None) -> tuple[str, ...]:
    """Return the note that what may be numbers or labels was taken as names of the rows, if it was."""
    if rows is None:
        return ()
    if not sheet.is_text(0):
        return (
            "The first column has no name and only counts the rows, so it was taken as their names, not as a feature.",
        )
    name = sheet.name_column(0)
    taken = f"The first column, {name!r}, holds text, so it was taken as the names of the rows"
    if len(np.unique(rows)) < len(rows) and not sheet.unnamed_first:
        return (taken + "; some come twice: " + Mention("label", name) + " makes them labels.",)
    if _find_numbers(sheet, 0).any() or all(map(_AMOUNT.fullmatch, rows)):
        return (f"{taken}.",)
    return ()


def _find_numbers(sheet: Sheet, position: int) -> NDArray[np.bool_]:
    """Return which cells of a column of text, dates or other things are numbers."""
    pandas = import_extra("pandas")
    cells = pandas.Series(sheet.read_text(position), dtype=object)
    numbers: NDArray[np.bool_] = pandas.to_numeric(cells, errors="coerce").notna().to_numpy()
    return numbers


def _is_mostly_numbers(sheet: Sheet, position: int) -> bool:
    return 2 * int(np.count_nonzero(_find_numbers(sheet, position))) >= len(sheet.frame)


def select_numeric(
    sheet: Sheet, kept: Sequence[int], rows: NDArray[Any] | None, *, whole: str | None = None
) -> NDArray[np.float64]:
    """Return columns as numbers, or raise for text; where no column can be left out, `whole` says why it is wrong."""
    text = [t for t in kept if sheet.is_text(t)]
    if text:
        _raise_text(sheet, text, rows, whole)
    if not kept:
        options = "." if whole else ", " + Mention("label", ...) + " and " + Mention("drop", ...) + "."
        raise InvalidInputError("the table has no column of numbers:", advice="check the separator" + options)
    if len(sheet.frame) == 0:
        raise InvalidInputError("the table has no rows.")
    return sheet.read_numbers(kept)


def _raise_text(sheet: Sheet, text: Sequence[int], rows: NDArray[Any] | None, whole: str | None) -> None:
    """Raise for columns of text: a stray cell is named, a whole column may be a label."""
    first, column = text[0], sheet.read_text(text[0])
    name = sheet.name_column(first)
    stray = int(np.argmax(~_find_numbers(sheet, first) & (column != "")))
    cell = repr(str(column[stray])[:SHOWN_CHARACTERS])
    if _is_mostly_numbers(sheet, first):
        advice = "correct it" if whole else "correct it, or leave the column out with " + Mention("drop", name)
        if first == 0 and not whole:
            advice = advice + ", or keep it as labels with " + Mention("label", name)
        raise InvalidInputError(
            f"column {name!r} holds {cell} in {name_row(stray, rows)}, which is not a number:", advice=advice + "."
        )
    more = [sheet.name_column(t) for t in text[1:]]
    others = f" (and so {'does' if len(more) == 1 else 'do'} {list_names(more)})" if more else ""
    remedy = "keep it as labels with " + Mention("label", name) + ", or leave it out with " + Mention("drop", name)
    if all(map(_AMOUNT.fullmatch, filter(None, column))):
        remedy = "write plain numbers, without signs and separators of thousands, or " + remedy
    raise InvalidInputError(
        f"column {name!r} holds text ({cell} in {name_row(stray, rows)}){others}:", advice=(whole or remedy) + "."
    )


def _select_columns(content: Table, label: str | None, drop: Sequence[str]) -> Table:
    """Return the real numbers of a table, without the columns in `drop`."""
    if label is not None and content.labels is None:
        raise_unknown("label", label, [])
    values, columns = require_real(content.values), content.features
    if drop:
        if columns is None:
            raise InvalidInputError(
                "names a column, but the columns of such a file have no names", argument="drop", advice="leave it out."
            )
        for name in drop:
            if name not in columns:
                raise_unknown("drop", name, columns)
        kept = [t for t, name in enumerate(columns) if name not in drop]
        values, columns = values[:, kept], tuple(columns[t] for t in kept)
    return replace(content, values=values, features=columns)


def require_real(values: Any) -> Any:
    """Return real numbers as floats of at least 4 bytes, or raise for complex ones."""
    if values.dtype.kind == "c":
        raise InvalidInputError(f"the data are complex ({values.dtype}); real numbers are needed.")
    return values.astype(np.float64) if values.dtype.kind in "biu" or values.dtype.itemsize < 4 else values


def _transpose(table: Table) -> Table:
    """Return a table with rows and columns exchanged; labels were those of the rows."""
    rows = None if table.features is None else np.array(table.features)
    features = None if table.rows is None else tuple(map(str, table.rows))
    values = table.values.T.tocsr() if is_sparse(table.values) else np.ascontiguousarray(table.values.T)
    return Table(values=values, features=features, rows=rows, notes=table.notes)
