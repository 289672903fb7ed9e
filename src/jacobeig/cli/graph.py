"""`jacobeig graph`: sparse Fourier modes of a graph."""

import shlex
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._files import read, strip_name
from jacobeig.cli._options import name_data, repeat
from jacobeig.cli._output import Session
from jacobeig.cli._results import FILES
from jacobeig.cli._solving import NOT_AGAIN, Solution, solve_and_tell
from jacobeig.cli._views import view_model
from jacobeig.cli._wording import plural, write_option
from jacobeig.errors import InvalidInputError

__all__ = ["EXAMPLES", "graph"]

EXAMPLES = (
    "jacobeig graph friends.csv --components 8",
    "jacobeig graph roads.edges --coordinates places.csv --density 10% --refine quick",
    "jacobeig graph links.mtx --names people.txt --directed --laplacian normalized",
)

ALONE = 0.5 + 1e-9  # of a mode's squared length, beyond which a node is most of it: of two nodes alike, none is
Band = StrEnum("Band", ["low", "high", "both"])
Laplacian = StrEnum("Laplacian", ["combinatorial", "normalized"])


@dataclass(frozen=True)
class Kind:
    """What modes are sought, and of which Laplacian."""

    which: Band = options.option(
        Band.low,
        "The smooth modes (low), the rough ones (high), or half of each (both).",
        metavar="END",
        case_sensitive=False,
    )
    laplacian: Laplacian = options.option(
        Laplacian.combinatorial, "combinatorial, which is D - W, or normalized by degrees.", metavar="NAME"
    )
    directed: bool = options.option(False, "Edges have directions; modes are complex.", "--directed")
    coordinates: Path | None = options.option(
        None, "Where the nodes lie: columns x and y, or node, x and y.", rich_help_panel=options.READING, metavar="FILE"
    )
    front: bool | None = options.option(
        None,
        "Also find modes at other densities, for a slider in the report; by default where that takes seconds.",
        "--front/--no-front",
        rich_help_panel=options.WRITING,
        show_default=False,
    )


def graph(
    edges: Annotated[
        Path,
        options.take_file("EDGES", "Columns from, to and perhaps weight; or a square matrix of weights; - is stdin."),
    ],
    search: options.Search,
    reading: options.MatrixReading,
    writing: options.Writing,
    saying: options.Saying,
    kind: Kind,
) -> None:
    """Find sparse Fourier modes of a graph: smooth patterns on a few nodes each.

    Writes a model, components.csv and report.html into a folder. Nodes are called by numbers or names.
    """
    session, arguments = saying.start("graph"), search.to_arguments()
    content = read(session, je.files.read_graph, edges, **asdict(reading))
    places: Any = None
    if kind.coordinates is not None:
        places = read(session, je.files.read_coordinates, kind.coordinates, content.nodes)
    name = strip_name(edges)
    folder = writing.output or Path(f"{name}-graph")
    file, groups = name_data(edges), (reading, search, writing, kind)

    def solve() -> Solution:
        network = _make_network(session, content, directed=kind.directed)
        model = _fit(
            session, network, **arguments, which=kind.which.value, laplacian=kind.laplacian.value,
            directed=kind.directed,
        )  # fmt: skip
        view = view_model(model)
        n_nodes, n_edges, n_covered = len(view.names), _count_edges(network), _count_covered(model)
        exact = _sum_exact(session, model)
        _note_if_alone(session, model)
        page = {"title": f"Sparse Fourier modes of {name}", "front": kind.front}
        return Solution(
            view=view,
            headline=f"{name}: {plural(n_nodes, 'node')}, {plural(n_edges, 'edge')}",
            quality=_describe_quality(model, n_covered, exact),
            better="rougher modes" if kind.which == Band.high else "smoother modes",
            facts={
                "n_nodes": n_nodes,
                "n_edges": n_edges,
                "n_covered": n_covered,
                "exact": exact,
            },
            page=page | ({} if places is None else {"coordinates": places, "edges": network.weights}),
            steps=_list_steps(folder, f"graph {file}{repeat(*groups)}", kind.coordinates),
            command=f"graph {file}{repeat(*groups, without=NOT_AGAIN)}",
        )

    solve_and_tell(session, folder, solve, search, report=writing.report)


def _make_network(session: Session, content: "je.files.GraphContent", *, directed: bool) -> Any:
    with session.show_waiting("loading scikit-learn"):
        from jacobeig.estimators.graph import Graph

    if content.edges is None:
        return Graph.of_weights(content.weights, content.nodes, directed=directed)
    if len(content.nodes) < 2:
        raise InvalidInputError("the graph has a single node, so it has no modes; list edges between several.")
    return Graph.of_edges(content.edges, content.nodes, directed=directed)


def _fit(session: Session, network: Any, **parameters: Any) -> Any:
    return (
        je.GraphFourier(progress=session.progress, **parameters)
        .fit(network)
        .set_params(progress=False, checkpoint=None)
    )


def _count_edges(network: Any) -> int:
    """Return how many edges there are, without loops, each once."""
    weights = network.weights.tocoo()
    return int((weights.row != weights.col if network.directed else weights.row < weights.col).sum())


def _count_covered(model: Any) -> int:
    """Return how many nodes some mode is not zero at."""
    ends = model.modes_.tocsr().indptr
    return int((ends[1:] > ends[:-1]).sum())


def _sum_exact(session: Session, model: Any) -> float | None:
    from jacobeig.estimators.graph.exact import sum_exact_frequencies

    with session.show_waiting("comparing with exact modes"):
        return sum_exact_frequencies(model)


def _describe_quality(model: Any, covered: int, exact: float | None) -> str:
    """Say what the frequencies sum to, beside exact ones, and which part of the graph the modes lie on."""
    total, n = float(model.frequencies_.sum()), model.n_features_in_
    beside = "" if exact is None else f", those of exact modes to [bold]{exact:.4g}[/]"
    if exact and model.which != "both":
        share = exact / total if model.which == "low" else total / exact
        beside += f" ([bold]{min(1.0, share):.1%}[/] of the {'smoothness' if model.which == 'low' else 'roughness'})"
    return f"They cover [bold]{covered:,}[/] of {n:,} nodes; their frequencies sum to [bold]{total:.4g}[/]{beside}"


def _note_if_alone(session: Session, model: Any) -> None:
    """Say so if most smooth modes are little else than one node, as where nodes hang on to a graph by a single edge."""
    refined = model.decomposition_.rotations is None
    if model.which != "low" or model.laplacian != "combinatorial" or not refined:
        return
    alone = int((abs(model.modes_).max(axis=0).toarray() ** 2 > ALONE).sum())
    if 2 * alone > model.n_components_:
        session.note(
            f"{alone} of {model.n_components_} modes are mostly one node: those with the fewest and lightest edges are "
            f"where a graph varies least. {write_option('laplacian', Laplacian.normalized)} looks for groups of nodes."
        )


def _list_steps(folder: Path, command: str, coordinates: Path | None) -> dict[str, str]:
    model = shlex.quote(str(folder / FILES["model"]))
    steps = {f"jacobeig transform {model} SIGNALS": "signals, one per row, on the modes"}
    if coordinates is None:
        steps[f"jacobeig {command} --coordinates FILE"] = "the graph drawn where its nodes lie"
    return steps
