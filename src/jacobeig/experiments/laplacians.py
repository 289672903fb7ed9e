"""Figure 6: the smallest eigenvalues of Laplacians of community graphs."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from jacobeig import datasets
from jacobeig._types import Floats
from jacobeig.experiments._figure import Figure, FigureData, Picture, Settings, Step, open_picture
from jacobeig.experiments._runs import average, draw_lines, follow_path, space_marks
from jacobeig.plotting.axes import label_density_axis, tidy
from jacobeig.results import metrics
from jacobeig.solve import sparse_eigsh

__all__ = ["FIGURES", "LaplacianSettings"]

METHODS: dict[str, dict[str, Any]] = {
    "equal weights": {"pivot": "gain", "start": "natural"},
    "log weights": {"pivot": "gain", "start": "natural", "target": "log"},
    "Jacobi": {"pivot": "offdiagonal", "start": "natural"},
    "gain per nonzero": {"pivot": "gain_per_nonzero", "start": "cholesky"},
}


@dataclass(frozen=True, kw_only=True)
class LaplacianSettings(Settings):
    """Sizes; the defaults are the paper's."""

    counted: ClassVar[str] = "n_graphs"
    n: int = 256
    n_components: int = 32
    n_graphs: int = 10
    sweeps: int = 8


def measure(settings: LaplacianSettings, data: object, step: Step) -> FigureData:
    """Return accuracy (100% from above is perfect) and density along the runs, averaged over the graphs."""
    n, p = settings.n, settings.n_components
    steps = space_marks(settings.sweeps * n, (n // 4, n, 4 * n), 65)
    paths: dict[tuple[str, ...], list[Floats]] = {}
    for seed in range(settings.n_graphs):
        adjacency = datasets.community_graph(n, rng=seed)[0].toarray()
        laplacian = np.diag(adjacency.sum(axis=0)) - adjacency
        total = float(metrics.extreme_eigenvalues(laplacian, p, "SA").sum())
        for method, options in METHODS.items():
            result = sparse_eigsh(laplacian, p, which="SA", n_rotations=int(steps[-1]), **options)
            paths.setdefault((method,), []).append(follow_path(result, steps, total))
        step()
    return average(paths, ("method", "steps", "density", "accuracy"))


def draw(table: FigureData) -> Picture:
    """Draw accuracy against rotations and against density; lower is better."""
    picture, axes = open_picture(1, 2, (7.2, 3.2), ("a. rotations", "b. density"))
    draw_lines(axes[0, 0], table, "steps", "accuracy", xlabel="rotations k", ylabel="accuracy (%), 100 is perfect")
    draw_lines(axes[0, 1], table, "density", "accuracy", ylabel="accuracy (%), 100 is perfect")
    label_density_axis(axes[0, 1])
    for ax in axes[0]:
        tidy(ax).set(yscale="log", ylim=(95, None))
        ax.set_yticks((100, 150, 200, 300, 500, 1000), ("100", "150", "200", "300", "500", "1000"))
        ax.minorticks_off()
        ax.axhline(100.0, color="0.4", lw=0.8)
    axes[0, 0].legend(loc="upper right")
    return picture


def compare(table: FigureData) -> str:
    """Say whether the accuracy falls monotonically towards 100%, as the paper expects, and how far."""
    falls = all(
        (np.diff(table.where(method=method)["accuracy"]) <= 1e-9).all() for method in table.labels("method")[:3]
    )
    ends = {method: table.where(method=method)["accuracy"][-1] for method in table.labels("method")}
    steps = table["steps"].max()
    return (
        f"The paper expects a monotone fall towards 100%, which {'agrees' if falls else 'does not agree'}: after "
        f"{steps:.0f} rotations equal weights stand at {ends['equal weights']:.0f}%, logarithmic ones at "
        f"{ends['log weights']:.0f}%, Jacobi's pivots at {ends['Jacobi']:.0f}%, and ours by gain per nonzero at "
        f"{ends['gain per nonzero']:.0f}%."
    )


SUMMARY = "smallest eigenvalues of the Laplacians of community graphs"
make = partial(Figure, measure=measure, draw=draw, compare=compare)
FIGURES = (make(6, "laplacians", SUMMARY, LaplacianSettings(), LaplacianSettings(n_graphs=5)),)
