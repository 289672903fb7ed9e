"""Matrices and graphs to try things on, and the paper's images of digits from a file or scikit-learn's fetcher."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from jacobeig._arguments import check_count
from jacobeig._docs import share_docs
from jacobeig._extras import import_extra
from jacobeig._types import FloatArray, Floats, IntArray, PathLike, Rng
from jacobeig.errors import FileFormatError, InvalidInputError, MissingDataError

__all__ = ["Digits", "community_graph", "community_laplacian", "load_mnist", "load_usps", "random_covariance"]


def random_covariance(n: int, rank: int | None = None, rng: Rng = None) -> FloatArray:
    """Return S = X X^T with standard normal X (n x n), the random matrices of the paper.

    Parameters
    ----------
    n : int
        Order of the matrix.
    rank : int, optional
        Keep only this many of its largest eigenvalues, as in the paper's low-rank experiment.
    rng : int, Generator or None, optional
        Seed or generator.

    Returns
    -------
    ndarray (n, n)
        Symmetric positive semidefinite.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import random_covariance
    >>> int(np.linalg.matrix_rank(random_covariance(30, rank=4, rng=0)))
    4
    """
    X = np.random.default_rng(rng).standard_normal((n, n))
    S: FloatArray = X @ X.T
    if rank is None:
        return S
    rank = check_count("rank", rank, 1, n, "the order of the matrix")
    values, vectors = np.linalg.eigh(S)
    root = vectors[:, -rank:] * np.sqrt(values[-rank:])
    low: FloatArray = root @ root.T
    return (low + low.T) / 2


def community_laplacian(n: int = 256, rng: Rng = None) -> FloatArray:
    """Return the Laplacian of a random graph with about sqrt(n) / 2 dense communities and few edges between them.

    Parameters
    ----------
    n : int, default 256
        Number of nodes.
    rng : int, Generator or None, optional
        Seed or generator.

    Returns
    -------
    ndarray (n, n)
        Combinatorial Laplacian D - A of a graph with edges of weight one.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import community_laplacian
    >>> L = community_laplacian(64, rng=0)
    >>> bool(np.allclose(L.sum(axis=0), 0.0))
    True
    """
    generator = np.random.default_rng(rng)
    community = np.sort(generator.integers(max(2, round(np.sqrt(n) / 2)), size=n))
    inside = community[:, np.newaxis] == community
    edges = generator.random((n, n)) < np.where(inside, 0.5, 1.0 / n)
    adjacency = np.triu(edges, 1).astype(float)
    adjacency += adjacency.T
    laplacian: FloatArray = np.diag(adjacency.sum(axis=0)) - adjacency
    return laplacian


def community_graph(n: int = 256, rng: Rng = None) -> tuple[sparse.csr_array, FloatArray]:
    """Return a random community graph of the kind that the paper takes from the Graph Signal Processing Toolbox.

    The nodes of each of about sqrt(n) / 2 communities lie in a disc of their own, near ones are joined, and about one
    pair in n from different communities is joined as well. The same seed gives the edges that
    ``pygsp.graphs.Community(n, seed=rng)`` has in pygsp 0.6.

    Parameters
    ----------
    n : int, default 256
        Number of nodes, at least 9.
    rng : int, Generator or None, optional
        Seed or generator.

    Returns
    -------
    adjacency : csr_array (n, n)
        Symmetric, of zeros and ones.
    coordinates : ndarray (n, 2)
        Where the nodes lie; the communities stand in a circle.

    Examples
    --------
    >>> from jacobeig.datasets import community_graph
    >>> adjacency, coordinates = community_graph(64, rng=0)
    >>> adjacency.shape, coordinates.shape
    ((64, 64), (64, 2))
    """
    if n < 9:
        raise InvalidInputError(f"n is {n}; give at least 9 nodes, for two communities.")
    from scipy.spatial.distance import cdist  # slow to import, and nothing else here needs it

    generator = np.random.default_rng(rng)
    n_communities = round(np.sqrt(n) / 2)
    least = round(n / (3 * n_communities))
    # The order of the draws is that of pygsp, so that seeds mean the same graphs.
    others = generator.choice(n_communities, n - least * n_communities)
    community = np.sort(np.concatenate([np.repeat(np.arange(n_communities), least), others]))
    sizes = np.bincount(community)
    radius, turn = generator.uniform(size=(n, 2)).T
    inside = (radius * np.sqrt(sizes[community]))[:, np.newaxis] * _place_on_circle(turn)
    near = cdist(inside, inside) <= np.sqrt(2.0 * np.sqrt(n)) / 2.0
    adjacency = np.triu(near & (community[:, np.newaxis] == community), 1)
    missing = int((n * n - np.sum(sizes**2)) / (2 * n))
    while missing:
        low, high = np.sort(generator.integers(0, n, 2))
        if community[low] != community[high] and not adjacency[low, high]:
            adjacency[low, high] = True
            missing -= 1
    centres = np.sqrt(n) * _place_on_circle((np.arange(n_communities) + 1) / n_communities)
    return sparse.csr_array((adjacency | adjacency.T).astype(float)), inside + centres[community]


def _place_on_circle(turns: FloatArray) -> FloatArray:
    return np.column_stack([np.cos(2.0 * np.pi * turns), np.sin(2.0 * np.pi * turns)])


@dataclass(frozen=True, kw_only=True, eq=False)
class Digits:
    """Images of handwritten digits.

    Attributes
    ----------
    pixels : ndarray (images, n)
        One image a row.
    labels : ndarray (images,) or None
        The digit that each image shows, if known.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import Digits
    >>> Digits(pixels=np.zeros((3, 256)), labels=None)
    Digits(3 images of 256 pixels, without labels)
    """

    pixels: Floats
    labels: IntArray | None

    def __repr__(self) -> str:
        n_images, n_pixels = self.pixels.shape
        with_labels = "without labels" if self.labels is None else "with labels"
        return f"Digits({n_images:,} images of {n_pixels} pixels, {with_labels})"


share_file = share_docs(
    file="""
Parameters
----------
path : path-like, optional
    An npz file with ``X`` (images x pixels) and, for labels, ``y``; or a csv file with a column for each pixel and
    perhaps one more for the label (the first, or the one named label, class, digit, target or y). Pixels in [0, 1] or
    from 0 to 255 are brought to the stated range. Without it scikit-learn fetches them once and keeps them.

Returns
-------
Digits
    The images and their labels.
"""
)


@share_file
def load_usps(path: PathLike | None = None) -> Digits:
    """Return the USPS digits (9,298 images of 16 x 16 pixels), with pixels in [-1, 1].

    %(file)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import load_usps
    >>> np.savez("usps.npz", X=np.linspace(-1, 1, 5 * 256).reshape(5, 256), y=[0, 1, 2, 3, 4])
    >>> load_usps("usps.npz")
    Digits(5 images of 256 pixels, with labels)
    """
    digits = _load_digits("USPS", "usps", 41082, 256, path)
    low, high = float(digits.pixels.min()), float(digits.pixels.max())
    if low < 0.0 or high <= 0.0:
        return digits
    return Digits(pixels=2.0 * digits.pixels / high - 1.0, labels=digits.labels)


@share_file
def load_mnist(path: PathLike | None = None) -> Digits:
    """Return the MNIST digits (70,000 images of 28 x 28 pixels), with pixels in [0, 1].

    %(file)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.datasets import load_mnist
    >>> np.savez("mnist.npz", X=np.full((2, 784), 255))
    >>> float(load_mnist("mnist.npz").pixels.max())
    1.0
    """
    digits = _load_digits("MNIST", "mnist", 554, 784, path)
    scale = max(float(digits.pixels.max()), 1.0)
    return Digits(pixels=digits.pixels / scale, labels=digits.labels)


def _load_digits(title: str, argument: str, openml: int, n_pixels: int, path: PathLike | None) -> Digits:
    """Read the file, or fetch the data set of that number; check what came."""
    X, y = _fetch_digits(title, argument, openml, n_pixels) if path is None else _read(Path(path), n_pixels)
    origin = f"{title} from the internet" if path is None else str(path)
    if X.ndim != 2 or X.shape[1] != n_pixels or not len(X):
        raise FileFormatError(f"{origin}: the images have shape {X.shape}; expected one image of {n_pixels} a row.")
    if y is not None and y.shape != (len(X),):
        raise FileFormatError(f"{origin}: there are {y.shape} labels for {len(X)} images; expected one an image.")
    try:
        pixels, labels = X.astype(np.float64), None if y is None else y.astype(float).astype(np.int64)
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"{origin}: not all pixels and labels are numbers ({error}).") from error
    if not np.isfinite(pixels).all():
        raise FileFormatError(f"{origin}: some pixels are NaN or infinite.")
    if labels is not None and labels.min() == 1 and labels.max() == 10:  # as OpenML counts the classes of USPS
        labels = labels - 1
    return Digits(pixels=pixels, labels=labels)


def _read(path: Path, n_pixels: int) -> tuple[Any, Any]:
    """Return the images and labels (or None) of an npz or csv file."""
    if not path.exists():
        raise MissingDataError(f"there is no file {path}; give an npz file with X and y, or a csv file.")
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return file["X"], file["y"] if "y" in file.files else None
        return _read_csv(path, n_pixels)
    except (KeyError, OSError, ValueError) as error:
        raise FileFormatError(
            f"{path} cannot be read ({error}); give npz with X (images x {n_pixels} pixels) and y (labels), or csv."
        ) from error


def _read_csv(path: Path, n_pixels: int) -> tuple[Any, Any]:
    with open(path, encoding="utf-8") as file:
        heading = [cell.strip().strip("\"'").lower() for cell in file.readline().split(",")]
    try:
        table = np.loadtxt(path, delimiter=",", ndmin=2)
    except ValueError:  # of the heading, if there is one
        table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    if table.shape[1] == n_pixels:
        return table, None
    named = [t for t, cell in enumerate(heading) if cell in {"label", "class", "digit", "target", "y"}]
    label = named[0] if named else 0
    return np.delete(table, label, axis=1), table[:, label]


def _fetch_digits(title: str, argument: str, openml: int, n_pixels: int) -> tuple[Any, Any]:
    """Return the images and labels that scikit-learn fetches, or kept when it last did."""
    datasets = import_extra("sklearn.datasets")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns before it tries again
            found = datasets.fetch_openml(data_id=openml, as_frame=False, n_retries=1)
    except (ImportError, OSError, ValueError) as error:
        raise MissingDataError(
            f"{title} is not on this machine and could not be fetched ({error}). Give its file with {argument}=PATH "
            f"(--{argument} PATH on the command line): npz with X (images x {n_pixels} pixels) and y (labels), or csv."
        ) from error
    return found.data, found.target
