"""Exceptions."""

import pytest

from jacobeig import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InvalidInputError, ValueError),
        (errors.InvalidTypeError, TypeError),
        (errors.FileFormatError, ValueError),
        (errors.MissingDataError, OSError),
        (errors.TooLargeError, MemoryError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_every_exception_is_ours_and_a_builtin_one(error, builtin):
    assert issubclass(error, errors.JacobeigError)
    assert issubclass(error, builtin)


def test_a_missing_extra_says_in_one_line_what_to_install():
    assert str(errors.MissingExtraError("rich", "cli")) == (
        'rich is not installed: run `python -m pip install "jacobeig[cli]"`.'
    )
