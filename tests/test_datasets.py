"""Generated matrices and graphs, and images of digits from files."""

import sys
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from jacobeig.datasets import community_graph, community_laplacian, load_mnist, load_usps, random_covariance
from jacobeig.errors import FileFormatError, InvalidInputError, MissingDataError, MissingExtraError


def test_a_random_covariance_is_gaussian_times_its_transpose():
    X = np.random.default_rng(3).standard_normal((20, 20))
    np.testing.assert_array_equal(random_covariance(20, rng=3), X @ X.T)


def test_a_low_rank_covariance_keeps_the_largest_eigenvalues_and_is_symmetric():
    full, low = random_covariance(20, rng=3), random_covariance(20, rank=4, rng=3)
    np.testing.assert_allclose(np.linalg.eigvalsh(low)[-4:], np.linalg.eigvalsh(full)[-4:], rtol=1e-12)
    assert np.abs(np.linalg.eigvalsh(low)[:-4]).max() < 1e-12 * np.linalg.norm(full)
    assert (low == low.T).all()


@pytest.mark.parametrize("rank", [0, 21, -1])
def test_an_impossible_rank_is_refused(rank):
    with pytest.raises(InvalidInputError, match=f"rank is {rank}; give a whole number from 1 to 20"):
        random_covariance(20, rank=rank)


def test_a_community_laplacian_is_one():
    L = community_laplacian(64, rng=0)
    assert (L == L.T).all()
    assert not L.sum(axis=0).any()
    off = L - np.diag(np.diag(L))
    assert set(np.unique(off)) == {-1.0, 0.0}
    values = np.linalg.eigvalsh(L)
    assert abs(values[0]) < 1e-10
    assert (values[1:4] < 2.0).all()  # communities are almost separate


def test_the_same_seed_gives_the_same_matrix():
    for make in (random_covariance, community_laplacian):
        assert (make(16, rng=1) == make(16, rng=np.random.default_rng(1))).all()
        assert (make(16, rng=1) != make(16, rng=2)).any()


def test_a_community_graph_joins_near_nodes_of_a_community_and_few_others():
    n = 256
    adjacency, coordinates = community_graph(n, rng=0)
    dense = adjacency.toarray()
    assert (dense == dense.T).all()
    assert set(np.unique(dense)) == {0.0, 1.0}
    assert not dense.diagonal().any()
    lengths = np.linalg.norm(coordinates[:, None] - coordinates, axis=2)
    radius = np.sqrt(2 * np.sqrt(n)) / 2
    far = dense[lengths > radius].sum() / 2
    assert far > 0
    assert far < n / 2
    inside = np.where(lengths <= radius, dense, 0.0)
    assert connected_components(inside)[0] >= 8  # one piece or more for each of the 8 communities
    assert dense.sum() > 8 * n


def test_a_community_graph_of_pygsp_has_the_same_edges_for_the_same_seed():
    graphs = pytest.importorskip("pygsp").graphs
    adjacency, coordinates = community_graph(64, rng=3)
    other = graphs.Community(64, seed=3)
    assert (adjacency != other.W).nnz == 0
    np.testing.assert_allclose(other.coords, coordinates)


def test_a_community_graph_is_the_same_for_the_same_seed_and_needs_nodes():
    assert (community_graph(64, rng=1)[0] != community_graph(64, rng=1)[0]).nnz == 0
    assert (community_graph(64, rng=1)[0] != community_graph(64, rng=2)[0]).nnz > 0
    with pytest.raises(InvalidInputError, match="n is 8; give at least 9"):
        community_graph(8)


def images(n_pixels, low, high, n_images=6):
    return np.linspace(low, high, n_images * n_pixels).reshape(n_images, n_pixels)


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 1), (0, 255)])
def test_usps_comes_in_minus_one_to_one_whatever_the_file_has(tmp_path, low, high):
    path = tmp_path / "usps.npz"
    np.savez(path, X=images(256, low, high), y=np.arange(6, dtype=np.int8))
    digits = load_usps(path)
    np.testing.assert_allclose(digits.pixels, images(256, -1, 1), atol=1e-12)
    assert digits.labels.tolist() == list(range(6))
    assert repr(digits) == "Digits(6 images of 256 pixels, with labels)"


@pytest.mark.parametrize("high", [1, 255])
def test_mnist_comes_in_zero_to_one_and_needs_no_labels(tmp_path, high):
    np.savez(tmp_path / "mnist.npz", X=images(784, 0, high))
    digits = load_mnist(tmp_path / "mnist.npz")
    np.testing.assert_allclose(digits.pixels, images(784, 0, 1), atol=1e-12)
    assert digits.labels is None


@pytest.mark.parametrize(
    ("heading", "label", "comment"),
    [(None, None, "pixels alone"), (None, 0, "label first"), ("pixel", 0, "heading"), ("pixel", 256, "label last")],
)
def test_csv_files_are_read_with_and_without_heading_and_labels(tmp_path, heading, label, comment):
    X, path = images(256, 0, 1).round(6), tmp_path / "usps.csv"
    names = [f"pixel{t}" for t in range(256)]
    if label is not None:
        X = np.insert(X, label, [3, 1, 4, 1, 5, 9], axis=1)
        names.insert(label, "label")
    np.savetxt(path, X, delimiter=",", fmt="%.6f", header=",".join(names) if heading else "", comments="")
    digits = load_usps(path)
    np.testing.assert_allclose(digits.pixels, images(256, -1, 1), atol=1e-5)
    assert (digits.labels is None) if label is None else digits.labels.tolist() == [3, 1, 4, 1, 5, 9]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((5, 200))}, r"shape \(5, 200\); expected one image of 256 a row"),
        ({"X": np.ones((5, 256)), "y": np.ones(4)}, "labels for 5 images"),
        ({"Z": np.ones((5, 256))}, "cannot be read .*X"),
        ({"X": np.full((5, 256), np.nan)}, "NaN or infinite"),
        ({"X": np.full((5, 256), "a")}, "not all pixels and labels are numbers"),
    ],
)
def test_a_file_that_is_not_usps_says_why(tmp_path, arrays, message):
    np.savez(tmp_path / "usps.npz", **arrays)
    with pytest.raises(FileFormatError, match=message):
        load_usps(tmp_path / "usps.npz")


def test_a_file_that_is_not_there_or_not_an_archive_is_named(tmp_path):
    with pytest.raises(MissingDataError, match=r"there is no file .*nothing\.npz"):
        load_usps(tmp_path / "nothing.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(FileFormatError, match=r"text\.npz cannot be read"):
        load_usps(tmp_path / "text.npz")
    (tmp_path / "text.csv").write_text("a,b\nc,d\n")
    with pytest.raises(FileFormatError, match=r"text\.csv cannot be read"):
        load_usps(tmp_path / "text.csv")


def test_without_a_file_scikit_learn_fetches_and_classes_from_one_become_digits(monkeypatch):
    asked = []

    def fetch(**options):
        asked.append(options)
        return SimpleNamespace(data=images(256, -1, 1, 10), target=np.array([str(t + 1) for t in range(10)], object))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    digits = load_usps()
    assert digits.labels.tolist() == list(range(10))
    assert [options["data_id"] for options in asked] == [41082]


@pytest.mark.parametrize(("load", "option"), [(load_usps, "usps"), (load_mnist, "mnist")])
def test_offline_the_message_says_which_file_to_give(monkeypatch, load, option):
    def fetch(**options):
        raise URLError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(
        MissingDataError, match=rf"no route.*{option}=PATH \(--{option} PATH on the command line\): npz"
    ):
        load()


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(MissingExtraError, match="scikit-learn is not installed"):
        load_mnist()
