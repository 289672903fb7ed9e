"""All components at a glance, and how often their features are chosen: a row for each feature, a column for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jacobeig._arguments import check_count
from jacobeig._types import FloatArray
from jacobeig.plotting._vectors import label_features, name_parts, read_columns
from jacobeig.plotting.axes import DIVERGING, SEQUENTIAL, Axes, draws, get_axes


@draws
def plot_overview(
    vectors: Any, *, names: Sequence[str] | None = None, n_features: int = 40, ax: Axes | None = None
) -> Axes:
    """Show what all components are made of: a row for each feature, a column for each component, white for zero.

    Parameters
    ----------
    vectors : EigenResult, fitted estimator, array_like or sparse array
        The components, one per column, or as in ``components_`` one per row.
    %(names)s
    n_features : int, default 40
        How many features at most: those with the largest loadings.
    %(ax)s

    Examples
    --------
    >>> import jacobeig as je
    >>> ax = je.plotting.plot_overview(je.sparse_eigsh(je.datasets.random_covariance(60, rng=0), 4, density=0.1))
    >>> ax.get_xlabel()
    'component'
    """
    columns = read_columns(vectors)
    labels = label_features(vectors, names, len(columns))
    largest = np.abs(columns).max()
    shown = _rank(np.abs(columns), n_features)
    ax = _draw(ax, np.where(columns == 0.0, np.nan, columns)[shown], [labels[t] for t in shown])
    ax.images[0].set(cmap=DIVERGING, clim=(-largest, largest))
    _label(ax, "loading", len(shown), int(columns.any(axis=1).sum()), name_parts(vectors))
    return ax


@draws
def plot_stability(
    stability: Any, *, names: Sequence[str] | None = None, n_features: int = 40, ax: Axes | None = None
) -> Axes:
    """Show how often features are chosen by refits; a dot marks those that the model itself has.

    Parameters
    ----------
    stability : Stability
        What `jacobeig.JacobiPCA.stability` returned.
    %(names)s
    n_features : int, default 40
        How many features at most: those chosen most often.
    %(ax)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import jacobeig as je
    >>> wine = load_wine(as_frame=True).data
    >>> pca = je.JacobiPCA(2, max_nonzeros=3, scale=True).fit(wine)
    >>> ax = je.plotting.plot_stability(pca.stability(wine, n_refits=5))
    >>> ax.get_ylabel()
    ''
    """
    frequencies = stability.frequencies.T
    labels = label_features(stability, stability.feature_names if names is None else names, len(frequencies))
    shown = _rank(frequencies, n_features)
    ax = _draw(ax, np.where(frequencies == 0.0, np.nan, frequencies)[shown], [labels[t] for t in shown])
    ax.images[0].set(cmap=SEQUENTIAL, clim=(0.0, 1.0))
    rows, columns = np.nonzero(stability.chosen.T[shown])
    light = frequencies[shown][rows, columns] > 0.5
    ax.scatter(columns, rows, s=9, c=["white" if on_dark else "0.15" for on_dark in light], linewidths=0)
    _label(ax, "share of refits that choose it", len(shown), int(frequencies.any(axis=1).sum()), name_parts(stability))
    return ax


def _rank(sizes: FloatArray, n_features: int) -> Any:
    """Return the features to show: by the component in which each is largest, the largest of each first."""
    count = min(check_count("n_features", n_features, 1), np.count_nonzero(sizes.any(axis=1)))
    most = np.argsort(-sizes.max(axis=1), kind="stable")[:count]
    return most[np.lexsort((-sizes[most].max(axis=1), sizes[most].argmax(axis=1)))]


def _draw(ax: Axes | None, cells: FloatArray, labels: Sequence[str]) -> Axes:
    rows, columns = cells.shape
    ax = get_axes(ax, (1.9 + 0.42 * columns + 0.09 * max(map(len, labels), default=0), 1.0 + 0.21 * max(rows, 4)))
    ax.imshow(cells, aspect="auto", interpolation="nearest")
    ax.set_xticks(range(columns), [str(t + 1) for t in range(columns)])
    ax.set_yticks(range(rows), labels)
    ax.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="0.9", linewidth=0.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    return ax


def _label(ax: Axes, meaning: str, shown: int, every: int, words: tuple[str, str]) -> None:
    hidden = "" if shown == every else f" ({shown} of {every} {words[1]}s)"
    ax.set_xlabel(f"{words[0]}{hidden}")
    bar = ax.figure.colorbar(ax.images[0], ax=ax, shrink=min(1.0, 12 / max(shown, 1)), aspect=12, pad=0.04)
    bar.set_label(meaning)
    bar.outline.set_visible(False)
