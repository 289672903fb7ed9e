"""Text that several docstrings share, written once and put in where a docstring names it."""

import re
from collections.abc import Callable
from textwrap import indent
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])


def fill_docs(text: str | None, **parts: str) -> str:
    """Return `text` with each line that is only ``%(name)s`` replaced by the part of that name, indented alike."""
    return re.sub(
        r"^( *)%\((\w+)\)s$",
        lambda found: indent(parts[found[2]].removeprefix("\n").removesuffix("\n"), found[1]),
        text or "",  # python -OO leaves none
        flags=re.MULTILINE,
    )


def share_docs(**parts: str) -> Callable[[Documented], Documented]:
    """Return a decorator of functions and classes that fills their docstrings; doctest and Sphinx see the whole."""

    def fill(documented: Documented) -> Documented:
        documented.__doc__ = fill_docs(documented.__doc__, **parts)
        return documented

    return fill
