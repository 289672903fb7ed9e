"""The samples of a data matrix: what the page needs to place them along the components of any state."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import check_finite, is_sparse, name_type
from jacobeig._types import Floats, IntArray
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.explorer._layout import shorten_texts
from jacobeig.explorer._packing import pack
from jacobeig.explorer._states import State
from jacobeig.explorer._subject import Subject

# Entries of the data matrix that a page holds at most, and points that a browser moves without stuttering.
MOST_VALUES = 600_000
MOST_SAMPLES = 10_000
# More labels than these cannot be told apart by colour and shape; the rarest share one group then.
MOST_CATEGORIES = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """Samples, in the order of their data."""

    values: Any
    names: list[str] | None
    labels: NDArray[Any] | None  # numbers for a scale of colours, or text for groups
    title: str  # of the labels


def check_samples(subject: Subject, data: Any, labels: Any, sample_names: Any) -> Samples | None:
    """Check what the user says about samples."""
    if data is None:
        for name, given in (("labels", labels), ("sample_names", sample_names)):
            if given is not None:
                raise InvalidInputError(f"{name} is given without data; give data, the samples that it is about.")
        return None
    if subject.is_complex:
        raise InvalidInputError("data is given, but the vectors are complex, so samples have no places; leave it out.")
    values = _read_values(data, subject)
    names = _read_index(data) if sample_names is None else sample_names
    return Samples(
        values=values,
        names=None if names is None else shorten_texts("sample_names", names, values.shape[0], "the rows of data are"),
        labels=None if labels is None else _read_labels(labels, values.shape[0]),
        title=str(getattr(labels, "name", None) or "label"),
    )


def _read_values(data: Any, subject: Subject) -> Any:
    n = subject.vectors.shape[0]
    columns, fitted = getattr(data, "columns", None), getattr(subject.model, "feature_names_in_", None)
    if columns is not None and fitted is not None and list(columns) != list(fitted):
        raise InvalidInputError("data has other columns than the data of the fit; give the same, in the same order.")
    try:
        values: Any = sparse.csc_array(data) if is_sparse(data) else np.asarray(data)
        values = values.astype(np.float64 if values.dtype.kind != "f" else values.dtype, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"data cannot be read as real numbers ({error}); give an array (m, {n}).") from error
    if values.ndim != 2 or values.shape[1] != n or not values.shape[0]:
        raise InvalidInputError(f"data has shape {values.shape}; give samples by features, (m, {n}).")
    check_finite("data", values)
    return values


def _read_index(data: Any) -> Any:
    """Return the names that a data frame gives its rows; a plain range says nothing."""
    index = getattr(data, "index", None)
    if not hasattr(data, "columns") or index is None:
        return None
    names = np.asarray(index)
    return None if names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names))) else list(index)


def _read_labels(labels: Any, count: int) -> NDArray[Any]:
    """Return labels as numbers if they are a scale, else as text."""
    if isinstance(labels, (str, bytes)) or not hasattr(labels, "__iter__"):
        raise InvalidTypeError(f"labels is {name_type(labels)}; give one label for each sample.")
    found = np.empty(0, object) if isinstance(labels, Sequence) and not len(labels) else np.asarray(labels)
    if found.ndim != 1 or len(found) != count:
        raise InvalidInputError(f"labels has shape {found.shape}, but data has {count} samples: give {count} labels.")
    if found.dtype.kind in "iuf" or _are_numbers(found):
        numbers = np.array([np.nan if _is_missing(value) else value for value in found], np.float64)
        known = np.unique(numbers[~np.isnan(numbers)])
        if len(known) > MOST_CATEGORIES or not np.array_equal(known, np.round(known)):
            return numbers
        found = np.array([value if np.isnan(value) else int(value) for value in numbers], object)
    texts = ["missing" if _is_missing(value) else str(value) for value in found]
    return np.array(shorten_texts("labels", texts, count, "the rows of data are"), object)


def _are_numbers(found: NDArray[Any]) -> bool:
    if found.dtype.kind != "O":
        return False
    known = [value for value in found if not _is_missing(value)]
    return bool(known) and all(isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) for value in known)


def _is_missing(value: Any) -> bool:
    # NaN and pandas' marks of a missing value do not equal themselves, or cannot tell.
    return value is None or str(value) in ("nan", "NaT", "<NA>")


def collect_samples(
    samples: Samples | None, subject: Subject, states: list[State], listed: IntArray, most_values: int
) -> dict[str, Any] | None:
    """Return samples as plain data, at most `most_values` numbers; a single component has no second axis for them."""
    p = subject.vectors.shape[1]
    if samples is None or p < 2:
        return None
    m = int(samples.values.shape[0])
    used = np.unique(np.concatenate([state.vectors.indices for state in states])).astype(np.int64)
    # Of data too large for a page the scores of all states may be smaller.
    ready = m * len(used) > most_values and len(states) * p < len(used)
    shown = min(m, MOST_SAMPLES, max(2, most_values // (len(states) * p if ready else len(used))))
    rows = np.unique(np.linspace(0, m - 1, shown).round().astype(np.int64))
    columns = _centre_columns(samples, subject, rows, used)
    if ready:
        columns = np.concatenate([columns @ state.vectors[used] for state in states], axis=1)
    return {
        "count": len(rows),
        "of": m,
        "numbers": pack(rows.astype(np.uint32)),
        "names": None if samples.names is None else [samples.names[row] for row in rows],
        "title": samples.title[:40],
        "labels": None if samples.labels is None else _pack_labels(samples.labels, rows),
        "features": None if ready else pack(np.searchsorted(listed, used).astype(np.uint32)),
        "columns": pack(np.ascontiguousarray(columns.T, dtype=np.float32)),
        "unmix": None if subject.unmix is None else pack(subject.unmix.astype(np.float32)),
    }


def _centre_columns(samples: Samples, subject: Subject, rows: IntArray, used: IntArray) -> Floats:
    """Return some samples' data of some features, as the vectors apply to them."""
    part = samples.values[:, used][rows]
    columns = np.asarray(part.toarray() if is_sparse(part) else part, np.float64)
    if subject.centre is None or subject.scale is None:
        return columns
    return np.asarray((columns - subject.centre[used]) / subject.scale[used])


def _pack_labels(labels: NDArray[Any], rows: IntArray) -> dict[str, Any]:
    if labels.dtype.kind == "f":
        return {"values": pack(labels[rows].astype(np.float32))}
    kinds, counts = np.unique(labels.astype(str), return_counts=True)
    shown = len(kinds) if len(kinds) <= MOST_CATEGORIES else MOST_CATEGORIES - 1
    common = set(np.argsort(-counts, kind="stable")[:shown].tolist())
    order = sorted(range(len(kinds)), key=lambda at: (at not in common, _number_or_text(str(kinds[at]))))
    codes = np.empty(len(kinds), np.uint32)
    codes[order] = np.arange(len(kinds))
    chosen = codes[np.searchsorted(kinds, labels[rows].astype(str))]
    return {"names": [str(kinds[at]) for at in order], "shown": shown, "codes": pack(chosen)}


def _number_or_text(text: str) -> tuple[bool, float, str]:
    """Return a key that sorts whole numbers by size, before all text."""
    digits = text.removeprefix("-").isdecimal()
    return not digits, float(text) if digits else 0.0, text
