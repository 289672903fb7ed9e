import doctest
import inspect

import pytest

import jacobeig as je
from jacobeig._docs import fill_docs


def test_a_part_takes_the_place_and_the_indent_of_its_name():
    text = "Begin.\n\n    %(part)s\n    end, 5%(of all)s\n"
    assert fill_docs(text, part="\none\n    two\n") == "Begin.\n\n    one\n        two\n    end, 5%(of all)s\n"


def test_a_part_that_is_not_there_is_an_error():
    with pytest.raises(KeyError, match="part"):
        fill_docs("%(part)s")


def test_no_docstring_is_no_error():
    assert fill_docs(None) == ""


def test_every_argument_of_a_baseline_is_documented_and_shown():
    for name, method in je.baselines.METHODS.items():
        parameters = inspect.signature(method).parameters
        assert list(parameters)[:3] == ["matrix", "n_components", "max_nonzeros"], name
        described = method.__doc__.split("Returns")[0].replace(
            "n_components, max_nonzeros :", "n_components :\nmax_nonzeros :"
        )
        assert [parameter for parameter in parameters if f"{parameter} :" not in described] == [], name
        assert "%(" not in method.__doc__


def test_doctest_finds_the_examples_of_decorated_methods():
    from jacobeig.comparison.baselines import _tpower

    assert any(test.examples for test in doctest.DocTestFinder().find(_tpower) if test.name.endswith("tpower.tpower"))
