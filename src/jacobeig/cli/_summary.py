"""What a result looks like on a terminal."""

from collections.abc import Iterable, Sequence
from textwrap import TextWrapper
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from jacobeig.cli._output import Session, stdout
from jacobeig.cli._views import View, count_nonzeros

LEADING = 5  # features named for each component
LEAST = 0.005  # what a loading must be to be named: less would print as zero
LINES = 2  # that they may take if there are more
NARROW = 20  # the least room for them, which a very narrow terminal may break
GAP = 3  # between two columns
DISPENSABLE = ("cumulative", "nonzeros")  # which a narrow terminal leaves out, before the features have no room
SHOWN = 20  # components listed


def tabulate(headings: Sequence[str], rows: Iterable[Sequence[Any]], *, left: int = 1) -> Table:
    """Return a table whose first `left` columns are words and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="left" if position < left else "right", no_wrap=position >= left)
    for row in rows:
        table.add_row(*[cell if isinstance(cell, Text) else escape(str(cell)) for cell in row])
    return table


def tabulate_components(view: View) -> Table:
    """Return a table of components: figures about each, nonzeros, and the features that weigh most."""
    vectors, names = view.vectors, view.names
    p = vectors.shape[1]
    nonzeros = [f"{count:,}" for count in count_nonzeros(vectors)]
    figures = {"": [str(t + 1) for t in range(p)], **view.columns, "nonzeros": nonzeros}
    widths = {heading: max(map(len, (heading, *cells))) for heading, cells in figures.items()}
    left = stdout.width - sum(widths.values()) - GAP * len(widths)
    for heading in DISPENSABLE:
        if left < NARROW and heading in widths:
            left += widths.pop(heading) + GAP
            del figures[heading]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, width in widths.items():
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    table.add_column(f"leading {view.feature}s", overflow="fold")
    room = max(left - 2, NARROW)  # without the two edges
    for t in range(min(p, SHOWN)):
        table.add_row(*[cells[t] for cells in figures.values()], Text(list_leading(vectors, t, names, room)))
    if p > SHOWN:
        table.caption = f"and {p - SHOWN} more"
    return table


def list_leading(vectors: Any, t: int, names: Sequence[str], width: int) -> str:
    """Return the features that weigh most in a component, with their loadings: all if they are few, else two lines."""
    from jacobeig.results.pictures import rank_loadings

    indices, loadings = rank_loadings(vectors, t)
    shown = [x for x in loadings[:LEADING] if abs(x) >= LEAST]
    parts = [f"{names[i]} {_format_loading(x)}" for i, x in zip(indices, shown, strict=False)]
    # Blanks within a part are hidden, as lines are broken between parts only.
    hidden = [part.replace(" ", "\xa0") for part in parts]
    text = ", ".join(hidden if len(parts) == len(indices) else [*hidden, "..."])
    wrapper = TextWrapper(
        width,
        max_lines=LINES if len(indices) > LEADING else None,
        placeholder=" ...",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.fill(text).replace("\xa0", " ")


def note_if_complete(session: Session, p: int, n: int, feature: str) -> None:
    """Say so if every feature has a component, so that nothing is left to choose."""
    if p == n:
        session.note(
            f"There are as many components as {feature}s: any orthonormal basis then captures everything; give fewer "
            "--components to choose among them."
        )


def note_if_single(session: Session, view: View) -> None:
    """Say so if no vector has more than one entry, so that nothing is combined; if all are there, it is no wonder."""
    n, p = view.vectors.shape
    if n > p and view.vectors.nnz == p and view.result.eigenvalues.any():
        session.note(
            f"Every component is a single {view.feature}, as no more nonzeros were allowed or none would help: try "
            "--max-nonzeros 2 or more."
        )


def describe_error(error: float) -> str:
    """Return how exactly vectors are orthonormal; even those without any error are so only to rounding."""
    return "rounding" if error == 0.0 else f"{error:.0e}"


def _format_loading(value: Any) -> str:
    return f"{value:+.2f}" if value.dtype.kind == "f" else f"{abs(value):.2f}"
