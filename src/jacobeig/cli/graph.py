"""`jacobeig graph`: sparse Fourier modes of a graph."""

import shlex
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from jacobeig import files
from jacobeig.cli import _options as options
from jacobeig.cli._files import read, strip_name
from jacobeig.cli._output import Session
from jacobeig.cli._repeating import name_data, repeat
from jacobeig.cli._results import FILES
from jacobeig.cli._solving import NOT_AGAIN, Solution, solve_and_tell
from jacobeig.cli._views import view_model
from jacobeig.cli._wording import plural, write_option
from jacobeig.errors import InvalidInputError

__all__ = ["EXAMPLES", "graph"]

EXAMPLES = (
    "jacobeig graph friends.csv --components 8",
    "jacobeig graph roads.edges --coordinates places.csv --density 10% --refine quick",
    "jacobeig graph links.mtx --directed --laplacian normalized",
)

ALONE = 0.5  # of a mode's squared length, beyond which a node is most of it


class Band(StrEnum):
    """Which frequencies."""

    low = "low"
    high = "high"
    both = "both"


class Laplacian(StrEnum):
    """Which Laplacian."""

    combinatorial = "combinatorial"
    normalized = "normalized"


def graph(
    edges: Annotated[
        Path,
        typer.Argument(
            metavar="EDGES",
            readable=False,
            help="Columns from, to and perhaps weight; or a square matrix of weights; - is stdin.",
        ),
    ],
    search: options.Search,
    reading: options.MatrixReading,
    writing: options.Writing,
    saying: options.Saying,
    which: Annotated[
        Band, typer.Option(case_sensitive=False, help="The smooth modes, the rough ones, or half of each.")
    ] = Band.low,
    laplacian: Annotated[Laplacian, typer.Option(help="D - W, or the one normalised by degrees.")] = (
        Laplacian.combinatorial
    ),
    directed: Annotated[bool, typer.Option("--directed", help="Edges have directions; modes are complex.")] = False,
    coordinates: Annotated[
        Path | None,
        typer.Option(help="Where the nodes lie: columns x and y, or node, x and y.", rich_help_panel=options.READING),
    ] = None,
) -> None:
    """Find sparse Fourier modes of a graph: smooth patterns on a few nodes each.

    Writes a model, components.csv and report.html into a folder. Nodes are called by numbers or names.
    """
    session, arguments = saying.start("graph"), search.to_arguments()
    content = read(session, files.read_graph, edges, **asdict(reading))
    places = None if coordinates is None else read(session, files.read_coordinates, coordinates, content.nodes)
    name = strip_name(edges)
    folder = writing.output or Path(f"{name}-graph")

    def solve() -> Solution:
        network = _make_network(session, content, directed=directed)
        model = _fit(
            session, network, **arguments, which=which.value, laplacian=laplacian.value, directed=directed,
        )  # fmt: skip
        view = view_model(model)
        n_nodes, n_edges, exact = len(view.names), _count_edges(network), _sum_exact(session, model)
        _note_if_alone(session, model)
        page = {"feature_names": view.names, "title": f"Sparse Fourier modes of {name}"}
        return Solution(
            model=model,
            view=view,
            headline=f"{name}: {plural(n_nodes, 'node')}, {plural(n_edges, 'edge')}",
            quality=_describe_quality(model, exact),
            better="rougher modes" if which == Band.high else "smoother modes",
            facts={
                "n_nodes": n_nodes,
                "n_edges": n_edges,
                "n_covered": len(np.unique(model.modes_.indices)),
                "exact": exact,
            },
            page=page | ({} if places is None else {"coordinates": places, "edges": network.weights}),
            steps=_list_steps(folder, coordinates),
            command=f"graph {name_data(edges)}{repeat(reading, search, writing, without=NOT_AGAIN)}"
            + _repeat_own(which=which, laplacian=laplacian, directed=directed, coordinates=coordinates),
        )

    solve_and_tell(session, folder, solve, search, report=writing.report)


def _make_network(session: Session, content: files.GraphContent, *, directed: bool) -> Any:
    with session.show_waiting("loading scikit-learn"):
        from jacobeig.estimators.graph import Graph

    if content.edges is None:
        return Graph.of_weights(content.weights, content.nodes, directed=directed)
    if len(content.nodes) < 2:
        raise InvalidInputError("the graph has a single node, so it has no modes; list edges between several.")
    return Graph.of_edges(content.edges, content.nodes, directed=directed)


def _fit(session: Session, network: Any, **parameters: Any) -> Any:
    from jacobeig.estimators.graph import GraphFourier

    return (
        GraphFourier(progress=session.progress, **parameters).fit(network).set_params(progress=False, checkpoint=None)
    )


def _count_edges(network: Any) -> int:
    """Return how many edges there are, without loops, each once."""
    weights = network.weights.tocoo()
    return int(np.count_nonzero(weights.row != weights.col if network.directed else weights.row < weights.col))


def _sum_exact(session: Session, model: Any) -> float | None:
    from jacobeig.estimators.graph.exact import sum_exact_frequencies

    with session.show_waiting("comparing with exact modes"):
        return sum_exact_frequencies(model)


def _describe_quality(model: Any, exact: float | None) -> str:
    """Say what the frequencies sum to, beside exact ones, and which part of the graph the modes lie on."""
    total, n = float(model.frequencies_.sum()), model.n_features_in_
    beside = "" if exact is None else f", those of exact modes to [bold]{exact:.4g}[/]"
    if exact and model.which != "both":
        share = exact / total if model.which == "low" else total / exact
        beside += f" ([bold]{min(1.0, share):.1%}[/] of the {'smoothness' if model.which == 'low' else 'roughness'})"
    covered = len(np.unique(model.modes_.indices))
    return f"They cover [bold]{covered:,}[/] of {n:,} nodes; their frequencies sum to [bold]{total:.4g}[/]{beside}"


def _note_if_alone(session: Session, model: Any) -> None:
    """Say so if most smooth modes are little else than one node, as where nodes hang on to a graph by a single edge."""
    refined = model.decomposition_.rotations is None
    if model.which != "low" or model.laplacian != "combinatorial" or not refined:
        return
    alone = int(np.count_nonzero(abs(model.modes_).max(axis=0).toarray() ** 2 > ALONE))
    if 2 * alone > model.n_components_:
        session.note(
            f"{alone} of {model.n_components_} modes are mostly one node: those with the fewest and lightest edges are "
            f"where a graph varies least. {write_option('laplacian', Laplacian.normalized)} looks for groups of nodes."
        )


def _repeat_own(**given: Any) -> str:
    """Return the options of this command alone that differ from their defaults, with a blank before each."""
    usual = {"which": Band.low, "laplacian": Laplacian.combinatorial, "directed": False, "coordinates": None}
    return "".join(f" {write_option(name, value)}" for name, value in given.items() if value != usual[name])


def _list_steps(folder: Path, coordinates: Path | None) -> dict[str, str]:
    model = shlex.quote(str(folder / FILES["model"]))
    steps = {f"jacobeig transform {model} SIGNALS": "signals, a row each, on the modes"}
    if coordinates is None:
        steps["--coordinates FILE"] = "to draw the graph where its nodes lie"
    return steps
