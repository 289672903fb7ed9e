"""Options that several commands have, in groups, and options written out again for a command that goes on."""

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, asdict, dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, get_type_hints

import typer

import jacobeig as je
from jacobeig.cli._files import read
from jacobeig.cli._output import Session
from jacobeig.cli._wording import write_option
from jacobeig.errors import InvalidInputError
from jacobeig.solve.pivots import PIVOTS
from jacobeig.solve.targets import TARGETS

# Panels of the help. Their columns are as wide as the longest name in each, so that long ones have panels of their own.
SAYING, READING, METHOD, WRITING = "What is said", "How the file is read", "How it is solved", "What is written"
PREPARING, FORM = "What is done to the data", "What components are like"
RefineChoice = StrEnum("RefineChoice", ["auto", "off", "quick", "best"])
ImputeChoice = StrEnum("ImputeChoice", ["mean", "median", "drop"])
REFINE: dict[str, bool | str] = {"off": False, "quick": True, "best": "best"}


def option(default: Any, text: str, *names: str, **more: Any) -> Any:
    """Return a field of a group: what is so by default, and what the help says of the option."""
    return field(default=default, metadata={"option": typer.Option(*names, help=text, **more)})


def take_file(metavar: str, text: str) -> Any:
    """Return what the parser needs to know of a file that a command reads, which itself says why it cannot."""
    return typer.Argument(metavar=metavar, readable=False, help=text)


def _complete(meanings: Mapping[str, str]) -> Any:
    return lambda incomplete: [item for item in meanings.items() if item[0].startswith(incomplete)]


_PIVOTS = {"auto": "gain, per nonzero where they are limited"} | {rule.name: rule.meaning for rule in PIVOTS.values()}
_solving, _reading, _writing, _saying, _preparing, _forming = (
    partial(option, rich_help_panel=panel) for panel in (METHOD, READING, WRITING, SAYING, PREPARING, FORM)
)
_key = partial(_reading, None, "Which array of an npz, mat or hdf5 file with several.", metavar="NAME")
_header = partial(
    _reading,
    None,
    "Whether the first line of a text names the columns; by default that is found out.",
    "--header/--no-header",
    show_default=False,
)


def _ask_for_names(what: str) -> Any:
    text = f"The names of the {what}, one per line, for files that have none; of several columns, the first."
    return _reading(None, text, metavar="FILE")


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
class Counting:
    """How many components to find."""

    components: int | None = option(
        None, "How many; by default 10, at most half the features.", "--components", "-p", min=1, metavar="N"
    )


@dataclass(frozen=True)
class Search(Counting):
    """How many components to find, when to stop, and how they are chosen."""

    density: str | None = option(
        None,
        "At most this share of all entries is not zero: 0.05 or 5%. Without it and the next two, about twice the "
        "square root of the length for each component, and a third of it at most.",
        "--density",
        "-d",
        metavar="SHARE",
    )
    max_nonzeros: int | None = option(None, "At most this many nonzeros in each component.", min=1, metavar="N")
    rotations: int | None = option(
        None, "At most this many rotations; alone, it is the paper's algorithm.", min=0, metavar="N"
    )
    refine: RefineChoice = option(
        RefineChoice.auto,
        "Capture more with as many nonzeros, by choosing them again: quick, best (tries everything) or off. By default "
        "pca and graph do, small data by trying everything, unless rotations are the only budget; eig keeps the "
        "paper's chain.",
        metavar="HOW",
    )
    pivot: str = _solving(
        "auto",
        f"How rotations are chosen: {', '.join(_PIVOTS)}.",
        metavar="RULE",
        autocompletion=_complete(_PIVOTS),
    )
    target: str = _solving(
        "ones",
        "'ones' captures most together, 'log' and 'adaptive' make each resemble the exact one of its rank.",
        metavar="NAME",
        autocompletion=_complete(TARGETS),
    )
    checkpoint: Path | None = _solving(
        None,
        "Keep the state of a long run here; after a kill or Ctrl-C the same command goes on from it.",
        metavar="FILE",
    )

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

    label: str | None = _reading(None, "A column of labels, not analysed, which may be text.", metavar="COLUMN")
    drop: list[str] | None = _reading(None, "A column to leave out; can be given several times.", metavar="COLUMN")
    transpose: bool = _reading(False, "The file has features in rows.", "--transpose")
    key: str | None = _key()
    header: bool | None = _header()
    names: Path | None = _ask_for_names("features")
    impute: ImputeChoice | None = _reading(
        None,
        "What to do about missing values: fill them with the mean or the median of their column, or drop such rows "
        "(mean, median, drop). Without it they are refused.",
        metavar="HOW",
    )

    def read(self, session: Session, path: Path) -> "je.files.Table":
        """Return the table of a file."""
        return read(session, je.files.read_table, path, **asdict(self) | {"drop": self.drop or ()})


@dataclass(frozen=True)
class Standardising:
    """What is done to the features of a table before anything else."""

    center: bool = _preparing(True, "Whether to subtract each feature's mean.", "--center/--no-center")
    scale: bool = _preparing(
        False,
        "Divide each feature by its standard deviation, so that all weigh alike, whatever their units.",
        "--scale",
    )


@dataclass(frozen=True)
class Form:
    """What components are like: whether they are orthonormal, whether they are images."""

    orthonormal: bool = _forming(
        True,
        "Whether components are orthonormal; other unit vectors capture more, but their parts do not add up.",
        "--orthonormal/--no-orthonormal",
    )
    shape: str | None = _forming(None, "The columns are the pixels of images of this size, such as 8x8.", metavar="HxW")


@dataclass(frozen=True)
class MatrixReading:
    """How a matrix or a graph is read."""

    symmetrize: bool = _reading(False, "Take the mean of the matrix and its transpose.", "--symmetrize")
    key: str | None = _key()
    header: bool | None = _header()
    names: Path | None = _ask_for_names("rows or nodes")


@dataclass(frozen=True)
class Placing:
    """Where results are written."""

    output: Path | None = _writing(
        None,
        "Where to write; by default the file's name and the command's, as in genes-pca. Results of an earlier run "
        "there are replaced, other files left alone.",
        "--output",
        "-o",
        metavar="FOLDER",
    )


@dataclass(frozen=True)
class Writing(Placing):
    """What is written, and where."""

    report: bool = _writing(True, "Whether to write report.html.", "--report/--no-report")


@dataclass(frozen=True)
class Saying:
    """How much is said."""

    quiet: bool = _saying(False, "Print nothing but failures.", "--quiet", "-q")
    as_json: bool = _saying(
        False,
        "Print one JSON object on standard output and nothing else there; why a run failed also goes to standard "
        "error.",
        "--json",
    )

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
            types = get_type_hints(groups[name])
            parameters += [
                (each.name, Annotated[types[each.name], each.metadata["option"]], each.default)
                for each in fields(groups[name])
            ]
        else:
            parameters.append((name, hints[name], parameter.default))

    def call(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
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


def name_data(path: Path) -> str:
    """Return a file as a shell takes it; standard input, which is read by now, is the user's to give again."""
    return "DATA" if str(path) == je.files.STANDARD_INPUT else quote(str(path))


def repeat(*groups: Any, without: Collection[str] = ()) -> str:
    """Return the options of groups that differ from their defaults, with a blank before each."""
    given = []
    for group in groups:
        for each in fields(group):
            value = getattr(group, each.name)
            if value != each.default and each.name not in without:
                name = _name_option(each)
                given += [write_option(name, part) for part in (value if isinstance(value, list) else [value])]
    return "".join(f" {part}" for part in given)


def _name_option(each: Field[Any]) -> str:
    """Return what the command line calls a field, without the dashes before it."""
    declared = each.metadata["option"].param_decls or ()
    long = next((text for text in declared if text.startswith("--")), each.name.replace("_", "-"))
    return str(long).split("/")[0].removeprefix("--")
