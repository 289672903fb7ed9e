"""Exceptions: each message names the argument, what came, and what to do."""

__all__ = [
    "FileFormatError",
    "InvalidInputError",
    "InvalidTypeError",
    "JacobeigError",
    "MissingDataError",
    "MissingExtraError",
    "TooLargeError",
]


class JacobeigError(Exception):
    """Base of every exception that jacobeig raises on purpose."""


class InvalidInputError(JacobeigError, ValueError):
    """An argument has the right type but a value that cannot be used."""


class InvalidTypeError(JacobeigError, TypeError):
    """An argument has a type or dtype that cannot be used."""


class FileFormatError(JacobeigError, ValueError):
    """A file is damaged, or not of the format that it should have."""


class MissingDataError(JacobeigError, OSError):
    """A data set is neither at hand nor to be fetched; the message says which file to give."""


class TooLargeError(JacobeigError, MemoryError):
    """The work would not fit in memory; raised before it is allocated."""


class MissingExtraError(JacobeigError, ImportError):
    """An optional dependency is not installed; the message says what to install."""

    def __init__(self, module: str, extra: str) -> None:
        super().__init__(f'{module} is not installed: run `python -m pip install "jacobeig[{extra}]"`.')
