"""The one body of the commands that solve: open the folder, solve, write, tell, finish."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jacobeig as je
from jacobeig.cli._options import Search, repeat
from jacobeig.cli._output import Session
from jacobeig.cli._results import MEANINGS, open_folder, write_results
from jacobeig.cli._summary import describe_error, note_if_complete, note_if_single, tabulate_components
from jacobeig.cli._views import View

# Options that a suggestion to run a command again may replace.
NOT_AGAIN = ("refine", "density", "max_nonzeros", "rotations", "pivot")

CERTIFIED = ("claim", "bound", "captured", "share", "gap", "kind", "seconds")


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a command found, and what it says of it beyond what all commands say.

    `quality` begins the sentence below the table, `better` is what more nonzeros or refinement would bring, `steps` are
    what to do next, `facts` go to JSON, and `page` to the report beside the names; `samples` are a table and its
    scores. `command` is the command with the options it had, but for those in `NOT_AGAIN`. The `certificate` says how
    much better any others could be, the `path` what other densities explain.
    """

    view: View
    headline: str
    quality: str
    better: str
    facts: Mapping[str, Any]
    page: Mapping[str, Any]
    command: str
    steps: Mapping[str, str] = field(default_factory=dict)
    samples: tuple["je.files.Table", Any] | None = None
    certificate: Any = None
    path: Any = None


def solve_and_tell(
    session: Session, folder: Path, solve: Callable[[], Solution], search: Search, *, report: bool
) -> None:
    """Solve, leave the results in a folder, and tell of them."""
    with open_folder(folder) as draft:
        found = solve()
        page = {"feature_names": found.view.names, **found.page} if report else None
        written = write_results(session, draft, found.view, found.samples, page, found.path)
    view = found.view
    files = {name: folder / file for name, file in written.items()}
    facts = {**view.facts, **found.facts, **_describe_certificate(found.certificate)}
    note_if_complete(session, facts["n_components"], len(view.names), view.feature)
    note_if_single(session, view)
    session.show_headline(found.headline)
    session.show(tabulate_components(view))
    session.show(
        f"{found.quality}, with [bold]{facts['density']:.1%}[/] of the entries not zero; orthonormal to "
        f"{describe_error(facts['orthonormality_error'])}.",
        *([] if found.certificate is None else [found.certificate.claim]),
        "",
    )
    session.show_pairs({str(path): MEANINGS[name] for name, path in files.items()})
    session.show_steps({**found.steps, **_suggest(found, facts, search)})
    session.finish(files, **facts)


def _describe_certificate(certificate: Any) -> dict[str, Any]:
    """Return what JSON says of a certificate, if there is one."""
    if certificate is None:
        return {}
    return {"certificate": {name: getattr(certificate, name) for name in CERTIFIED}}


def _suggest(found: Solution, facts: Mapping[str, Any], search: Search) -> dict[str, str]:
    """Return commands that would give a better result; full vectors and both ends at once cannot be refined."""
    if facts["density"] == 1.0:
        return {}
    from jacobeig.results.front import find_knee

    steps, budget = {}, repeat(search, without=("components", "refine", "target", "checkpoint"))
    if found.view.result.rotations is not None and found.view.result.method.which != "BE":
        steps[f"jacobeig {found.command}{budget} --refine quick"] = f"{found.better} with as many nonzeros"
    if found.path is not None and len(found.path.density) > 2:
        knee = find_knee(found.path.density, found.path.explained_variance)
        if found.path.nonzeros[knee] != found.view.vectors.nnz:
            share = f"{found.path.explained_variance_ratio[knee]:.0%}"
            # Up to a tenth of a percent, which allows as many nonzeros or one more.
            allowed = math.ceil(1000.0 * found.path.density[knee] - 1e-9) / 10.0
            again = f"jacobeig {found.command} --density {allowed:g}%"
            steps[again] = f"the knee: {share} of the variance; beyond it more nonzeros bring less"
        return steps
    fewer = max(1, round(facts["nonzeros"].mean() / 2))
    if not budget and fewer < facts["nonzeros"].max():
        steps[f"jacobeig {found.command} --max-nonzeros {fewer}"] = f"half as many nonzeros; more give {found.better}"
    return steps
