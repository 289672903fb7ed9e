"""`jacobeig reproduce`: the figures of the paper."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.text import Text

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._results import check_folder
from jacobeig.cli._wording import plural
from jacobeig.errors import InvalidInputError

__all__ = ["EXAMPLES", "reproduce"]

EXAMPLES = (
    "jacobeig reproduce --quick",
    "jacobeig reproduce --list",
    "jacobeig reproduce --usps usps.npz --mnist mnist.npz --output figures",
)


def _complete_figures(incomplete: str) -> list[tuple[str, str]]:
    return [(name, figure.summary) for name, figure in je.experiments.FIGURES.items() if name.startswith(incomplete)]


def reproduce(
    saying: options.Saying,
    figures: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIGURE", help="Which ones; all by default.", autocompletion=_complete_figures),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller: all in under three minutes.")] = False,
    usps: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The USPS digits, where they are not fetched.")
    ] = None,
    mnist: Annotated[Path | None, typer.Option(metavar="FILE", help="The MNIST digits, likewise.")] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the figures and stop.")] = False,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write; figures that are there are replaced."),
    ] = Path("figures"),
) -> None:
    """Compute the paper's figures again: pictures, tables, and a sentence on how each compares with it."""
    session = saying.start("reproduce")
    if show_list:
        summaries = {name: figure.summary for name, figure in je.experiments.FIGURES.items()}
        session.show_pairs(summaries)
        session.finish(figures=summaries)
        return
    for option, file in (("--usps", usps), ("--mnist", mnist)):
        if file is not None and not file.is_file():
            raise InvalidInputError(f"{option} is {file}, which is not a file.")
    check_folder(output)
    outcomes = je.experiments.reproduce(
        tuple(figures or ()), output, quick=quick, usps=usps, mnist=mnist, progress=session.progress
    )
    for outcome in outcomes:
        session.show(Text.assemble((outcome.name, "bold"), f"  {outcome.sentence}"))
    session.show(
        "",
        f"{plural(sum(len(outcome.files) for outcome in outcomes), 'file')} written to [bold]{escape(str(output))}[/].",
    )
    written = {Path(file).name: Path(file) for outcome in outcomes for file in outcome.files}
    session.finish(written, figures={outcome.name: outcome.sentence for outcome in outcomes})
