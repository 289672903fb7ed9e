"""The numbers of a page are exact, and told in plain words."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from pages import COVARIANCE, DIGITS, data_in, unpack, vectors_in
from sklearn.decomposition import PCA

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.explorer._data import STOPPED
from jacobeig.explorer._states import choose_points


@pytest.mark.parametrize(
    "run",
    [
        lambda: je.sparse_eigsh(COVARIANCE, 6, density=0.3),
        lambda: je.sparse_eigsh(COVARIANCE, 6, target="log"),
        lambda: je.sparse_eigsh(COVARIANCE, 4, pivot="classic", target="log", n_rotations=150),
        lambda: je.sparse_eigsh(COVARIANCE, 5, which="BE", n_rotations=150),
        lambda: je.sparse_eigsh(COVARIANCE.astype(np.float32), 5, density=0.2),
        lambda: je.block_eigsh(COVARIANCE, 5, n_blocks=20),
    ],
    ids=["budget", "log", "classic", "both ends", "single precision", "blocks"],
)
def test_every_state_is_the_run_stopped_there(run, tmp_path):
    result = run()
    data = data_in(je.report(result, tmp_path / "page.html"))
    states = vectors_in(data)
    assert data["rotations"][0] == 0
    assert data["rotations"][-1] == result.n_rotations
    assert len(states) <= 100
    for vectors, k, nonzeros, explained in zip(
        states, data["rotations"], data["nonzeros"], data["explained"], strict=True
    ):
        exact = result.truncate(k)
        overlaps = np.abs(vectors.T @ exact.vectors.toarray())
        order = overlaps.argmax(axis=1)
        assert sorted(order) == list(range(data["p"]))
        np.testing.assert_allclose(np.abs(vectors), np.abs(exact.vectors.toarray()[:, order]), atol=1e-6)
        assert nonzeros == exact.vectors.nnz
        share = 1.0 if data["measure"]["whole"] is None else result.trail.diagonal.sum()
        np.testing.assert_allclose(explained, exact.eigenvalues[order] / share, rtol=1e-6)


def test_the_last_state_is_the_estimator_with_its_signs(pca, tmp_path):
    data = data_in(je.report(pca, tmp_path / "page.html"))
    np.testing.assert_allclose(vectors_in(data)[-1], pca.components_.T, atol=1e-7)
    assert data["captured"][-1] == pytest.approx(pca.total_explained_variance_ratio_, rel=1e-8)
    assert data["explained"][-1] == pytest.approx(pca.explained_variance_ratio_.tolist(), rel=1e-8)
    path = pca.path()
    assert data["captured"] == pytest.approx(path.explained_variance_ratio[data["rotations"]].tolist(), rel=1e-8)
    assert data["nonzeros"] == path.nonzeros[data["rotations"]].tolist()


def test_a_component_keeps_its_number_and_its_sign_along_the_path(pca, tmp_path):
    states = vectors_in(data_in(je.report(pca, tmp_path / "page.html")))
    overlaps = np.einsum("snp,snp->sp", states[:-1], states[1:])
    assert overlaps.min() >= -1e-6
    assert np.median(overlaps) > 0.9


def test_points_are_spread_along_the_curve():
    result = je.sparse_eigsh(COVARIANCE, 10, n_rotations=2000)
    points = choose_points(result, 100)
    assert np.all(np.diff(points) > 0)
    assert (points[0], points[-1]) == (0, result.n_rotations)
    captured = result.captured[points]
    assert np.diff(captured).max() <= 0.05 * (captured[-1] - captured[0]) + np.diff(result.captured).max()
    density = np.concatenate([[10], result.nonzeros])[points]
    assert np.diff(density).max() <= 0.05 * (density[-1] - density[0]) + np.diff(result.nonzeros).max()


def test_the_matrix_adds_the_accuracy(pca, tmp_path):
    data = data_in(je.report(pca, tmp_path / "page.html", matrix=COVARIANCE))
    assert data["accuracy"][-1] == pytest.approx(je.metrics.accuracy(COVARIANCE, pca.components_.T), rel=1e-8)
    source = je.sources.GramRows(DIGITS)
    assert data_in(je.report(pca, tmp_path / "rows.html", matrix=source))["accuracy"] == data["accuracy"]


def test_a_refined_result_alone_has_no_path_and_says_so(tmp_path):
    run = je.sparse_eigsh(COVARIANCE, 4, density=0.2)
    refined = je.refine(COVARIANCE, run)
    data = data_in(je.report(refined, tmp_path / "page.html"))
    assert not data["path"]
    assert "no slider" in data["notes"][0]
    assert "front=True" not in data["notes"][0]  # which would need the matrix
    assert data["measure"]["whole"] == "what they capture together"
    assert data["captured"] == [pytest.approx(1.0)]
    np.testing.assert_allclose(vectors_in(data)[0], refined.vectors.toarray(), atol=1e-7)


def test_a_front_is_found_for_a_page_where_it_is_quick_or_wanted(tmp_path, monkeypatch):
    models = [je.JacobiPCA(2, max_nonzeros=3).fit(DIGITS[:100]), je.GraphFourier(2).fit(nx.path_graph(9))]
    for model in models:
        assert data_in(je.report(model, tmp_path / "page.html"))["path"]
        data = data_in(je.report(model, tmp_path / "page.html", front=False))
        assert not data["path"]
        assert data["notes"][0].endswith("With front=True, or --front in a terminal, there is one.")
    for name in ("MOST_TRACED", "MOST_TRACED_IF_SPARSE"):
        monkeypatch.setattr(f"jacobeig.explorer._subject.{name}", 1)
    fresh = [je.JacobiPCA(2, max_nonzeros=3).fit(DIGITS[:100]), models[1]]
    for model in fresh:
        assert not data_in(je.report(model, tmp_path / "page.html"))["path"]
        assert data_in(je.report(model, tmp_path / "page.html", front=True))["path"]
    with pytest.raises(InvalidTypeError, match="front"):
        je.report(models[0], tmp_path / "page.html", front="yes")


def test_a_refined_result_with_its_matrix_has_a_slider_along_its_front(tmp_path):
    refined = je.sparse_eigsh(COVARIANCE, 4, density=0.2, refine=True)
    data = data_in(je.report(refined, tmp_path / "page.html", matrix=COVARIANCE))
    assert data["path"]
    assert data["rotations"] is None
    assert data["captured"][-1] == pytest.approx(refined.eigenvalues.sum() / np.trace(COVARIANCE))
    assert 0 < data["knee"] < len(data["nonzeros"]) - 1
    exact = je.metrics.extreme_eigenvalues(COVARIANCE, 4)
    assert data["exactEach"] == pytest.approx((exact / np.trace(COVARIANCE)).tolist(), rel=1e-8)


def test_a_refined_model_shows_every_point_of_its_front(tmp_path):
    model = je.JacobiPCA(5, density=0.2).fit(DIGITS)
    data = data_in(je.report(model, tmp_path / "page.html", data=DIGITS))
    front, states = model.front(), vectors_in(data)
    best = front.captured[-1] > model.total_explained_variance_ * (1 + 1e-6)
    assert any("capture more than these" in note for note in data["notes"]) == best
    np.testing.assert_allclose(states[-1], model.components_.T, atol=1e-7)
    assert np.all(np.diff(data["captured"][:-1]) >= -1e-6)
    for vectors, result, explained in zip(states[:-1], front.results, data["explained"], strict=False):
        order = np.abs(vectors.T @ result.vectors.toarray()).argmax(axis=1)
        assert sorted(order) == list(range(5))
        np.testing.assert_allclose(np.abs(vectors), np.abs(result.vectors.toarray()[:, order]), atol=1e-6)
        total = np.var(DIGITS, axis=0, ddof=1).sum()
        np.testing.assert_allclose(explained, result.eigenvalues[order] / total, rtol=1e-6)
    overlaps = np.einsum("snp,snp->sp", states[:-1], states[1:])
    assert overlaps.min() >= -1e-6
    assert data["exactEach"] == pytest.approx(PCA(5).fit(DIGITS).explained_variance_ratio_.tolist(), rel=1e-6)
    assert ["Densities in this file", f"{len(front)}, each refined"] in data["facts"]


def test_a_front_has_a_page_too(tmp_path):
    front = je.front(COVARIANCE, 3, densities=[0.05, 0.1, 0.2, 0.4])
    data = data_in(je.report(front, tmp_path / "page.html", matrix=COVARIANCE))
    assert data["captured"] == pytest.approx((front.captured / np.trace(COVARIANCE)).tolist(), rel=1e-8)


def test_certificates_bound_the_curve(tmp_path):
    front = je.front(COVARIANCE[:20, :20], 2, densities=[0.1, 0.2, 0.4])
    certificates = je.certify_front(COVARIANCE[:20, :20], front)
    data = data_in(je.report(front, tmp_path / "page.html", matrix=COVARIANCE[:20, :20], certificates=certificates))
    assert all(ours <= bound * (1 + 1e-9) for ours, bound in zip(data["accuracy"], data["bounds"], strict=True))
    assert max(data["bounds"]) <= 1.0 + 1e-9
    with pytest.raises(InvalidInputError, match="certificates are for other vectors"):
        je.report(je.front(COVARIANCE, 2, densities=[0.1]), tmp_path / "page.html", certificates=certificates)


def test_a_run_without_rotations_has_no_slider_either(tmp_path):
    data = data_in(je.report(je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2), tmp_path / "page.html"))
    assert not data["path"]
    assert data["notes"] == ["There is no slider: the run ended before its first rotation."]
    np.testing.assert_array_equal(vectors_in(data)[0], np.eye(3)[:, :2])


def test_vectors_that_are_not_orthogonal_are_added_up_only_with_the_matrix(tmp_path):
    free = je.refine(COVARIANCE, je.sparse_eigsh(COVARIANCE, 4, density=0.2), orthonormal=False)
    data = data_in(je.report(free, tmp_path / "page.html"))
    assert not data["measure"]["addsUp"]
    assert any("not orthogonal" in note for note in data["notes"])
    data = data_in(je.report(free, tmp_path / "page.html", matrix=COVARIANCE))
    captured = je.metrics.captured_variance(COVARIANCE, free.vectors)
    assert data["captured"][0] == pytest.approx(captured / np.trace(COVARIANCE))
    exact = je.metrics.extreme_eigenvalues(COVARIANCE, 4).sum()
    assert data["accuracy"][0] == pytest.approx(captured / exact)


def test_complex_vectors_are_shown_by_magnitude(tmp_path):
    graph = nx.gn_graph(40, seed=0)
    fourier = je.GraphFourier(4, density=0.3, refine=False).fit(graph)
    data = data_in(je.report(fourier, tmp_path / "page.html"))
    assert data["complex"]
    assert any("complex" in note for note in data["notes"])
    np.testing.assert_allclose(vectors_in(data)[-1], np.abs(fourier.modes_.toarray()), atol=1e-7)


def test_a_graph_brings_its_names_and_edges(tmp_path):
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda node: f"member {node}")
    places = nx.circular_layout(graph)
    fourier = je.GraphFourier(4, density=0.3, refine=False).fit(graph)
    data = data_in(je.report(fourier, tmp_path / "page.html", coordinates=places))
    assert data["names"] == list(graph.nodes)
    np.testing.assert_allclose(unpack(data["map"]["x"]), [places[node][0] for node in graph], atol=1e-6)
    drawn = {frozenset(edge) for edge in unpack(data["map"]["edges"]).reshape(-1, 2).tolist()}
    numbers = {node: number for number, node in enumerate(graph)}
    assert drawn == {frozenset((numbers[a], numbers[b])) for a, b in graph.edges}
    fourier.save(tmp_path / "model.npz")
    again = je.GraphFourier.load(tmp_path / "model.npz")
    assert unpack(data_in(je.report(again, tmp_path / "b.html", coordinates=places))["map"]["edges"]).size == 0
    page = je.report(again, tmp_path / "b.html", coordinates=places, edges=graph)
    assert data_in(page)["map"] == data["map"]


def test_a_graph_without_places_is_drawn_by_its_paths_and_has_a_slider(tmp_path):
    fourier = je.GraphFourier(3, max_nonzeros=8, laplacian="normalized", refine=True).fit(nx.karate_club_graph())
    data = data_in(je.report(fourier, tmp_path / "page.html"))
    assert unpack(data["map"]["edges"]).size == 2 * 78
    assert unpack(data["map"]["x"]).size == unpack(data["map"]["y"]).size == 34
    assert data["path"]
    assert np.all(np.diff(data["captured"]) <= 1e-12)
    assert max(unpack(data["counts"])) <= 8
    assert data["captured"][-1] == pytest.approx(fourier.frequencies_.sum())


def test_facts_name_a_pivot_rule_only_where_the_vectors_came_from_it(tmp_path):
    S = je.datasets.random_covariance(30, rng=0)
    chain = je.sparse_eigsh(S, 3, density=0.2)
    for name, of_chain in (("given", True), ("patches", False), ("varimax", False)):
        method = replace(chain.method, refined_from=name)
        refined = replace(je.refine(S, chain, density=0.2), method=method)
        facts = dict(data_in(je.report(refined, tmp_path / "page.html"))["facts"])
        assert ("Pivot rule" in facts, "Start" in facts) == (of_chain, of_chain)
        assert facts["Refined from"] != name


def test_a_small_graph_shows_the_sum_of_exact_frequencies_beside_its_own(tmp_path):
    graph = nx.karate_club_graph()
    fourier = je.GraphFourier(4, density=0.3, refine=False).fit(graph)
    data = data_in(je.report(fourier, tmp_path / "page.html"))
    exact = np.linalg.eigvalsh(fourier.laplacian_.toarray())[:4].sum()
    assert (data["accuracy"], data["measure"]["whole"]) == (None, None)
    assert data["captured"][-1] == pytest.approx(fourier.frequencies_.sum())
    assert data["exact"] == pytest.approx(exact)
    apart = je.GraphFourier(2, density=1.0, refine=False).fit(nx.disjoint_union(graph, graph))
    assert data_in(je.report(apart, tmp_path / "page.html"))["exact"] == pytest.approx(0.0, abs=1e-9)
    high = je.GraphFourier(4, density=0.3, which="high", refine=False).fit(graph)
    data = data_in(je.report(high, tmp_path / "page.html"))
    exact = np.linalg.eigvalsh(high.laplacian_.toarray())[-4:].sum()
    assert data["accuracy"][-1] == pytest.approx(high.frequencies_.sum() / exact)


@pytest.mark.parametrize("given", [True, False], ids=["with the matrix", "without it"])
@pytest.mark.parametrize("which", ["LA", "SA", "BE"])
@pytest.mark.parametrize("trace", ["none", "small", "negative"])
def test_no_share_of_a_total_is_above_one(given, which, trace, tmp_path):
    S = nx.to_numpy_array(nx.karate_club_graph(), weight=None)
    S += {"none": 0.0, "small": 0.01, "negative": -0.5}[trace] * np.eye(len(S))
    result = je.sparse_eigsh(S, 6, which=which, density=0.4)
    data = data_in(je.report(result, tmp_path / "page.html", **({"matrix": S} if given else {})))
    assert data["measure"]["whole"] is None
    np.testing.assert_allclose(data["explained"][-1], result.eigenvalues, rtol=1e-6)
    assert max(data["accuracy"] or [0.0]) <= 1.0
    if given and which == "SA":
        assert data["exact"] == pytest.approx(np.linalg.eigvalsh(S)[:6].sum())
    if given and which == "LA":
        exact = np.linalg.eigvalsh(S)[-6:].sum()
        assert data["accuracy"][-1] == pytest.approx(result.eigenvalues.sum() / exact)


def test_density_is_rounded_as_python_does(pca, tmp_path):
    data = data_in(je.report(pca, tmp_path / "page.html"))
    assert data["densities"] == [f"{count / 640:.1%}" for count in data["nonzeros"]]


def test_the_run_is_told_in_plain_words(pca, tmp_path):
    facts = dict(data_in(je.report(pca, tmp_path / "page.html"))["facts"])
    assert facts["Weights of the vectors"] == "equal"
    assert facts["Pivot rule"] == "largest gain per nonzero"
    assert facts["Start"].startswith("Cholesky: ")
    assert facts["Why it stopped"].startswith("The vectors are as dense as was allowed.")
    for status in je.Status:
        assert "{" not in STOPPED[status].format(rotation="rotation")


def test_names_come_from_the_data_frame_unless_given(tmp_path):
    frame = pd.DataFrame(DIGITS[:, 10:20], columns=[f"pixel {t}" for t in range(10)])
    model = je.JacobiPCA(2, refine=False).fit(frame)
    assert data_in(je.report(model, tmp_path / "page.html"))["names"] == list(frame)
    given = data_in(je.report(model, tmp_path / "page.html", feature_names=range(10)))
    assert given["names"] == [str(t) for t in range(10)]
