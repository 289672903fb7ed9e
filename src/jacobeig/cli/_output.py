"""What the user sees: results on standard output, everything else on standard error; one sentence for each failure."""

import ast
import json
import math
import re
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from rich.console import Console
from rich.text import Text

from jacobeig._version import __version__
from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, JacobeigError

__all__ = ["EXIT_CODES", "Exit", "Session", "explain", "fail", "in_options", "plural", "stderr", "stdout", "usage"]


class Exit(IntEnum):
    """Exit codes that scripts can rely on."""

    DONE = 0
    FAILED = 1
    WRONG_INPUT = 2
    FAULT = 70
    INTERRUPTED = 130
    CLOSED_PIPE = 141


EXIT_CODES = (
    "Exit codes: 0 done; 1 the work could not be done (an extra is missing, the disk is full, memory is short); "
    "2 wrong usage or input; 70 a fault of jacobeig itself; 130 interrupted; 141 the reader of the output went away."
)


class _Console(Console):
    """A console that leaves closed pipes to the one place that answers failures."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


stdout, stderr = _Console(highlight=False), _Console(stderr=True, highlight=False)

# What the library calls its arguments, and what the command line does.
_OPTIONS = {"n_components": "components", "n_rotations": "rotations", "max_nonzeros": "max-nonzeros"}
_KNOWN = (
    "components|density|directed|drop|effort|header|key|label|laplacian|max_nonzeros|methods|n_components|n_rotations|"
    "pivot|refine|scale|shape|target|transpose|which"
)
_PHRASES = {
    "effort='best'": "--refine best",
    "(S + S.conj().T) / 2": "--symmetrize",
    "(S + S.T) / 2": "--symmetrize",
    "(W + W.T) / 2": "--symmetrize",
    "raise density": "raise --density",
}
# What the parser complains about, in the words of its several versions, and what to give instead.
_COMPLAINTS = {
    r"valid int": r"a whole number",
    r"(-?\d+)<=x<=(-?\d+)": r"a whole number from \1 to \2",
    r"(?:>=|greater than or equal to )(-?\d+)": r"a whole number of at least \1",
    r"less than or equal to (-?\d+)": r"a whole number of at most \1",
    r"is not one of (.*[^.])": r"one of \1",
}


def in_options(message: str) -> str:
    """Return a message of the library with its arguments written as options: drop='x' becomes --drop x."""
    for said, meant in _PHRASES.items():
        message = message.replace(said, meant)
    message = re.sub(rf"\b({_KNOWN})=('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\.\.\.|[\w.]*\w)", _as_option, message)
    message = re.sub(rf"^({_KNOWN})(?= (?:is|are|holds|names)\b)", lambda found: f"--{_spell(found[1])}", message)
    return re.sub(
        r"(?<![\w/'\"-])(n_components|n_rotations|max_nonzeros)\b", lambda found: f"--{_spell(found[1])}", message
    )


def _as_option(found: re.Match[str]) -> str:
    name, value = _spell(found[1]), found[2]
    if value in ("True", "False"):
        return f"--{name}" if value == "True" else f"--no-{name}"
    if value[0] in "'\"":
        value = shlex.quote(str(ast.literal_eval(value)))
    return f"--{name} {value}"


def _spell(argument: str) -> str:
    return _OPTIONS.get(argument, argument)


def plural(count: int, word: str) -> str:
    """Return a count with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


class Session:
    """One run of a command: how much it says, and what it will have said in JSON.

    Parameters
    ----------
    command : str
        Its name.
    quiet : bool
        Say nothing but failures.
    as_json : bool
        Say everything at the end, as one JSON object on standard output.
    """

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

    def headline(self, text: str) -> None:
        """Print what the table below is about."""
        self.show(Text(text, style="bold"))

    def pairs(self, pairs: Mapping[str, str], *, indent: int = 0, styles: tuple[str, str] = ("bold", "")) -> None:
        """Print what there is and what it is for; never cut, so that paths and commands can be copied."""
        if self.talks:
            width = max(map(len, pairs), default=0)
            for what, purpose in pairs.items():
                line = Text.assemble(
                    " " * indent, (what, styles[0]), " " * (width - len(what) + 2), (purpose, styles[1])
                )
                stdout.print(line, soft_wrap=True)

    def next_steps(self, steps: Mapping[str, str]) -> None:
        """Print commands or options to go on with, and what for."""
        if steps:
            self.show("", "[bold]Next[/]")
            self.pairs(steps, indent=2, styles=("", "dim"))

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

    def finish(self, files: dict[str, Path] | None = None, **facts: Any) -> None:
        """End the run: say everything in JSON, if that is wanted."""
        if not self.as_json:
            return
        record = {
            "command": self.command,
            "status": "done",
            "exit_code": int(Exit.DONE),
            "version": __version__,
            "seconds": round(time.perf_counter() - self._started, 3),
            **facts,
            "files": {name: str(path) for name, path in (files or {}).items()},
            "notes": self.notes,
        }
        _print_json(record)


def _print_json(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(_plain(record), allow_nan=False) + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it; what is not a number is null."""
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def fail(message: str, code: int, *, command: str | None, as_json: bool) -> None:
    """Answer a failure: one red sentence on standard error, and an object on standard output if scripts read it."""
    sentence = " ".join(message.split())
    stderr.print(Text(f"Error: {sentence}", style="bold red"), soft_wrap=True)
    if as_json:
        record = {"command": command, "status": "failed", "exit_code": int(code), "version": __version__}
        _print_json(record | {"message": sentence})


def usage(message: str, names: Sequence[str], arguments: Sequence[str]) -> str:
    """Return a complaint of the parser about an option in the words of the other messages, without a full stop."""
    given = _find_given(names, arguments)
    for pattern, remedy in _COMPLAINTS.items():
        found = re.search(pattern, message)
        if found is not None and given is not None:
            return f"{names[0]} is {given}; give {found.expand(remedy)}"
    return message.rstrip(".")


def _find_given(names: Sequence[str], arguments: Sequence[str]) -> str | None:
    """Return what was last given to the option of some names."""
    given = None
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        for name in names:
            if argument == name:
                given = following
            elif argument.startswith(f"{name}=" if name.startswith("--") else name):
                given = argument.removeprefix(name).removeprefix("=")
    return given


def explain(error: BaseException) -> tuple[str, Exit]:
    """Return the sentence for an error, and the exit code."""
    if isinstance(error, (InvalidInputError, InvalidTypeError, FileFormatError)):
        return in_options(str(error)), Exit.WRONG_INPUT
    if isinstance(error, JacobeigError):
        return in_options(str(error)), Exit.FAILED
    if isinstance(error, ImportError):
        return f"{error.name or 'A library'} could not be imported ({error}): install it.", Exit.FAILED
    if isinstance(error, MemoryError):
        return "There is not enough memory: take fewer components or features, or float32 data.", Exit.FAILED
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}; nothing incomplete was left behind.", Exit.FAILED
    fault = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return f"A fault in jacobeig ({fault}); JACOBEIG_TRACEBACK=1 shows where. Please report it.", Exit.FAULT
