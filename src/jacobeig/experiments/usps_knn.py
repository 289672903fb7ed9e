"""Figure 7: accuracy of the components of USPS, and of a nearest-neighbour classifier on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from jacobeig._extras import import_extra
from jacobeig._types import Floats
from jacobeig.comparison.baselines import pca, sparse_jl_matrix
from jacobeig.datasets import Digits
from jacobeig.errors import FileFormatError
from jacobeig.experiments._figure import Figure, FigureData, Picture, Settings, Step, open_picture
from jacobeig.experiments._images import subtract_own_mean, sum_products
from jacobeig.experiments._runs import follow_path, space_marks
from jacobeig.plotting.axes import PALETTE, tidy
from jacobeig.results import metrics
from jacobeig.solve import sparse_eigsh

__all__ = ["FIGURES", "STATED", "KnnSettings"]

# The accuracies of the seven approximations, from the caption of the figure.
STATED = (55.1, 69.9, 75.2, 78.4, 80.9, 82.3, 86.2)
SCALINGS = {"own mean": (PALETTE[0], "images minus their mean"), "raw": (PALETTE[1], "pixels in [-1, 1]")}
LEVELS = {"full PCA": ("0.2", "-"), "gain per nonzero, 5%": (PALETTE[2], "-."), "sparse JL": (PALETTE[3], ":")}
COLUMNS = ("panel", "scaling", "method", "rotations", "density", "accuracy", "classified")


@dataclass(frozen=True, kw_only=True)
class KnnSettings(Settings):
    """Sizes; the defaults are the paper's."""

    counted: ClassVar[str] = "scalings"
    n_components: int = 20
    n_neighbours: int = 15
    n_train: int = 8000
    n_splits: int = 10
    n_rotations: int = 900
    jl_components: int = 30
    jl_per_column: int = 3
    density: float = 0.05
    scalings: tuple[str, ...] = tuple(SCALINGS)


def measure(settings: KnnSettings, data: Digits, step: Step) -> FigureData:
    """Return the accuracy along the run, and the classifier's at the seven points and on other projections."""
    if data.labels is None:
        raise FileFormatError("the images have no labels; give an npz file with y, or a csv file with a label column.")
    rows: list[tuple[Any, ...]] = []
    for scaling in settings.scalings:
        pixels = subtract_own_mean(data.pixels) if scaling == "own mean" else data.pixels
        rows += _measure_scaling(settings, scaling, pixels, data.labels)
        step()
    return FigureData(COLUMNS, rows)


def _measure_scaling(settings: KnnSettings, scaling: str, pixels: Floats, labels: Any) -> Iterator[tuple[Any, ...]]:
    S, p = sum_products(pixels, centre_images=False), settings.n_components
    total = float(metrics.extreme_eigenvalues(S, p).sum())
    run = sparse_eigsh(S, p, pivot="gain", start="natural", n_rotations=settings.n_rotations)
    path = follow_path(run, np.arange(run.n_rotations + 1), total)
    for point in path[space_marks(run.n_rotations, (), 91)]:
        yield "path", scaling, "proposed", *point.tolist(), float("nan")
    for stated in STATED:
        k = _find_first(path[:, 2], stated)
        classified = _classify(settings, pixels @ run.truncate(k).vectors.toarray(), labels)
        yield "points", scaling, "proposed", *path[k].tolist(), classified
    ours = sparse_eigsh(S, p, density=settings.density, pivot="gain_per_nonzero", start="cholesky")
    others: dict[str, tuple[Any, int]] = {
        "full PCA": (pca(S, p, S.shape[0]).vectors, 0),
        "gain per nonzero, 5%": (ours.vectors, ours.n_rotations),
        "sparse JL": (sparse_jl_matrix(settings.jl_components, len(S), settings.jl_per_column, rng=0).T, 0),
    }
    for method, (vectors, k) in others.items():
        accuracy = 100.0 * metrics.captured_variance(S, vectors) / total if method != "sparse JL" else float("nan")
        classified = _classify(settings, pixels @ vectors, labels)
        yield "levels", scaling, method, k, 100.0 * metrics.density(vectors), accuracy, classified


def _find_first(accuracy: Floats, stated: float) -> int:
    """Return the first step with that accuracy; the last one if it is never reached."""
    reached = np.flatnonzero(accuracy >= stated)
    return int(reached[0]) if reached.size else len(accuracy) - 1


def _classify(settings: KnnSettings, features: Any, labels: Any) -> float:
    """Return the mean percentage of test images classified rightly over random splits."""
    neighbours = import_extra("sklearn.neighbors")
    n_train = min(settings.n_train, len(labels) * 8000 // 9298)
    right = []
    for seed in range(settings.n_splits):
        order = np.random.default_rng(seed).permutation(len(labels))
        train, test = order[:n_train], order[n_train:]
        classifier = neighbours.KNeighborsClassifier(settings.n_neighbours, algorithm="brute")
        right.append(classifier.fit(features[train], labels[train]).score(features[test], labels[test]))
    return 100.0 * float(np.mean(right))


def draw(table: FigureData) -> Picture:
    """Draw both against the rotations, a row for each scaling; the numbers at the points are densities."""
    panels = [f"{what}, {label}" for _, label in SCALINGS.values() for what in ("accuracy", "15-NN")]
    titles = [f"{letter}. {panel}" for letter, panel in zip("abcd", panels, strict=True)]
    picture, axes = open_picture(2, 2, (7.2, 6.0), titles)
    for row, (scaling, (colour, _)) in zip(axes, SCALINGS.items(), strict=True):
        path, points, levels = (table.where(panel=panel, scaling=scaling) for panel in ("path", "points", "levels"))
        row[0].plot(path["rotations"], path["accuracy"], color=colour)
        row[0].plot(points["rotations"], points["accuracy"], "o", color=colour)
        row[1].plot(points["rotations"], points["classified"], "o-", color=colour)
        _draw_levels(row[1], levels)
        for ax, column in zip(row, ("accuracy", "classified"), strict=True):
            _label_densities(ax, points, column, colour)
            tidy(ax).set(xlabel="rotations k", xlim=(0, max(points["rotations"][-1] * 1.15, 1)))
        row[0].set(ylabel="accuracy (%)", ylim=(0, 100))
        row[1].set_ylabel("classified rightly (%)")
        row[1].margins(y=0.12)
    picture.legend(*axes[0, 1].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return picture


def _draw_levels(ax: Any, levels: FigureData) -> None:
    """Draw what the classifier makes of other projections as horizontal lines."""
    for method, (colour, line) in LEVELS.items():
        level = levels.where(method=method)
        text = f"{method.removesuffix(', 5%')} ({level['density'][0]:.0f}% nonzeros)"
        ax.axhline(level["classified"][0], color=colour, linestyle=line, lw=1.1, label=text)


def _label_densities(ax: Any, points: FigureData, column: str, colour: str) -> None:
    """Write each point's density beside it, above and below in turn."""
    for t, (x, y, density) in enumerate(zip(points["rotations"], points[column], points["density"], strict=True)):
        place: dict[str, Any] = {"xytext": (-3, 4), "ha": "right"} if t % 2 else {"xytext": (4, -9), "ha": "left"}
        text = f"{density:.1f}%" if density < 10.0 else f"{density:.0f}%"
        ax.annotate(text, (x, y), textcoords="offset points", color=colour, fontsize=7, **place)


def compare(table: FigureData) -> str:
    """Say where the seven accuracies of the caption are met, and what the classifier makes of them."""
    parts = []
    for scaling, (_, label) in SCALINGS.items():
        points, levels = (table.where(panel=panel, scaling=scaling) for panel in ("points", "levels"))
        off = np.abs(points["accuracy"] - np.array(STATED)).max()
        full, ours, jl = (levels.where(method=method)["classified"][0] for method in LEVELS)
        rotations = ", ".join(f"{k:.0f}" for k in points["rotations"])
        parts.append(
            f"with {label} they are met within {off:.1f} points at k = {rotations}, the densest with "
            f"{points['density'][-1]:.1f}% nonzeros, and 15-NN goes from {points['classified'][0]:.1f}% to "
            f"{points['classified'][-1]:.1f}% (full PCA {full:.1f}%, sparse JL {jl:.1f}%, ours by gain per nonzero at "
            f"5% nonzeros {ours:.1f}%)"
        )
    stated = ", ".join(map(str, STATED))
    return f"The paper states accuracies of {stated}% for seven approximations: {'; '.join(parts)}."


SUMMARY = "accuracy of sparse components of USPS, and 15-NN classification on them"
make = partial(Figure, measure=measure, draw=draw, compare=compare)
FIGURES = (make(7, "usps-knn", SUMMARY, KnnSettings(), KnnSettings(n_splits=3), needs=("usps",)),)
