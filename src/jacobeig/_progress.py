"""A progress bar for runs that take longer than a moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jacobeig.errors import MissingExtraError

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(description: str, total: int | None, *, enabled: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar with the time left (gone by, without a total); the value is called with how much is done by now."""
    if not enabled:
        yield lambda done: None
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
    except ImportError as error:
        raise MissingExtraError("rich", "cli") from error
    clock = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), clock)
    # Not to standard output, which a program may read.
    with Progress(*columns, transient=True, console=Console(stderr=True)) as progress:
        task = progress.add_task(description, total=total)
        yield lambda done: progress.update(task, completed=done)
