"""Exceptions."""

import copy
import pickle

import pytest

from jacobeig import errors
from jacobeig.errors import Mention, word


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


@pytest.mark.parametrize(
    "error", [errors.InvalidInputError, errors.InvalidTypeError, errors.FileFormatError, errors.MissingDataError,
              errors.TooLargeError]
)  # fmt: skip
def test_an_error_carries_its_parts_also_to_another_process(error):
    raised = error("is 'x'", argument="pivot", advice="give " + Mention("pivot", "gain") + ".")
    for one in (raised, pickle.loads(pickle.dumps(raised)), copy.deepcopy(raised)):
        assert str(one) == "pivot is 'x'; give pivot='gain'."
        assert (one.argument, one.what, one.advice) == ("pivot", "is 'x'", "give pivot='gain'.")
        assert word(one.message, lambda mention: mention.name.upper()) == "PIVOT is 'x'; give PIVOT."


def test_a_missing_extra_reaches_another_process():
    assert str(pickle.loads(pickle.dumps(errors.MissingExtraError("rich", "cli")))).startswith("rich is not installed")


def test_the_advice_follows_what_leads_to_it():
    assert str(errors.InvalidInputError("there are two:", advice="give one.")) == "there are two: give one."
    assert str(errors.InvalidInputError("A whole sentence.")) == "A whole sentence."


@pytest.mark.parametrize(
    ("mention", "text"),
    [
        (Mention("drop", "a b"), "drop='a b'"),
        (Mention("header", False), "header=False"),
        (Mention("label", ...), "label=..."),
        (Mention("density"), "density"),
        (Mention("seed", None), "seed=None"),
        (Mention("symmetrize", True, text="(S + S.T) / 2"), "(S + S.T) / 2"),
    ],
)
def test_python_users_read_mentions_as_they_would_write_them(mention, text):
    assert str(mention) == text
    assert "use " + mention + "." == f"use {text}."


def test_phrases_stay_phrases_when_they_are_joined():
    phrase = "a " + Mention("x", 1) + " b"
    joined = "< " + phrase + (" and " + Mention("y"))
    assert joined == "< a x=1 b and y"
    assert word(joined, lambda mention: f"[{mention.name}]") == "< a [x] b and [y]"
    assert word("plain x=1", lambda _: "never") == "plain x=1"


def test_an_error_survives_a_library_that_rebuilds_exceptions_itself():
    support = pytest.importorskip("tblib.pickling_support")
    raised = errors.TooLargeError("A block would not fit", advice="use float32.")
    rebuild, arguments, *_ = support.pickle_exception(raised)
    assert str(rebuild(*arguments)) == "A block would not fit; use float32."
