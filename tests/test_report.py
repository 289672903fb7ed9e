"""The explorer: its data are exact, its file is safe and small, and it works in a real browser."""

import base64
import csv
import html
import json
import re
import shutil
import subprocess
import sys
import zlib

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError, MissingExtraError
from jacobeig.explorer._data import STOPPED
from jacobeig.explorer._states import choose_points
from jacobeig.results.result import Trail

pytest.importorskip("plotly")

DIGITS = load_digits().data
COVARIANCE = np.cov(DIGITS, rowvar=False)
NASTY = [
    "<script>alert(1)</script>", "</script>", "<b>bold</b>", "a 'single' \"double\" quote", "Q&A &lt;", "naïve 数 🧬",
    "two\nlines", "=1+1", "%{x} {{data}}", "<!-- <script>", "\u2028 separator", "-minus",
]  # fmt: skip


def data_in(path):
    text = path.read_text(encoding="utf-8")
    island = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    return json.loads(island[1])


def unpack(packed):
    return np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), np.dtype(packed["dtype"]).newbyteorder("<"))


def vectors_in(data):
    """Return the vectors of every state, (states, n, p), as the page reads them."""
    counts, values = unpack(data["counts"]), unpack(data["values"])
    places, listed = np.cumsum(unpack(data["steps"])), unpack(data["features"])
    states = np.zeros((len(data["rotations"]), data["n"], data["p"]))
    at = 0
    for index, count in enumerate(counts):
        states[index // data["p"], listed[places[at : at + count]], index % data["p"]] = values[at : at + count]
        at += count
    return states


def filled_run(n, p):
    """Return a run whose vectors take up one coordinate after the other, and are mixed again and again."""
    rng = np.random.default_rng(0)
    mixing = [(i, j) for i in range(p) for j in range(i + 1, p)]
    pivots = [pair for j in range(p, n) for pair in ([(j % p, j)] if j % 200 else [(j % p, j), *mixing])]
    nonzeros = p * np.maximum.accumulate([j + 1 for _, j in pivots])  # at most
    angles = rng.uniform(0.3, 1.2, len(pivots))
    chain = je.RotationSequence(
        n=n, pivots=np.array(pivots), cosines=np.cos(angles), sines=np.sin(angles), coordinates=np.arange(p)
    )
    shifts = rng.uniform(0.0, 1.0, len(pivots))
    trail = Trail(diagonal=np.ones(n), shifts=shifts, seeds=np.arange(p), weights=np.ones(p), bounds=np.zeros(2))
    method = je.Method(which="LA", target="ones", pivot="gain", start="natural")
    return je.EigenResult.from_chain(chain, shifts, nonzeros, je.Status.CONVERGED, method, trail)


@pytest.fixture(scope="module")
def pca():
    return je.JacobiPCA(10, density=0.4).fit(DIGITS)


class TestData:
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
    def test_every_state_is_the_run_stopped_there(self, run, tmp_path):
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

    def test_the_last_state_is_the_estimator_with_its_signs(self, pca, tmp_path):
        data = data_in(je.report(pca, tmp_path / "page.html"))
        np.testing.assert_allclose(vectors_in(data)[-1], pca.components_.T, atol=1e-7)
        assert data["captured"][-1] == pytest.approx(pca.total_explained_variance_ratio_, rel=1e-8)
        assert data["explained"][-1] == pytest.approx(pca.explained_variance_ratio_.tolist(), rel=1e-8)
        path = pca.path()
        assert data["captured"] == pytest.approx(path.explained_variance_ratio[data["rotations"]].tolist(), rel=1e-8)
        assert data["nonzeros"] == path.nonzeros[data["rotations"]].tolist()

    def test_a_component_keeps_its_number_and_its_sign_along_the_path(self, pca, tmp_path):
        states = vectors_in(data_in(je.report(pca, tmp_path / "page.html")))
        overlaps = np.einsum("snp,snp->sp", states[:-1], states[1:])
        assert overlaps.min() >= -1e-6
        assert np.median(overlaps) > 0.9

    def test_points_are_spread_along_the_curve(self):
        result = je.sparse_eigsh(COVARIANCE, 10, n_rotations=2000)
        points = choose_points(result, 100)
        assert np.all(np.diff(points) > 0)
        assert (points[0], points[-1]) == (0, result.n_rotations)
        captured = result.captured[points]
        assert np.diff(captured).max() <= 0.05 * (captured[-1] - captured[0]) + np.diff(result.captured).max()
        density = np.concatenate([[10], result.nonzeros])[points]
        assert np.diff(density).max() <= 0.05 * (density[-1] - density[0]) + np.diff(result.nonzeros).max()

    def test_the_matrix_adds_the_accuracy(self, pca, tmp_path):
        data = data_in(je.report(pca, tmp_path / "page.html", matrix=COVARIANCE))
        assert data["accuracy"][-1] == pytest.approx(je.metrics.accuracy(COVARIANCE, pca.components_.T), rel=1e-8)
        source = je.sources.GramRows(DIGITS)
        assert data_in(je.report(pca, tmp_path / "rows.html", matrix=source))["accuracy"] == data["accuracy"]

    def test_a_refined_result_has_no_path_and_says_so(self, tmp_path):
        run = je.sparse_eigsh(COVARIANCE, 4, density=0.2)
        refined = je.refine(COVARIANCE, run)
        data = data_in(je.report(refined, tmp_path / "page.html"))
        assert not data["path"]
        assert "no slider" in data["notes"][0]
        assert data["measure"]["whole"] == "what they capture together"
        assert data["captured"] == [pytest.approx(1.0)]
        np.testing.assert_allclose(vectors_in(data)[0], refined.vectors.toarray(), atol=1e-7)
        data = data_in(je.report(refined, tmp_path / "page.html", matrix=COVARIANCE))
        assert data["captured"][0] == pytest.approx(refined.eigenvalues.sum() / np.trace(COVARIANCE))

    def test_a_run_without_rotations_has_no_slider_either(self, tmp_path):
        data = data_in(je.report(je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2), tmp_path / "page.html"))
        assert not data["path"]
        assert data["notes"] == ["There is no slider: the run ended before its first rotation."]
        np.testing.assert_array_equal(vectors_in(data)[0], np.eye(3)[:, :2])

    def test_vectors_that_are_not_orthogonal_are_added_up_only_with_the_matrix(self, tmp_path):
        free = je.refine(COVARIANCE, je.sparse_eigsh(COVARIANCE, 4, density=0.2), orthonormal=False)
        data = data_in(je.report(free, tmp_path / "page.html"))
        assert not data["measure"]["addsUp"]
        assert any("not orthogonal" in note for note in data["notes"])
        data = data_in(je.report(free, tmp_path / "page.html", matrix=COVARIANCE))
        captured = je.metrics.captured_variance(COVARIANCE, free.vectors)
        assert data["captured"][0] == pytest.approx(captured / np.trace(COVARIANCE))
        exact = je.metrics.extreme_eigenvalues(COVARIANCE, 4).sum()
        assert data["accuracy"][0] == pytest.approx(captured / exact)

    def test_complex_vectors_are_shown_by_magnitude(self, tmp_path):
        graph = nx.gn_graph(40, seed=0)
        fourier = je.GraphFourier(4, density=0.3).fit(graph)
        data = data_in(je.report(fourier, tmp_path / "page.html"))
        assert data["complex"]
        assert any("complex" in note for note in data["notes"])
        np.testing.assert_allclose(vectors_in(data)[-1], np.abs(fourier.modes_.toarray()), atol=1e-7)

    def test_a_graph_brings_its_names_and_edges(self, tmp_path):
        graph = nx.relabel_nodes(nx.karate_club_graph(), lambda node: f"member {node}")
        places = nx.circular_layout(graph)
        fourier = je.GraphFourier(4, density=0.3).fit(graph)
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

    def test_a_small_graph_knows_its_accuracy(self, tmp_path):
        graph = nx.karate_club_graph()
        fourier = je.GraphFourier(4, density=0.3).fit(graph)
        data = data_in(je.report(fourier, tmp_path / "page.html"))
        exact = np.linalg.eigvalsh(fourier.laplacian_.toarray())[:4].sum()
        assert data["accuracy"][-1] == pytest.approx(fourier.frequencies_.sum() / exact)
        apart = je.GraphFourier(2, density=1.0).fit(nx.disjoint_union(graph, graph))
        assert data_in(je.report(apart, tmp_path / "page.html"))["accuracy"] is None  # nothing is below zero

    def test_density_is_rounded_as_python_does(self, pca, tmp_path):
        data = data_in(je.report(pca, tmp_path / "page.html"))
        assert data["densities"] == [f"{count / 640:.1%}" for count in data["nonzeros"]]

    def test_the_run_is_told_in_plain_words(self, pca, tmp_path):
        facts = dict(data_in(je.report(pca, tmp_path / "page.html"))["facts"])
        assert facts["Weights of the vectors"] == "equal"
        assert facts["Pivot rule"] == "gain per nonzero"
        assert facts["Why it stopped"].startswith("The vectors are as dense as was allowed.")
        for status in je.Status:
            assert "{" not in STOPPED[status].format(rotation="rotation")

    def test_names_come_from_the_data_frame_unless_given(self, tmp_path):
        frame = pd.DataFrame(DIGITS[:, 10:20], columns=[f"pixel {t}" for t in range(10)])
        model = je.JacobiPCA(2).fit(frame)
        assert data_in(je.report(model, tmp_path / "page.html"))["names"] == list(frame)
        given = data_in(je.report(model, tmp_path / "page.html", feature_names=range(10)))
        assert given["names"] == [str(t) for t in range(10)]


def scores_in(data, state=-1):
    """Return the scores of the samples, as the page computes them."""
    samples = data["samples"]
    columns = unpack(samples["columns"]).reshape(-1, samples["count"]).astype(float)
    if samples["features"] is None:
        return columns.reshape(-1, data["p"], samples["count"])[state].T
    touched = unpack(data["features"])[unpack(samples["features"])]
    scores = columns.T @ vectors_in(data)[state][touched]
    if samples["unmix"] is not None:
        scores = scores @ unpack(samples["unmix"]).reshape(data["p"], data["p"])
    return scores


class TestSamples:
    def test_scores_are_those_of_transform_at_every_state(self, pca, tmp_path):
        data = data_in(je.report(pca, tmp_path / "page.html", data=DIGITS))
        np.testing.assert_allclose(scores_in(data), pca.transform(DIGITS), atol=1e-4)
        for state in (0, len(data["rotations"]) // 2):
            expected = pca.at(n_rotations=data["rotations"][state]).transform(DIGITS)
            found = scores_in(data, state)
            order = np.abs(found.T @ expected).argmax(axis=1)  # its columns may come in another order
            assert sorted(order) == list(range(10))
            signs = np.sign(np.einsum("mp,mp->p", found, expected[:, order]))
            np.testing.assert_allclose(found, expected[:, order] * signs, atol=1e-4)
        assert any(fact == ["Samples", "1,797"] for fact in data["facts"])

    @pytest.mark.parametrize(
        "options", [{"scale": True}, {"center": False}, {"orthonormal": False}], ids=["scaled", "uncentred", "free"]
    )
    def test_scores_follow_the_options_of_the_model(self, options, tmp_path):
        X = DIGITS[:, 18:30]
        model = je.JacobiPCA(3, density=0.5, **options).fit(X)
        data = data_in(je.report(model, tmp_path / "page.html", data=X))
        np.testing.assert_allclose(scores_in(data), model.transform(X), atol=1e-4)

    def test_scores_of_a_result_are_plain_products(self, tmp_path):
        result = je.sparse_eigsh(COVARIANCE, 3, density=0.2)
        for given in (DIGITS, sparse.csr_array(DIGITS), DIGITS.tolist()):
            data = data_in(je.report(result, tmp_path / "page.html", data=given))
            np.testing.assert_allclose(scores_in(data), DIGITS @ result.vectors.toarray(), atol=1e-4)

    def test_the_share_of_full_pca_comes_from_the_data_of_the_fit_alone(self, pca, tmp_path):
        full = PCA(10).fit(DIGITS).explained_variance_.sum()
        data = data_in(je.report(pca, tmp_path / "page.html", data=DIGITS))
        assert data["accuracy"][-1] == pytest.approx(pca.total_explained_variance_ / full)
        assert data_in(je.report(pca, tmp_path / "page.html", data=DIGITS[:500]))["accuracy"] is None
        assert data_in(je.report(pca, tmp_path / "page.html", data=DIGITS + 1))["accuracy"] is None
        wide = DIGITS[:40]
        model = je.JacobiPCA(3, density=0.3).fit(wide)
        data = data_in(je.report(model, tmp_path / "page.html", data=wide))
        full = PCA(3).fit(wide).explained_variance_.sum()
        assert data["accuracy"][-1] == pytest.approx(model.total_explained_variance_ / full)

    @pytest.mark.parametrize(
        ("labels", "names", "shown"),
        [
            (["b", "a", "b", None], ["a", "b", "missing"], 3),
            ([10, 9, 10, 2], ["2", "9", "10"], 3),
            ([1.0, 0.0, 0.0, np.nan], ["0", "1", "missing"], 3),
            ([True, False, True, True], ["False", "True"], 2),
            (pd.Series(["x", "y", "x", "x"], dtype="category"), ["x", "y"], 2),
        ],
        ids=["text", "whole numbers", "missing", "truth", "categories"],
    )
    def test_text_and_few_whole_numbers_are_groups(self, labels, names, shown, tmp_path):
        result = je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2)
        data = data_in(je.report(result, tmp_path / "page.html", data=np.eye(4)[:, :3], labels=labels))
        found = data["samples"]["labels"]
        assert (found["names"], found["shown"]) == (names, shown)
        texts = [names[code] for code in unpack(found["codes"])]
        assert texts[0] == str(labels[0]).removesuffix(".0")

    def test_other_numbers_are_a_scale_and_rare_groups_are_one(self, tmp_path):
        result, X = je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2), np.ones((40, 3))
        for labels in (np.linspace(0, 1, 40), np.arange(40), np.append(np.arange(39), np.nan)):
            found = data_in(je.report(result, tmp_path / "page.html", data=X, labels=labels))["samples"]["labels"]
            np.testing.assert_allclose(unpack(found["values"]), labels, rtol=1e-6)
        labels = ["common"] * 11 + [f"kind {t}" for t in range(29)]
        found = data_in(je.report(result, tmp_path / "page.html", data=X, labels=labels))["samples"]["labels"]
        assert found["shown"] == 11
        assert found["names"][0] == "common"
        assert [found["names"][code] for code in unpack(found["codes"])] == labels

    def test_of_many_samples_an_even_part_is_drawn_and_the_page_says_so(self, tmp_path):
        X = np.random.default_rng(0).standard_normal((30_000, 30))
        result = je.sparse_eigsh(je.datasets.random_covariance(30, rng=0), 2, n_rotations=100)
        path = je.report(result, tmp_path / "page.html", data=X)
        data = data_in(path)
        numbers = unpack(data["samples"]["numbers"]).astype(int)
        assert path.stat().st_size < 8_000_000
        assert len(numbers) * len(unpack(data["samples"]["features"])) <= 600_000
        assert (numbers[0], numbers[-1]) == (0, 29_999)
        assert np.ptp(np.diff(numbers)) <= 1
        np.testing.assert_allclose(scores_in(data), X[numbers] @ result.vectors.toarray(), atol=1e-5)
        assert f"Of 30,000 samples {len(numbers):,} are drawn, evenly spaced in the data." in data["notes"]

    def test_of_many_features_the_page_holds_scores_instead(self, tmp_path):
        X = np.random.default_rng(0).standard_normal((300, 3000)) + 1
        model = je.JacobiPCA(2, n_rotations=2998, pivot="cyclic").fit(X)
        data = data_in(je.report(model, tmp_path / "page.html", data=X))
        assert data["samples"]["features"] is None
        assert data["samples"]["count"] == 300
        np.testing.assert_allclose(scores_in(data), model.transform(X), atol=1e-4)
        states, k = vectors_in(data), len(data["rotations"]) // 2
        np.testing.assert_allclose(scores_in(data, k), (X - model.mean_) @ states[k], atol=1e-4)

    def test_samples_take_their_names_from_the_index(self, tmp_path):
        frame = pd.DataFrame(DIGITS[:5, 10:14], columns=list("abcd"))
        model = je.JacobiPCA(2).fit(frame)

        def names(data, **options):
            return data_in(je.report(model, tmp_path / "page.html", data=data, **options))["samples"]["names"]

        assert names(frame) is None
        assert names(frame.set_axis(list("vwxyz"))) == list("vwxyz")
        assert names(frame.set_axis(list("vwxyz")), sample_names=range(5)) == list("01234")
        with pytest.raises(InvalidInputError, match="data has other columns than the data of the fit"):
            names(frame[list("badc")])

    def test_there_is_no_second_axis_for_a_single_component(self, tmp_path):
        data = data_in(je.report(je.sparse_eigsh(COVARIANCE, 1), tmp_path / "page.html", data=DIGITS))
        assert data["samples"] is None

    def test_labels_and_names_stay_text(self, tmp_path):
        result = je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2)
        X = np.zeros((len(NASTY), 3))
        path = je.report(result, tmp_path / "page.html", data=X, labels=NASTY, sample_names=NASTY)
        assert path.read_text(encoding="utf-8").count("<script") == 3
        samples = data_in(path)["samples"]
        assert samples["names"] == NASTY
        assert sorted(samples["labels"]["names"]) == sorted(NASTY)


class TestFile:
    def test_the_same_input_gives_the_same_bytes(self, pca, tmp_path):
        pages = [je.report(pca, tmp_path / f"{t}.html", shape=(8, 8), matrix=COVARIANCE).read_bytes() for t in range(2)]
        assert pages[0] == pages[1]

    def test_nothing_but_the_page_is_left_in_the_folder(self, pca, tmp_path):
        assert je.report(pca, str(tmp_path / "page.html")) == tmp_path / "page.html"
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]

    def test_a_failed_write_leaves_the_old_page(self, pca, tmp_path, monkeypatch):
        path = je.report(pca, tmp_path / "page.html")
        old = path.read_bytes()

        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("os.replace", refuse)
        with pytest.raises(InvalidInputError, match=r"cannot be written \(Permission denied\)"):
            je.report(pca, path, title="another")
        assert path.read_bytes() == old
        assert len(list(tmp_path.iterdir())) == 1

    @pytest.mark.slow
    def test_twenty_thousand_dense_features_stay_under_eight_megabytes(self, tmp_path):
        result = filled_run(20_000, 10)
        assert result.density > 0.9
        names = [f"a rather long name of feature {t}" for t in range(20_000)]
        path = je.report(result, tmp_path / "page.html", feature_names=names)
        assert path.stat().st_size < 8_000_000
        data = data_in(path)
        assert len(data["rotations"]) >= 15
        assert any("largest loadings" in note for note in data["notes"])
        assert data["nonzeros"][-1] == result.vectors.nnz
        kept, exact = vectors_in(data)[-1], result.vectors.toarray()
        assert np.count_nonzero(kept) < np.count_nonzero(exact)
        for t in range(10):  # what is kept is the largest
            left_out = np.where(kept[:, t] == 0, np.abs(exact[:, t]), 0.0).max()
            assert left_out <= np.abs(kept[kept[:, t] != 0, t]).min() * (1 + 1e-6)

    @pytest.mark.slow
    def test_long_names_do_not_make_it_larger_than_eight_megabytes(self, tmp_path):
        names = [f"{t} {'long' * 60}" for t in range(60_000)]
        path = je.report(filled_run(60_000, 4), tmp_path / "page.html", feature_names=names)
        assert path.stat().st_size < 8_000_000
        data = data_in(path)
        assert max(map(len, data["names"])) == 200
        assert data["names"] == [names[t][:199] + "…" for t in unpack(data["features"])]

    def test_names_stay_text(self, tmp_path):
        result = je.sparse_eigsh(je.datasets.random_covariance(len(NASTY), rng=0), 2)
        path = je.report(result, tmp_path / "page.html", feature_names=NASTY, title=NASTY[0] + '" & {{data}}')
        text = path.read_text(encoding="utf-8")
        assert data_in(path)["names"] == NASTY
        assert "alert(1)</script>" not in text
        assert text.count("<script") == text.count("</script>") == 3
        assert html.escape(NASTY[0] + '" & {{data}}') in text
        assert "<!--" not in text

    def test_text_that_unicode_does_not_allow_is_written_too(self, tmp_path):
        result = je.sparse_eigsh(np.diag([2.0, 1.0]), 1)
        path = je.report(result, tmp_path / "page.html", feature_names=["\ud800", "b"], title="\udfff")
        assert data_in(path)["names"] == ["\ud800", "b"]

    def test_the_policy_lets_nothing_in_or_out(self, pca, tmp_path):
        text = je.report(pca, tmp_path / "page.html").read_text(encoding="utf-8")
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe-eval" not in policy
        assert "unsafe-inline" not in policy.split("style-src")[0]
        assert "http" not in policy


class TestErrors:
    @pytest.fixture
    def result(self):
        return je.sparse_eigsh(np.diag([4.0, 3.0, 2.0, 1.0]), 2)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"shape": (3, 3)}, r"shape is \(3, 3\), which has 9 pixels; the vectors have 4"),
            ({"shape": 4}, "shape is 4; give the height and the width"),
            ({"shape": (2.0, 2)}, "height and the width"),
            ({"feature_names": ["a", "b"]}, "feature_names has 2 names, but the vectors have length 4: give 4"),
            ({"coordinates": np.zeros((3, 2))}, r"coordinates has shape \(3, 2\)"),
            ({"coordinates": [[0, 0], [1, 1], [2, 2], [np.nan, 0]]}, "coordinates has NaN"),
            ({"coordinates": {0: (0, 0)}}, "coordinates has no place for node 1"),
            ({"edges": [(0, 1)]}, "edges is given without coordinates"),
            ({"coordinates": np.zeros((4, 2)), "edges": [(0, 7)]}, "edges joins nodes up to 7"),
            ({"matrix": np.eye(3)}, "matrix is 3 x 3, but the vectors have length 4"),
            ({"data": np.eye(3)}, r"data has shape \(3, 3\); give samples by features, \(m, 4\)"),
            ({"data": np.ones(4)}, r"data has shape \(4,\)"),
            ({"data": [[1, 2, 3, np.inf]]}, "data has NaN or inf"),
            ({"data": np.eye(4), "labels": [1, 2]}, r"labels has shape \(2,\), but data has 4 samples: give 4"),
            (
                {"data": np.eye(4), "sample_names": ["a"]},
                "sample_names has 1 names, but the rows of data are 4: give 4",
            ),
            ({"labels": [1, 2]}, "labels is given without data"),
            ({"sample_names": ["a"]}, "sample_names is given without data"),
        ],
    )
    def test_what_does_not_fit_is_said(self, result, options, message, tmp_path):
        with pytest.raises(InvalidInputError, match=message):
            je.report(result, tmp_path / "page.html", **options)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"feature_names": "abcd"}, "feature_names is a str; give a list of 4 names"),
            ({"coordinates": [["a", "b"]] * 4}, "coordinates cannot be read as numbers"),
            ({"title": 3}, "title is a int; give a string"),
            ({"data": [["a"] * 4]}, "data cannot be read as real numbers"),
            ({"data": np.eye(4), "labels": "abcd"}, "labels is a str; give one label for each sample"),
            ({"data": np.eye(4), "sample_names": 3}, "sample_names is a int; give a list of 4 names"),
        ],
    )
    def test_the_wrong_type_is_said(self, result, options, message, tmp_path):
        with pytest.raises(InvalidTypeError, match=message):
            je.report(result, tmp_path / "page.html", **options)

    def test_only_results_and_our_estimators_are_shown(self, tmp_path):
        for other in (np.eye(3), PCA(2).fit(DIGITS)):
            with pytest.raises(InvalidTypeError, match="give an EigenResult, a fitted JacobiPCA or a fitted GraphFour"):
                je.report(other, tmp_path / "page.html")

    @pytest.mark.parametrize("model", [je.JacobiPCA(2), je.GraphFourier(2)])
    def test_an_estimator_must_be_fitted(self, model, tmp_path):
        with pytest.raises(NotFittedError):
            je.report(model, tmp_path / "page.html")

    def test_a_path_that_cannot_be_written_is_said_before_any_work(self, tmp_path):
        with pytest.raises(InvalidInputError, match="is a folder"):
            je.report(None, tmp_path)
        with pytest.raises(InvalidInputError, match="there is no folder"):
            je.report(None, tmp_path / "missing" / "page.html")
        with pytest.raises(InvalidTypeError, match="path is 3"):
            je.report(None, 3)

    def test_without_plotly_the_message_says_what_to_install(self, result, tmp_path, monkeypatch):
        from jacobeig.explorer import _page

        monkeypatch.setitem(sys.modules, "plotly.offline", None)
        _page._read_library.cache_clear()
        with pytest.raises(MissingExtraError, match=r"jacobeig\[report\]"):
            je.report(result, tmp_path / "page.html")


@pytest.mark.parametrize("first", ["je.report", "import jacobeig.explorer", "from jacobeig.explorer import report"])
def test_the_function_can_be_called_whatever_was_imported_before(first, tmp_path):
    code = f"""
import sys, jacobeig as je, numpy as np
{first}
print(je.report(je.sparse_eigsh(np.diag([2.0, 1.0]), 1), {str(tmp_path / "page.html")!r}).name)
print("sklearn" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert found.stdout.splitlines() == ["page.html", "False"]


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened(browser):
    """Open pages; nothing may be logged and no request may leave."""
    said, asked = [], []

    def open_page(path, width=1200, scheme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": 850}, color_scheme=scheme, **options)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        return page

    open_page.said, open_page.asked = said, asked
    return open_page


@pytest.fixture(scope="module")
def digits_path(pca, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "digits.html"
    return je.report(pca, path, shape=(8, 8), matrix=COVARIANCE, title="Digits")


@pytest.fixture(scope="module")
def digits_page(opened, digits_path):
    return opened(digits_path, scheme="dark", accept_downloads=True)


@pytest.fixture
def digits(digits_page):
    """One page for many tests, since opening it takes long: as it was when it was opened."""
    digits_page.locator("#slider").press("End")
    digits_page.select_option("#component", "0")
    digits_page.select_option("#rowsof", "one")
    settled(digits_page)
    return digits_page


@pytest.fixture(scope="module")
def nasty(opened, tmp_path_factory):
    result = je.sparse_eigsh(je.datasets.random_covariance(len(NASTY), rng=0), 2)
    path = je.report(result, tmp_path_factory.mktemp("pages") / "nasty.html", feature_names=NASTY, title=NASTY[0])
    return opened(path, width=360, has_touch=True, is_mobile=True, accept_downloads=True)


def settled(page):
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


def pictured(page, chart="overview"):
    return page.evaluate(f"() => JSON.stringify(document.getElementById('{chart}').data.map((t) => [t.x, t.y, t.z]))")


def tiles(page):
    return dict(zip(texts(page, "#tiles dt"), texts(page, "#tiles dd"), strict=True))


def texts(page, selector):
    return page.locator(selector).evaluate_all("all => all.map((one) => one.textContent)")


def downloaded(page):
    """Return the name and the rows of the csv."""
    with page.expect_download() as started:
        page.click("#download")
    with open(started.value.path(), encoding="utf-8-sig", newline="") as file:
        return started.value.suggested_filename, list(csv.DictReader(file))


def numbers_in(page, column):
    return [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts(page, f"#rows td:nth-child({column})")]


def colours(page):
    """Return the background of the page and the colour of a figure's letters."""
    figure = page.evaluate("() => document.getElementById('curve').layout.font.color")
    return page.evaluate("() => getComputedStyle(document.body).backgroundColor"), figure


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
class TestBrowser:
    @pytest.fixture(autouse=True)
    def _nothing_is_logged_or_asked_for(self, opened):
        yield
        assert opened.said == []
        assert opened.asked != []
        assert [url for url in opened.asked if not url.startswith(("file:", "data:", "blob:"))] == []

    def test_the_slider_moves_by_keyboard_and_the_pictures_follow(self, digits, digits_path):
        page, rotations = digits, data_in(digits_path)["rotations"]
        slider = page.locator("#slider")
        assert slider.input_value() == str(len(rotations) - 1)
        charts = ("overview", "bars", "variance", "curve")
        before = [pictured(page, chart) for chart in charts]
        slider.focus()
        page.keyboard.press("Home")
        settled(page)
        first = [pictured(page, chart) for chart in charts]
        assert tiles(page)["Rotations"].startswith("0 ")
        assert not any(old == new for old, new in zip(before, first, strict=True))
        assert "density 1.6%" in slider.get_attribute("aria-valuetext").lower()
        for _ in range(8):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        settled(page)
        assert slider.input_value() == "7"
        assert tiles(page)["Rotations"].startswith(f"{rotations[7]} ")
        assert [pictured(page, chart) for chart in ("overview", "variance", "curve")] != [first[0], *first[2:]]
        page.keyboard.press("End")
        settled(page)
        assert [pictured(page, chart) for chart in charts] == before

    def test_what_is_drawn_is_the_component(self, digits, pca):
        page = digits
        images = json.loads(pictured(page))
        assert len(images) == 10
        for (_, _, z), component in zip(images, pca.components_, strict=True):
            np.testing.assert_allclose(z, component.reshape(8, 8) / np.abs(component).max(), atol=1e-6)
        bars = json.loads(pictured(page, "bars"))[0][0]
        largest = pca.components_[0][np.argsort(-np.abs(pca.components_[0]))][: len(bars)]
        np.testing.assert_allclose(bars, largest, atol=1e-6)
        cumulated = json.loads(pictured(page, "variance"))[1][1]
        np.testing.assert_allclose(cumulated, 100 * np.cumsum(pca.explained_variance_ratio_), rtol=1e-6)

    def test_points_of_the_curve_and_images_can_be_chosen(self, digits, digits_path):
        page = digits
        page.evaluate("() => scrollTo(0, 0)")
        place = page.evaluate("""() => {
            const box = document.querySelector('#curve .nsewdrag').getBoundingClientRect();
            const { _fullLayout: layout, data } = document.getElementById('curve');
            return [box.x + layout.xaxis.l2p(data[0].x[20]), box.y + layout.yaxis.l2p(data[0].y[20])];
        }""")
        page.mouse.move(*place)
        page.mouse.click(*place)
        settled(page)
        assert abs(int(page.locator("#slider").input_value()) - 20) <= 2
        page.select_option("#component", "6")
        settled(page)
        assert page.inner_text("#barshint").startswith("Component 7:")
        page.click("#next")
        settled(page)
        assert page.inner_text("#barshint").startswith("Component 8:")
        page.select_option("#axis", "rotations")
        settled(page)
        assert json.loads(pictured(page, "curve"))[0][0] == data_in(digits_path)["rotations"]
        page.select_option("#axis", "density")

    def test_the_path_plays(self, digits):
        page = digits
        page.click("#play")
        page.wait_for_function("() => Number(document.getElementById('slider').value) === 2")
        assert page.inner_text("#play") == "Pause"
        page.click("#play")
        assert page.inner_text("#play") == "Play"

    def test_the_table_sorts_by_click_and_by_key(self, digits):
        page = digits
        head = page.locator("th[data-key=value]")
        head.locator("button").click()
        values = numbers_in(page, 2)
        assert len(values) > 5
        assert values == sorted(values, reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        head.locator("button").focus()
        page.keyboard.press("Enter")
        assert numbers_in(page, 2) == values[::-1]
        page.locator("th[data-key=name] button").focus()
        page.keyboard.press("Space")
        names = texts(page, "#rows td:first-child")
        assert names == sorted(names)
        page.select_option("#rowsof", "all")
        assert set(texts(page, "#rows td:nth-child(2)")) > {"1", "2"}
        page.fill("#find", "row 3, column 3")
        assert set(texts(page, "#rows td:first-child")) == {"row 3, column 3"}
        page.fill("#find", "")

    def test_the_csv_has_every_loading(self, digits, pca):
        name, rows = downloaded(digits)
        assert name == f"loadings-{pca.decomposition_.n_rotations}-rotations.csv"
        found = np.zeros((10, 8, 8))
        for row in rows:
            at = [int(word) for word in re.findall(r"\d+", row["pixel"])]
            found[int(row["component"]) - 1, at[0], at[1]] = float(row["loading"])
        np.testing.assert_allclose(found.reshape(10, 64), pca.components_, atol=1e-7)
        assert len(rows) == np.count_nonzero(pca.components_)

    def test_names_are_text_in_every_place(self, nasty):
        page = nasty
        assert page.title() == page.inner_text("h1") == NASTY[0]
        page.select_option("#rowsof", "all")
        assert set(texts(page, "#rows td:first-child")) == set(NASTY)
        labels = " ".join(texts(page, "#bars .ytick text, #overview .ytick text"))
        for name in ("<script>alert", "<b>bold</b>", "Q&A &lt;", "naïve 数 🧬", "two lines", "=1+1"):
            assert name in labels
        assert page.locator("#bars b, #overview b, #rows b, #rows script, #bars tspan[style*=bold]").count() == 0
        _, rows = downloaded(page)
        assert {row["feature"].removeprefix("'") for row in rows} == set(NASTY)
        assert not any(row["feature"].startswith(("=", "-")) for row in rows)

    def test_samples_move_with_the_slider_and_with_the_choice_of_components(self, opened, pca, tmp_path):
        labels = pd.Series([f"<b>{digit}</b>" for digit in load_digits().target], name="digit")
        page = opened(je.report(pca, tmp_path / "page.html", data=DIGITS, labels=labels))
        assert page.evaluate("() => document.getElementById('samples').data[3].name") == "&lt;b&gt;3&lt;/b&gt;"

        def drawn(label):
            x, y, _ = json.loads(pictured(page, "samples"))[label]
            return np.array([x, y]).T

        scores = pca.transform(DIGITS)
        threes = labels == "<b>3</b>"
        last = drawn(3)
        np.testing.assert_allclose(last, scores[threes][:, :2], atol=1e-4)
        page.select_option("#across", "4")
        page.select_option("#up", "2")
        settled(page)
        np.testing.assert_allclose(drawn(3), scores[threes][:, [4, 2]], atol=1e-4)
        page.locator("#slider").press("Home")
        settled(page)
        start = pca.decomposition_.rotations.coordinates[[4, 2]]
        np.testing.assert_allclose(drawn(3), (DIGITS - pca.mean_)[threes][:, start], atol=1e-4)
        assert page.locator("#samples .legend text:has-text('<b>3</b>')").count() == 1
        hover = page.evaluate("() => document.getElementById('samples').data[3].hovertemplate[0]")
        assert hover.startswith("<b>sample 3</b><br>digit: &lt;b&gt;3&lt;/b&gt;<br>component 5: ")

    def test_scores_held_by_the_page_move_with_the_slider_too(self, opened, tmp_path):
        X = np.random.default_rng(0).standard_normal((300, 3000))
        model = je.JacobiPCA(2, n_rotations=2998, pivot="cyclic").fit(X)
        page = opened(je.report(model, tmp_path / "page.html", data=X, labels=np.linspace(0, 1, 300)))
        ((x, y, _),) = json.loads(pictured(page, "samples"))
        np.testing.assert_allclose(np.array([x, y]).T, model.transform(X), atol=1e-4)
        page.locator("#slider").press("Home")
        settled(page)
        ((x, y, _),) = json.loads(pictured(page, "samples"))
        start = model.decomposition_.rotations.coordinates
        np.testing.assert_allclose(np.abs([x, y]).T, np.abs(X - model.mean_)[:, start], atol=1e-4)

    def test_there_is_no_card_of_samples_without_data(self, digits):
        assert not digits.is_visible("#samplescard")

    def test_the_curve_runs_into_the_point_that_is_shown(self, digits):
        end, point = digits.evaluate("""() => [
            document.querySelector('#curve path.js-line').getAttribute('d').split('L').at(-1),
            [...document.querySelectorAll('#curve .points path')].at(-1).getAttribute('transform')]""")
        assert point == f"translate({end})"
        assert digits.evaluate("() => document.getElementById('curve').data[1].marker.symbol") == "circle-open"

    def test_light_and_dark_follow_the_system_and_the_button(self, digits):
        page = digits
        dark = colours(page)
        page.click("#theme")
        settled(page)
        light = colours(page)
        assert all(old != new for old, new in zip(dark, light, strict=True))
        page.click("#theme")
        settled(page)
        assert colours(page) == dark
        page.emulate_media(color_scheme="light")
        settled(page)
        assert colours(page) == light

    def test_a_phone_scrolls_down_only_and_its_targets_fit_a_finger(self, nasty):
        page = nasty
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
        for control in page.locator("button:visible, select:visible, input:visible").all():
            assert control.bounding_box()["height"] >= 40

    def test_a_narrow_window_scrolls_down_only(self, digits):
        digits.set_viewport_size({"width": 360, "height": 800})
        settled(digits)
        assert digits.evaluate("() => document.documentElement.scrollWidth") <= 360
        digits.set_viewport_size({"width": 1200, "height": 850})

    def test_a_refined_result_shows_all_but_the_slider(self, opened, tmp_path):
        refined = je.refine(COVARIANCE, je.sparse_eigsh(COVARIANCE, 4, density=0.2))
        page = opened(je.report(refined, tmp_path / "page.html", shape=(8, 8)))
        assert not page.is_visible("#slider")
        assert "no slider" in page.inner_text("#notes")
        assert len(json.loads(pictured(page))) == 4
        assert page.locator("#rows tr").count() > 0

    def test_a_mode_is_drawn_on_the_graph(self, opened, tmp_path):
        graph = nx.random_geometric_graph(60, 0.25, seed=0)
        fourier = je.GraphFourier(5, density=0.3).fit(graph)
        places = nx.get_node_attributes(graph, "pos")
        page = opened(je.report(fourier, tmp_path / "page.html", coordinates=places))
        page.select_option("#component", "3")
        settled(page)
        (edges, *_), rest, drawn = json.loads(pictured(page))
        assert len(edges) == 3 * graph.number_of_edges()
        mode = fourier.modes_[:, [3]].toarray().ravel()
        assert len(drawn[0]) == np.count_nonzero(mode)
        assert len(rest[0]) == np.count_nonzero(mode == 0)
        places_used = sorted(places[node][0] for node in np.flatnonzero(mode).tolist())
        np.testing.assert_allclose(sorted(drawn[0]), places_used, atol=1e-6)
