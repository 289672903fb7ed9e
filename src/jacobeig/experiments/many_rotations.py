"""Figures 3 and 4: many rotations and blocks, sparsity given up for accuracy, and the angle between the subspaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jacobeig import datasets
from jacobeig._types import Floats, Integers
from jacobeig.experiments._figure import Figure, Step, Table, open_picture
from jacobeig.experiments._runs import BLOCKS, ROTATIONS, average, draw_lines, follow_path, space_marks
from jacobeig.plotting.axes import tidy
from jacobeig.results import metrics
from jacobeig.results.result import EigenResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from jacobeig.datasets import Digits

__all__ = ["FIGURES", "ManySettings"]

SMALL, LARGE = 10.0, 45.0  # degrees, for the sentence


@dataclass(frozen=True, kw_only=True)
class ManySettings:
    """Sizes: rotations as a multiple of n."""

    n: int = 1024
    n_components: int = 20
    low_rank: bool = False
    n_matrices: int = 10
    sweeps: int = 40
    n_blocks: int = 400
    n_marks: int = 33

    @property
    def n_steps(self) -> int:
        """One a matrix."""
        return self.n_matrices


def measure(settings: ManySettings, data: Digits | None, step: Step) -> Table:
    """Return accuracy and angle along the runs, averaged over the matrices."""
    n, p = settings.n, settings.n_components
    rotations = space_marks(settings.sweeps * n, (), settings.n_marks)
    blocks = space_marks(settings.n_blocks, (), settings.n_marks)
    paths: dict[tuple[str, ...], list[Floats]] = {}
    for seed in range(settings.n_matrices):
        S = datasets.random_covariance(n, rank=p if settings.low_rank else None, rng=seed)
        values, vectors = np.linalg.eigh(S)
        total, exact = float(values[-p:].sum()), vectors[:, -p:]
        for panel, methods, steps in (("pairs", ROTATIONS, rotations), ("blocks", BLOCKS, blocks)):
            for method, run in methods.items():
                result = run(S, p, int(steps[-1]), seed)
                path = np.column_stack([follow_path(result, steps, total), _measure_angles(result, steps, exact)])
                paths.setdefault((panel, method), []).append(path)
        step()
    return average(paths, ("panel", "method", "steps", "density", "accuracy", "angle"))


def _measure_angles(result: EigenResult, steps: Integers, exact: Any) -> Floats:
    """Return the largest angle to the exact subspace, in degrees, after so many steps."""
    parts = (result.truncate(min(int(step), result.n_rotations)) for step in steps)
    return np.degrees([metrics.subspace_angle(exact, part.vectors) for part in parts])


def draw(table: Table) -> Picture:
    """Draw accuracy and angle against steps, for pairs above and blocks below."""
    titles = ("a. pairs: accuracy", "b. pairs: subspace", "c. blocks of 2p: accuracy", "d. blocks of 2p: subspace")
    picture, axes = open_picture(2, 2, (7.2, 5.6), titles)
    for row, (panel, steps) in zip(axes, (("pairs", "rotations k"), ("blocks", "block steps")), strict=True):
        found = table.where(panel=panel)
        draw_lines(row[0], found, "steps", "accuracy", xlabel=steps, ylabel="accuracy (%)")
        draw_lines(row[1], found, "steps", "angle", xlabel=steps, ylabel="largest angle (degrees)")
        tidy(row[0]).set_ylim(0, 102)
        tidy(row[1]).set(ylim=(-2, 92), yticks=(0, 30, 60, 90))
        row[0].legend(loc="lower right")
    return picture


def compare(table: Table) -> str:
    """Say what accuracy goes with a small angle, as the paper states that only an accuracy near 100% does."""
    own = table.where(method="equal weights")
    wide, narrow = table["accuracy"][table["angle"] > LARGE], table["accuracy"][table["angle"] < SMALL]
    small = (
        f"every average angle below {SMALL:.0f} degrees comes with an accuracy of at least {narrow.min():.2f}%"
        if narrow.size
        else f"no average angle falls below {SMALL:.0f} degrees"
    )
    large = f"angles above {LARGE:.0f} degrees still occur at {wide.max():.1f}%" if wide.size else "no angle is large"
    agrees = "agrees" if not narrow.size or narrow.min() > 95.0 else "does not agree"
    block = table.where(method="blocks")
    return (
        "The paper states that only an accuracy near 100% leads to small angles, which "
        f"{agrees}: {small}, and {large}; after {own['steps'][-1]:.0f} rotations equal weights reach "
        f"{own['accuracy'][-1]:.1f}% and {own['angle'][-1]:.2f} degrees, and {block['steps'][-1]:.0f} blocks "
        f"{block['accuracy'][-1]:.1f}% and {block['angle'][-1]:.2f} degrees."
    )


FIGURES = tuple(
    Figure(
        name=name,
        number=number,
        summary=f"accuracy and subspace angle after many rotations, random matrices {which}",
        full=ManySettings(low_rank=low),
        quick=ManySettings(low_rank=low, n_matrices=2, n_marks=17),
        measure=measure,
        draw=draw,
        compare=compare,
    )
    for name, number, which, low in (
        ("angles", 3, "of full rank", False),
        ("angles-low-rank", 4, "of rank p", True),
    )
)
