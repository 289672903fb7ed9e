"""Pictures of results. Each function takes an optional `ax` and returns it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jacobeig import metrics
from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError, MissingExtraError
from jacobeig.result import EigenResult
from jacobeig.solve import sparse_eigsh

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_components", "plot_front", "plot_path", "save_demo"]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    return plt


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
    ax : matplotlib Axes, optional
        Where to draw; new ones by default.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import jacobeig as je
    >>> from jacobeig.plotting import plot_path
    >>> ax = plot_path(je.sparse_eigsh(je.datasets.random_covariance(60, rng=0), 4))
    >>> ax.get_xlabel()
    'density (%)'
    """
    ax = _pyplot().subplots()[1] if ax is None else ax
    n, p = result.vectors.shape
    scale = 1.0 if total is None else 100.0 / total
    ax.plot(100.0 * result.nonzeros / (n * p), scale * result.captured[1:], label=label)
    ax.set(xlabel="density (%)", ylabel="captured variance" + ("" if total is None else " (% of PCA)"))
    return ax


def plot_components(vectors: Any, shape: tuple[int, int], *, n_columns: int = 5, ax: Axes | None = None) -> Axes:
    """Show vectors as images, side by side; blue and red are the two signs, white is exactly zero.

    Parameters
    ----------
    vectors : array_like or sparse array (n, p)
        One component a column.
    shape : tuple of int
        Height and width of the image that a vector is.
    n_columns : int, default 5
        Images in a row.
    ax : matplotlib Axes, optional
        Where to draw; new ones by default.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.plotting import plot_components
    >>> ax = plot_components(np.eye(4)[:, :2], (2, 2))
    """
    dense = np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors).real
    height, width = shape
    if height * width != dense.shape[0]:
        raise InvalidInputError(
            f"shape is {shape}, which has {height * width} pixels; the vectors have {dense.shape[0]}."
        )
    ax = _pyplot().subplots()[1] if ax is None else ax
    n_rows = -(-dense.shape[1] // n_columns)
    sheet = np.full((n_rows * (height + 1) + 1, n_columns * (width + 1) + 1), np.nan)
    for t, vector in enumerate(dense.T):
        top, left = t // n_columns * (height + 1) + 1, t % n_columns * (width + 1) + 1
        sheet[top : top + height, left : left + width] = vector.reshape(shape) / np.abs(vector).max()
    ax.imshow(sheet, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    ax.set_axis_off()
    return ax


def plot_front(rows: Iterable[Any], *, ax: Axes | None = None) -> Axes:
    """Draw captured variance against density, a line for every method.

    Parameters
    ----------
    rows : iterable of ComparisonRow
        What `jacobeig.compare` found.
    ax : matplotlib Axes, optional
        Where to draw; new ones by default.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import jacobeig as je
    >>> table = je.compare(je.datasets.random_covariance(30, rng=0), 2, [0.1, 0.3], methods=["chain", "threshold"])
    >>> ax = je.plotting.plot_front(table.rows)
    >>> len(ax.lines)
    2
    """
    ax = _pyplot().subplots(figsize=(7, 5), layout="constrained")[1] if ax is None else ax
    fronts: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if np.isfinite(row.captured):
            fronts.setdefault(row.method, []).append((100.0 * row.density, 100.0 * row.captured))
    colours = _pyplot().get_cmap("tab20").colors
    for t, (method, points) in enumerate(fronts.items()):
        density, captured = zip(*sorted(points), strict=True)
        ax.plot(density, captured, "o-", ms=4, color=colours[t % len(colours)], label=method)
    ax.set(xscale="log", xlabel="density (%)", ylabel="captured variance (% of PCA)")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("{x:g}")
    ax.grid(alpha=0.3)
    ax.legend(fontsize="small", ncols=2)
    return ax


def save_demo(
    results: Sequence[EigenResult],
    refined: Sequence[EigenResult],
    matrix: FloatArray,
    exact: FloatArray,
    shape: tuple[int, int],
    path: str | os.PathLike[str],
) -> None:
    """Write one picture: the trade-off of several budgets, and the components of three of them.

    Parameters
    ----------
    results, refined : sequences of EigenResult
        Of the same matrix at rising densities, and the same refined.
    matrix : ndarray (n, n)
        That matrix.
    exact : ndarray (p,)
        Its exact eigenvalues.
    shape : tuple of int
        Height and width of the image that a vector is.
    path : path-like
        Where to write; the ending says the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import jacobeig as je
    >>> from jacobeig.plotting import save_demo
    >>> S = je.datasets.random_covariance(16, rng=0)
    >>> runs = [je.sparse_eigsh(S, 2, density=density) for density in (0.2, 0.4, 0.8)]
    >>> refined = [je.refine(S, run) for run in runs]
    >>> exact = je.metrics.extreme_eigenvalues(S, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_demo(runs, refined, S, exact, (4, 4), pathlib.Path(folder) / "demo.png")
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=(1.6, 1))
    front = figure.add_subplot(grid[0, :])
    densities = [100.0 * result.density for result in results]
    for runs, label, colour in (
        (refined, "refined", "tab:orange"),
        (results, "gain per nonzero (one run a point)", "tab:blue"),
    ):
        accuracies = [100.0 * metrics.accuracy(matrix, run.vectors, exact) for run in runs]
        front.plot([100.0 * run.density for run in runs], accuracies, "o-", color=colour, label=label)
    paper = sparse_eigsh(matrix, len(exact), pivot="gain", start="natural")
    plot_path(paper, float(exact.sum()), label="the paper's run (every rotation of one run)", ax=front)
    front.lines[-1].set(color="tab:gray", linestyle="--", zorder=1)
    front.set(xscale="log", title="Fewer nonzeros, or more variance: the choice is yours")
    front.set_xticks(densities, [f"{density:.0f}%" for density in densities])
    front.minorticks_off()
    front.grid(alpha=0.3)
    front.legend()
    shown = [refined[0], refined[len(refined) // 2], refined[-1]]
    for column, result in enumerate(shown):
        ax = plot_components(result.vectors, shape, ax=figure.add_subplot(grid[1, column]))
        ax.set_title(f"{result.density:.0%} nonzeros")
    figure.savefig(path, dpi=150)
