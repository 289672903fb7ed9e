"""Figures 1 and 2: random matrices of full rank and of rank p, by pairs and by blocks."""

import math
from functools import partial

import numpy as np

from jacobeig.experiments import _runs
from jacobeig.experiments._figure import Figure, FigureData, Picture, Step
from jacobeig.experiments._runs import RandomSettings
from jacobeig.plotting.axes import tidy

__all__ = ["FIGURES", "RandomSettings"]

METHODS = {
    "pairs": {name: run for name, run in _runs.ROTATIONS.items() if name != "random pairs"},
    "blocks": _runs.BLOCKS,
}


def measure(settings: RandomSettings, data: object, step: Step) -> FigureData:
    """Return accuracy and density along the runs, averaged over the matrices."""
    n = settings.n
    marks = {
        "pairs": _runs.space_marks(n * math.ceil(math.log2(n)), (n // 4, n // 2, n, 2 * n)),
        "blocks": _runs.space_marks(settings.n_blocks, (10, 25, 51)),
    }
    return _runs.measure_panels(
        settings,
        METHODS,
        marks,
        lambda result, steps, values, _: _runs.follow_path(result, steps, float(values.sum())),
        ("steps", "density", "accuracy"),
        step,
    )


def draw(table: FigureData) -> Picture:
    """Draw accuracy against steps and against density, for pairs above and blocks below."""
    titles = ("a. pairs: rotations", "b. pairs: density", "c. blocks of 2p: steps", "d. blocks of 2p: density")
    picture, right = _runs.draw_panels(table, (7.2, 5.4), titles)
    for ax, found, _ in right:
        _runs.draw_lines(ax, found, "density", "accuracy", xlabel="density (%)", ylabel="accuracy (%)")
        tidy(ax).set_ylim(0, 102)
    return picture


def compare(table: FigureData) -> str:
    """Say whether the proposed pivots beat Jacobi's, as the paper states, and what each reaches."""
    pairs, blocks = table.where(panel="pairs"), table.where(panel="blocks")
    steps, gap = _runs.measure_lead(pairs, "equal weights", "Jacobi")
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


def _compare_at_equal_density(pairs: FigureData) -> str:
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


SUMMARY = "accuracy and sparsity by pairs and by blocks"
make = partial(Figure, measure=measure, draw=draw, compare=compare)
FIGURES = _runs.make_both_ranks(make, "random", 1, SUMMARY, RandomSettings(), RandomSettings(n_matrices=4))
