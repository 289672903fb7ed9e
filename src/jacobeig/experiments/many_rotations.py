"""Figures 3 and 4: many rotations and blocks, sparsity given up for accuracy, and the angle between the subspaces."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from jacobeig._types import Floats, Integers
from jacobeig.experiments import _runs
from jacobeig.experiments._figure import Figure, FigureData, Picture, Step
from jacobeig.experiments._runs import RandomSettings
from jacobeig.plotting.axes import tidy
from jacobeig.results import metrics
from jacobeig.results.result import EigenResult

__all__ = ["FIGURES", "ManySettings"]

SMALL, LARGE = 10.0, 45.0  # degrees, for the sentence


@dataclass(frozen=True, kw_only=True)
class ManySettings(RandomSettings):
    """Sizes: rotations as a multiple of n."""

    sweeps: int = 40
    n_blocks: int = 400
    n_marks: int = 33


def measure(settings: ManySettings, data: object, step: Step) -> FigureData:
    """Return accuracy and angle along the runs, averaged over the matrices."""
    ends = {"pairs": settings.sweeps * settings.n, "blocks": settings.n_blocks}
    marks = {panel: _runs.space_marks(end, (), settings.n_marks) for panel, end in ends.items()}
    methods = {"pairs": _runs.ROTATIONS, "blocks": _runs.BLOCKS}
    return _runs.measure_panels(settings, methods, marks, _look, ("steps", "density", "accuracy", "angle"), step)


def _look(result: EigenResult, steps: Integers, values: Floats, vectors: Floats) -> Floats:
    """Return the path with the largest angle to the exact subspace, in degrees, after each of the steps."""
    parts = (result.truncate(min(int(step), result.n_rotations)) for step in steps)
    angles = np.degrees([metrics.subspace_angle(vectors, part.vectors) for part in parts])
    return np.column_stack([_runs.follow_path(result, steps, float(values.sum())), angles])


def draw(table: FigureData) -> Picture:
    """Draw accuracy and angle against steps, for pairs above and blocks below."""
    titles = ("a. pairs: accuracy", "b. pairs: subspace", "c. blocks of 2p: accuracy", "d. blocks of 2p: subspace")
    picture, right = _runs.draw_panels(table, (7.2, 5.6), titles)
    for ax, found, steps in right:
        _runs.draw_lines(ax, found, "steps", "angle", xlabel=steps, ylabel="largest angle (degrees)")
        tidy(ax).set(ylim=(-2, 92), yticks=(0, 30, 60, 90))
    return picture


def compare(table: FigureData) -> str:
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


SUMMARY = "accuracy and subspace angle after many rotations"
QUICK = ManySettings(n_matrices=2, n_marks=17)
make = partial(Figure, measure=measure, draw=draw, compare=compare)
FIGURES = _runs.make_both_ranks(make, "angles", 3, SUMMARY, ManySettings(), QUICK)
