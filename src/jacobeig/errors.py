"""Exceptions, whose messages name the argument, what came and what to do, and can be worded by other front ends."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import Parameter
from typing import Any, Self

__all__ = [
    "FileFormatError",
    "InvalidInputError",
    "InvalidTypeError",
    "JacobeigError",
    "Mention",
    "MissingDataError",
    "MissingExtraError",
    "TooLargeError",
    "word",
]


@dataclass(frozen=True)
class Mention:
    """Something that every front end calls by its own name: an argument, perhaps with a value, or a call.

    Parameters
    ----------
    name : str
        What the library calls it.
    value : object, optional
        What the argument is set to; Ellipsis stands for any value.
    text : str, optional
        How Python users do it, where that is not ``name=value``.

    Examples
    --------
    >>> from jacobeig.errors import Mention, word
    >>> advice = "leave it out with " + Mention("drop", "age") + "."
    >>> advice
    "leave it out with drop='age'."
    >>> word(advice, lambda mention: f"--{mention.name} {mention.value}")
    'leave it out with --drop age.'
    """

    name: str
    value: object = Parameter.empty
    text: str | None = None

    @property
    def has_value(self) -> bool:
        """Whether a value is mentioned too."""
        return self.value is not Parameter.empty

    def __str__(self) -> str:
        if self.text is not None or not self.has_value:
            return self.text or self.name
        return f"{self.name}={'...' if self.value is ... else repr(self.value)}"

    def __add__(self, after: str) -> "Phrase":
        return Phrase(self, after)

    def __radd__(self, before: str) -> "Phrase":
        return Phrase(before, self)


class Phrase(str):
    """Text with mentions in it: a string in Python's words, which `word` puts into others.

    Examples
    --------
    >>> from jacobeig.errors import Mention
    >>> phrase = "raise " + Mention("density") + " for more."
    >>> phrase, len(phrase.parts)
    ('raise density for more.', 3)
    """

    __slots__ = ("parts",)
    parts: tuple[str | Mention, ...]

    def __new__(cls, *parts: str | Mention) -> Self:
        """Join texts, phrases and mentions."""
        flat = [piece for part in parts for piece in (part.parts if isinstance(part, Phrase) else (part,))]
        phrase = super().__new__(cls, "".join(map(str, flat)))
        phrase.parts = tuple(flat)
        return phrase

    def __getnewargs__(self) -> Any:
        return self.parts

    def __add__(self, after: "str | Mention") -> "Phrase":
        return Phrase(self, after)

    def __radd__(self, before: str) -> "Phrase":
        return Phrase(before, self)


def word(text: str, write: Callable[[Mention], str]) -> str:
    """Return a text with its mentions written as a front end writes them.

    Parameters
    ----------
    text : str
        A message, a note or advice of the library.
    write : callable
        From a `Mention` to text.

    Returns
    -------
    str
        The same text if it mentions nothing.

    Examples
    --------
    >>> import jacobeig as je
    >>> from jacobeig.errors import word
    >>> word(je.Status.DENSITY.advice, lambda mention: mention.name.upper())
    'The next rotation would pass the density; raise DENSITY for more accuracy.'
    """
    parts = text.parts if isinstance(text, Phrase) else (text,)
    return "".join(part if isinstance(part, str) else write(part) for part in parts)


class JacobeigError(Exception):
    """Base of every exception that jacobeig raises on purpose.

    Parameters
    ----------
    what : str
        What is wrong; a whole sentence if nothing else is given.
    argument : str, optional
        Which argument is wrong; the message begins with it.
    advice : str, optional
        What to do; the message ends with it.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> try:
    ...     je.sparse_eigsh(np.eye(3), 5)
    ... except je.errors.JacobeigError as error:
    ...     print(error)
    ...     print(error.argument, error.what, error.advice, sep=" | ")
    n_components is 5, but the matrix is 3 x 3: give at most 3.
    n_components | is 5, but the matrix is 3 x 3: | give at most 3.
    """

    def __init__(self, what: str = "", *, argument: str | None = None, advice: str = "") -> None:
        self.argument, self.what, self.advice = argument, what, advice
        super().__init__(self.message)

    def __reduce__(self) -> Any:
        # By its parts: libraries that rebuild exceptions without __init__ fail on those of two built-in kinds.
        return partial(type(self), argument=self.argument, advice=self.advice), (self.what,)

    @property
    def message(self) -> str:
        """The whole sentence, for `word`."""
        text = self.what if self.argument is None else Mention(self.argument) + f" {self.what}"
        if not self.advice:
            return text
        return Phrase(text, " " if text.endswith((":", ",")) else "; ", self.advice)


class InvalidInputError(JacobeigError, ValueError):
    """An argument has the right type but a value that cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> try:
    ...     je.sparse_eigsh(np.eye(3), 1, density=2.0)
    ... except je.errors.InvalidInputError as error:
    ...     print(error)
    density is 2.0; give a fraction above 0 and at most 1 (0.05 means 5%).
    """


class InvalidTypeError(JacobeigError, TypeError):
    """An argument has a type or dtype that cannot be used.

    Examples
    --------
    >>> import jacobeig as je
    >>> try:
    ...     je.sparse_eigsh([["a", "b"], ["b", "a"]], 1)
    ... except je.errors.InvalidTypeError as error:
    ...     print(str(error).split(":")[0])
    matrix has dtype <U1, which does not hold numbers
    """


class FileFormatError(JacobeigError, ValueError):
    """A file is damaged, or not of the format that it should have.

    Examples
    --------
    >>> from pathlib import Path
    >>> import jacobeig as je
    >>> _ = Path("letter.npz").write_text("Dear Jacobi")
    >>> try:
    ...     je.load("letter.npz")
    ... except je.errors.FileFormatError:
    ...     print("not a result")
    not a result
    """


class MissingDataError(JacobeigError, OSError):
    """A data set is neither at hand nor to be fetched; the message says which file to give.

    Examples
    --------
    >>> import jacobeig as je
    >>> try:
    ...     je.datasets.load_usps("nowhere.npz")
    ... except je.errors.MissingDataError as error:
    ...     print(error)
    there is no file nowhere.npz; give an npz file with X and y, or a csv file.
    """


class TooLargeError(JacobeigError, MemoryError):
    """The work would not fit in memory; raised before it is allocated.

    Examples
    --------
    >>> from jacobeig.errors import TooLargeError
    >>> from jacobeig.sources import require_memory
    >>> try:
    ...     require_memory(10**18, "A matrix of that size", ["pass its rows instead"])
    ... except TooLargeError as error:
    ...     print(str(error).split(",")[0])
    A matrix of that size would take 1e+09 GB
    """


class MissingExtraError(JacobeigError, ImportError):
    """An optional dependency is not installed; the message says what to install.

    Examples
    --------
    >>> from jacobeig.errors import MissingExtraError
    >>> print(MissingExtraError("matplotlib", "plot"))
    matplotlib is not installed: run `python -m pip install "jacobeig[plot]"`.
    """

    def __init__(self, module: str, extra: str) -> None:
        self.module, self.extra = module, extra
        super().__init__(f'{module} is not installed: run `python -m pip install "jacobeig[{extra}]"`.')

    def __reduce__(self) -> Any:
        return type(self), (self.module, self.extra)
