"""How results show themselves: by the plotting room, which stands above and is loaded when wanted, and as tables."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["draw", "rank_loadings", "tabulate_html"]


def draw(function: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of `jacobeig.plotting` by its name, so that ``result.plot()`` needs no import of it here."""
    return getattr(import_module("jacobeig.plotting"), function)(*arguments, **options)


def tabulate_html(caption: str, columns: Mapping[str, Sequence[object]], *more: str) -> str:
    """Return a table for notebooks: sentences above it, a heading for each column, and its cells."""
    sentences = "".join(f"<p>{escape(text)}</p>" for text in (caption, *more))
    headings = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    return f"{sentences}<table><thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table>"


def rank_loadings(vectors: Any, t: int) -> tuple[Any, Any]:
    """Return where a component is not zero and its loadings there, the largest first."""
    part = slice(vectors.indptr[t], vectors.indptr[t + 1])
    indices, loadings = vectors.indices[part], vectors.data[part]
    order = np.lexsort((indices, -np.abs(loadings)))
    return indices[order], loadings[order]
