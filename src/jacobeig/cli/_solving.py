"""The one body of the commands that solve: open the folder, solve, write, tell, finish."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jacobeig.cli._options import RefineChoice, Search
from jacobeig.cli._output import Session
from jacobeig.cli._results import MEANINGS, open_folder, write_results
from jacobeig.cli._summary import describe_error, note_if_complete, tabulate_components
from jacobeig.cli._views import View
from jacobeig.files import Table

__all__ = ["Solution", "solve_and_tell"]


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a command found, and what it says of it beyond what all commands say.

    `quality` begins the sentence below the table, `better` is what more nonzeros or refinement would bring, `steps`
    are what to do next, `facts` go to JSON, and `page` to the report; `samples` are a table and its scores.
    """

    model: Any
    view: View
    headline: str
    quality: str
    better: str
    facts: Mapping[str, Any]
    page: Mapping[str, Any]
    steps: Mapping[str, str] = field(default_factory=dict)
    samples: tuple[Table, Any] | None = None


def solve_and_tell(
    session: Session, folder: Path, solve: Callable[[], Solution], search: Search, *, report: bool
) -> None:
    """Solve, leave the results in a folder, and tell of them."""
    with open_folder(folder) as draft:
        found = solve()
        written = write_results(session, draft, found.model, found.view, found.samples, found.page if report else None)
    view = found.view
    files = {name: folder / file for name, file in written.items()}
    facts = {**view.facts, **found.facts}
    note_if_complete(session, facts["n_components"], len(view.names), view.feature)
    session.headline(found.headline)
    session.show(tabulate_components(view))
    session.show(
        f"{found.quality}, with [bold]{facts['density']:.1%}[/] of the entries not zero; orthonormal to "
        f"{describe_error(facts['orthonormality_error'])}.",
        "",
    )
    session.pairs({str(path): MEANINGS[name] for name, path in files.items()})
    session.next_steps({**found.steps, **_suggest(found, facts, search.refine)})
    session.finish(files, **facts)


def _suggest(found: Solution, facts: Mapping[str, Any], refine: RefineChoice) -> dict[str, str]:
    """Return options that would give a better result; full vectors and both ends at once cannot be refined."""
    steps = {}
    if refine == RefineChoice.off and facts["density"] < 1.0 and found.view.result.method.which != "BE":
        steps["--refine quick"] = f"{found.better} with as many nonzeros"
    if facts["solver_status"] == "density":
        steps["--density SHARE"] = f"{found.better}, or fewer nonzeros"
    return steps
