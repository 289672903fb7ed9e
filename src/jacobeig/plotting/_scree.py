"""What each component explains, beside full PCA."""

from __future__ import annotations

from typing import Any

import numpy as np

from jacobeig._arguments import name_type
from jacobeig.errors import InvalidTypeError
from jacobeig.plotting.axes import PALETTE, Axes, draws, get_axes, tidy


@draws
def plot_scree(model: Any, full: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw what each component explains as bars, their sum as a line, and full PCA's beside them.

    Parameters
    ----------
    model : fitted estimator or EigenResult
        What has explained variances, or eigenvalues.
    full : fitted PCA, or array_like (n_components,), optional
        Full PCA of the same data, or the variances (eigenvalues) that exact components explain.
    %(ax)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> import jacobeig as je
    >>> X = load_wine().data / load_wine().data.std(axis=0)
    >>> ax = je.plotting.plot_scree(je.JacobiPCA(6).fit(X), PCA(6).fit(X))
    >>> ax.get_ylabel()
    'explained variance (%)'
    """
    values, unit, name = _read_values(model)
    exact = None if full is None else np.asarray(getattr(full, "explained_variance_", full), dtype=float) * unit
    ax = get_axes(ax, (5.6, 3.6))
    steps = np.arange(1, len(values) + 1)
    ax.bar(steps, values, width=0.62, color=PALETTE[0], label="each")
    ax.plot(steps, np.cumsum(values), "o-", color=PALETTE[0], ms=4, lw=1.4, label="together")
    if exact is not None:
        ranks = np.arange(1, len(exact) + 1)
        ax.plot(ranks, exact, "_", color=PALETTE[1], ms=16, mew=2, label="each, full PCA")
        ax.plot(ranks, np.cumsum(exact), "s--", color=PALETTE[1], ms=3.5, lw=1.2, label="together, full PCA")
    ax.set(xlabel="component", ylabel=name)
    ax.set_xticks(steps if len(steps) <= 20 else steps[:: -(-len(steps) // 10)])
    ax.legend(frameon=False, loc="best")
    tidy(ax).grid(axis="x", visible=False)
    return ax


def _read_values(model: Any) -> tuple[Any, float, str]:
    """Return what to draw, what one unit of variance is of it, and what it is called."""
    if hasattr(model, "explained_variance_ratio_"):
        ratio = np.asarray(model.explained_variance_ratio_, dtype=float)
        total = float(np.asarray(model.explained_variance_, dtype=float).sum())
        return 100.0 * ratio, 100.0 * float(ratio.sum()) / total if total > 0 else 0.0, "explained variance (%)"
    values = getattr(model, "eigenvalues", getattr(model, "frequencies_", None))
    if values is None:
        raise InvalidTypeError(f"model is {name_type(model)}; give a fitted estimator or an EigenResult.")
    return np.asarray(values, dtype=float), 1.0, "frequency" if hasattr(model, "frequencies_") else "eigenvalue"
