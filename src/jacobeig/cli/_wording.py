"""How the command line words things: the library's arguments as options, and one sentence for each failure."""

import re
import shlex
from collections.abc import Sequence
from enum import IntEnum

from jacobeig.errors import FileFormatError, InvalidInputError, InvalidTypeError, JacobeigError, Mention, word


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
_SAME = (
    "checkpoint", "density", "directed", "drop", "header", "impute", "key", "label", "laplacian", "methods", "names",
    "orthonormal", "pivot", "refine", "scale", "shape", "symmetrize", "target", "transpose", "which",
)  # fmt: skip
# The option for each argument that messages mention; an argument without one keeps its name.
OPTIONS = {name: name for name in _SAME} | {
    "effort": "refine",
    "max_nonzeros": "max-nonzeros",
    "n_components": "components",
    "n_rotations": "rotations",
}
# What the library does by calls, and the command line by commands.
_CALLS = {
    "call": "command",
    "load": "`jacobeig info` shows it, `jacobeig transform` applies it",
    "pca": "`jacobeig pca`",
    "signed": "`jacobeig eig --which SA`",
    "saved": ", such as the model.npz of `jacobeig pca`, `eig` or `graph`",
}
# What the parser complains about, in the words of its several versions, and what to give instead.
_COMPLAINTS = {
    r"valid int": r"a whole number",
    r"(-?\d+)<=x<=(-?\d+)": r"a whole number from \1 to \2",
    r"(?:>=|greater than or equal to )(-?\d+)": r"a whole number of at least \1",
    r"less than or equal to (-?\d+)": r"a whole number of at most \1",
    r"is not one of (.*[^.])": r"one of \1",
}


def in_options(text: str) -> str:
    """Return a message of the library with its arguments written as options."""
    return word(text, _write_mention)


def _write_mention(mention: Mention) -> str:
    if mention.name in _CALLS:
        return _CALLS[mention.name]
    if mention.name not in OPTIONS:
        return str(mention)
    option = OPTIONS[mention.name]
    if not mention.has_value:
        return f"--{option}"
    if option == "refine" and isinstance(mention.value, bool):
        return write_option(option, "quick" if mention.value else "off")
    return write_option(option, "..." if mention.value is ... else mention.value)


def write_option(option: str, value: object) -> str:
    """Return an option with its value as a shell takes it."""
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    text = str(value)
    if text.startswith("-"):  # which would look like an option itself
        return shlex.quote(f"--{option}={text}")
    return f"--{option} {text if text == '...' else shlex.quote(text)}"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def explain_usage(message: str, names: Sequence[str], arguments: Sequence[str]) -> str:
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
    if isinstance(error, JacobeigError):
        wrong = isinstance(error, (InvalidInputError, InvalidTypeError, FileFormatError))
        return in_options(error.message), Exit.WRONG_INPUT if wrong else Exit.FAILED
    if isinstance(error, ImportError):
        return f"{error.name or 'A library'} could not be imported ({error}): install it.", Exit.FAILED
    if isinstance(error, MemoryError):
        return "There is not enough memory: take fewer components or features, or float32 data.", Exit.FAILED
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}; nothing incomplete was left behind.", Exit.FAILED
    fault = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return f"A fault in jacobeig ({fault}); JACOBEIG_TRACEBACK=1 shows where. Please report it.", Exit.FAULT
