"""Fits that go on after they were stopped."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

import jacobeig as je
from jacobeig.errors import InvalidInputError
from jacobeig.results import checkpoints
from jacobeig.solve import _drive

X = np.random.default_rng(0).standard_normal((50, 40)) @ np.diag(np.linspace(1, 3, 40))


class StoppedError(Exception):
    pass


@pytest.fixture
def breakable(monkeypatch):
    """Save at every occasion, and stop for good after a few."""
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 1e9)
    monkeypatch.setattr(_drive, "CHUNK", 10)
    saves, real = [], checkpoints.Checkpoint.save

    def save(self, *arguments):
        real(self, *arguments)
        saves.append(arguments)
        if len(saves) == 3:
            raise StoppedError

    monkeypatch.setattr(checkpoints.Checkpoint, "save", save)


@pytest.mark.parametrize(
    "options",
    [
        {"density": 0.2},
        {"density": 0.2, "refine": True},
        {"density": 0.2, "orthonormal": False},
        {"n_components": 0.2, "density": 0.2},
    ],
)
@pytest.mark.usefixtures("breakable")
def test_a_fit_goes_on_where_it_was_stopped(options, tmp_path):
    options = {"n_components": 3, "refine": False} | options
    with pytest.raises(StoppedError):
        je.JacobiPCA(checkpoint=tmp_path / "run.npz", **options).fit(X)
    resumed = je.JacobiPCA(checkpoint=tmp_path / "run.npz", **options).fit(X)
    whole = je.JacobiPCA(**options).fit(X)
    np.testing.assert_array_equal(resumed.components_, whole.components_)
    resumed.save(tmp_path / "model.npz")
    assert je.JacobiPCA.load(tmp_path / "model.npz").checkpoint == str(tmp_path / "run.npz")


def test_a_fit_on_other_data_is_refused(tmp_path):
    je.JacobiPCA(3, density=0.2, refine=False, checkpoint=tmp_path / "run.npz").fit(X)
    with pytest.raises(InvalidInputError, match="belongs to another run: the matrix is another one"):
        je.JacobiPCA(3, density=0.2, refine=False, checkpoint=tmp_path / "run.npz").fit(X[:-1])


@pytest.mark.usefixtures("breakable")
def test_the_modes_of_a_graph_go_on_where_they_were_stopped(tmp_path):
    W = np.abs(np.corrcoef(X, rowvar=False))
    options = {"n_components": 3, "density": 0.3, "refine": False}
    with pytest.raises(StoppedError):
        je.GraphFourier(checkpoint=tmp_path / "run.npz", **options).fit(W)
    resumed = je.GraphFourier(checkpoint=tmp_path / "run.npz", **options).fit(W)
    np.testing.assert_array_equal(resumed.frequencies_, je.GraphFourier(**options).fit(W).frequencies_)


def test_batches_leave_the_file_alone(tmp_path):
    model = je.JacobiPCA(3, density=0.2, refine=False, checkpoint=tmp_path / "run.npz")
    model.partial_fit(X[:25]).partial_fit(X[25:])
    assert not (tmp_path / "run.npz").exists()
