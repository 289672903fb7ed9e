"""Options that several commands have, and groups of them."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from jacobeig import files
from jacobeig.cli._files import read
from jacobeig.cli._output import Session
from jacobeig.errors import InvalidInputError
from jacobeig.solve.pivots import PIVOTS
from jacobeig.solve.targets import TARGETS

SAYING, READING, METHOD, WRITING = "What is said", "How the file is read", "How it is solved", "What is written"


class RefineChoice(StrEnum):
    """How hard to try for more variance with as many nonzeros."""

    auto = "auto"
    off = "off"
    quick = "quick"
    best = "best"


class ImputeChoice(StrEnum):
    """What becomes of missing values."""

    mean = "mean"
    median = "median"
    drop = "drop"


REFINE: dict[RefineChoice, bool | str] = {
    RefineChoice.off: False, RefineChoice.quick: True, RefineChoice.best: "best",
}  # fmt: skip


def _complete(meanings: Mapping[str, str]) -> Any:
    return lambda incomplete: [item for item in meanings.items() if item[0].startswith(incomplete)]


_PIVOTS = {"auto": "gain, per nonzero where they are limited"} | {rule.name: rule.meaning for rule in PIVOTS.values()}
Components = Annotated[
    int | None, typer.Option("--components", "-p", min=1, help="How many; by default 10, at most half the features.")
]
Density = Annotated[
    str | None,
    typer.Option(
        "--density", "-d", metavar="SHARE",
        help="At most this share of all entries is not zero: 0.05 or 5%. Without it and the next two, about twice the "
        "square root of the length for each component, and a third of it at most.",
    ),
]  # fmt: skip
MaxNonzeros = Annotated[int | None, typer.Option(min=1, help="At most this many nonzeros in each component.")]
Rotations = Annotated[
    int | None, typer.Option(min=0, help="At most this many rotations; alone, it is the paper's algorithm.")
]
Refine = Annotated[
    RefineChoice,
    typer.Option(
        help="Capture more with as many nonzeros, by choosing them again: quickly, or by trying everything. By default "
        "pca and graph do, small data by trying everything, unless rotations are the only budget; eig keeps the "
        "paper's chain."
    ),
]
Orthonormal = Annotated[
    bool,
    typer.Option(
        "--orthonormal/--no-orthonormal",
        help="Whether components are orthonormal; other unit vectors capture more, but their parts do not add up.",
    ),
]
Pivot = Annotated[
    str,
    typer.Option(
        help=f"How rotations are chosen: {', '.join(_PIVOTS)}.", rich_help_panel=METHOD,
        autocompletion=_complete(_PIVOTS),
    ),
]  # fmt: skip
Target = Annotated[
    str,
    typer.Option(
        help="'ones' captures most together, 'log' and 'adaptive' make each resemble the exact one of its rank.",
        rich_help_panel=METHOD,
        autocompletion=_complete(TARGETS),
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", rich_help_panel=METHOD,
        help="Keep the state of a long run here; after a kill or Ctrl-C the same command goes on from it.",
    ),
]  # fmt: skip
Shape = Annotated[
    str | None, typer.Option(metavar="HxW", help="The columns are the pixels of images of this size, such as 8x8.")
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FOLDER", rich_help_panel=WRITING,
        help="Where to write; by default the file's name and the command's, as in genes-pca. Results of an earlier run "
        "there are replaced, other files left alone.",
    ),
]  # fmt: skip
Report = Annotated[
    bool, typer.Option("--report/--no-report", help="Whether to write report.html.", rich_help_panel=WRITING)
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="A column of labels, not analysed, which may be text.", rich_help_panel=READING
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column to leave out; can be given several times.", rich_help_panel=READING),
]
Names = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", rich_help_panel=READING,
        help="The names of the features, one a line, for files that have none; of several columns, the first.",
    ),
]  # fmt: skip
Impute = Annotated[
    ImputeChoice | None,
    typer.Option(
        help="What to do about missing values: fill them with the mean or the median of their column, or drop such "
        "rows. Without it they are refused.",
        rich_help_panel=READING,
    ),
]
Center = Annotated[bool, typer.Option("--center/--no-center", help="Whether to subtract each feature's mean.")]
Scale = Annotated[
    bool,
    typer.Option(
        "--scale", help="Divide each feature by its standard deviation, so that all weigh alike, whatever their units."
    ),
]
Transpose = Annotated[bool, typer.Option("--transpose", help="The file has features in rows.", rich_help_panel=READING)]
Key = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Which array of an npz, mat or hdf5 file with several.", rich_help_panel=READING),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", rich_help_panel=READING, show_default=False,
        help="Whether the first line of a text names the columns; by default that is found out.",
    ),
]  # fmt: skip
Symmetrize = Annotated[
    bool, typer.Option("--symmetrize", help="Take the mean of the matrix and its transpose.", rich_help_panel=READING)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but failures.", rich_help_panel=SAYING)]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", rich_help_panel=SAYING,
        help="Print one JSON object on standard output and nothing else there; why a run failed also goes to standard "
        "error.",
    ),
]  # fmt: skip


def parse_share(name: str, text: str | None) -> float | None:
    """Return a share written as 0.05 or 5%; None stays None."""
    if text is None:
        return None
    number = text.strip()
    percent = number.endswith("%")
    try:
        value = float(number.removesuffix("%")) / (100.0 if percent else 1.0)
    except ValueError as error:
        raise InvalidInputError(f"--{name} is {text!r}; give a share such as 0.05 or 5%.") from error
    if not 0.0 < value <= 1.0:
        meant = f" (did you mean {number}%?)" if not percent and 1.0 < value <= 100.0 else ""
        raise InvalidInputError(f"--{name} is {text}; give a share above 0 and at most 1, such as 0.05 or 5%{meant}.")
    return value


def parse_shape(text: str | None, n: int) -> tuple[int, int] | None:
    """Return the height and width of images of n pixels; None stays None."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)\s*[xX,×]\s*(\d+)", text.strip())  # noqa: RUF001  # the sign that people copy
    if found is None:
        raise InvalidInputError(f"--shape is {text!r}; give height and width such as 8x8.")
    height, width = int(found[1]), int(found[2])
    if height * width != n:
        raise InvalidInputError(f"--shape is {text}, which has {height * width:,} pixels; there are {n:,} columns.")
    return height, width


@dataclass(frozen=True)
class Search:
    """How many components to find, when to stop, and how they are chosen."""

    components: Components = None
    density: Density = None
    max_nonzeros: MaxNonzeros = None
    rotations: Rotations = None
    refine: Refine = RefineChoice.auto
    pivot: Pivot = "auto"
    target: Target = "ones"
    checkpoint: Checkpoint = None

    def to_arguments(self) -> dict[str, Any]:
        """Return them as the library calls them; whether to refine is left to it where the user does not say."""
        refine = {} if self.refine == RefineChoice.auto else {"refine": REFINE[self.refine]}
        return refine | {
            "n_components": self.components,
            "density": parse_share("density", self.density),
            "max_nonzeros": self.max_nonzeros,
            "n_rotations": self.rotations,
            "pivot": self.pivot,
            "target": self.target,
            "checkpoint": self.checkpoint,
        }


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    label: Label = None
    drop: Drop = None
    transpose: Transpose = False
    key: Key = None
    header: Header = None
    names: Names = None
    impute: Impute = None

    def read(self, session: Session, path: Path) -> files.Table:
        """Return the table of a file."""
        return read(session, files.read_table, path, **asdict(self) | {"drop": self.drop or ()})


@dataclass(frozen=True)
class Standardising:
    """What is done to the features of a table before anything else."""

    center: Center = True
    scale: Scale = False


@dataclass(frozen=True)
class Form:
    """What components are like: whether they are orthonormal, whether they are images."""

    orthonormal: Orthonormal = True
    shape: Shape = None


@dataclass(frozen=True)
class MatrixReading:
    """How a matrix or a graph is read."""

    symmetrize: Symmetrize = False
    key: Key = None
    header: Header = None


@dataclass(frozen=True)
class Writing:
    """What is written, and where."""

    output: Folder = None
    report: Report = True


@dataclass(frozen=True)
class Saying:
    """How much is said."""

    quiet: Quiet = False
    as_json: AsJson = False

    def start(self, command: str) -> Session:
        """Return the session of a command that begins."""
        return Session(command, quiet=self.quiet, as_json=self.as_json)


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the options of its groups, such as `Search`, one by one, as the parser wants them."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: group for name, group in hints.items() if is_dataclass(group)}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            types = get_type_hints(groups[name], include_extras=True)
            parameters += [(field.name, types[field.name], field.default) for field in fields(groups[name])]
        else:
            parameters.append((name, hints[name], parameter.default))

    def call(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    call.__doc__ = command.__doc__
    call.__annotations__ = {name: kind for name, kind, _ in parameters}
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # which functions may have
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for name, kind, default in parameters
        ]
    )
    return call
