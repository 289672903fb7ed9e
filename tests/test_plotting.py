import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import InvalidInputError

pytest.importorskip("matplotlib").use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


def test_the_path_ends_at_the_captured_variance_of_the_result():
    S = je.datasets.random_covariance(30, rng=0)
    result = je.sparse_eigsh(S, 3)
    ax = je.plotting.plot_path(result, float(je.metrics.extreme_eigenvalues(S, 3).sum()))
    density, captured = ax.lines[0].get_data()
    assert captured[-1] == pytest.approx(100.0 * je.metrics.accuracy(S, result.vectors), rel=1e-10)
    assert density[-1] == pytest.approx(100.0 * result.density)


def test_components_are_laid_out_as_images():
    ax = je.plotting.plot_components(np.eye(6)[:, :3], (2, 3), n_columns=2)
    (image,) = ax.images
    assert image.get_array().shape == (2 * 3 + 1, 2 * 4 + 1)


def test_a_shape_that_does_not_fit_says_both_sizes():
    with pytest.raises(InvalidInputError, match=r"9 pixels; the vectors have 6"):
        je.plotting.plot_components(np.eye(6)[:, :3], (3, 3))
