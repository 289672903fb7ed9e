"""How each eigenvalue is approached along the rotations of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError
from jacobeig.plotting.axes import Axes, draw_legend, draws, get_axes, tidy
from jacobeig.results import metrics

__all__ = ["draw_distances", "plot_convergence"]

MOST_NAMED = 10  # lines in the legend


@draws
def plot_convergence(result: Any, eigenvalues: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw the distance of every Rayleigh quotient from its exact eigenvalue, along the rotations of a run.

    Solid lines are the first half of the eigenvalues and dashed ones the others, as in the paper. Use it with
    ``target="log"``: equal weights find the span of the eigenvectors, not each of them.

    Parameters
    ----------
    result : EigenResult or fitted estimator
        What has a chain of rotations (of blocks, for `block_eigsh`).
    eigenvalues : array_like (p,)
        The exact ones, in the order of the result's columns, as `metrics.extreme_eigenvalues` gives them.
    %(ax)s

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(60, rng=0)
    >>> result = je.sparse_eigsh(S, 4, target="log", n_rotations=500)
    >>> ax = je.plotting.plot_convergence(result, je.metrics.extreme_eigenvalues(S, 4))
    >>> len(ax.lines)
    4
    """
    quotients = metrics.quotients_along(getattr(result, "decomposition_", result))
    exact = np.asarray(eigenvalues, dtype=float)
    if exact.shape != quotients.shape[1:]:
        raise InvalidInputError(
            f"eigenvalues have shape {exact.shape}; give the {quotients.shape[1]} that the columns approach."
        )
    return draw_distances(np.arange(len(quotients)), np.abs(quotients - exact), ax=ax)


def draw_distances(steps: ArrayLike, distances: FloatArray, *, ax: Axes | None = None, legend: bool = True) -> Axes:
    """Draw one line per column of `distances` (steps, p) on a logarithmic scale, from dark for the first to light."""
    ax = get_axes(ax, (5.6, 3.6))
    from matplotlib import colormaps

    p = distances.shape[1]
    shades = colormaps["viridis"](np.linspace(0.0, 0.9, p))
    named = set(range(p) if p <= MOST_NAMED else np.linspace(0, p - 1, MOST_NAMED).round().astype(int).tolist())
    for t in range(p):
        ax.plot(
            steps, distances[:, t], color=shades[t], linestyle="-" if t < (p + 1) // 2 else "--", lw=1.2,
            label=rf"$\lambda_{{{t + 1}}}$" if t in named else None,
        )  # fmt: skip
    ax.set(yscale="log", xlabel="rotations", ylabel="distance to the exact eigenvalue")
    if legend:
        draw_legend(ax)
    return tidy(ax)
