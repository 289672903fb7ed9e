"""Figure 5: how each of the largest eigenvalues is approached."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from jacobeig import datasets
from jacobeig.experiments._figure import Figure, FigureData, Picture, Settings, Step, open_picture
from jacobeig.experiments._runs import space_marks
from jacobeig.plotting.convergence import draw_distances
from jacobeig.results import metrics
from jacobeig.solve import sparse_eigsh

__all__ = ["FIGURES", "EigenvalueSettings"]


@dataclass(frozen=True, kw_only=True)
class EigenvalueSettings(Settings):
    """Sizes; the defaults are the paper's, and as many sweeps of n log2 n rotations."""

    counted: ClassVar[str] = "sizes"
    sizes: tuple[int, ...] = (128, 256)
    n_components: int = 10
    n_matrices: int = 10
    sweeps: int = 4


def measure(settings: EigenvalueSettings, data: object, step: Step) -> FigureData:
    """Return the mean distance of each quotient from its eigenvalue along the runs."""
    p, rows = settings.n_components, list[tuple[Any, ...]]()
    for n in settings.sizes:
        steps = space_marks(settings.sweeps * n * math.ceil(math.log2(n)), (), 161)
        distances = []
        for seed in range(settings.n_matrices):
            S = datasets.random_covariance(n, rng=seed)
            result = sparse_eigsh(S, p, target="log", pivot="gain", start="natural", n_rotations=int(steps[-1]))
            # Weight t belongs to eigenvalue t, whatever the order in which the quotients end.
            quotients = metrics.quotients_along(result)[:, np.argsort(-result.target)]
            exact = metrics.extreme_eigenvalues(S, p)
            distances.append(np.abs(quotients[np.minimum(steps, result.n_rotations)] - exact))
        for k, row in zip(steps.tolist(), np.mean(distances, axis=0).tolist(), strict=True):
            rows += [(n, k, t + 1, distance) for t, distance in enumerate(row)]
        step()
    return FigureData(("n", "rotations", "eigenvalue", "distance"), rows)


def _measure_distances(table: FigureData) -> tuple[Any, Any]:
    """Return the rotations, and the distances with one column per eigenvalue."""
    p = len(table.labels("eigenvalue"))
    return table["rotations"][::p], table["distance"].reshape(-1, p)


def draw(table: FigureData) -> Picture:
    """Draw the distances, one panel per size, solid for the larger half of the eigenvalues."""
    sizes = table.labels("n")
    picture, axes = open_picture(1, len(sizes), (7.2, 3.2), [f"n = {n}" for n in sizes])
    for ax, n in zip(axes[0], sizes, strict=True):
        draw_distances(*_measure_distances(table.where(n=n)), ax=ax, legend=n == sizes[-1])
        ax.set_xlabel("rotations k")
        ax.set_ylabel(r"mean $|S_{tt} - \lambda_t|$" if n == sizes[0] else "")
    return picture


def compare(table: FigureData) -> str:
    """Say whether larger eigenvalues are recovered better, as the paper states."""
    parts, better = [], []
    for n in table.labels("n"):
        steps, distances = _measure_distances(table.where(n=n))
        half = (distances.shape[1] + 1) // 2
        large, small = distances[:, :half].mean(axis=1), distances[:, half:].mean(axis=1)
        better.append(large[-1] < small[-1])
        parts.append(
            f"for n = {n} after {steps[-1]:.0f} rotations the larger {half} are {large[-1]:.3g} away on average and "
            f"the others {small[-1]:.3g} (from {large[0]:.3g} and {small[0]:.3g} at the start)"
        )
    verdict = "which agrees" if all(better) else "which does not agree"
    return f"The paper states that larger eigenvalues are recovered better, {verdict}: {'; '.join(parts)}."


SUMMARY = "convergence to each of the ten largest eigenvalues of random matrices"
make = partial(Figure, measure=measure, draw=draw, compare=compare)
FIGURES = (make(5, "eigenvalues", SUMMARY, EigenvalueSettings(), EigenvalueSettings(n_matrices=4)),)
