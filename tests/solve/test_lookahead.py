"""Rows read ahead: which ones, that few are read in vain, and that nothing else changes."""

import gc
import tracemalloc

import numpy as np
import pytest
from equality import assert_same
from matrices import generic

import jacobeig as je
import jacobeig.solve._lookahead as lookahead
from jacobeig.errors import FileFormatError
from jacobeig.solve._gains import find_top


def wide_data(kind, n=1500, m=80):
    """Samples whose covariance is not formed: noise of many scales, or dense factors in noise."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((m, n)).astype(np.float32)
    if kind == "scales":
        return X * np.arange(1, n + 1, dtype=np.float32) ** -0.5
    return X + rng.standard_normal((m, 6), dtype=np.float32) @ rng.standard_normal((6, n), dtype=np.float32) / 2


class Counting(je.sources.GramRows):
    """A source that counts the rows that it is asked for, and is taken for the library's own."""

    __module__ = "jacobeig.tests"

    def __init__(self, X):
        super().__init__(X, form=False)
        self.asked = []

    def rows(self, indices):
        self.asked.append(len(indices))
        return super().rows(indices)


@pytest.fixture
def previews(monkeypatch):
    """Previews for small data too, which stay away from a sixth of the features."""
    monkeypatch.setattr(lookahead, "LEAST_FEATURES", 1000)
    monkeypatch.setattr(lookahead, "SHARE", 1 / 6)


@pytest.mark.parametrize("pivot", ["gain", "gain_per_nonzero", "offdiagonal", "cyclic", "random"])
@pytest.mark.parametrize("kind", ["scales", "factors"])
def test_previews_change_no_rotation(kind, pivot, previews, monkeypatch):
    X = wide_data(kind).astype(np.float64)  # whose rows have the same bits in any batch
    options = {"n_rotations": 250, "pivot": pivot, "rng": 1}
    seen = je.sparse_eigsh(je.sources.GramRows(X, form=False), 4, **options)
    monkeypatch.setattr(lookahead, "LEAST_FEATURES", 10**9)
    assert_same(je.sparse_eigsh(je.sources.GramRows(X, form=False), 4, **options), seen)


@pytest.mark.parametrize("kind", ["scales", "factors"])
def test_a_preview_names_rows_that_are_used(kind, previews, monkeypatch):
    def count_vain():
        source = Counting(wide_data(kind))
        used = len(np.unique(je.sparse_eigsh(source, 4, n_rotations=200, start="natural").rotations.pivots))
        return sum(source.asked) - used, len(source.asked)

    vain, batches = count_vain()
    assert vain <= lookahead.MOST
    monkeypatch.setattr(lookahead, "LEAST_FEATURES", 10**9)
    assert count_vain()[1] > batches


def test_single_precision_runs_on_data_go_on_to_the_same_bits(previews):
    source = je.sources.GramRows(wide_data("factors"), form=False)
    whole = je.sparse_eigsh(source, 4, n_rotations=250)
    part = je.sparse_eigsh(source, 4, n_rotations=130)
    assert_same(whole.truncate(130), part)
    assert_same(je.extend(source, part, n_rotations=250), whole)


def test_a_stopped_run_on_data_goes_on_to_the_same_bits(previews, tmp_path):
    source, path = je.sources.GramRows(wide_data("factors"), form=False), tmp_path / "run.npz"
    whole = je.sparse_eigsh(source, 4, n_rotations=2300)
    stopped = []

    def stop(progress):
        stopped.append(progress.n_rotations)
        return True

    je.sparse_eigsh(source, 4, n_rotations=2300, checkpoint=path, callback=stop)
    assert stopped == [1000]
    assert_same(je.sparse_eigsh(source, 4, n_rotations=2300, checkpoint=path), whole)


@pytest.mark.parametrize("kept", [[0, 0], [-1, 2], [0, 10**6], [0.5, 1.0]])
def test_damaged_guesses_are_refused(kept, previews):
    class Problem:
        n, source = 1500, je.sources.GramRows(wide_data("scales"), form=False)
        pivot = je.solve.pivots.PIVOTS["gain"]

    class Run:
        problem = Problem

    with pytest.raises(FileFormatError, match="guesses"):
        lookahead.Lookahead(Problem).restore(
            Run, {"lookahead.kept": np.array(kept), "lookahead.next_at": np.array([40.0])}
        )


def test_the_largest_scores_come_first():
    np.testing.assert_array_equal(find_top(np.array([1.0, 3.0, 0.0, np.inf, -1.0, 3.0]), 4), [3, 1, 5, 0])
    assert len(find_top(np.zeros(3), 2)) == 0
    assert len(find_top(np.ones(2), 5)) == 2


def test_rows_of_some_features_are_those_of_all():
    X = generic(30) + 3.0
    for options in ({}, {"scale": True}, {"center": False, "ddof": 2}):
        source, some = je.sources.GramRows(X, form=False, **options), np.array([4, 17, 2])
        np.testing.assert_allclose(source.restrict(some).rows(np.arange(3)), source.rows(some)[:, some], atol=1e-12)
    assert je.sources.GramRows(X, form=True).restrict(some) is None


def test_rows_are_let_go_with_the_run(previews):
    source = je.sources.GramRows(wide_data("scales"), form=False)
    gc.disable()
    try:
        tracemalloc.start()
        result = je.sparse_eigsh(source, 4, n_rotations=200)
        assert tracemalloc.get_traced_memory()[0] < 100 * source.shape[0] * 4 < tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()
    assert result.n_rotations == 200
