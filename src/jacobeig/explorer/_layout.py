"""What the user says about the coordinates of a vector: names, pixels, places on a map, edges."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jacobeig._arguments import check_image_shape, check_places, name_type
from jacobeig._types import Floats, IntArray
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.explorer._subject import Subject

LONGEST_NAME = 200  # characters; the rest would only make the page heavy


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """How vectors are drawn."""

    names: list[str] | None
    shape: tuple[int, int] | None  # height and width of the image that a vector is
    places: Floats | None  # x and y of each coordinate on a map
    edges: IntArray | None  # pairs of coordinates, the lower first


def arrange(subject: Subject, feature_names: Any, shape: Any, coordinates: Any, edges: Any) -> Layout:
    """Check what the user says about the coordinates, and add what the subject knows itself."""
    n = subject.vectors.shape[0]
    if edges is not None and coordinates is None:
        raise InvalidInputError("edges is given without coordinates; give coordinates to say where the nodes are.")
    names = subject.names if feature_names is None else feature_names
    joined, places = _place_graph(subject) if coordinates is None and shape is None else (None, None)
    return Layout(
        names=None if names is None else shorten_texts("feature_names", names, n, "the vectors have length"),
        shape=None if shape is None else check_image_shape(shape, n),
        places=places if coordinates is None else _find_places(coordinates, subject),
        edges=joined if coordinates is None else _find_edges(edges, subject),
    )


def _place_graph(subject: Subject) -> tuple[IntArray | None, Floats | None]:
    """Return the edges and the places of a graph, if it is one and not too large."""
    if subject.laplacian is None:
        return None, None
    from jacobeig.estimators.graph.placing import MOST_PLACED, place_nodes

    n, edges = subject.vectors.shape[0], _find_edges(None, subject)
    return (None, None) if edges is None or n > MOST_PLACED else (edges, place_nodes(edges, n))


def shorten_texts(argument: str, names: Any, count: int, reason: str) -> list[str]:
    """Return names as text, none too long to show, or raise unless there are `count`, for this `reason`."""
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__"):
        raise InvalidTypeError(f"{argument} is {name_type(names)}; give a list of {count} names.")
    texts = [str(name) for name in names]
    if len(texts) != count:
        raise InvalidInputError(f"{argument} has {len(texts)} names, but {reason} {count}: give {count}.")
    return [text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…" for text in texts]


def _find_places(coordinates: Any, subject: Subject) -> Floats:
    n = subject.vectors.shape[0]
    if isinstance(coordinates, Mapping):
        coordinates = _look_up(coordinates, np.arange(n) if subject.keys is None else subject.keys)
    return check_places(coordinates, n)


def _look_up(coordinates: Mapping[Any, Any], keys: NDArray[Any]) -> list[Any]:
    try:
        return [coordinates[key] for key in keys.tolist()]
    except KeyError as error:
        raise InvalidInputError(f"coordinates has no place for node {error}; give one for every node.") from error


def _find_edges(edges: Any, subject: Subject) -> IntArray | None:
    if edges is None:
        if subject.laplacian is None:
            return None
        weights = subject.laplacian
    else:
        from jacobeig.estimators.graph.libraries import as_graph

        weights = as_graph(edges).weights
    n, found = subject.vectors.shape[0], sparse.coo_array(weights)
    if found.shape[0] > n:
        raise InvalidInputError(f"edges joins nodes up to {found.shape[0] - 1}, but the vectors have length {n}.")
    ends = np.column_stack([np.minimum(found.row, found.col), np.maximum(found.row, found.col)])
    ends = ends[(found.data != 0) & (ends[:, 0] < ends[:, 1])]
    return np.unique(ends, axis=0).astype(np.int64).reshape(-1, 2)
