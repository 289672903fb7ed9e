"""Files that networkx writes: GraphML, GML, and lists of edges with a dictionary each."""

import ast
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from jacobeig._extras import import_extra
from jacobeig.errors import FileFormatError
from jacobeig.files._checks import explain_damage, refuse_key
from jacobeig.files._content import GraphContent, Wanted
from jacobeig.files._packed import open_unpacked

_TUPLES = re.compile(r"(\([^()]*\))[\s,;|]+(\([^()]*\))[\s,;|]*")  # nodes as those of a grid: (0, 1) (0, 2)
_NUMBERED = re.compile(r"-?(0|[1-9]\d{0,17})")  # as many digits as 64 bits always hold


def read_graphml(file: Path, wanted: Wanted) -> GraphContent:
    """Return the graph of a GraphML file."""
    return _read_network(file, wanted, "a GraphML file", lambda library, stream: library.read_graphml(stream))


def read_gml(file: Path, wanted: Wanted) -> GraphContent:
    """Return the graph of a GML file; nodes without labels are called by their numbers."""

    def read(library: Any, stream: IO[bytes]) -> Any:
        try:
            return library.read_gml(stream)
        except library.NetworkXError as error:
            if "label" not in str(error):
                raise
            stream.seek(0)
            return library.read_gml(stream, label="id")

    return _read_network(file, wanted, "a GML file", read)


def _read_network(file: Path, wanted: Wanted, kind: str, read: Callable[[Any, IO[bytes]], Any]) -> GraphContent:
    nx = import_extra("networkx")
    refuse_key(file, wanted.key)
    with explain_damage(file, kind), open_unpacked(file) as stream:
        graph = read(nx, stream)
        where = {node: position for position, node in enumerate(graph)}
        edges = [(where[u], where[v], float(weight)) for u, v, weight in graph.edges(data="weight", default=1.0)]
    if not edges:
        raise FileFormatError(f"{file} has no edges.")
    notes = ("The file's edges have directions.",) if graph.is_directed() else ()
    return GraphContent(nodes=_name_nodes(graph), edges=np.array(edges), notes=notes)


def _name_nodes(graph: Any) -> Any:
    """Return what nodes are called: their labels if all have different ones, else numbers or names."""
    labels = [attributes.get("label") for _, attributes in graph.nodes(data=True)]
    named = all(isinstance(label, str) and label for label in labels) and len(set(labels)) == len(labels)
    names = [str(name) for name in (labels if named else graph)]
    return np.array([int(name) for name in names] if all(map(_NUMBERED.fullmatch, names)) else names)


def has_dictionaries(lines: Sequence[str]) -> bool:
    """Whether lines are edges with a dictionary each, as ``1 2 {'weight': 3}``."""
    return all(line.rstrip().endswith("}") and "{" in line for line in lines)


def flatten_dictionaries(stream: IO[bytes], encoding: str, called: str) -> io.BytesIO:
    """Return lists of edges with the weights of their dictionaries in place of these; 1 where there is none."""
    lines = []
    for number, line in enumerate(stream.read().decode(encoding, errors="replace").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        ends, brace, rest = line.partition("{")
        try:
            weight = float(ast.literal_eval(brace + rest.rstrip()).get("weight", 1.0))
        except Exception as error:  # of the many that a text which is no dictionary of numbers can raise
            raise FileFormatError(
                f"{called} has an edge in line {number} whose dictionary holds no weight that is a number."
            ) from error
        ends = ends.rstrip()
        tuples = _TUPLES.fullmatch(ends)
        if tuples is not None:  # in quotes, as their commas separate nothing
            lines.append(f'"{tuples[1]}"\t"{tuples[2]}"\t{weight!r}')
            continue
        separator = "," if ends.endswith(",") else "\t" if "\t" in ends else " "
        lines.append(f"{ends.rstrip(', ')}{separator}{weight!r}")
    return io.BytesIO("\n".join(lines).encode(encoding))
