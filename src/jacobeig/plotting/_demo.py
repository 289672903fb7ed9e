"""The picture of `jacobeig demo`: the trade-off, and what components look like along it."""

from __future__ import annotations

from collections.abc import Sequence

from jacobeig._extras import import_extra
from jacobeig._types import FloatArray, PathLike
from jacobeig.plotting._components import plot_components
from jacobeig.plotting._fronts import plot_path
from jacobeig.plotting.axes import PALETTE
from jacobeig.results import metrics
from jacobeig.results.result import EigenResult
from jacobeig.solve import sparse_eigsh


def save_demo(
    results: Sequence[EigenResult],
    refined: Sequence[EigenResult],
    matrix: FloatArray,
    exact: FloatArray,
    shape: tuple[int, int],
    path: PathLike,
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
    >>> import jacobeig as je
    >>> from jacobeig.plotting import save_demo
    >>> S = je.datasets.random_covariance(16, rng=0)
    >>> runs = [je.sparse_eigsh(S, 2, density=density) for density in (0.2, 0.4, 0.8)]
    >>> refined = [je.refine(S, run) for run in runs]
    >>> exact = je.metrics.extreme_eigenvalues(S, 2)
    >>> save_demo(runs, refined, S, exact, (4, 4), "demo.png")
    """
    figure = import_extra("matplotlib.figure").Figure(figsize=(11, 6.5), layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=(1.6, 1))
    front = figure.add_subplot(grid[0, :])
    densities = [100.0 * result.density for result in results]
    for runs, label, colour in (
        (refined, "refined", PALETTE[1]),
        (results, "gain per nonzero (one run a point)", PALETTE[0]),
    ):
        accuracies = [100.0 * metrics.accuracy(matrix, run.vectors, exact) for run in runs]
        front.plot([100.0 * run.density for run in runs], accuracies, "o-", color=colour, label=label)
    paper = sparse_eigsh(matrix, len(exact), pivot="gain", start="natural")
    plot_path(paper, float(exact.sum()), label="the paper's run (every rotation of one run)", ax=front)
    front.lines[-1].set(color="0.45", linestyle="--", zorder=1)
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
