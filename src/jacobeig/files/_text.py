"""Delimited text: separator, header, decimal mark, encoding and compression are found out."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import IO, Any

from jacobeig._extras import import_extra
from jacobeig.errors import FileFormatError, Mention
from jacobeig.files._checks import refuse_key
from jacobeig.files._content import Wanted
from jacobeig.files._networks import flatten_dictionaries, has_dictionaries
from jacobeig.files._packed import name_source, open_unpacked
from jacobeig.files._sheet import Sheet

# What is looked at to find out separator, header and kinds of columns.
HEAD_BYTES = 1 << 18
HEAD_LINES = 50
LEAST_LINES = 7  # read whole, however long they are: the header, and some below it to tell it from
# A copy puts columns of one type side by side in memory: above that, all that follows is quicker by more than it costs.
MANY_COLUMNS = 1000
SEPARATORS = (",", "\t", ";", "|")
_MISSING = {"", "na", "n/a", "nan", "null", "none", "-nan", "#n/a", "<na>"}
_COMMENTS = ("#", "%")
# All that pandas leaves of a Ctrl-C at the moment when it asks for more to read.
_INTERRUPTED = "Calling read(nbytes) on source failed"
_CSV_LIMIT = Lock()
_WHOLE = re.compile(r"\s*[+-]?\d{1,300}\s*")  # with more digits, a float cannot hold it either
# What people call the ends of an edge, for lists without numbers that would show where the header ends.
_END_NAMES = {"source", "target", "from", "to", "node1", "node2", "src", "dst", "head", "tail", "u", "v", "a", "b"}


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """How a text is to be read."""

    separator: str
    decimal: str
    skipped: int
    names: tuple[str, ...] | None
    encoding: str
    dictionaries: bool


def read_text(file: Path | None, wanted: Wanted) -> Sheet:
    """Return the columns of a text file, perhaps packed, or of standard input if `file` is None."""
    called = name_source(file)
    refuse_key(called, wanted.key)
    with open_unpacked(file) as stream:
        layout = _guess_layout(_read_head(stream), called, wanted.header)
        stream.seek(0)
        if layout.dictionaries:
            stream = flatten_dictionaries(stream, layout.encoding, called)
            layout = _guess_layout(stream.getvalue(), called, wanted.header)
        return _parse(stream, layout, called)


def _read_head(stream: IO[bytes]) -> bytes:
    """Return the first lines, none of them cut but perhaps the last."""
    head = stream.read(HEAD_BYTES)
    size = HEAD_BYTES
    while len(head) == size and len(re.findall(rb"\n|\r(?!\n)", head)) < LEAST_LINES + _count_comments(head):
        head += stream.read(size)
        size *= 2
    return head


def _count_comments(head: bytes) -> int:
    return sum(not line.strip() or line.lstrip().startswith((b"#", b"%")) for line in head.splitlines())


class _TextOnly(io.RawIOBase):
    """A stream of bytes that refuses zeros, at which parsers cut a line or stop."""

    def __init__(self, stream: IO[bytes], called: str) -> None:
        self._stream, self._called = stream, called

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._stream.read(len(buffer))
        if b"\0" in block:
            raise _make_text_error(self._called)
        buffer[: len(block)] = block
        return len(block)


def _make_text_error(called: str) -> FileFormatError:
    return FileFormatError(f"{called} is not text (it has zero bytes): check its ending, or export it as csv.")


def _guess_layout(head: bytes, called: str, header: bool | None) -> _Layout:
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _make_text_error(called)
    encoding = _guess_encoding(head)
    text = head.decode(encoding, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if len(head) >= HEAD_BYTES and len(lines) > 1:
        lines.pop()  # it may have been cut
    skipped = 0
    while skipped < len(lines) and (not lines[skipped].strip() or lines[skipped].lstrip().startswith(_COMMENTS)):
        skipped += 1
    lines = [line for line in lines[skipped : skipped + HEAD_LINES] if line.strip()]
    if not lines:
        raise FileFormatError(f"{called} is empty.")
    separator = _guess_separator(lines)
    rows = _split(lines, separator)
    decimal = "," if separator in (";", "\t", r"\s+") and _has_decimal_commas(rows) else "."
    names = _find_header(rows, decimal, header, called)
    return _Layout(
        separator=separator,
        decimal=decimal,
        skipped=skipped + int(names is not None),
        names=names,
        encoding=encoding,
        dictionaries=has_dictionaries(lines),
    )


def _guess_encoding(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # the last character may have been cut
            return "latin-1"
    return "utf-8-sig"


def _guess_separator(lines: Sequence[str]) -> str:
    """Return the separator that splits the lines most evenly into the most columns; else blanks, if there are any."""
    best, best_score = "", (0.0, 0)
    for separator in SEPARATORS:
        counts = [len(row) for row in _split(lines, separator)]
        usual = max(set(counts), key=counts.count)
        score = (counts.count(usual) / len(counts), usual)
        if usual > 1 and score > best_score:
            best, best_score = separator, score
    if best:
        return best
    blanks = sum(len(line.split()) > 1 for line in lines)
    return r"\s+" if 2 * blanks > len(lines) else ","


def _split(lines: Sequence[str], separator: str) -> list[list[str]]:
    if separator == r"\s+":
        lines, separator = [re.sub(r"\s+", " ", line.strip()) for line in lines], " "
    if any('"' in line for line in lines):
        rows: Iterable[list[str]] = _split_quoted(lines, separator)
    else:
        rows = (line.split(separator) for line in lines)
    return [[cell.strip() for cell in row] for row in rows]


def _split_quoted(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Split lines with quotes; csv limits the size of a cell, for all that use it, which is raised meanwhile."""
    with _CSV_LIMIT:
        before = csv.field_size_limit(max(map(len, lines)) * len(lines) + 1)
        try:
            return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
        finally:
            csv.field_size_limit(before)


def _has_decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    return any(re.fullmatch(r"[+-]?\d+,\d+([eE][+-]?\d+)?", cell) for cell in cells) and not any(
        re.fullmatch(r"[+-]?\d+\.\d+([eE][+-]?\d+)?", cell) for cell in cells
    )


def _is_number(cell: str, decimal: str = ".") -> bool:
    try:
        float(cell.replace(decimal, "."))
    except ValueError:
        return False
    return "_" not in cell  # which Python would allow


def _find_header(
    rows: Sequence[Sequence[str]], decimal: str, wanted: bool | None, called: str
) -> tuple[str, ...] | None:
    """Return the names in the first line, if they are names."""
    first, rest = rows[0], rows[1:]
    width = max((len(row) for row in rest[:5]), default=len(first))
    if len(first) == width - 1:  # as R writes it: nothing above the row names
        first = ["", *first]
        found = wanted is not False
    elif wanted is None:
        found = _looks_like_header(first, rest, decimal)
    else:
        found = wanted
    if not found:
        return None
    if len(first) > width and any(first[width:]):
        raise FileFormatError(
            f"{called} has {len(first)} names in its header, but {width} values in the lines below it:",
            advice="correct it, or say " + Mention("header", False) + ".",
        )
    return tuple(first[:width])


def _looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]], decimal: str) -> bool:
    """Whether there is text above a column of numbers, or numbers such as pandas gives to columns without names."""
    if not rest:
        return not any(_is_number(cell, decimal) for cell in first)
    for position, cell in enumerate(first):
        below = [row[position] for row in rest if position < len(row) and row[position].lower() not in _MISSING]
        numbers = [_is_number(value, decimal) for value in below]
        if numbers and all(numbers) and cell.lower() not in _MISSING and not _is_number(cell, decimal):
            return True
    if all(cell.lower() in _END_NAMES for cell in first[:2]):
        return True
    counted = first[1:] if first[0] == "" else first
    if list(counted) != [str(t) for t in range(len(counted))]:
        return False
    # Two numbers may be an edge, unless all that is below them are names.
    return len(counted) > 2 - (first[0] == "") or not any(_is_number(cell, decimal) for row in rest for cell in row)


def _parse(stream: IO[bytes], layout: _Layout, called: str) -> Sheet:
    pandas = import_extra("pandas")
    try:
        frame = _make_frame(stream, layout, called)
    except pandas.errors.EmptyDataError as error:
        raise FileFormatError(f"{called} has a header but no rows below it.") from error
    except UnicodeDecodeError:
        return _parse(stream, replace(layout, encoding="latin-1"), called)
    except (pandas.errors.ParserError, UnicodeError, ValueError, OverflowError) as error:
        if isinstance(error, FileFormatError):
            raise
        if _INTERRUPTED in str(error):
            raise KeyboardInterrupt from None
        raise FileFormatError(f"{called} cannot be read as a table: {_shorten_complaint(error)}.") from error
    notes = []
    if layout.encoding == "latin-1":
        notes.append(f"{called} is not UTF-8; it was read as Latin-1.")
    if layout.decimal == ",":
        notes.append("Numbers were read with decimal commas.")
    names = layout.names
    if names is not None:
        names = (*names, *[""] * (frame.shape[1] - len(names)))
    return Sheet.of(frame, names, notes)


def _make_frame(stream: IO[bytes], layout: _Layout, called: str) -> Any:
    pandas, options = import_extra("pandas"), _choose_options(layout)

    def read(**more: Any) -> Any:
        stream.seek(0)
        checked = stream if layout.encoding == "utf-16" else io.BufferedReader(_TextOnly(stream, called))
        return pandas.read_csv(checked, **options, **more)

    frame = read()
    if frame.shape[1] > MANY_COLUMNS:
        frame = frame.copy()
    text = [t for t, dtype in frame.dtypes.items() if dtype.kind not in "biuf" and frame[t].isna().any()]
    names = [t for t in text if not pandas.to_numeric(frame[t], errors="coerce").notna().any()]
    if names:  # in a column of names NA is one of them
        again = read(usecols=names, dtype=str, keep_default_na=False)
        for t in names:
            frame[t] = again[t]
    for t in [t for t, dtype in frame.dtypes.items() if dtype.kind not in "biuf"]:
        frame[t] = _convert_integers(frame[t])
    return frame


def _convert_integers(column: Any) -> Any:
    """Return a column with Python's integers in place of whole numbers that pandas left as text, being too large."""
    missing = column.isna() | (column == "")
    if missing.all() or not all(_WHOLE.fullmatch(str(value)) for value in column[~missing]):
        too_large = column.dtype == object and any(type(value) is int for value in column)
        return column.map(str, na_action="ignore") if too_large else column
    integers = [None if absent else int(value) for value, absent in zip(column, missing, strict=True)]
    return import_extra("pandas").Series(integers, index=column.index, dtype=object)


def _choose_options(layout: _Layout) -> dict[str, Any]:
    options: dict[str, Any] = {
        "sep": layout.separator, "header": None, "skiprows": layout.skipped, "decimal": layout.decimal,
        "encoding": layout.encoding, "low_memory": False,
    }  # fmt: skip
    if layout.separator != r"\s+":
        options["skipinitialspace"] = True
    version = tuple(map(int, import_extra("pandas").__version__.split(".")[:2]))
    if layout.decimal == "." and version < (3, 1):
        options["float_precision"] = "round_trip"  # which later versions always do
    return options


def _shorten_complaint(error: BaseException) -> str:
    """Return what a parser complains about, in short."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
    if found:
        expected, line, saw = found.groups()
        return f"line {line} has {saw} values, those before it {expected}"
    return str(error).strip().splitlines()[0].rstrip(".")
