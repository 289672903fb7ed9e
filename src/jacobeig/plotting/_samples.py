"""Samples along two components, with or without arrows for the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jacobeig._arguments import check_count
from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError
from jacobeig.plotting._vectors import label_features, read_columns
from jacobeig.plotting.axes import PALETTE, Axes, draw_legend, draws, get_axes, tidy

MOST_GROUPS = 20  # that a legend can name; numbers of more kinds are a scale of colours
FONT, LINE = 7.5, 9.5  # points of the words at arrows, and from one line of them to the next
REACH = 0.85  # of the longest arrow, in ranges of the samples


@draws
def plot_scores(
    model: Any, X: Any = None, components: tuple[int, int] = (0, 1), *, labels: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw samples along two components, coloured by labels.

    Parameters
    ----------
    model : fitted estimator, or array_like (n_samples, n_components)
        What transforms the samples, or their coefficients.
    X : array_like, data frame or scipy sparse array (n_samples, n_features), optional
        The samples, for an estimator.
    components : tuple of int, default (0, 1)
        Which two, counted from 0.
    labels : array_like (n_samples,), optional
        What colours the samples: text or few whole numbers are groups, other numbers a scale.
    %(ax)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import jacobeig as je
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = je.plotting.plot_scores(je.JacobiPCA(2, scale=True).fit(X), X, labels=y)
    >>> len(ax.collections)  # one for each kind of wine
    3
    """
    scores, (first, second) = _read_scores(model, X, components), components
    ax = get_axes(ax, (5.6, 4.2))
    _draw_points(ax, scores, labels)
    ax.set(xlabel=_name_component(model, first), ylabel=_name_component(model, second))
    return tidy(ax)


@draws
def plot_biplot(
    model: Any,
    X: Any,
    components: tuple[int, int] = (0, 1),
    *,
    labels: Any = None,
    names: Sequence[str] | None = None,
    n_features: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw samples along two components, and an arrow for each feature that has a loading in them.

    Arrows have the directions and relative lengths of the loadings; the longest nearly reaches the outermost samples.

    Parameters
    ----------
    model : fitted estimator
        What transforms the samples.
    X : array_like, data frame or scipy sparse array (n_samples, n_features)
        The samples.
    components : tuple of int, default (0, 1)
        Which two, counted from 0.
    labels : array_like (n_samples,), optional
        What colours the samples.
    %(names)s
    n_features : int, default 12
        How many arrows at most: the longest.
    %(ax)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import jacobeig as je
    >>> wine = load_wine(as_frame=True)
    >>> pca = je.JacobiPCA(2, max_nonzeros=3, scale=True).fit(wine.data)
    >>> ax = je.plotting.plot_biplot(pca, wine.data, labels=wine.target)
    >>> sorted({text.get_text() for text in ax.texts})[:3]
    ['', 'alcohol', 'color_intensity']
    """
    ax = plot_scores(model, X, components, labels=labels, ax=ax)
    columns = read_columns(model)
    arrows = columns[:, list(components)]
    lengths = np.hypot(*arrows.T)
    longest = np.argsort(-lengths, kind="stable")[: check_count("n_features", n_features, 1)]
    shown = longest[lengths[longest] > 0.0]
    words = label_features(model, names, len(columns))
    reach = REACH * np.abs(_read_scores(model, X, components)).max(axis=0).min() / (lengths.max() or 1.0)
    tips = reach * arrows[shown]
    for tip in tips:
        ax.annotate("", tip, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": "0.25", "lw": 0.9, "shrinkA": 0})
    for draw_line in (ax.axhline, ax.axvline):
        draw_line(0.0, color="0.6", lw=0.6, zorder=1)
    ax.margins(0.12)
    _write_beside(ax, tips, [words[t] for t in shown])
    return ax


def _write_beside(ax: Axes, tips: FloatArray, words: Sequence[str]) -> None:
    """Write words at the tips of arrows, moved up or down where they would cover each other.

    Components without a common feature have all their arrows on the two axes, where many tips are close together.
    """
    from matplotlib.patheffects import withStroke

    ax.autoscale_view()
    places = ax.transData.transform(tips) * 72.0 / ax.figure.dpi
    taken: list[tuple[float, float, float]] = []  # left, right and height of words that are written, in points
    for tip, (x, y), word in zip(tips, places, words, strict=True):
        width = 0.62 * FONT * len(word)  # what a letter is wide on average, so that nothing has to be drawn to know
        left = x if tip[0] >= 0 else x - width
        for turn in range(2 * len(words) + 1):
            shift = LINE * ((turn + 1) // 2) * (1.0 if turn % 2 else -1.0) * (1.0 if tip[1] >= 0 else -1.0)
            if all(left > b or left + width < a or abs(y + shift - level) >= LINE for a, b, level in taken):
                break
        taken.append((left, left + width, y + shift))
        ax.annotate(
            word, tip, textcoords="offset points", xytext=(4.0 if tip[0] >= 0 else -4.0, shift), fontsize=FONT,
            color="0.15", ha="left" if tip[0] >= 0 else "right", va="center",
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
        )  # fmt: skip


def _read_scores(model: Any, X: Any, components: tuple[int, int]) -> FloatArray:
    if hasattr(model, "transform"):
        if X is None:
            raise InvalidInputError("is None", argument="X", advice="give the samples that the estimator transforms.")
        model = model.transform(X)
    scores = np.asarray(model, dtype=float)
    if scores.ndim != 2 or not all(0 <= t < scores.shape[1] for t in components):
        raise InvalidInputError(
            f"is {components}, but the scores have shape {scores.shape}",
            argument="components",
            advice="give two of them.",
        )
    return scores[:, list(components)]


def _name_component(model: Any, t: int) -> str:
    ratio = getattr(model, "explained_variance_ratio_", None)
    return f"component {t + 1}" + ("" if ratio is None else f" ({ratio[t]:.1%} of the variance)")


def _draw_points(ax: Axes, scores: FloatArray, labels: Any) -> None:
    size = float(np.clip(4000.0 / len(scores), 6.0, 26.0))
    style: dict[str, Any] = {"s": size, "alpha": 0.75, "linewidths": 0}
    if labels is None:
        ax.scatter(scores[:, 0], scores[:, 1], color=PALETTE[0], **style)
        return
    given = np.asarray(labels)
    if given.shape != (len(scores),):
        raise InvalidInputError(f"labels have shape {given.shape}; give one for each of {len(scores)} samples.")
    groups = np.unique(given.astype(str) if given.dtype.kind == "O" else given)
    if given.dtype.kind in "f" or len(groups) > MOST_GROUPS:
        codes = given if given.dtype.kind in "biuf" else np.unique(given.astype(str), return_inverse=True)[1]
        points = ax.scatter(scores[:, 0], scores[:, 1], c=codes, cmap="viridis", **style)
        ax.figure.colorbar(points, ax=ax, shrink=0.8).outline.set_visible(False)
        return
    for t, group in enumerate(groups):
        own = (given.astype(str) if given.dtype.kind == "O" else given) == group
        name = str(group).replace("$", r"\$")
        marker = "o^sD"[t // len(PALETTE) % 4]
        ax.scatter(scores[own, 0], scores[own, 1], color=PALETTE[t % len(PALETTE)], marker=marker, label=name, **style)
    draw_legend(ax, markerscale=float(np.sqrt(26.0 / size)))
