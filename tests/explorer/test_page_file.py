"""The file is small, safe and the same every time; what cannot be shown is refused."""

import html
import re
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
from pages import COVARIANCE, DIGITS, NASTY, data_in, fill_run, unpack, vectors_in
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError, MissingExtraError


def test_the_same_input_gives_the_same_bytes(pca, tmp_path):
    pages = [je.report(pca, tmp_path / f"{t}.html", shape=(8, 8), matrix=COVARIANCE).read_bytes() for t in range(2)]
    assert pages[0] == pages[1]


def test_nothing_but_the_page_is_left_in_the_folder(pca, tmp_path):
    assert je.report(pca, str(tmp_path / "page.html")) == tmp_path / "page.html"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_colours_stand_in_the_style_sheet_alone():
    folder = resources.files("jacobeig.explorer")
    colour = re.compile(r"""["']#[0-9a-f]{3,8}["']|rgba?\((?!0,0,0,0\))""")  # all but the transparent one
    for name in ("charts.js", "reading.js", "explorer.js", "template.html"):
        assert colour.findall(folder.joinpath(name).read_text(encoding="utf-8")) == [], name


def test_a_failed_write_leaves_the_old_page(pca, tmp_path, monkeypatch):
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
def test_twenty_thousand_dense_features_stay_under_eight_megabytes(tmp_path):
    result = fill_run(20_000, 10)
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
def test_long_names_do_not_make_it_larger_than_eight_megabytes(tmp_path):
    names = [f"{t} {'long' * 60}" for t in range(60_000)]
    path = je.report(fill_run(60_000, 4), tmp_path / "page.html", feature_names=names)
    assert path.stat().st_size < 8_000_000
    data = data_in(path)
    assert max(map(len, data["names"])) == 200
    assert data["names"] == [names[t][:199] + "…" for t in unpack(data["features"])]


def test_names_stay_text(tmp_path):
    result = je.sparse_eigsh(je.datasets.random_covariance(len(NASTY), rng=0), 2)
    path = je.report(result, tmp_path / "page.html", feature_names=NASTY, title=NASTY[0] + '" & {{data}}')
    text = path.read_text(encoding="utf-8")
    assert data_in(path)["names"] == NASTY
    assert "alert(1)</script>" not in text
    assert text.count("<script") == text.count("</script>") == 3
    assert html.escape(NASTY[0] + '" & {{data}}') in text
    assert "<!--" not in text


def test_text_that_unicode_does_not_allow_is_written_too(tmp_path):
    result = je.sparse_eigsh(np.diag([2.0, 1.0]), 1)
    path = je.report(result, tmp_path / "page.html", feature_names=["\ud800", "b"], title="\udfff")
    assert data_in(path)["names"] == ["\ud800", "b"]


def test_the_policy_lets_nothing_in_or_out(pca, tmp_path):
    text = je.report(pca, tmp_path / "page.html").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert "http" not in policy


@pytest.fixture
def result():
    return je.sparse_eigsh(np.diag([4.0, 3.0, 2.0, 1.0]), 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": (3, 3)}, r"shape is \(3, 3\), which has 9 pixels; the vectors have 4"),
        ({"shape": 4}, "shape is 4; give the height and the width"),
        ({"shape": (2.0, 2)}, "height and the width"),
        ({"feature_names": ["a", "b"]}, "feature_names has 2 names, but the vectors have length 4: give 4"),
        ({"coordinates": np.zeros((3, 2))}, r"coordinates has shape \(3, 2\)"),
        ({"coordinates": [[0, 0], [1, 1], [2, 2], [np.nan, 0]]}, r"coordinates must be finite.*\(3, 0\)"),
        ({"coordinates": {0: (0, 0)}}, "coordinates has no place for node 1"),
        ({"edges": [(0, 1)]}, "edges is given without coordinates"),
        ({"coordinates": np.zeros((4, 2)), "edges": [(0, 7)]}, "edges joins nodes up to 7"),
        ({"matrix": np.eye(3)}, "matrix is 3 x 3, but the vectors have length 4"),
        ({"data": np.eye(3)}, r"data has shape \(3, 3\); give samples by features, \(m, 4\)"),
        ({"data": np.ones(4)}, r"data has shape \(4,\)"),
        ({"data": [[1, 2, 3, np.inf]]}, r"data must be finite, but entry \(0, 3\) is inf"),
        ({"data": np.eye(4), "labels": [1, 2]}, r"labels has shape \(2,\), but data has 4 samples: give 4"),
        (
            {"data": np.eye(4), "sample_names": ["a"]},
            "sample_names has 1 names, but the rows of data are 4: give 4",
        ),
        ({"labels": [1, 2]}, "labels is given without data"),
        ({"sample_names": ["a"]}, "sample_names is given without data"),
    ],
)
def test_what_does_not_fit_is_said(result, options, message, tmp_path):
    with pytest.raises(InvalidInputError, match=message):
        je.report(result, tmp_path / "page.html", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"feature_names": "abcd"}, "feature_names is a str; give a list of 4 names"),
        ({"coordinates": [["a", "b"]] * 4}, "coordinates cannot be read as numbers"),
        ({"title": 3}, "title is an int; give a string"),
        ({"data": [["a"] * 4]}, "data cannot be read as real numbers"),
        ({"data": np.eye(4), "labels": "abcd"}, "labels is a str; give one label for each sample"),
        ({"data": np.eye(4), "sample_names": 3}, "sample_names is an int; give a list of 4 names"),
    ],
)
def test_the_wrong_type_is_said(result, options, message, tmp_path):
    with pytest.raises(InvalidTypeError, match=message):
        je.report(result, tmp_path / "page.html", **options)


def test_only_results_and_our_estimators_are_shown(tmp_path):
    for other in (np.eye(3), PCA(2).fit(DIGITS)):
        with pytest.raises(
            InvalidTypeError, match="give an EigenResult, a Front, a fitted JacobiPCA or a fitted GraphF"
        ):
            je.report(other, tmp_path / "page.html")


@pytest.mark.parametrize("model", [je.JacobiPCA(2), je.GraphFourier(2)])
def test_an_estimator_must_be_fitted(model, tmp_path):
    with pytest.raises(NotFittedError):
        je.report(model, tmp_path / "page.html")


def test_a_path_that_cannot_be_written_is_said_before_any_work(tmp_path):
    with pytest.raises(InvalidInputError, match="is a folder"):
        je.report(None, tmp_path)
    with pytest.raises(InvalidInputError, match="there is no folder"):
        je.report(None, tmp_path / "missing" / "page.html")
    with pytest.raises(InvalidTypeError, match=r"path is an int; .* samples as data="):
        je.report(None, 3)


def test_without_plotly_the_message_says_what_to_install(result, tmp_path, monkeypatch):
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
