"""What long work tells while it goes on: one record for every callback, and a progress bar."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from jacobeig._extras import import_extra

__all__ = ["Callback", "Progress", "asks_to_stop", "progress_bar"]

BETWEEN = 0.1  # seconds from one drawing of a notebook's bar to the next


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What a callback is told: about every 1000 rotations, and after every stage of a refinement.

    Attributes
    ----------
    stage : str
        "rotations", or the start that a refinement has just tried.
    captured : float
        Sum of the vectors' Rayleigh quotients; in a refinement the best so far.
    nonzeros : int
        Nonzeros of the vectors.
    seconds : float
        Time since the run, or the refinement, began.
    n_rotations : int
        Rotations so far; 0 in a refinement.
    best_gain : float
        Gain of the latest rotation, which for ``pivot="gain"`` was the best there was; 0 in a refinement.

    Examples
    --------
    >>> import jacobeig as je
    >>> seen = []
    >>> S = je.datasets.random_covariance(200, rng=0)
    >>> result = je.sparse_eigsh(S, 5, n_rotations=1500, callback=seen.append)
    >>> [progress.n_rotations for progress in seen]
    [1000, 1500]
    """

    stage: str
    captured: float
    nonzeros: int
    seconds: float
    n_rotations: int = 0
    best_gain: float = 0.0


Callback = Callable[[Progress], Any]


def asks_to_stop(answer: object) -> bool:
    """Whether a callback returned True, its own or NumPy's; any other value is not meant as an answer."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


@contextmanager
def progress_bar(
    description: str, total: int | None, *, enabled: bool, timed: bool = True
) -> Iterator[Callable[[int], None]]:
    """Show a bar whose value is called with how much is done by now.

    It shows the time left, or the time gone by where there is no total or it is not `timed`. What is not timed may go
    on when the total is reached: the bar then says that it is settling.
    """
    if not enabled:
        yield lambda done: None
        return
    notebook = _find_notebook()
    if notebook is not None:
        with _show_notebook_bar(notebook, description, total) as show_there:
            yield show_there
        return
    rich, console = import_extra("rich.progress"), import_extra("rich.console").Console(stderr=True)
    clock = rich.TimeRemainingColumn() if timed and total is not None else rich.TimeElapsedColumn()
    count = rich.TextColumn("{task.completed:,.0f} done") if total is None else rich.MofNCompleteColumn()
    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), count, clock)
    # Not to standard output, which a program may read.
    with rich.Progress(*columns, transient=True, console=console) as bar:
        task = bar.add_task(description, total=total)

        def show(done: int) -> None:
            bar.update(task, completed=done)
            if not timed and total is not None and done >= total:
                bar.update(task, description=f"{description} spent, settling", total=None)

        yield show


def _find_notebook() -> Any:
    """Return IPython's display module where a kernel shows what runs, else None; nothing is imported for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.modules.get("IPython.display") if hasattr(shell, "kernel") else None


@contextmanager
def _show_notebook_bar(display: Any, description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar as every notebook can draw it, without widgets, and take it away at the end."""
    start = latest = time.perf_counter()

    def draw(done: int) -> Any:
        amount = "" if total is None else f' value="{min(done, total)}" max="{total}"'
        count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
        seconds = time.perf_counter() - start
        return display.HTML(f"{escape(description)} <progress{amount}></progress> {count}, {seconds:.0f} s")

    handle = display.display(draw(0), display_id=True)

    def show(done: int) -> None:
        nonlocal latest
        if time.perf_counter() - latest > BETWEEN or done == total:
            latest = time.perf_counter()
            handle.update(draw(done))

    try:
        yield show
    finally:
        handle.update(display.HTML(""))
