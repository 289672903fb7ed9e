"""Components as images and as bars of named loadings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jacobeig._arguments import check_count, check_image_shape
from jacobeig.errors import InvalidInputError
from jacobeig.plotting._vectors import label_features, name_parts, read_columns
from jacobeig.plotting.axes import DIVERGING, PALETTE, Axes, draws, get_axes, tidy


@draws
def plot_components(vectors: Any, shape: tuple[int, int], *, n_columns: int = 5, ax: Axes | None = None) -> Axes:
    """Show vectors as images, side by side; blue and red are the two signs, white is exactly zero.

    Parameters
    ----------
    vectors : EigenResult, fitted estimator, array_like or sparse array
        The components, one per column, or as in ``components_`` one per row.
    shape : tuple of int
        Height and width of the image that a vector is.
    n_columns : int, default 5
        Images in a row.
    %(ax)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.plotting import plot_components
    >>> ax = plot_components(np.eye(4)[:, :2], (2, 2))
    """
    dense = read_columns(vectors)
    height, width = check_image_shape(shape, len(dense))
    n_columns = min(check_count("n_columns", n_columns, 1), dense.shape[1])
    ax = get_axes(ax)
    n_rows = -(-dense.shape[1] // n_columns)
    sheet = np.full((n_rows * (height + 1) + 1, n_columns * (width + 1) + 1), np.nan)
    for t, vector in enumerate(dense.T):
        top, left = t // n_columns * (height + 1) + 1, t % n_columns * (width + 1) + 1
        image = vector.reshape(height, width) / (np.abs(vector).max() or 1.0)
        sheet[top : top + height, left : left + width] = np.where(image == 0.0, np.nan, image)
        frame = (left - 0.5, left + width - 0.5, left + width - 0.5, left - 0.5, left - 0.5)
        sides = (top - 0.5, top - 0.5, top + height - 0.5, top + height - 0.5, top - 0.5)
        ax.plot(frame, sides, color="0.75", lw=0.5)
    ax.imshow(sheet, cmap=DIVERGING, vmin=-1.0, vmax=1.0, interpolation="nearest")
    ax.set_axis_off()
    return ax


@draws
def plot_loadings(
    vectors: Any,
    component: int = 0,
    *,
    names: Sequence[str] | None = None,
    n_features: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw the loadings of one component as named bars, the largest first; the two colours are the two signs.

    Parameters
    ----------
    vectors : EigenResult, fitted estimator, array_like or sparse array
        One component, or several, one per column, or as in ``components_`` one per row.
    component : int, default 0
        Which of them, counted from 0.
    %(names)s
    n_features : int, default 10
        How many bars at most. Entries that are zero have none.
    %(ax)s

    Examples
    --------
    >>> from jacobeig.plotting import plot_loadings
    >>> ax = plot_loadings([0.6, 0.0, -0.8], names=["length", "width", "height"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['height', 'length']
    """
    columns = read_columns(vectors)
    labels = label_features(vectors, names, len(columns))
    component = check_count("component", component, 0)
    if component >= columns.shape[1]:
        raise InvalidInputError(f"component is {component}; the vectors have {columns.shape[1]}, counted from 0.")
    vector = columns[:, component]
    order = np.argsort(-np.abs(vector), kind="stable")
    order = order[vector[order] != 0.0]
    shown = order[: check_count("n_features", n_features, 1)]
    ax = get_axes(ax, (4.5, 0.8 + 0.26 * max(len(shown), 3)))
    rows = np.arange(len(shown))
    ax.barh(rows, vector[shown], color=[PALETTE[0] if value > 0 else PALETTE[1] for value in vector[shown]], height=0.7)
    ax.set_yticks(rows, [labels[t] for t in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.axvline(0.0, color="0.3", lw=0.8)
    hidden = "" if len(shown) == len(order) else f" (largest {len(shown)} of {len(order)} nonzeros)"
    ax.set_xlabel(f"loading, {name_parts(vectors)[0]} {component + 1}{hidden}")
    tidy(ax).grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
    return ax
