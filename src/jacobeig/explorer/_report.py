"""`report`: checks what it is given, collects the data of a page and writes it."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from jacobeig._arguments import check_boolean, name_type
from jacobeig._types import PathLike
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.explorer._data import collect_data
from jacobeig.explorer._layout import Layout, arrange
from jacobeig.explorer._page import build_page
from jacobeig.explorer._samples import MOST_VALUES, Samples, check_samples
from jacobeig.explorer._shown import WrittenPage
from jacobeig.explorer._stability import check_stability, collect_stability
from jacobeig.explorer._states import list_states
from jacobeig.explorer._subject import Subject, add_certificates, add_data, add_matrix, describe, limit_shares
from jacobeig.results.atomic_files import open_draft

# Bytes of the whole file, and nonzeros of all states together that usually stay well within them.
LARGEST_FILE = 7_500_000
MOST_ENTRIES = 600_000


def report(
    result_or_estimator: Any,
    path: PathLike = "report.html",
    *,
    matrix: Any = None,
    feature_names: Any = None,
    shape: tuple[int, int] | None = None,
    coordinates: Any = None,
    edges: Any = None,
    data: Any = None,
    labels: Any = None,
    sample_names: Any = None,
    front: bool | None = None,
    stability: Any = None,
    certificates: Any = None,
    title: str | None = None,
) -> Path:
    """Write a page to look through a result: one HTML file, which works offline and in any current browser.

    A slider runs along the rotations, every point of it an exact state of the run, or along the front of refined
    vectors. The page shows accuracy against density with its knee, what each component adds (and each exact one), the
    components themselves (as images, on a map, or as bars of named loadings), and a table of loadings that can be
    sorted and downloaded. With `data` it also shows the samples along any two components, with the largest loadings as
    arrows.

    Parameters
    ----------
    result_or_estimator : EigenResult, Front, JacobiPCA or GraphFourier
        What to show; an estimator must be fitted, and gives its names, edges and totals itself. A refined `JacobiPCA`
        shows its `front`; so does a refined result, if `matrix` is given.
    path : path-like, default "report.html"
        Where to write; an existing file is replaced in one step.
    matrix : array_like, sparse array, LinearOperator or row source (n, n), optional
        The matrix that was decomposed, to show accuracy: what is captured over what exact eigenvectors capture. At
        the small end and at both ends, where that is no share, both sums are shown.
    feature_names : sequence of str (n,), optional
        Names of the coordinates.
    shape : tuple of int, optional
        Height and width of the image that a vector is.
    coordinates : array_like (n, 2) or mapping of node to (x, y), optional
        Places of the coordinates on a map, such as the nodes of a graph. Those of a `GraphFourier` that was fitted to
        at most 2,000 nodes are found by the lengths of its paths, if they are not given.
    edges : edge list, adjacency matrix or graph, optional
        What to join on that map; anything that `GraphFourier.fit` takes. A fitted `GraphFourier` knows its own edges,
        unless it was read from a file.
    data : array_like, data frame or scipy sparse array (m, n), optional
        Samples to place by their scores, as `transform` of the estimator gives them; of an `EigenResult`, ``data @
        vectors``. A data frame with an index of its own names the samples. The data of a fit also tell, unless
        they are large, what full PCA explains.
    labels : sequence (m,), optional
        What colours the samples: text or few whole numbers are groups, other numbers a scale.
    sample_names : sequence of str (m,), optional
        Names of the samples.
    front : bool, optional
        Whether to refine vectors at other densities, for the slider of refined ones; by default where that takes
        some seconds at most, or was done before. A chain of rotations has a slider anyway.
    stability : Stability, optional
        What `JacobiPCA.stability` returned: the table then says how often each feature is chosen again.
    certificates : Certificate or iterable of them, optional
        What `certify` or `certify_front` proved of the same matrix: the curve gets a line that nobody can be above.
    title : str, optional
        Heading of the page.

    Returns
    -------
    Path
        The file, of less than 8 MB. The same input gives the same bytes. A notebook shows it as the page itself.

    Notes
    -----
    Complex vectors are shown by their magnitudes. Where the states would need too much space, fewer of them are taken,
    and then only the largest loadings; of many samples an evenly spaced part is drawn; the page says so. In the
    downloaded csv, names that a spreadsheet would take for a formula begin with an apostrophe.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> import jacobeig as je
    >>> pca = je.JacobiPCA(10, density=0.2).fit(load_digits().data)
    >>> je.report(pca, "digits.html", shape=(8, 8), title="Handwritten digits").stat().st_size < 8e6
    True
    """
    if title is not None and not isinstance(title, str):
        raise InvalidTypeError(f"title is {name_type(title)}; give a string.")
    target = _check_path(path)
    wanted = None if front is None else check_boolean("front", front)
    subject = describe(result_or_estimator, front=wanted)
    layout = arrange(subject, feature_names, shape, coordinates, edges)
    samples = check_samples(subject, data, labels, sample_names)
    if layout.shape is not None:
        subject = replace(subject, words=replace(subject.words, feature="pixel"))
    if matrix is not None:
        subject = add_matrix(subject, matrix, front=wanted)
    if samples is not None:
        subject = add_data(subject, samples.values)
    if certificates is not None:
        subject = add_certificates(subject, certificates)
    page = _build_within(subject, layout, samples, check_stability(subject, stability), title)
    try:
        with open_draft(target) as file:
            file.write(page)
    except OSError as error:
        raise InvalidInputError(f"path is {target}, which cannot be written ({error.strerror}).") from error
    return WrittenPage(target)


def _build_within(
    subject: Subject, layout: Layout, samples: Samples | None, stability: Any, title: str | None
) -> bytes:
    """Return the page; entries and samples are left out until it is small enough."""
    entries, values = MOST_ENTRIES, MOST_VALUES
    while True:
        states = list_states(subject, entries)
        shown = limit_shares(subject, np.array([state.explained.sum() for state in states.states]))
        content = collect_data(shown, layout, states, samples, values, title)
        content["stability"] = None if stability is None else collect_stability(stability, shown, states.states)
        page = build_page(content).encode("utf-8", "replace")
        if len(page) <= LARGEST_FILE or entries < 1000:
            return page
        entries, values = entries // 2, values // 2


def _check_path(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(
            f"path is {name_type(path)}; give the name of the html file to write, and samples as data=...."
        )
    target = Path(path)
    if target.is_dir():
        raise InvalidInputError(f"path is {target}, which is a folder; give the name of the html file to write.")
    if not target.parent.is_dir():
        raise InvalidInputError(f"path is {target}, but there is no folder {target.parent}; make it first.")
    return target
