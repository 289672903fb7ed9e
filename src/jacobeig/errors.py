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
    """Base of every exception that jacobeig raises on purpose.

    Examples
    --------
    >>> import numpy as np
    >>> import jacobeig as je
    >>> try:
    ...     je.sparse_eigsh(np.eye(3), 5)
    ... except je.errors.JacobeigError as error:
    ...     print(error)
    n_components is 5, but the matrix is 3 x 3: give at most 3.
    """


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
    >>> import pathlib, tempfile
    >>> import jacobeig as je
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "letter.npz"
    ...     _ = path.write_text("Dear Jacobi")
    ...     try:
    ...         je.load(path)
    ...     except je.errors.FileFormatError:
    ...         print("not a result")
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
        super().__init__(f'{module} is not installed: run `python -m pip install "jacobeig[{extra}]"`.')
