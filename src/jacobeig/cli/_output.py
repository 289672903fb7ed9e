"""What a run says: results on standard output, everything else on standard error, or all of it as JSON."""

import errno
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.text import Text

from jacobeig._version import __version__
from jacobeig.cli._wording import Exit, in_options


class _Console(Console):
    """A console that leaves closed pipes to the one place that answers failures."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


stdout, stderr = _Console(highlight=False), _Console(stderr=True, highlight=False)


def open_streams() -> None:
    """Make both outputs usable: a closed one leads nowhere, and one that lacks a letter escapes it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the program ends
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Lead standard output nowhere, so that what could not be written does not fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def open_output() -> Iterator[Any]:
    """Give standard output for data, which are UTF-8 as in files, and raise if they cannot all be written."""
    if getattr(sys.stdout, "name", None) == os.devnull:  # as `open_streams` made it; Python calls all others <stdout>
        raise OSError(errno.EBADF, "standard output is closed")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    yield sys.stdout
    sys.stdout.flush()


class Session:
    """One run of a command: how much it says, and what it will have said in JSON."""

    def __init__(self, command: str, *, quiet: bool, as_json: bool) -> None:
        self.command, self.quiet, self.as_json = command, quiet, as_json
        self.notes: list[str] = []
        self._started = time.perf_counter()

    @property
    def talks(self) -> bool:
        """Whether to print for people."""
        return not (self.quiet or self.as_json)

    @property
    def progress(self) -> bool:
        """Whether to draw bars: only for someone who looks."""
        return self.talks and stderr.is_terminal

    def show(self, *renderables: Any) -> None:
        """Print for people, on standard output."""
        if self.talks:
            for renderable in renderables:
                stdout.print(renderable)

    def show_headline(self, text: str) -> None:
        """Print what the table below is about."""
        self.show(Text(text, style="bold"))

    def show_pairs(self, pairs: Mapping[str, str], *, indent: int = 0, styles: tuple[str, str] = ("bold", "")) -> None:
        """Print what there is and what it is for; never cut, so that paths and commands can be copied."""
        if self.talks:
            width = max(map(len, pairs), default=0)
            for what, purpose in pairs.items():
                gap = " " * (width - len(what) + 2)
                stdout.print(Text.assemble(" " * indent, (what, styles[0]), gap, (purpose, styles[1])), soft_wrap=True)

    def show_steps(self, steps: Mapping[str, str]) -> None:
        """Print commands or options to go on with, and what for."""
        if steps:
            self.show("", "[bold]Next[/]")
            self.show_pairs(steps, indent=2, styles=("", "dim"))

    def note(self, *notes: str) -> None:
        """Tell what the user should know, on standard error."""
        for note in map(in_options, notes):
            self.notes.append(note)
            if self.talks:
                stderr.print(Text(f"Note: {note}", style="yellow"), soft_wrap=True)

    @contextmanager
    def show_waiting(self, what: str) -> Iterator[None]:
        """Show that something goes on whose end nobody knows."""
        if not self.progress:
            yield
            return
        with stderr.status(Text(what)):
            yield

    def finish(self, files: Mapping[str, Path] | None = None, **facts: Any) -> None:
        """End the run: say everything in JSON, if that is wanted."""
        if self.as_json:
            seconds = round(time.perf_counter() - self._started, 3)
            written = {name: str(path) for name, path in (files or {}).items()}
            _print_json(self.command, Exit.DONE, seconds=seconds, **facts, files=written, notes=self.notes)


def fail(message: str, code: int, *, command: str | None, as_json: bool) -> None:
    """Answer a failure: one red sentence on standard error, and an object on standard output if scripts read it."""
    sentence = " ".join(message.split())
    stderr.print(Text(f"Error: {sentence}", style="bold red"), soft_wrap=True)
    if as_json:
        _print_json(command, code, message=sentence)


def _print_json(command: str | None, code: int, **facts: Any) -> None:
    status = "failed" if code else "done"
    record = {"command": command, "status": status, "exit_code": int(code), "version": __version__, **facts}
    with open_output() as output:
        output.write(json.dumps(_make_plain(record), allow_nan=False) + "\n")


def _make_plain(value: Any) -> Any:
    """Return a value as JSON holds it; what is not a number is null."""
    if isinstance(value, dict):
        return {str(name): _make_plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_make_plain(part) for part in value]
    if hasattr(value, "tolist"):  # NumPy's, which `--help` must not load
        return _make_plain(value.tolist())
    if isinstance(value, complex):
        return [_make_plain(value.real), _make_plain(value.imag)]
    return None if isinstance(value, float) and not math.isfinite(value) else value
