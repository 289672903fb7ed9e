"""What a figure of the paper is: numbers, a picture of them, and a sentence on how they compare."""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from jacobeig._extras import import_extra
from jacobeig._types import Floats
from jacobeig.results.atomic_files import replace_file

if TYPE_CHECKING:
    import matplotlib.figure

    Picture: TypeAlias = matplotlib.figure.Figure
else:
    Picture = Any  # matplotlib is loaded when something is drawn

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
    """Numbers of a figure, one point per row.

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

    def where(self, **wanted: Any) -> Self:
        """Return the rows that have these values."""
        at = {self.columns.index(name): value for name, value in wanted.items()}
        return type(self)(self.columns, [row for row in self.rows if all(row[t] == value for t, value in at.items())])

    def write(self, path: Path) -> None:
        """Write it as csv, numbers to their last digit."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(self.rows)


@dataclass(frozen=True)
class Figure:
    """A figure of the paper and how it is made.

    Attributes
    ----------
    number : int
        Its number in the paper.
    name : str
        What `reproduce` calls it.
    summary : str
        What it shows, in a line.
    full, quick : Settings
        Sizes of the whole experiment, and of one that takes seconds.
    needs : tuple of str
        The data sets it needs: "usps", "mnist".
    measure : callable
        Returns the numbers to draw, from sizes, data, and a function to call after each part.
    draw : callable
        Returns the numbers as a matplotlib figure.
    compare : callable
        Returns a sentence on how the numbers compare with what the paper states.

    Examples
    --------
    >>> import jacobeig as je
    >>> je.experiments.FIGURES["usps-knn"].needs
    ('usps',)
    """

    number: int
    name: str
    summary: str
    full: Settings
    quick: Settings
    needs: tuple[str, ...] = ()
    _: KW_ONLY
    measure: Callable[[Any, Any, Step], FigureData]
    draw: Callable[[FigureData], Picture]
    compare: Callable[[FigureData], str]


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
    with import_extra("matplotlib").rc_context(STYLE):
        picture = figure.draw(table)
        for path, metadata in zip(files[:2], ({"Software": None}, {"Date": None, "Creator": None}), strict=True):
            with replace_file(path) as draft:
                picture.savefig(draft, dpi=DPI, format=path.suffix[1:], metadata=metadata)
    with replace_file(files[2]) as draft:
        table.write(draft)
    with replace_file(files[3]) as draft:
        draft.write_text(sentence + "\n", encoding="utf-8")
    return Outcome(name=figure.name, files=files, sentence=sentence)


def open_picture(n_rows: int, n_columns: int, size: tuple[float, float], titles: Iterable[str]) -> tuple[Picture, Any]:
    """Return a matplotlib figure and its titled axes (rows, columns), without a window."""
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=size)
    picture.set_layout_engine("constrained", w_pad=0.08, h_pad=0.06)
    axes = picture.subplots(n_rows, n_columns, squeeze=False)
    for ax, title in zip(axes.flat, titles, strict=True):
        ax.set_title(title, loc="left")
    return picture, axes
