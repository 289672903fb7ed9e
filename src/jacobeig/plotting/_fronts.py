"""Captured variance against density: along one run, and of several methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from jacobeig.errors import InvalidInputError
from jacobeig.plotting.axes import MARKERS, PALETTE, draw_legend, draws, get_axes, label_density_axis, tidy
from jacobeig.results.result import EigenResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_front", "plot_path"]


@draws
def plot_path(
    result: EigenResult, total: float | None = None, *, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot accuracy against density along the rotations of a run.

    Parameters
    ----------
    result : EigenResult
        A result with its chain of rotations.
    total : float, optional
        Sum of the exact eigenvalues, to show captured variance as a percentage of it.
    label : str, optional
        For the legend.
    %(ax)s

    Examples
    --------
    >>> import jacobeig as je
    >>> from jacobeig.plotting import plot_path
    >>> ax = plot_path(je.sparse_eigsh(je.datasets.random_covariance(60, rng=0), 4))
    >>> ax.get_xlabel()
    'density (%)'
    """
    captured = result.captured[1:]
    if total is not None and not total > 0.0:
        raise InvalidInputError(f"total is {total}; give the sum of the exact eigenvalues, above 0, or None.")
    ax = get_axes(ax)
    n, p = result.vectors.shape
    scale = 1.0 if total is None else 100.0 / total
    colour = PALETTE[len(ax.lines) % len(PALETTE)]
    ax.plot(100.0 * result.nonzeros / (n * p), scale * captured, label=label, color=colour, lw=1.6)
    ax.set(xlabel="density (%)", ylabel="captured variance" + ("" if total is None else " (% of PCA)"))
    return tidy(ax)


@draws
def plot_front(rows: Iterable[Any], *, ax: Axes | None = None) -> Axes:
    """Draw captured variance against density, a line for every method.

    Parameters
    ----------
    rows : iterable of ComparisonRow
        What `jacobeig.compare` found. Rows of methods that could not do what was asked are left out.
    %(ax)s

    Examples
    --------
    >>> import jacobeig as je
    >>> table = je.compare(je.datasets.random_covariance(30, rng=0), 2, [0.1, 0.3], methods=["chain", "threshold"])
    >>> ax = je.plotting.plot_front(table.rows)
    >>> len(ax.lines)
    2
    """
    fronts: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if np.isfinite(row.captured):
            fronts.setdefault(row.method, []).append((100.0 * row.density, 100.0 * row.captured))
    if not fronts:
        raise InvalidInputError("rows holds nothing to draw; give the rows of a comparison in which a method ended.")
    ax = get_axes(ax, (6.4, 4.0))
    styles = ("-", "--", ":")
    for t, (method, points) in enumerate(fronts.items()):
        density, captured = zip(*sorted(points), strict=True)
        turn, colour = divmod(t, len(PALETTE))
        ax.plot(
            density, captured, marker=MARKERS[(colour + turn) % len(MARKERS)], linestyle=styles[turn % len(styles)],
            color=PALETTE[colour], ms=4.5, lw=1.4, label=method,
        )  # fmt: skip
    label_density_axis(ax)
    ax.set_ylabel("captured variance (% of PCA)")
    draw_legend(ax)
    return tidy(ax)
