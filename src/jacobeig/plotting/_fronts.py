"""Captured variance against density: along one run, and of several methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.plotting.axes import MARKERS, PALETTE, Axes, draw_legend, draws, get_axes, label_density_axis, tidy
from jacobeig.refinement.certificates import Certificate
from jacobeig.results.front import Front, find_knee
from jacobeig.results.result import EigenResult

BOUND, SHADE = "#404040", 0.1  # the colour of a bound, and how opaque the space below it is
BOUND_DASHES = ("--", ":")
POINTS = 200  # of a bound's line


@draws
def plot_path(result: Any, total: float | None = None, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot accuracy against density along the rotations of a run, a front, or the path of an estimator.

    A diamond marks the knee of a front. `plot_bound` draws what nobody can be above.

    Parameters
    ----------
    result : EigenResult, Front, fitted estimator or PCAPath
        A result with its chain of rotations, what `jacobeig.front` found, or a `JacobiPCA` whose `path` is drawn.
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
    density, captured = _read_path(result)
    if total is not None and not total > 0.0:
        raise InvalidInputError(f"total is {total}; give the sum of the exact eigenvalues, above 0, or None.")
    ax = get_axes(ax)
    scale = 1.0 if total is None else 100.0 / total
    colour = PALETTE[len(ax.lines) % len(PALETTE)]
    ax.plot(100.0 * density, scale * captured, label=label, color=colour, lw=1.6)
    if _is_front(result):
        knee = find_knee(density, captured)
        ax.scatter(100.0 * density[knee], scale * captured[knee], marker="D", s=36, color=colour, zorder=3)
    ax.set(xlabel="density (%)", ylabel="captured variance" + ("" if total is None else " (% of PCA)"))
    return tidy(ax)


def _is_front(result: Any) -> bool:
    """Whether the points are those of refined vectors, each for its own density."""
    if isinstance(result, Front):
        return True
    run = getattr(result, "decomposition_", None)
    return run.rotations is None if run is not None else getattr(result, "n_rotations", 0) is None


def _read_path(result: Any) -> tuple[FloatArray, FloatArray]:
    """Return the densities along a path and what they capture."""
    if isinstance(result, Front):
        return result.densities, result.captured
    path = result.path() if hasattr(result, "path") else result
    if hasattr(path, "explained_variance"):
        return path.density, path.explained_variance
    chain: EigenResult = getattr(path, "decomposition_", path)
    return chain.nonzeros / np.prod(chain.vectors.shape), chain.captured[1:]


@draws
def plot_front(rows: Iterable[Any], *, ax: Axes | None = None) -> Axes:
    """Draw captured variance against density, a line for every method.

    Bounds, which no vectors are above, are grey, and what is left between them and the best method is shaded.

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
    if isinstance(rows, Front):
        advice = "give rows of a comparison, or draw it by plot_path."
        raise InvalidTypeError("is a Front", argument="rows", advice=advice)
    shown = [row for row in rows if np.isfinite(row.captured)]
    fronts: dict[str, list[tuple[float, float]]] = {}
    for row in shown:
        if np.isnan(row.slope):
            fronts.setdefault(row.method, []).append((100.0 * row.density, 100.0 * row.captured))
    if not shown:
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
    _draw_bounds(ax, shown)
    label_density_axis(ax)
    ax.set_ylabel("captured variance (% of PCA)")
    draw_legend(ax)
    return tidy(ax)


def _draw_bounds(ax: Axes, rows: list[Any]) -> None:
    """Draw the rows that are bounds, and shade what is left below them."""
    for t, name in enumerate(dict.fromkeys(row.method for row in rows if not np.isnan(row.slope))):
        own = sorted((row for row in rows if row.method == name), key=lambda row: row.density)
        density = np.geomspace(own[0].density, own[-1].density, POINTS)
        bound = np.min([row.captured + row.slope * (density - row.density) for row in own], axis=0)
        known = [_find_best(rows, row.asked) for row in own]
        best = np.interp(np.log(density), np.log([row.density for row in own]), known)  # as lines go on this axis
        below = 100.0 * np.minimum(best, bound)  # vectors that are not orthonormal may be above "bound"
        _draw_bound(ax, 100.0 * density, 100.0 * bound, below, label=name, dashes=BOUND_DASHES[t % 2])


def _find_best(rows: list[Any], asked: float) -> float:
    """Return the most that any vectors captured at a density asked for; nan if there are none."""
    return max((row.captured for row in rows if row.asked == asked and np.isnan(row.slope)), default=float("nan"))


def _draw_bound(ax: Axes, density: Any, bound: Any, below: Any, *, label: str, dashes: str = "--") -> None:
    """Draw a line that nobody is above, and shade what is left between it and what was captured."""
    ax.plot(density, bound, color=BOUND, lw=1.2, ls=dashes, label=label)
    ax.fill_between(density, below, bound, color=BOUND, alpha=SHADE, lw=0.0, zorder=0)


@draws
def plot_bound(certificates: Iterable[Certificate], total: float | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the line that no vectors are above, and shade what is left between it and those certified.

    Parameters
    ----------
    certificates : iterable of Certificate
        As `jacobeig.certify_front` returns them.
    total : float, optional
        Sum of the exact eigenvalues, to show captured variance as a percentage of it.
    %(ax)s

    Examples
    --------
    >>> import jacobeig as je
    >>> S = je.datasets.random_covariance(30, rng=0)
    >>> results = [je.sparse_eigsh(S, 3, density=density, refine=True) for density in (0.1, 0.2, 0.4)]
    >>> ax = je.plotting.plot_bound(je.certify_front(S, results))
    >>> [line.get_label() for line in ax.lines]
    ['captured', 'no vectors are above']
    """
    given = sorted(certificates, key=lambda certificate: certificate.budgets.largest_union)
    if not given:
        raise InvalidInputError("certificates holds nothing to draw; give those of certify_front.")
    ax = get_axes(ax)
    n, p = given[0].fingerprint.shape[1], given[0].budgets.n_components
    share, scale = 100.0 / (n * p), 1.0 if total is None else 100.0 / total
    counts = [certificate.budgets.largest_union for certificate in given]
    nonzeros = np.unique(np.linspace(counts[0], counts[-1], POINTS).astype(int))
    bound = np.array([_bound_at(given, int(count)) for count in nonzeros])
    below = np.full(len(nonzeros), np.nan)
    if all(certificate.captured is not None for certificate in given):
        captured = np.array([certificate.captured for certificate in given])
        ax.plot(
            share * np.array(counts), scale * captured, color=PALETTE[0], marker="o", ms=4.5, lw=1.4, label="captured"
        )
        below = np.interp(nonzeros, counts, captured)
    side = "below" if given[0].which == "SA" else "above"
    _draw_bound(ax, share * nonzeros, scale * bound, scale * below, label=f"no vectors are {side}")
    ax.set(xlabel="density (%)", ylabel="captured variance" + ("" if total is None else " (% of PCA)"))
    ax.legend(frameon=False)
    return tidy(ax)


def _bound_at(certificates: list[Certificate], nonzeros: int) -> float:
    """Return the best bound that any of the certificates proves for a number of nonzeros."""
    able = [c for c in certificates if c.budgets.total_nonzeros is not None or nonzeros <= c.budgets.largest_union]
    bounds = [certificate.bound_at(nonzeros) for certificate in able]
    return max(bounds) if certificates[0].which == "SA" else min(bounds)
