"""The progress bar, and what happens without the library that draws it."""

import re
import sys
from contextlib import contextmanager

import pytest
from equality import assert_same
from matrices import generic

import jacobeig as je
from jacobeig.errors import MissingExtraError
from jacobeig.results.progress import progress_bar


def test_a_bar_that_is_not_wanted_does_nothing():
    with progress_bar("rotations", 10, enabled=False) as show:
        assert show(5) is None


def test_a_bar_does_not_change_the_result(capsys):
    S = generic(12)
    assert_same(je.sparse_eigsh(S, 3, progress=True), je.sparse_eigsh(S, 3))
    assert_same(je.block_eigsh(S, 3, 4, progress=True), je.block_eigsh(S, 3, 4))
    assert_same(
        je.extend(S, je.sparse_eigsh(S, 3, n_rotations=5), n_rotations=20, progress=True),
        je.sparse_eigsh(S, 3, n_rotations=20),
    )


def test_a_bar_leaves_standard_output_to_the_program(capsys):
    je.sparse_eigsh(generic(12), 3, progress=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ({"n_rotations": 30}, ("rotations", 30)),
        ({"density": 0.5}, ("nonzeros", 18)),
        ({"max_nonzeros": 4}, ("nonzeros", 12)),
        ({"density": 0.5, "max_nonzeros": 4}, ("nonzeros", 12)),
    ],
)
def test_a_bar_follows_what_the_run_will_end_by(monkeypatch, budget, expected):
    bars, shown = [], []

    @contextmanager
    def bar(what, total, *, enabled, timed):
        bars.append((what, total))
        yield shown.append

    monkeypatch.setattr("jacobeig.solve._drive.progress_bar", bar)
    result = je.sparse_eigsh(generic(12), 3, progress=True, **budget)
    assert bars == [expected]
    assert shown[-1] == (result.n_rotations if expected[0] == "rotations" else result.vectors.nnz)
    assert shown[-1] <= expected[1]


def test_a_bar_without_an_end_counts_what_is_done(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    with progress_bar("refining", None, enabled=True) as show:
        show(3)
    shown = capsys.readouterr().err
    assert "3 done" in shown
    assert "?" not in re.sub(r"\x1b\[\?", "", shown)


def test_a_bar_without_rich_says_in_one_line_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(
        MissingExtraError, match=r'rich is not installed: run `python -m pip install "jacobeig\[cli\]"`'
    ) as e:
        je.sparse_eigsh(generic(6), 2, progress=True)
    assert "\n" not in str(e.value)
