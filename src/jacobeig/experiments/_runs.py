"""What the experiments on random matrices share: the methods, where they are looked at, and how they are averaged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jacobeig._types import Floats, Integers
from jacobeig.experiments._figure import Table
from jacobeig.plotting.axes import PALETTE
from jacobeig.results.result import EigenResult
from jacobeig.solve import block_eigsh, sparse_eigsh

__all__ = ["BLOCKS", "LINES", "ROTATIONS", "average", "draw_lines", "follow_path", "lead", "space_marks"]

Run = Callable[[Any, int, int, int], EigenResult]

# From a matrix, p, the number of steps and a seed; all start from the first p coordinates, as the paper does.
ROTATIONS: dict[str, Run] = {
    "equal weights": lambda S, p, k, seed: sparse_eigsh(S, p, n_rotations=k, start="natural", pivot="gain"),
    "log weights": lambda S, p, k, seed: sparse_eigsh(S, p, n_rotations=k, start="natural", pivot="gain", target="log"),
    "Jacobi": lambda S, p, k, seed: sparse_eigsh(S, p, n_rotations=k, start="natural", pivot="offdiagonal"),
    "random pairs": lambda S, p, k, seed: sparse_eigsh(S, p, n_rotations=k, start="natural", pivot="random", rng=seed),
}
BLOCKS: dict[str, Run] = {
    "blocks": lambda S, p, b, seed: block_eigsh(S, p, b, start="natural"),
    "block Jacobi": lambda S, p, b, seed: block_eigsh(S, p, b, start="natural", pivot="offdiagonal"),
    "random blocks": lambda S, p, b, seed: block_eigsh(S, p, b, start="natural", pivot="random", rng=seed),
}
# Colour, line and legend of every method, the same in all figures.
LINES: dict[str, tuple[str, str, str]] = {
    "equal weights": (PALETTE[0], "-", r"proposed, $\alpha = 1$"),
    "log weights": (PALETTE[1], "-", r"proposed, $\alpha$ logarithmic"),
    "Jacobi": (PALETTE[2], "--", "Jacobi's pivots"),
    "random pairs": ("0.55", ":", "random pairs"),
    "blocks": (PALETTE[0], "-", "proposed, blocks of 2p"),
    "block Jacobi": (PALETTE[2], "--", "block Jacobi"),
    "random blocks": ("0.55", ":", "random blocks"),
    "gain per nonzero": (PALETTE[4], "-.", "gain per nonzero (ours)"),
}


def space_marks(end: int, exact: Sequence[int], n_marks: int = 40) -> Integers:
    """Return step numbers from 0 to `end`, closer together at the beginning, with those in `exact`."""
    spaced = (end * np.linspace(0.0, 1.0, n_marks) ** 2).round()
    return np.unique(np.concatenate([spaced, [step for step in exact if 0 <= step <= end], [end]])).astype(np.int64)


def follow_path(result: EigenResult, steps: Integers, total: float) -> Floats:
    """Return the steps, and density and accuracy in per cent after each; a run stays where it ends."""
    n, p = result.vectors.shape
    at = np.minimum(steps, result.n_rotations)
    nonzeros = np.concatenate([[p], result.nonzeros])[at]
    return np.column_stack([steps, 100.0 * nonzeros / (n * p), 100.0 * result.captured[at] / total])


def average(paths: Mapping[tuple[str, ...], Sequence[Floats]], columns: tuple[str, ...]) -> Table:
    """Return a table of mean paths, labelled by their keys."""
    rows: list[tuple[Any, ...]] = []
    for key, found in paths.items():
        rows += [(*key, *row) for row in np.mean(found, axis=0).tolist()]
    return Table(columns, rows)


def draw_lines(ax: Any, table: Table, x: str, y: str, **labels: str) -> None:
    """Draw one line a method."""
    for method in table.labels("method"):
        colour, line, label = LINES[method]
        points = table.where(method=method)
        # A broken line stays visible on top of a broader one.
        width = 2.2 if line == "-" else 1.3
        ax.plot(points[x], points[y], color=colour, linestyle=line, lw=width, label=label)
    ax.set(**labels)
    ax.locator_params(axis="x", nbins=5)


def lead(table: Table, first: str, second: str, column: str = "accuracy") -> tuple[Floats, Floats]:
    """Return the steps after the start, and by how much one method is above another there."""
    one, other = table.where(method=first), table.where(method=second)
    return one["steps"][1:], (one[column] - other[column])[1:]
