"""Samples lie where `transform` puts them, at every state of the slider."""

import numpy as np
import pandas as pd
import pytest
from pages import COVARIANCE, DIGITS, NASTY, data_in, scores_in, unpack, vectors_in
from scipy import sparse
from sklearn.decomposition import PCA

import jacobeig as je
from jacobeig.errors import InvalidInputError


def test_scores_are_those_of_transform_at_every_state(pca, tmp_path):
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
    "options",
    [{"scale": True, "refine": False}, {"center": False, "refine": False}, {"orthonormal": False, "refine": True}],
    ids=["scaled", "uncentred", "free"],
)
def test_scores_follow_the_options_of_the_model(options, tmp_path):
    X = DIGITS[:, 18:30]
    model = je.JacobiPCA(3, density=0.5, **options).fit(X)
    data = data_in(je.report(model, tmp_path / "page.html", data=X))
    np.testing.assert_allclose(scores_in(data), model.transform(X), atol=1e-4)


def test_scores_of_a_result_are_plain_products(tmp_path):
    result = je.sparse_eigsh(COVARIANCE, 3, density=0.2)
    for given in (DIGITS, sparse.csr_array(DIGITS), DIGITS.tolist()):
        data = data_in(je.report(result, tmp_path / "page.html", data=given))
        np.testing.assert_allclose(scores_in(data), DIGITS @ result.vectors.toarray(), atol=1e-4)


def test_the_share_of_full_pca_comes_from_the_data_of_the_fit_alone(pca, tmp_path):
    full = PCA(10).fit(DIGITS).explained_variance_.sum()
    data = data_in(je.report(pca, tmp_path / "page.html", data=DIGITS))
    assert data["accuracy"][-1] == pytest.approx(pca.total_explained_variance_ / full)
    assert data_in(je.report(pca, tmp_path / "page.html", data=DIGITS[:500]))["accuracy"] is None
    assert data_in(je.report(pca, tmp_path / "page.html", data=DIGITS + 1))["accuracy"] is None
    wide = DIGITS[:40]
    model = je.JacobiPCA(3, density=0.3, refine=False).fit(wide)
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
def test_text_and_few_whole_numbers_are_groups(labels, names, shown, tmp_path):
    result = je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2)
    data = data_in(je.report(result, tmp_path / "page.html", data=np.eye(4)[:, :3], labels=labels))
    found = data["samples"]["labels"]
    assert (found["names"], found["shown"]) == (names, shown)
    texts = [names[code] for code in unpack(found["codes"])]
    assert texts[0] == str(labels[0]).removesuffix(".0")


def test_other_numbers_are_a_scale_and_rare_groups_are_one(tmp_path):
    result, X = je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2), np.ones((40, 3))
    for labels in (np.linspace(0, 1, 40), np.arange(40), np.append(np.arange(39), np.nan)):
        found = data_in(je.report(result, tmp_path / "page.html", data=X, labels=labels))["samples"]["labels"]
        np.testing.assert_allclose(unpack(found["values"]), labels, rtol=1e-6)
    labels = ["common"] * 11 + [f"kind {t}" for t in range(29)]
    found = data_in(je.report(result, tmp_path / "page.html", data=X, labels=labels))["samples"]["labels"]
    assert found["shown"] == 11
    assert found["names"][0] == "common"
    assert [found["names"][code] for code in unpack(found["codes"])] == labels


def test_of_many_samples_an_even_part_is_drawn_and_the_page_says_so(tmp_path):
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


def test_of_many_features_the_page_holds_scores_instead(tmp_path):
    X = np.random.default_rng(0).standard_normal((300, 3000)) + 1
    model = je.JacobiPCA(2, n_rotations=2998, pivot="cyclic").fit(X)
    data = data_in(je.report(model, tmp_path / "page.html", data=X))
    assert data["samples"]["features"] is None
    assert data["samples"]["count"] == 300
    np.testing.assert_allclose(scores_in(data), model.transform(X), atol=1e-4)
    states, k = vectors_in(data), len(data["rotations"]) // 2
    np.testing.assert_allclose(scores_in(data, k), (X - model.mean_) @ states[k], atol=1e-4)


def test_samples_take_their_names_from_the_index(tmp_path):
    frame = pd.DataFrame(DIGITS[:5, 10:14], columns=list("abcd"))
    model = je.JacobiPCA(2, refine=False).fit(frame)

    def names(data, **options):
        return data_in(je.report(model, tmp_path / "page.html", data=data, **options))["samples"]["names"]

    assert names(frame) is None
    assert names(frame.set_axis(list("vwxyz"))) == list("vwxyz")
    assert names(frame.set_axis(list("vwxyz")), sample_names=range(5)) == list("01234")
    with pytest.raises(InvalidInputError, match="data has other columns than the data of the fit"):
        names(frame[list("badc")])


def test_there_is_no_second_axis_for_a_single_component(tmp_path):
    data = data_in(je.report(je.sparse_eigsh(COVARIANCE, 1), tmp_path / "page.html", data=DIGITS))
    assert data["samples"] is None


def test_labels_and_names_stay_text(tmp_path):
    result = je.sparse_eigsh(np.diag([3.0, 2.0, 1.0]), 2)
    X = np.zeros((len(NASTY), 3))
    path = je.report(result, tmp_path / "page.html", data=X, labels=NASTY, sample_names=NASTY)
    assert path.read_text(encoding="utf-8").count("<script") == 3
    samples = data_in(path)["samples"]
    assert samples["names"] == NASTY
    assert sorted(samples["labels"]["names"]) == sorted(NASTY)
