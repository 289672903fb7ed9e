"""`jacobeig compare`: every method on the same data."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._files import strip_name
from jacobeig.cli._output import Session
from jacobeig.cli._results import open_folder
from jacobeig.cli._summary import note_if_complete, tabulate
from jacobeig.cli._tables import check_table, choose_methods, choose_shares, note_if_dominated
from jacobeig.cli._wording import in_options, plural
from jacobeig.errors import MissingExtraError

__all__ = ["EXAMPLES", "compare"]

EXAMPLES = (
    "jacobeig compare iris.csv --drop species --components 2",
    "jacobeig compare genes.csv -p 5 --densities 1%,5%,20% --methods 'chain,refine best,tpower'",
    "jacobeig compare covariance.npy --methods all",
    "jacobeig compare --list-methods",
)
FILES = {"table": "comparison.csv", "picture": "comparison.png"}
MEANINGS = {"table": "all figures, for a spreadsheet", "picture": "captured variance against density"}


def _complete_methods(incomplete: str) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    names = [*_list_methods(), *([] if comma else ["all"])]
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def _list_methods() -> dict[str, str]:
    return {name: in_options(meaning) for name, meaning in je.comparison.MEANINGS.items()}


def _list_methods_and_stop(wanted: bool) -> None:
    if wanted:
        Session("compare", quiet=False, as_json=False).show_pairs(_list_methods())
        raise typer.Exit


def compare(
    data: Annotated[
        Path, options.take_file("DATA", "A table, or a symmetric matrix, which is taken as it is; - is stdin.")
    ],
    standardising: options.Standardising,
    reading: options.Reading,
    saying: options.Saying,
    counting: options.Counting,
    placing: options.Placing,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="NAMES",
            autocompletion=_complete_methods,
            help="Names with commas between them, or 'all' (minutes); by default the quick ones, fewer for many "
            "features. --list-methods says what each is.",
        ),
    ] = None,
    _show_methods: Annotated[
        bool,
        typer.Option(
            "--list-methods", callback=_list_methods_and_stop, is_eager=True, help="Say what each method is and stop."
        ),
    ] = False,
    densities: Annotated[
        str | None, typer.Option(metavar="SHARES", help="Shares with commas between them, as in 2%,5%,0.1.")
    ] = None,
) -> None:
    """Compare methods at the same numbers of nonzeros: a table, a csv file and a picture.

    Seconds are those of one density on average; compiling is not counted, as every method runs on a small matrix first.
    """
    from jacobeig._arguments import check_components
    from jacobeig.solve import default_components

    session = saying.start("compare")
    table = reading.read(session, data)
    check_table(table)
    note_if_dominated(session, table, scaled=standardising.scale)
    n = table.values.shape[1]
    p = check_components(counting.components or default_components(n), n, f"there are {plural(n, 'feature')}")
    shares, names = _choose_shares(session, densities, n), _choose_methods(session, methods, n)
    note_if_complete(session, p, n, "feature")
    name = strip_name(data)
    folder = placing.output or Path(f"{name}-compare")
    with open_folder(folder, FILES.values()) as draft:
        with session.show_waiting("compiling"):  # so that no method's time holds its compilation
            je.comparison.compare(je.datasets.random_covariance(12, rng=0), 2, [0.5], names)
        found = je.comparison.compare(
            table.values, p, shares, names, **asdict(standardising), progress=session.progress
        )
        written = {name: folder / FILES[name] for name in _write(session, draft, found)}
    what = f"variance captured by {plural(p, 'component')} of {plural(n, 'feature')} (100% is full PCA)"
    session.show_headline(f"{name}: {what}")
    proved = " No orthonormal vectors can be above 'bound'." if any(row.method == "bound" for row in found.rows) else ""
    session.show(_show_rows(found.rows, shares), f"Seconds are the mean of one density.{proved}", "")
    failed = [row for row in found.rows if math.isnan(row.captured)]
    session.note(*[f"{row.method} at {row.asked:.2%}: " + row.status for row in failed])
    session.show_pairs({str(path): MEANINGS[name] for name, path in written.items()})
    session.finish(written, n_features=n, n_components=p, rows=[asdict(row) for row in found.rows])


def _choose_shares(session: Session, densities: str | None, n: int) -> list[float]:
    if densities is not None:
        return [options.parse_share("densities", part) or 0.0 for part in densities.split(",") if part.strip()]
    usual = choose_shares(n)
    shares = [share for share in usual if share * n >= 1] or [0.5, 1.0]
    gone = [f"{share:.0%}" for share in usual if share not in shares]
    if gone:
        alone = ", so one density is left and the picture has a marker for each method" if len(shares) == 1 else ""
        session.note(
            f"With {plural(n, 'feature')} the usual densities {', '.join(gone)} would allow less than one nonzero and "
            f"are left out{alone}: choose others with --densities."
        )
    return shares


def _choose_methods(session: Session, methods: str | None, n: int) -> list[str] | None:
    if methods is None:
        names, gone = choose_methods(n)
        if gone:
            session.note(
                f"{', '.join(gone)} {'are' if len(gone) > 1 else 'is'} left out for {plural(n, 'feature')}, where "
                f"{'they' if len(gone) > 1 else 'it'} may take minutes: --methods {','.join([*names, *gone])} brings "
                f"{'them' if len(gone) > 1 else 'it'} back."
            )
        return names
    names = [name.strip() for name in methods.split(",") if name.strip()]
    return None if names == ["all"] else names


def _write(session: Session, folder: Path, found: Any) -> list[str]:
    """Write the table, and the picture if there is a library to draw it; return which of the two."""
    found.to_csv(folder / FILES["table"])
    try:
        from matplotlib.figure import Figure
    except ImportError:
        session.note(f"No picture: {MissingExtraError('matplotlib', 'plot')}")
        return ["table"]
    figure = Figure(figsize=(7, 5), layout="constrained")
    found.plot(ax=figure.subplots())
    figure.savefig(folder / FILES["picture"], dpi=150)
    return ["table", "picture"]


def _show_rows(rows: Any, shares: list[float]) -> Any:
    """Return a table of methods by densities; the best of each density stands out."""
    methods = list(dict.fromkeys(row.method for row in rows))
    by = {(row.method, row.asked): row for row in rows}
    known = [row for row in rows if not math.isnan(row.captured) and math.isnan(row.slope)]
    best = {share: max((row.captured for row in known if row.asked == share), default=0.0) for share in shares}

    def cell(method: str, share: float) -> Text:
        row = by.get((method, share))
        if row is None or math.isnan(row.captured):
            return Text("-")
        if not math.isnan(row.slope):  # a bound, which is rounded up
            return Text(f"{math.ceil(1e3 * row.captured - 1e-6) / 10:.1f}%", style="dim")
        return Text(f"{row.captured:.1%}", style="bold green" if row.captured >= best[share] - 5e-4 else "")

    def line(method: str) -> list[Any]:
        own = [row for row in rows if row.method == method]
        worst = max((row.orthonormality_error for row in own), default=math.nan)
        orthonormal = "yes" if worst < 1e-9 else "no" if math.isnan(own[0].slope) else "-"
        seconds = sum(row.seconds for row in own) / len(own)
        return [method, *[cell(method, share) for share in shares], orthonormal, f"{seconds:.3f}"]

    headings = ["method", *[f"{100 * share:.3g}%" for share in shares], "orthonormal", "seconds"]
    return tabulate(headings, map(line, methods))
