"""`jacobeig graph`: sparse Fourier modes of a graph."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from jacobeig import files
from jacobeig.cli import _options as options
from jacobeig.cli._output import Session, plural
from jacobeig.cli._reading import read
from jacobeig.cli._results import output_folder, tell_files, write_results
from jacobeig.cli._summary import components_table, describe_error
from jacobeig.errors import InvalidInputError
from jacobeig.results import metrics

__all__ = ["EXAMPLES", "graph", "graph_facts"]

EXAMPLES = (
    "jacobeig graph friends.csv --components 8",
    "jacobeig graph roads.edges --coordinates places.csv --density 10% --refine quick",
    "jacobeig graph links.mtx --directed --laplacian normalized",
)


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
    components: options.Components = None,
    density: options.Density = None,
    max_nonzeros: options.MaxNonzeros = None,
    rotations: options.Rotations = None,
    which: Annotated[
        Band, typer.Option(case_sensitive=False, help="The smooth modes, the rough ones, or half of each.")
    ] = Band.low,
    laplacian: Annotated[Laplacian, typer.Option(help="D - W, or the one normalised by degrees.")] = (
        Laplacian.combinatorial
    ),
    directed: Annotated[bool, typer.Option("--directed", help="Edges have directions; modes are complex.")] = False,
    refine: options.Refine = options.RefineChoice.off,
    pivot: options.Pivot = "auto",
    target: options.Target = "ones",
    coordinates: Annotated[
        Path | None,
        typer.Option(help="Where the nodes lie: columns x and y, or node, x and y.", rich_help_panel=options.READING),
    ] = None,
    symmetrize: options.Symmetrize = False,
    key: options.Key = None,
    header: options.Header = None,
    output: options.Folder = None,
    report: options.Report = True,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Find sparse Fourier modes of a graph: smooth patterns on a few nodes each.

    Writes a model, components.csv and report.html into a folder. Nodes are called by numbers or names.
    """
    session = Session("graph", quiet=quiet, as_json=as_json)
    budgets = options.budgets(components, density, max_nonzeros, rotations)
    content = read(session, files.read_graph, edges, key=key, header=header, symmetrize=symmetrize)
    places = None if coordinates is None else read(session, files.read_coordinates, coordinates, content.nodes)
    name = options.strip_name(edges)
    with output_folder(output or Path(f"{name}-graph")) as folder:
        with session.show_waiting("loading scikit-learn"):
            network = _network(content, directed=directed)
        model = _model(
            session, **budgets, which=which.value, laplacian=laplacian.value, directed=directed,
            refine=options.translate_refine(refine), pivot=pivot, target=target,
        ).fit(network)  # fmt: skip
        model.set_params(progress=False)
        names = [str(node) for node in model.nodes_]
        page: dict[str, Any] = {"feature_names": names, "title": f"Sparse Fourier modes of {name}"}
        if places is not None:
            page |= {"coordinates": places, "edges": network.weights}
        written = write_results(
            session, folder, model, model.modes_, names, what="node", report=page if report else None
        )
    options.note_if_complete(session, model.n_components_, len(names), "nodes")
    facts = graph_facts(model)
    n_edges = _count_edges(network)
    _tell(session, model, names, f"{name}: {plural(len(names), 'node')}, {plural(n_edges, 'edge')}", facts)
    tell_files(session, written, _next_steps(refine, written, coordinates))
    session.finish(written, n_nodes=len(names), n_edges=n_edges, **facts)


def _network(content: files.GraphContent, *, directed: bool) -> Any:
    from jacobeig.estimators.graph import Graph

    if content.edges is None:
        return Graph.of_weights(content.weights, content.nodes, directed=directed)
    if len(content.nodes) < 2:
        raise InvalidInputError("the graph has a single node, so it has no modes; list edges between several.")
    return Graph.of_edges(content.edges, content.nodes, directed=directed)


def _model(session: Session, **parameters: Any) -> Any:
    from jacobeig.estimators.graph import GraphFourier

    return GraphFourier(progress=session.progress, **parameters)


def _count_edges(network: Any) -> int:
    """Return how many edges there are, without loops, each once."""
    weights = network.weights.tocoo()
    return int(np.count_nonzero(weights.row != weights.col if network.directed else weights.row < weights.col))


def graph_facts(model: Any) -> dict[str, Any]:
    """Return the figures of a fitted graph Fourier transform."""
    result = model.decomposition_
    return {
        "n_components": model.n_components_,
        "density": result.density,
        "nonzeros": np.diff(result.vectors.indptr),
        "frequencies": model.frequencies_,
        "orthonormality_error": metrics.orthonormality_error(result.vectors),
        "n_rotations": result.n_rotations,
        "solver_status": result.status.name.lower(),
        "solver_advice": result.status.advice,
    }


def _tell(session: Session, model: Any, names: list[str], what: str, facts: dict[str, Any]) -> None:
    columns = {"frequency": [f"{value:.4g}" for value in model.frequencies_]}
    session.headline(what)
    session.show(components_table(columns, model.modes_, names, what="nodes"))
    session.show(
        f"{plural(facts['n_components'], 'mode')} with [bold]{facts['density']:.1%}[/] of the entries not zero, "
        f"orthonormal to {describe_error(facts['orthonormality_error'])}.",
        "",
    )


def _next_steps(refine: options.RefineChoice, written: dict[str, Path], coordinates: Path | None) -> dict[str, str]:
    steps = {f"jacobeig transform {shlex.quote(str(written['model']))} SIGNALS": "signals, a row each, on the modes"}
    if coordinates is None:
        steps["--coordinates FILE"] = "to see the modes on the graph"
    if refine == options.RefineChoice.off:
        steps["--refine quick"] = "smoother modes with as many nonzeros"
    return steps
