"""Pictures of samples and of what components explain, from estimators and results."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA, SparsePCA

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError

pytest.importorskip("matplotlib").use("agg")
pytest.importorskip("pandas")

WINE = load_wine(as_frame=True)
X, KINDS = WINE.data, np.array(WINE.target_names)[WINE.target]
PCA_3 = je.JacobiPCA(3, max_nonzeros=3, scale=True, refine=True).fit(X)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


def test_scores_are_drawn_where_transform_puts_them_a_colour_for_each_group():
    ax = je.plotting.plot_scores(PCA_3, X, (0, 2), labels=KINDS)
    drawn = np.concatenate([points.get_offsets() for points in ax.collections])
    scores = PCA_3.transform(X)[:, [0, 2]]
    np.testing.assert_array_equal(drawn, np.concatenate([scores[kind == KINDS] for kind in np.unique(KINDS)]))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["class_0", "class_1", "class_2"]
    assert ax.get_ylabel() == f"component 3 ({PCA_3.explained_variance_ratio_[2]:.1%} of the variance)"


@pytest.mark.parametrize("labels", [None, X["alcohol"], np.arange(178)])
def test_scores_without_groups_are_one_cloud(labels):
    ax = je.plotting.plot_scores(PCA_3.transform(X), labels=labels)
    assert len(ax.collections) == 1
    assert ax.get_xlabel() == "component 1"


def test_a_biplot_has_an_arrow_for_each_feature_in_the_direction_of_its_loadings():
    ax = je.plotting.plot_biplot(PCA_3, X)
    names = {text.get_text() for text in ax.texts} - {""}
    pair = PCA_3.components_[:2]
    assert names == set(X.columns[pair.any(axis=0)])
    heads = {tuple(np.sign(np.round(note.xy, 9))) for note in ax.texts if not note.get_text()}
    assert heads == {tuple(np.sign(column)) for column in pair.T if column.any()}
    assert len(je.plotting.plot_biplot(PCA_3, X, n_features=2).texts) == 4


def test_a_scree_plot_shows_each_and_together_beside_full_pca():
    scaled = (X - X.mean()) / X.std()
    full = PCA(3).fit(scaled)
    ax = je.plotting.plot_scree(PCA_3, full)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(100 * PCA_3.explained_variance_ratio_)
    together, each_full, together_full = (line.get_ydata() for line in ax.lines)
    assert together[-1] == pytest.approx(100 * PCA_3.total_explained_variance_ratio_)
    assert each_full == pytest.approx(100 * full.explained_variance_ratio_)
    assert together_full[-1] == pytest.approx(100 * full.explained_variance_ratio_.sum())


def test_a_scree_plot_of_a_result_shows_its_eigenvalues():
    result = je.sparse_eigsh(np.cov(X, rowvar=False), 3)
    ax = je.plotting.plot_scree(result, je.metrics.extreme_eigenvalues(np.cov(X, rowvar=False), 3))
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(result.eigenvalues)
    assert ax.get_ylabel() == "eigenvalue"


@pytest.mark.parametrize(
    "vectors", [PCA_3, PCA_3.components_, PCA_3.decomposition_, SparsePCA(3, alpha=9, max_iter=9, tol=1).fit(X)]
)
def test_components_at_a_glance_have_a_cell_for_each_loading(vectors):
    ax = je.plotting.plot_overview(vectors)
    cells = ax.images[0].get_array()
    loadings = vectors.vectors.toarray() if hasattr(vectors, "vectors") else getattr(vectors, "components_", vectors)
    assert np.ma.count(cells) == np.count_nonzero(loadings)
    assert cells.shape == (np.count_nonzero(np.any(loadings, axis=1 if len(loadings) == 13 else 0)), 3)


def test_results_and_estimators_plot_themselves_with_the_names_that_they_know():
    labels = [text.get_text() for text in PCA_3.plot().get_yticklabels()]
    assert set(labels) == set(X.columns[PCA_3.components_.any(axis=0)])
    ax = PCA_3.decomposition_.plot(names=list(X.columns), n_features=2)
    assert ax.get_xlabel() == f"component (2 of {len(labels)} features)"
    assert je.plotting.plot_loadings(PCA_3).get_yticklabels()[0].get_text() in X.columns


def test_paths_and_convergence_are_drawn_of_estimators_too():
    model = je.JacobiPCA(2, n_rotations=20, scale=True, target="log").fit(X)
    path = model.path()
    for ax in (je.plotting.plot_path(model), path.plot()):
        density, captured = ax.lines[0].get_data()
        assert captured[-1] == pytest.approx(model.total_explained_variance_)
        assert density[-1] == pytest.approx(100 * path.density[-1])
    assert len(je.plotting.plot_convergence(model, [4.7, 2.5]).lines) == 2


def test_stability_is_drawn_with_a_dot_for_what_the_model_chose():
    stability = PCA_3.stability(X, n_refits=4)
    ax = stability.plot()
    assert len(ax.collections[0].get_offsets()) == np.count_nonzero(PCA_3.components_)
    assert ax.images[0].get_clim() == (0.0, 1.0)


def test_modes_are_drawn_on_a_networkx_graph_wherever_it_puts_its_nodes():
    nx = pytest.importorskip("networkx")
    graph = nx.relabel_nodes(nx.path_graph(6), dict(enumerate("fedcba")))
    model = je.GraphFourier(2, density=0.5).fit(graph)
    places = {node: (t, 0.0) for t, node in enumerate("fedcba")}
    dots = je.plotting.plot_graph_modes(model, places, graph).collections
    nx.set_node_attributes(graph, places, "pos")
    for again in (
        je.plotting.plot_graph_modes(model, graph=graph),
        je.plotting.plot_graph_modes(model, places, nx.to_numpy_array(graph)),
    ):
        for one, other in zip(dots[1:], again.collections[1:], strict=True):
            np.testing.assert_array_equal(one.get_offsets(), other.get_offsets())
    unplaced = nx.path_graph(6)
    assert len(je.plotting.plot_graph_modes(je.GraphFourier(2).fit(unplaced), graph=unplaced).collections) > 2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: je.plotting.plot_scores(PCA_3), InvalidInputError, "X is None; give the samples"),
        (lambda: je.plotting.plot_scores(PCA_3, X, (0, 3)), InvalidInputError, r"components is \(0, 3\)"),
        (lambda: je.plotting.plot_scores(PCA_3, X, labels=[1, 2]), InvalidInputError, "labels have shape"),
        (lambda: je.plotting.plot_scree([1.0]), InvalidTypeError, "model is a list"),
        (lambda: je.plotting.plot_overview(je.JacobiPCA()), ValueError, "not fitted"),
    ],
)
def test_what_cannot_be_drawn_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
