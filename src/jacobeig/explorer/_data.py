"""States and layout as plain data, which JSON can hold."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from jacobeig._types import FloatArray, IntArray
from jacobeig.explorer._layout import Layout
from jacobeig.explorer._packing import pack
from jacobeig.explorer._samples import Samples, collect_samples
from jacobeig.explorer._states import State, States
from jacobeig.explorer._subject import ROUNDING, Subject
from jacobeig.results.front import find_knee
from jacobeig.results.result import Status
from jacobeig.solve.pivots import PIVOTS
from jacobeig.solve.starts import STARTS
from jacobeig.solve.targets import TARGETS

# Up to this many coordinates all are listed, beyond only those that some vector uses.
LISTED = 5000
MOST_EDGES = 30_000  # drawn on a map: more take a browser longer than a moment
MOST_IMAGES = 60  # of vectors, beside each other
# Where a refinement began, where its own word for that says little.
REFINED_FROM = {
    "given": "a chain of rotations",
    "given, loosened": "a chain of rotations",
    "annealing": "supports without a common coordinate, by annealing",
    "bipartite matching": "supports without a common coordinate, by matching",
    "patches": "patches grown over the edges",
    "varimax": "exact eigenvectors, rotated by varimax",
}
ENDS = {"LA": "largest eigenvalues", "SA": "smallest eigenvalues", "BE": "both ends of the spectrum"}
STOPPED = {
    Status.CONVERGED: "Nothing is left to gain: no {rotation} improves the vectors further.",
    Status.ROTATIONS: "All {rotation}s that were asked for are done. More of them give more accuracy and fewer zeros.",
    Status.DENSITY: "The vectors are as dense as was allowed. A higher density gives more accuracy.",
    Status.MAX_NONZEROS: "Every vector that could gain has as many nonzeros as was allowed. More give more accuracy.",
    Status.TOLERANCE: "The best {rotation} left gains less than was worth it. A lower tolerance goes on.",
    Status.REFINED: "The vectors were refined until nothing helped.",
    Status.ROUNDS: "As many coordinates were tried as the effort allows. A search with more effort goes on.",
    Status.EXHAUSTED: "Everything was tried. Only more nonzeros would capture more.",
    Status.SHRUNK: "Memory was small, so fewer coordinates were searched than the nonzeros would allow.",
    Status.TIME_LIMIT: "The time was up; these are the best vectors found by then.",
    Status.CALLBACK: "The user's own function asked to stop.",
    Status.INTERRUPTED: "The work was interrupted; these are the vectors by then.",
}


def collect_data(
    subject: Subject, layout: Layout, states: States, samples: Samples | None, most_values: int, title: str | None
) -> dict[str, Any]:
    """Return everything that a page shows."""
    n, p = subject.vectors.shape
    listed = list_coordinates(states.states, n)
    placed = collect_samples(samples, subject, states.states, listed, most_values)
    words, measure = subject.words, subject.measure
    return {
        "title": f"{p} sparse {words.component}s of {n:,} {words.feature}s" if title is None else title,
        "words": {"feature": words.feature, "component": words.component, "rotation": words.rotation},
        "n": n,
        "p": p,
        "complex": subject.is_complex,
        "pca": subject.model is not None,
        "path": len(states.states) > 1,
        "measure": {
            "name": measure.name,
            "plural": measure.plural,
            "whole": measure.whole,
            "addsUp": measure.adds_up,
            "total": float(f"{measure.total:.9g}") if measure.of_itself else None,
        },
        "facts": _collect_facts(subject, states),
        "notes": _collect_notes(subject, layout, states) + _note_samples(placed, states),
        "features": pack(listed.astype(np.uint32)),
        "names": None if layout.names is None else [layout.names[index] for index in listed],
        "shape": None if layout.shape is None else list(layout.shape),
        "map": _collect_map(layout, listed),
        "samples": None if placed is None else placed | {"exact": states.cap is None},
    } | _collect_entries(subject, states.states, listed)


def list_coordinates(states: list[State], n: int) -> IntArray:
    """Return the coordinates that the page knows, ascending."""
    if n <= LISTED:
        return np.arange(n)
    return np.unique(np.concatenate([state.vectors.indices for state in states])).astype(np.int64)


def _collect_entries(subject: Subject, states: list[State], listed: IntArray) -> dict[str, Any]:
    """Return the numbers of all states: what they capture, and their nonzeros one after the other."""
    explained = np.array([state.explained for state in states])
    sums, nonzeros = explained.sum(axis=1), np.array([state.nonzeros for state in states], np.float64)
    accuracy = _measure_accuracy(subject, explained)
    beside = accuracy is None and subject.measure.adds_up and subject.result.method.which != "BE"
    places = np.searchsorted(listed, np.concatenate([state.vectors.indices for state in states]))
    values = np.concatenate([state.vectors.data for state in states])
    return {
        "rotations": None if subject.front is not None else [state.n_rotations for state in states],
        "knee": find_knee(nonzeros, sums) if subject.measure.adds_up and len(states) > 2 else None,
        "nonzeros": [state.nonzeros for state in states],
        # As text, so that a half is rounded here as everywhere else in Python.
        "densities": [f"{state.nonzeros / np.prod(subject.vectors.shape):.1%}" for state in states],
        "explained": [_round(row) for row in explained / subject.measure.total],
        "captured": _round(sums / subject.measure.total),
        "accuracy": accuracy,
        "exact": _round([subject.exact])[0] if subject.exact is not None and beside else None,
        "bounds": _bound_states(subject, states, accuracy is not None),
        "exactEach": None if subject.exact_each is None else _round(subject.exact_each / subject.measure.total),
        "counts": pack(np.concatenate([np.diff(state.vectors.indptr) for state in states]).astype(np.uint32)),
        # Differences of neighbours are small, so they deflate well.
        "steps": pack(np.diff(places, prepend=0).astype(np.int32)),
        "values": pack((np.abs(values) if subject.is_complex else values).astype(np.float32)),
    }


def _bound_states(subject: Subject, states: list[State], of_exact: bool) -> list[float] | None:
    """Return what no vectors with the nonzeros of each state can capture, in the units of the curve, if certified."""
    if not subject.certificates:
        return None
    lowest = [
        min(certificate.bound_at(state.nonzeros) for certificate in subject.certificates) * subject.unit
        for state in states
    ]
    if subject.exact is not None:
        lowest = [min(bound, subject.exact) for bound in lowest]
    return _round(np.array(lowest) / (subject.exact if of_exact else subject.measure.total))


def _measure_accuracy(subject: Subject, explained: FloatArray) -> list[float] | None:
    """Return what each state captures over what exact vectors do, where that is a share, as it is at the large end."""
    exact, which = subject.exact, subject.result.method.which
    sums = (np.abs(explained) if which == "BE" else explained).sum(axis=1)
    if exact is None or which == "SA" or not exact > 0.0 or sums.max() > exact * (1.0 + ROUNDING):
        return None
    return _round(sums / exact)


def _round(values: Iterable[float]) -> list[float]:
    """Return numbers to nine digits: more than is shown, less than what rounding may change from run to run."""
    return [float(f"{value:.9g}") for value in values]


def _collect_map(layout: Layout, listed: IntArray) -> dict[str, Any] | None:
    if layout.places is None:
        return None
    x, y = layout.places[listed].astype(np.float32).T
    edges = np.empty((0, 2), np.int64) if layout.edges is None else layout.edges
    edges = edges[np.isin(edges, listed).all(axis=1)]
    drawn = np.searchsorted(listed, edges) if len(edges) <= MOST_EDGES else edges[:0]
    return {"x": pack(x), "y": pack(y), "edges": pack(drawn.ravel().astype(np.uint32))}


def _collect_facts(subject: Subject, states: States) -> list[list[str]]:
    """Return pairs of a label and what it says, about the run as a whole."""
    result, words = subject.result, subject.words
    method = result.method
    facts = [] if subject.n_samples is None else [["Samples", f"{subject.n_samples:,}"]]
    facts += [
        [f"{words.feature}s".capitalize(), f"{subject.vectors.shape[0]:,}"],
        [f"{words.component}s".capitalize(), f"{subject.vectors.shape[1]:,}"],
        ["Sought", ENDS.get(method.which, method.which)],
        ["Weights of the vectors", TARGETS.get(method.target, "given by the user")],
    ]
    if method.is_of_chain:
        facts.append(["Pivot rule", PIVOTS[method.pivot].meaning if method.pivot in PIVOTS else method.pivot])
        facts.append(["Start", STARTS.get(method.start, "coordinates given by the user")])
    if subject.laplacian is not None:
        facts += _describe_modes(subject)
    if subject.front is not None:
        facts.append(["Densities in this file", f"{len(states.states):,}, each refined"])
    elif subject.has_path:
        facts.append([f"{words.rotation}s".capitalize(), f"{result.n_rotations:,}"])
        facts.append(["States in this file", f"{len(states.states):,} of {result.n_rotations + 1:,}, each exact"])
    if method.refined_from is not None:
        facts.append(["Refined from", REFINED_FROM.get(method.refined_from, method.refined_from)])
    return [*facts, ["Why it stopped", STOPPED[result.status].format(rotation=words.rotation)]]


def _describe_modes(subject: Subject) -> list[list[str]]:
    """Return how much of a graph its modes lie on, and how smooth they are beside exact ones."""
    words, total = subject.words, float(subject.result.eigenvalues.sum())
    covered = len(np.unique(subject.vectors.indices))
    facts = [["Covered", f"{covered:,} of {subject.vectors.shape[0]:,} {words.feature}s lie in some {words.component}"]]
    if subject.result.method.which == "SA" and subject.exact and subject.exact > 0.0:
        reached = min(1.0, subject.exact / total)
        facts.append(["Smoothness", f"{reached:.1%} of that of as many exact {words.component}s"])
    return facts


def _collect_notes(subject: Subject, layout: Layout, states: States) -> list[str]:
    """Return sentences on what the page does not show, and why."""
    words, notes = subject.words, []
    if not subject.has_path:
        notes.append(
            f"There is no slider: refined {words.component}s at other densities were not sought, which may take long. "
            + ("With front=True, or --front in a terminal, there is one." if subject.can_be_traced else "")
        )
    elif len(states.states) == 1:
        notes.append(f"There is no slider: the run ended before its first {words.rotation}.")
    if subject.is_improved:
        notes.append(
            f"On the way along the front, {words.component}s were found that capture more than these with as many "
            'nonzeros. To have them, refine with the effort "best".'
        )
    if subject.is_complex:
        notes.append(f"The {words.component}s are complex; magnitudes are shown, phases are not.")
    if not subject.measure.adds_up:
        notes.append(
            f"These {words.component}s are not orthogonal, so their numbers do not add up; give matrix=... to see what "
            "they capture together."
        )
    if states.cap is not None:
        notes.append(
            f"To keep the file small, only the {states.cap:,} largest loadings of each {words.component} are stored; "
            f"they hold at least {states.kept:.1%} of its squared length. Nonzeros and density count all of them."
        )
    return notes + _note_drawing(subject, layout)


def _note_drawing(subject: Subject, layout: Layout) -> list[str]:
    (n, p), words, notes = subject.vectors.shape, subject.words, []
    if layout.shape is not None and p > MOST_IMAGES:
        notes.append(f"The first {MOST_IMAGES} of {p} {words.component}s are drawn as images; all can be chosen.")
    if layout.places is not None and n > LISTED:
        notes.append(f"Of {n:,} {words.feature}s the map shows those that some {words.component} uses.")
    if layout.edges is not None and len(layout.edges) > MOST_EDGES:
        notes.append(f"The {len(layout.edges):,} edges are too many to draw and are left out.")
    return notes


def _note_samples(placed: dict[str, Any] | None, states: States) -> list[str]:
    if placed is None:
        return []
    notes = []
    if placed["count"] < placed["of"]:
        notes.append(f"Of {placed['of']:,} samples {placed['count']:,} are drawn, evenly spaced in the data.")
    if states.cap is not None:
        notes.append("Scores of samples are those of the stored loadings.")
    return notes
