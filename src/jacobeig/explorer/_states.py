"""Exact states along a path of rotations or a front: few enough to store, close enough to look continuous."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from jacobeig._types import FloatArray, IntArray
from jacobeig.errors import InvalidInputError
from jacobeig.explorer._subject import Subject
from jacobeig.refinement.support import keep_vector
from jacobeig.results.result import EigenResult

MOST_POINTS, FEWEST_POINTS = 100, 15  # positions of the slider; fewer where their entries would be too many
# How much of the spacing follows the rotations themselves: a little, as the last ones of a long run hardly move it.
EVENNESS = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """The run after some rotations, or one point of a front."""

    n_rotations: int | None  # None on a front
    nonzeros: int  # before any were left out
    vectors: sparse.csc_array  # column t is the same vector in every state, and turned the same way
    explained: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class States:
    """States in the order of the run, and what storing them cost."""

    states: list[State]  # the last one is the result itself
    cap: int | None  # how many entries of a vector were kept at most, if not all
    kept: float  # the least share of a vector's squared length that is left


def list_states(subject: Subject, max_entries: int) -> States:
    """Return exact states along the path of a subject, or its only one.

    If all their nonzeros are more than `max_entries`, fewer states are taken, then the smallest entries left out.
    """
    result, p = subject.result, subject.vectors.shape[1]
    states = [_make_last_state(subject)]
    if subject.front is not None:
        for sparser in subject.front.results[-2::-1]:
            states.append(_make_sparser_state(sparser, subject, states[-1]))
    else:
        points = _limit_points(result, max_entries) if subject.has_path else np.zeros(1, np.int64)
        for point in points[-2::-1]:
            states.append(_make_earlier_state(result, int(point), states[-1]))
    states.reverse()
    if sum(state.vectors.nnz for state in states) <= max_entries:
        return States(states=states, cap=None, kept=1.0)
    cap = max(1, max_entries // (len(states) * p))
    shortened = [_shorten(state, cap) for state in states]
    return States(states=[state for state, _ in shortened], cap=cap, kept=min(kept for _, kept in shortened))


def choose_points(result: EigenResult, count: int) -> IntArray:
    """Return numbers of rotations from none to all, evenly spaced along the curve of accuracy against density."""
    k = result.n_rotations
    if k < count:
        return np.arange(k + 1)
    length = np.cumsum(_list_steps(result))
    wanted = np.linspace(0.0, length[-1], count)
    points = np.searchsorted(length, wanted * (1 - 1e-12))
    points[0], points[-1] = 0, k
    return np.unique(points).astype(np.int64)


def _list_steps(result: EigenResult) -> FloatArray:
    """Return how far each rotation moves along the curve; 0 for the start."""
    k, p = result.n_rotations, result.vectors.shape[1]
    moved = np.full(k + 1, EVENNESS / max(k, 1))
    moved[0] = 0.0
    curves: list[FloatArray] = [np.concatenate([[p], result.nonzeros]).astype(np.float64)]
    try:
        curves.append(result.captured)
    except InvalidInputError:  # not known along every run
        curves.append(np.concatenate([[0.0], np.cumsum(result.gains)]))
    for curve in curves:
        rises = np.abs(np.diff(curve))
        moved[1:] += rises / max(rises.sum(), np.finfo(float).tiny)
    return moved


def _limit_points(result: EigenResult, max_entries: int) -> IntArray:
    nonzeros = np.concatenate([[result.vectors.shape[1]], result.nonzeros])
    for count in range(MOST_POINTS, FEWEST_POINTS, -5):
        points = choose_points(result, count)
        if nonzeros[points].sum() <= max_entries:
            return points
    return choose_points(result, FEWEST_POINTS)


def _make_last_state(subject: Subject) -> State:
    vectors = sparse.csc_array(subject.vectors)
    vectors.sort_indices()
    rotations = None if subject.front is not None else subject.result.n_rotations
    return State(n_rotations=rotations, nonzeros=vectors.nnz, vectors=vectors, explained=subject.explained)


def _make_sparser_state(result: EigenResult, subject: Subject, later: State) -> State:
    """Return a point of a front, its columns matched to those of the next denser one by what they have in common."""
    common = np.abs((result.vectors.conj().T @ later.vectors).toarray())
    order = linear_sum_assignment(-common.T)[1]
    vectors = _turn_alike(sparse.csc_array(result.vectors[:, order]), later.vectors)
    explained = subject.unit * result.eigenvalues.astype(np.float64)[order]
    return State(n_rotations=None, nonzeros=vectors.nnz, vectors=vectors, explained=explained)


def _make_earlier_state(result: EigenResult, n_rotations: int, later: State) -> State:
    """Return the run stopped earlier, its columns matched to those of a later state."""
    stopped = result.truncate(n_rotations)
    assert result.rotations is not None  # a path has them
    assert stopped.rotations is not None
    order = _match_columns(stopped.rotations.coordinates, result.rotations.coordinates)
    vectors = _turn_alike(sparse.csc_array(stopped.vectors[:, order]), later.vectors)
    explained = stopped.eigenvalues.astype(np.float64)[order]
    return State(n_rotations=n_rotations, nonzeros=vectors.nnz, vectors=vectors, explained=explained)


def _turn_alike(vectors: sparse.csc_array, later: sparse.csc_array) -> sparse.csc_array:
    """Return vectors with the signs of a later state, in place, their entries in order."""
    if vectors.dtype.kind == "f":
        overlap = np.asarray(vectors.multiply(later).sum(axis=0)).ravel()
        vectors.data *= np.repeat(np.where(overlap < 0, -1.0, 1.0).astype(vectors.dtype), np.diff(vectors.indptr))
    vectors.sort_indices()
    return vectors


def _match_columns(coordinates: IntArray, wanted: IntArray) -> NDArray[np.intp]:
    """Return where each wanted coordinate is; the order as it is where a run chose other columns in the end."""
    if not np.array_equal(np.sort(coordinates), np.sort(wanted)):
        return np.arange(len(wanted))
    order = np.argsort(coordinates)
    return order[np.searchsorted(coordinates[order], wanted)]


def _shorten(state: State, cap: int) -> tuple[State, float]:
    """Return a state with the largest entries of each vector only, and the least share of a squared length left."""
    vectors, kept = state.vectors.copy(), 1.0
    for column in np.split(vectors.data, vectors.indptr[1:-1]):  # views
        length = np.linalg.norm(column)
        if len(column) > cap:
            column[:] = keep_vector(column, cap)
            kept = min(kept, float((np.linalg.norm(column) / length) ** 2))
    vectors.eliminate_zeros()
    return replace(state, vectors=vectors), kept
