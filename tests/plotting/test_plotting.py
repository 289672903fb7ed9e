"""What is drawn, not only that something is."""

import sys

import numpy as np
import pytest
from scipy import sparse

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError, MissingExtraError

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


def test_a_result_can_be_given_for_its_vectors_and_exact_zeros_are_left_blank():
    S = je.datasets.random_covariance(16, rng=0)
    result = je.sparse_eigsh(S, 2, density=0.3)
    ax = je.plotting.plot_components(result, (4, 4), n_columns=9)
    sheet = ax.images[0].get_array()
    assert sheet.shape == (6, 11)
    assert np.ma.count(sheet) == result.vectors.nnz
    assert np.abs(sheet).max() == 1.0


def test_loadings_are_the_largest_entries_in_order_and_say_what_is_left_out():
    vector = np.array([0.1, -0.7, 0.0, 0.5, -0.3])
    ax = je.plotting.plot_loadings(np.column_stack([np.eye(5)[0], vector]), 1, names=list("abcde"), n_features=3)
    assert [bar.get_width() for bar in ax.patches] == [-0.7, 0.5, -0.3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "d", "e"]
    assert ax.get_xlabel() == "loading, component 2 (largest 3 of 4 nonzeros)"
    positive, negative = ax.patches[1].get_facecolor(), ax.patches[0].get_facecolor()
    assert positive != negative == ax.patches[2].get_facecolor()
    low, high = ax.get_ylim()
    assert low > high  # the first bar is on top


def test_all_loadings_fit_without_a_remark_and_zeros_have_no_bar():
    ax = je.plotting.plot_loadings([0.6, 0.0, -0.8])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["feature 2", "feature 0"]
    assert ax.get_xlabel() == "loading, component 1"


def test_names_stay_text():
    ax = je.plotting.plot_loadings([1.0, 0.5], names=["$x_1", "a$b$c"])
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_yticklabels()] == [r"\$x_1", r"a\$b\$c"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"component": 2}, "component is 2; the vectors have 2, counted from 0"),
        ({"names": ["a"]}, "names has 1 entries; the vectors have 3"),
        ({"n_features": 0}, "n_features is 0"),
    ],
)
def test_wrong_arguments_of_loadings_are_named(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        je.plotting.plot_loadings(np.eye(3)[:, :2], **arguments)


def test_complex_vectors_and_foreign_axes_are_refused():
    with pytest.raises(InvalidTypeError, match="vectors hold complex128"):
        je.plotting.plot_loadings([1j, 0.0])
    with pytest.raises(InvalidTypeError, match="ax is a str; give a matplotlib Axes"):
        je.plotting.plot_loadings([1.0, 0.0], ax="here")


def square_with_modes():
    coordinates = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]
    modes = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 3.0], [0.0, -1.5]])
    return coordinates, modes


def test_pictures_of_a_graphs_modes_speak_of_modes_and_nodes():
    fourier = je.GraphFourier(2, density=0.5, refine=False).fit([(t, t + 1) for t in range(11)])
    ax = fourier.plot(n_features=5)
    assert ax.get_xlabel().startswith("mode (5 of ")
    assert ax.get_xlabel().endswith(" nodes)")
    assert all(label.get_text().startswith("node ") for label in ax.get_yticklabels())
    assert je.plotting.plot_loadings(fourier).get_xlabel().startswith("loading, mode 1")


def test_graph_modes_are_drawn_on_the_nodes_with_the_edges_of_each():
    coordinates, modes = square_with_modes()
    ax = je.plotting.plot_graph_modes(modes, coordinates, [(0, 1), (1, 2), (2, 1)])
    edges, first_zero, first, _, second = ax.collections
    assert len(edges.get_segments()) == 2 * 2  # the edge that is listed twice is drawn once
    np.testing.assert_allclose(first.get_offsets(), [[0, 0], [1, 0]])  # the largest last, on top
    assert first.get_array().tolist() == [0.5, -1.0]
    np.testing.assert_allclose(first_zero.get_offsets(), [[1, 1], [0, 1]])
    assert second.get_array().tolist() == [-0.5, 1.0]
    assert (second.get_offsets()[:, 0] > 1.0).all()  # beside the first


def test_an_adjacency_matrix_gives_the_same_edges_as_their_list():
    coordinates, modes = square_with_modes()
    adjacency = np.zeros((4, 4))
    adjacency[[0, 1, 1, 2], [1, 0, 2, 1]] = 0.5
    for graph in (adjacency, sparse.csr_array(adjacency)):
        drawn = je.plotting.plot_graph_modes(modes[:, 0], coordinates, graph).collections[0].get_segments()
        listed = je.plotting.plot_graph_modes(modes[:, 0], coordinates, [(0, 1), (1, 2)]).collections[0].get_segments()
        np.testing.assert_array_equal(drawn, listed)


@pytest.mark.parametrize(
    ("coordinates", "graph", "message"),
    [
        (np.zeros((3, 2)), None, r"coordinates has shape \(3, 2\); give \(4, 2\)"),
        (np.full((4, 2), np.nan), None, "coordinates must be finite"),
        (np.zeros((4, 2)), np.zeros((3, 3)), r"graph has shape \(3, 3\); give the \(4, 4\) adjacency"),
        (np.zeros((4, 2)), [(0, 4)], "nodes other than the whole numbers 0 to 3"),
    ],
)
def test_a_graph_that_does_not_fit_is_refused(coordinates, graph, message):
    with pytest.raises(InvalidInputError, match=message):
        je.plotting.plot_graph_modes(np.ones(4), coordinates, graph)


def test_convergence_shows_each_distance_to_the_exact_eigenvalue():
    S = je.datasets.random_covariance(30, rng=0)
    result = je.sparse_eigsh(S, 3, target="log", n_rotations=200)
    exact = je.metrics.extreme_eigenvalues(S, 3)
    ax = je.plotting.plot_convergence(result, exact)
    for t, line in enumerate(ax.lines):
        steps, distances = line.get_data()
        assert steps.tolist() == list(range(201))
        assert distances[-1] == pytest.approx(abs(result.eigenvalues[t] - exact[t]), rel=1e-9)
        part = result.truncate(50)
        assert np.abs(np.abs(part.eigenvalues - exact[t]) - distances[50]).min() < 1e-9
    assert [line.get_linestyle() for line in ax.lines] == ["-", "-", "--"]
    assert ax.get_yscale() == "log"
    with pytest.raises(InvalidInputError, match=r"eigenvalues have shape \(2,\); give the 3"):
        je.plotting.plot_convergence(result, exact[:2])


def test_a_front_has_a_line_a_method_in_different_styles_and_its_legend_beside():
    S = je.datasets.random_covariance(30, rng=0)
    table = je.compare(S, 3, [0.1, 0.5], methods=["chain", "threshold", "bmw"])
    ax = table.plot()
    by_label = {line.get_label(): line.get_data() for line in ax.lines}
    rows = [row for row in table.rows if row.method == "chain"]
    assert by_label["chain"][0].tolist() == [100 * row.density for row in rows]
    assert by_label["chain"][1].tolist() == [100 * row.captured for row in rows]
    assert len(by_label["bmw"][0]) == 1  # disjoint supports cannot be half full
    assert len({line.get_color() for line in ax.lines}) == 3
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1
    with pytest.raises(InvalidInputError, match="rows holds nothing to draw"):
        je.plotting.plot_front([])
    with pytest.raises(InvalidTypeError, match="rows is a Front; give rows of a comparison, or draw it by plot_path"):
        je.plotting.plot_front(je.front(np.diag([3.0, 2.0, 1.0]), 1))


@pytest.mark.parametrize("draw", ["path", "loadings", "modes", "convergence", "front", "components"])
def test_every_function_draws_on_the_axes_given_and_returns_them(draw):
    from matplotlib.figure import Figure

    S = je.datasets.random_covariance(12, rng=0)
    result = je.sparse_eigsh(S, 2, n_rotations=20)
    ax = Figure().subplots()
    drawn = {
        "path": lambda: je.plotting.plot_path(result, ax=ax),
        "loadings": lambda: je.plotting.plot_loadings(result, ax=ax),
        "modes": lambda: je.plotting.plot_graph_modes(result, np.ones((12, 2)), ax=ax),
        "convergence": lambda: je.plotting.plot_convergence(result, result.eigenvalues, ax=ax),
        "front": lambda: je.compare(S, 2, [0.5], methods=["chain"]).plot(ax=ax),
        "components": lambda: je.plotting.plot_components(result, (3, 4), ax=ax),
    }[draw]()
    assert drawn is ax
    assert ax.has_data()


def test_a_total_that_is_not_above_zero_is_refused():
    result = je.sparse_eigsh(je.datasets.random_covariance(12, rng=0), 2)
    with pytest.raises(InvalidInputError, match="total is 0"):
        je.plotting.plot_path(result, 0.0)


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r'matplotlib is not installed: run .*"jacobeig\[plot\]"'):
        je.plotting.plot_loadings([1.0, 2.0])


def test_the_bound_is_above_what_was_captured_and_the_space_between_is_shaded():
    S = je.datasets.random_covariance(20, rng=0)
    results = [je.sparse_eigsh(S, 2, density=density, refine=True) for density in (0.1, 0.2, 0.4)]
    ax = je.plotting.plot_bound(je.certify_front(S, results), float(np.linalg.eigvalsh(S)[-2:].sum()))
    captured, bound = (line.get_data() for line in ax.lines)
    assert captured[0] == pytest.approx([100.0 * result.density for result in results])
    assert (np.interp(*captured[:1], *bound) >= captured[1] - 1e-9).all()
    assert len(ax.collections) == 1
    alone = je.plotting.plot_bound(je.certify_front(S, n_components=2, densities=[0.1, 0.3], which="SA"))
    assert [line.get_label() for line in alone.lines] == ["no vectors are below"]
    with pytest.raises(InvalidInputError, match="certificates holds nothing"):
        je.plotting.plot_bound([])


def test_a_front_is_drawn_with_its_knee():
    S = je.datasets.random_covariance(30, rng=0)
    front = je.front(S, 2, densities=[0.1, 0.2, 0.3, 0.5])
    ax = je.plotting.plot_path(front, float(np.linalg.eigvalsh(S)[-2:].sum()))
    np.testing.assert_allclose(ax.lines[0].get_xdata(), 100 * front.densities)
    [[x, _]] = ax.collections[0].get_offsets()
    assert x == pytest.approx(100 * front.knee())
