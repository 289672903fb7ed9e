"""What a figure of the paper is: numbers, a picture of them, and a sentence on how they compare."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from jacobeig._extras import import_extra
from jacobeig._types import Floats
from jacobeig.results.drafts import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from jacobeig.datasets import Digits

Step = Callable[[], None]
# Text stays text in SVG, and the same numbers give the same bytes.
STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "jacobeig",
}
DPI = 130


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The sizes of an experiment, one of which counts its steps."""

    counted: ClassVar[str]

    @property
    def n_steps(self) -> int:
        """How often the experiment reports that a part of it is done."""
        size = getattr(self, self.counted)
        return size if isinstance(size, int) else len(size)


@dataclass(frozen=True)
class FigureData:
    """Numbers of a figure, one point a row.

    Examples
    --------
    >>> from jacobeig.experiments import FigureData
    >>> table = FigureData(("method", "rotations"), [("ones", 1), ("ones", 2), ("log", 1)])
    >>> table.where(method="ones")["rotations"]
    array([1., 2.])
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    def __getitem__(self, column: str) -> Floats:
        """Return a column of numbers."""
        return np.array([row[self.columns.index(column)] for row in self.rows], dtype=float)

    def labels(self, column: str) -> list[str]:
        """Return the different texts of a column, in the order in which they first come."""
        return list(dict.fromkeys(row[self.columns.index(column)] for row in self.rows))

    def where(self, **wanted: Any) -> FigureData:
        """Return the rows that have these values."""
        at = {self.columns.index(name): value for name, value in wanted.items()}
        return FigureData(self.columns, [row for row in self.rows if all(row[t] == value for t, value in at.items())])

    def write(self, path: Path) -> None:
        """Write it as csv, numbers to their last digit."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows([_make_plain(value) for value in row] for row in self.rows)


def _make_plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


class Recipe(NamedTuple):
    """How the figures of a file are made: numbers from settings and data, a picture and a sentence from the numbers."""

    measure: Callable[[Any, Digits | None, Step], FigureData]
    draw: Callable[[FigureData], Picture]
    compare: Callable[[FigureData], str]

    def make(
        self, number: int, name: str, summary: str, full: Settings, quick: Settings, needs: tuple[str, ...] = ()
    ) -> Figure:
        """Return a figure made so."""
        return Figure(number=number, name=name, summary=summary, full=full, quick=quick, needs=needs, recipe=self)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of the paper and how it is made.

    Attributes
    ----------
    name : str
        What `reproduce` calls it.
    number : int
        Its number in the paper.
    summary : str
        What it shows, in a line.
    needs : tuple of str
        The data sets it needs: "usps", "mnist".
    full, quick : Settings
        Sizes of the whole experiment, and of one that takes seconds.
    recipe : Recipe
        How it is measured, drawn and compared with what the paper states.

    Examples
    --------
    >>> import jacobeig as je
    >>> je.experiments.FIGURES["usps-knn"].needs
    ('usps',)
    """

    name: str
    number: int
    summary: str
    full: Settings
    quick: Settings
    recipe: Recipe
    needs: tuple[str, ...] = ()

    def choose_settings(self, *, quick: bool) -> Settings:
        """Return the sizes to use."""
        return self.quick if quick else self.full

    def measure(self, settings: Settings, data: Digits | None, step: Step) -> FigureData:
        """Return the numbers to draw, calling `step` after each part."""
        return self.recipe.measure(settings, data, step)

    def draw(self, numbers: FigureData) -> Picture:
        """Return them as a matplotlib figure."""
        return self.recipe.draw(numbers)

    def compare(self, numbers: FigureData) -> str:
        """Return a sentence on how they compare with what the paper states."""
        return self.recipe.compare(numbers)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a figure.

    Attributes
    ----------
    name : str
        The figure's name.
    files : tuple of Path
        What was written: png, svg, csv and the sentence as txt. Empty if it was skipped.
    sentence : str
        How the numbers compare with what the paper states; or why the figure was skipped.
    skipped : bool
        Whether its data could not be had.

    Examples
    --------
    >>> from jacobeig.experiments import Outcome
    >>> Outcome(name="usps-knn", files=(), sentence="USPS is not here.", skipped=True).skipped
    True
    """

    name: str
    files: tuple[Path, ...]
    sentence: str
    skipped: bool = False


def write(figure: Figure, table: FigureData, folder: Path) -> Outcome:
    """Write the numbers, the picture and the sentence; every file whole or not at all."""
    sentence = figure.compare(table)
    files = tuple(folder / f"{figure.name}.{ending}" for ending in ("png", "svg", "csv", "txt"))
    with _use_style():
        picture = figure.draw(table)
        for path, metadata in zip(files[:2], ({"Software": None}, {"Date": None, "Creator": None}), strict=True):
            with replace_file(path) as draft:
                picture.savefig(draft, dpi=DPI, format=path.suffix[1:], metadata=metadata)
    with replace_file(files[2]) as draft:
        table.write(draft)
    with replace_file(files[3]) as draft:
        draft.write_text(sentence + "\n", encoding="utf-8")
    return Outcome(name=figure.name, files=files, sentence=sentence)


@contextmanager
def _use_style() -> Iterator[None]:
    with import_extra("matplotlib").rc_context(STYLE):
        yield


def open_picture(n_rows: int, n_columns: int, size: tuple[float, float], titles: Iterable[str]) -> tuple[Picture, Any]:
    """Return a matplotlib figure and its titled axes (rows, columns), without a window."""
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=size)
    picture.set_layout_engine("constrained", w_pad=0.08, h_pad=0.06)
    axes = picture.subplots(n_rows, n_columns, squeeze=False)
    for ax, title in zip(axes.flat, titles, strict=True):
        ax.set_title(title, loc="left")
    return picture, axes
