"""What the experiments on random matrices share: matrices, methods, marks along the runs, averages, panels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from jacobeig import datasets
from jacobeig._types import Floats, Integers
from jacobeig.experiments._figure import Figure, FigureData, Picture, Settings, Step, open_picture
from jacobeig.plotting.axes import PALETTE, tidy
from jacobeig.results.result import EigenResult
from jacobeig.solve import block_eigsh, sparse_eigsh

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


@dataclass(frozen=True, kw_only=True)
class RandomSettings(Settings):
    """Sizes; the defaults are the paper's."""

    counted: ClassVar[str] = "n_matrices"
    n: int = 1024
    n_components: int = 20
    low_rank: bool = False
    n_matrices: int = 10
    n_blocks: int = 100


def measure_panels(
    settings: RandomSettings,
    methods: Mapping[str, Mapping[str, Run]],
    marks: Mapping[str, Integers],
    look: Callable[[EigenResult, Integers, Floats, Floats], Floats],
    columns: tuple[str, ...],
    step: Step,
) -> FigureData:
    """Return what ``look(result, marks, exact values, exact vectors)`` finds for each panel's methods, on average."""
    p = settings.n_components
    paths: dict[tuple[str, ...], list[Floats]] = {}
    for seed in range(settings.n_matrices):
        S = datasets.random_covariance(settings.n, rank=p if settings.low_rank else None, rng=seed)
        values, vectors = np.linalg.eigh(S)
        for panel, steps in marks.items():
            for method, run in methods[panel].items():
                found = look(run(S, p, int(steps[-1]), seed), steps, values[-p:], vectors[:, -p:])
                paths.setdefault((panel, method), []).append(found)
        step()
    return average(paths, ("panel", "method", *columns))


def draw_panels(
    table: FigureData, size: tuple[float, float], titles: Sequence[str]
) -> tuple[Picture, list[tuple[Any, FigureData, str]]]:
    """Draw accuracy against steps, pairs above, blocks below; return the right axes with their numbers and labels."""
    picture, axes = open_picture(2, 2, size, titles)
    right = []
    for row, (panel, steps) in zip(axes, (("pairs", "rotations k"), ("blocks", "block steps")), strict=True):
        found = table.where(panel=panel)
        draw_lines(row[0], found, "steps", "accuracy", xlabel=steps, ylabel="accuracy (%)")
        tidy(row[0]).set_ylim(0, 102)
        row[0].legend(loc="lower right")
        right.append((row[1], found, steps))
    return picture, right


def make_both_ranks(
    make: Callable[..., Figure], name: str, number: int, summary: str, full: RandomSettings, quick: RandomSettings
) -> tuple[Figure, Figure]:
    """Return the figure of matrices of full rank, and the next one, of matrices of rank p."""
    low, low_quick = replace(full, low_rank=True), replace(quick, low_rank=True)
    return (
        make(number, name, f"{summary}, random matrices of full rank", full, quick),
        make(number + 1, f"{name}-low-rank", f"{summary}, random matrices of rank p", low, low_quick),
    )


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


def average(paths: Mapping[tuple[str, ...], Sequence[Floats]], columns: tuple[str, ...]) -> FigureData:
    """Return a table of mean paths, labelled by their keys."""
    rows: list[tuple[Any, ...]] = []
    for key, found in paths.items():
        rows += [(*key, *row) for row in np.mean(found, axis=0).tolist()]
    return FigureData(columns, rows)


def draw_lines(ax: Any, table: FigureData, x: str, y: str, **labels: str) -> None:
    """Draw one line per method."""
    for method in table.labels("method"):
        colour, line, label = LINES[method]
        points = table.where(method=method)
        # A broken line stays visible on top of a broader one.
        width = 2.2 if line == "-" else 1.3
        ax.plot(points[x], points[y], color=colour, linestyle=line, lw=width, label=label)
    ax.set(**labels)
    ax.locator_params(axis="x", nbins=5)


def measure_lead(table: FigureData, first: str, second: str) -> tuple[Floats, Floats]:
    """Return the steps after the start, and by how much one method is above another there."""
    one, other = table.where(method=first), table.where(method=second)
    return one["steps"][1:], (one["accuracy"] - other["accuracy"])[1:]
