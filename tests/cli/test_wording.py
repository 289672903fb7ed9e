"""The library's words as options: every mention is worded, and every option that is named exists."""

import inspect

import numpy as np
import pytest
from commands import S, X

import jacobeig as je
from jacobeig.cli._wording import OPTIONS, in_options, write_option
from jacobeig.errors import JacobeigError, Mention


def explain(call):
    with pytest.raises(JacobeigError) as raised:
        call()
    return in_options(raised.value.message)


def options_of_commands():
    typer = pytest.importorskip("typer")
    from jacobeig.cli import app

    commands = typer.main.get_command(app).commands.values()
    return {
        name for command in commands for option in command.params for name in (*option.opts, *option.secondary_opts)
    }


def test_every_option_that_messages_name_exists():
    assert {f"--{option}" for option in OPTIONS.values()} <= options_of_commands()


@pytest.mark.parametrize(
    "call", [je.JacobiPCA, je.GraphFourier, je.sparse_eigsh, je.files.read_table, je.files.read_matrix]
)
def test_every_argument_with_an_option_of_its_name_is_worded(call):
    spelled = {name: f"--{name.replace('_', '-')}" for name in inspect.signature(call).parameters}
    known = options_of_commands() - {"--coordinates", "--output", "--quiet"}
    assert {name for name, option in spelled.items() if option in known} - {"center"} <= set(OPTIONS)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: je.sparse_eigsh(S, 99), "--components is 99, but the matrix is 30 x 30: give at most 30."),
        (lambda: je.sparse_eigsh(S, 2, density=2), "--density is 2; give a fraction above 0 and at most 1"),
        (lambda: je.sparse_eigsh(S, 2, n_rotations=-1), "--rotations is -1; give a whole number from 0."),
        (lambda: je.sparse_eigsh(S, 2, max_nonzeros=0), "--max-nonzeros is 0; give a whole number from 1."),
        (lambda: je.sparse_eigsh(S, 2, target="even"), "--target is 'even'; give one of 'ones', 'log', 'adaptive'"),
        (lambda: je.sparse_eigsh(S, 2, tol=-1), "tol is -1; give a number of at least 0."),
        (lambda: je.sparse_eigsh(np.triu(S), 2), "if the difference is noise, pass --symmetrize."),
        (lambda: je.compare(S, 2, [0.5], scale=True), "--scale is for data, but a symmetric matrix came"),
        (lambda: je.GraphFourier(2).fit(np.triu(S > 0) * 1.0), "use --directed if its edges have directions"),
        (lambda: je.compare(X, 2, [0.5], methods=["magic"]), "--methods holds 'magic'; give names among 'paper'"),
    ],
)  # fmt: skip
def test_errors_of_the_library_name_options(call, words):
    assert words in explain(call)


def test_advice_of_every_end_names_options_only():
    told = [in_options(status.advice) for status in je.Status]
    assert "raise --density for more accuracy" in " ".join(told)
    assert "--refine best searches longer" in " ".join(told)
    assert not any(word in text for text in told for word in ("n_rotations", "max_nonzeros", "effort="))


@pytest.mark.parametrize(
    ("mention", "words"),
    [
        (Mention("drop", "a b"), "--drop 'a b'"),
        (Mention("drop", "-x"), "--drop=-x"),
        (Mention("drop", "it's"), "--drop 'it'\"'\"'s'"),
        (Mention("label", ...), "--label ..."),
        (Mention("header", False), "--no-header"),
        (Mention("scale", True), "--scale"),
        (Mention("refine", True), "--refine quick"),
        (Mention("effort", "best"), "--refine best"),
        (Mention("n_components"), "--components"),
        (Mention("start", "natural"), "start='natural'"),
    ],
)
def test_a_mention_becomes_the_option_that_a_shell_takes(mention, words):
    assert in_options("" + mention) == words


def test_text_without_mentions_stays_as_it_is():
    assert in_options("drop='x', n_components and effort='best' as a user wrote them") == (
        "drop='x', n_components and effort='best' as a user wrote them"
    )


def test_values_are_quoted_for_the_shell():
    assert write_option("key", "a;b") == "--key 'a;b'"
