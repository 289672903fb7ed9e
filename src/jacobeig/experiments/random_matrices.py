"""Figures 1 and 2: random matrices of full rank and of rank p, by pairs and by blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jacobeig import datasets
from jacobeig._types import Floats
from jacobeig.experiments._figure import Figure, Step, Table, open_picture
from jacobeig.experiments._runs import BLOCKS, ROTATIONS, average, draw_lines, follow_path, lead, space_marks
from jacobeig.plotting.axes import tidy
from jacobeig.results import metrics

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from jacobeig.datasets import Digits

__all__ = ["FIGURES", "RandomSettings"]


@dataclass(frozen=True, kw_only=True)
class RandomSettings:
    """Sizes; the defaults are the paper's."""

    n: int = 1024
    n_components: int = 20
    low_rank: bool = False
    n_matrices: int = 10
    n_blocks: int = 100

    @property
    def n_steps(self) -> int:
        """One a matrix."""
        return self.n_matrices


def measure(settings: RandomSettings, data: Digits | None, step: Step) -> Table:
    """Return accuracy and density along the runs, averaged over the matrices."""
    n, p = settings.n, settings.n_components
    end = n * math.ceil(math.log2(n))
    rotations = space_marks(end, (n // 4, n // 2, n, 2 * n))
    blocks = space_marks(settings.n_blocks, (10, 25, 51))
    paths: dict[tuple[str, ...], list[Floats]] = {}
    for seed in range(settings.n_matrices):
        S = datasets.random_covariance(n, rank=p if settings.low_rank else None, rng=seed)
        total = float(metrics.extreme_eigenvalues(S, p).sum())
        for panel, methods, steps in (("pairs", _PAIRS, rotations), ("blocks", BLOCKS, blocks)):
            for method, run in methods.items():
                result = run(S, p, int(steps[-1]), seed)
                paths.setdefault((panel, method), []).append(follow_path(result, steps, total))
        step()
    return average(paths, ("panel", "method", "steps", "density", "accuracy"))


_PAIRS = {name: run for name, run in ROTATIONS.items() if name != "random pairs"}


def draw(table: Table) -> Picture:
    """Draw accuracy against steps and against density, for pairs above and blocks below."""
    titles = ("a. pairs: rotations", "b. pairs: density", "c. blocks of 2p: steps", "d. blocks of 2p: density")
    picture, axes = open_picture(2, 2, (7.2, 5.4), titles)
    for row, (panel, steps) in zip(axes, (("pairs", "rotations k"), ("blocks", "block steps")), strict=True):
        found = table.where(panel=panel)
        draw_lines(row[0], found, "steps", "accuracy", xlabel=steps, ylabel="accuracy (%)")
        draw_lines(row[1], found, "density", "accuracy", xlabel="density (%)", ylabel="accuracy (%)")
        for ax in row:
            tidy(ax).set_ylim(0, 102)
        row[0].legend(loc="lower right")
    return picture


def compare(table: Table) -> str:
    """Say whether the proposed pivots beat Jacobi's, as the paper states, and what each reaches."""
    pairs, blocks = table.where(panel="pairs"), table.where(panel="blocks")
    steps, gap = lead(pairs, "equal weights", "Jacobi")
    ends = {method: table.where(method=method)["accuracy"][-1] for method in table.labels("method")}
    above = np.count_nonzero(gap > 0)
    verdict = "which agrees" if above == gap.size else f"which holds at {above} of {gap.size} points"
    return (
        f"The paper states that the proposed pivots are always better than Jacobi's, {verdict} on average: the lead is "
        f"{gap.max():.1f} points at best (k = {steps[gap.argmax()]:.0f}) and {gap[-1]:+.1f} after {steps[-1]:.0f} "
        f"rotations ({_compare_at_equal_density(pairs)}), where equal weights reach {ends['equal weights']:.1f}%, "
        f"logarithmic ones {ends['log weights']:.1f}% and Jacobi {ends['Jacobi']:.1f}%; {blocks['steps'].max():.0f} "
        f"blocks reach {ends['blocks']:.1f}%, random ones {ends['random blocks']:.1f}%."
    )


def _compare_at_equal_density(pairs: Table) -> str:
    """Say how equal weights compare with Jacobi's pivots where both have the same number of nonzeros."""
    own, other = pairs.where(method="equal weights"), pairs.where(method="Jacobi")
    # Full vectors say nothing: accuracy goes on rising when the density no longer can.
    first, last = max(own["density"][1], other["density"][1]), min(own["density"][-1], other["density"][-1], 90.0)
    densities = np.linspace(first, last, 200)
    gap = np.subtract(*(np.interp(densities, found["density"], found["accuracy"]) for found in (own, other)))
    worst, best = gap.argmin(), gap.argmax()
    return (
        f"at equal density from {gap[worst]:+.1f}, at {densities[worst]:.0f}%, to {gap[best]:+.1f}, "
        f"at {densities[best]:.0f}%"
    )


FIGURES = tuple(
    Figure(
        name=name,
        number=number,
        summary=f"accuracy and sparsity on random matrices {which}, by pairs and by blocks",
        full=RandomSettings(low_rank=low),
        quick=RandomSettings(low_rank=low, n_matrices=4),
        measure=measure,
        draw=draw,
        compare=compare,
    )
    for name, number, which, low in (
        ("random", 1, "of full rank", False),
        ("random-low-rank", 2, "of rank p", True),
    )
)
