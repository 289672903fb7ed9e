"""Coefficients of samples, as csv."""

import csv
from typing import Any, TextIO

import numpy as np

from jacobeig.files import Table

__all__ = ["write_scores"]


def write_scores(file: TextIO, table: Table, scores: Any) -> None:
    """Write row names and labels, if there are any, and the coefficients in full precision."""
    before: list[tuple[str, Any]] = []
    if table.rows is not None:
        before.append(("row", table.rows))
    if table.labels is not None:
        before.append((table.label_name or "label", table.labels))
    headings = [f"component {t + 1}" for t in range(scores.shape[1])]
    if np.iscomplexobj(scores):
        headings = [f"{heading} {part}" for heading in headings for part in ("real", "imaginary")]
        scores = scores.view(scores.real.dtype)
    writer = csv.writer(file)
    writer.writerow([*[name for name, _ in before], *headings])
    for t, row in enumerate(scores):
        writer.writerow([*[column[t] for _, column in before], *map(repr, row.tolist())])
