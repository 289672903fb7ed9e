"""Search by luck: columns made again against the others, and entries tried that are not the first choice.

What the search over masks cannot leave is the set of places where columns lie: all its steps are small. A column that
is dropped and grown again from another row, orthogonal to what is kept, may end where no small step leads.

References
----------
P. Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", Principles and
Practice of Constraint Programming, 1998 (large neighbourhoods: take a part away, and make it again).
"""

import numpy as np

from jacobeig._types import Floats, Integers
from jacobeig.refinement._budget import NonzeroBudget
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._pursuit import Objective, Point, pursue
from jacobeig.refinement.power import ascend

MOST_COLUMNS = 2  # made again at a time: with up to four, fewer trials were taken
POWER_STEPS = 20  # for a new column: it is improved with the others afterwards
PATIENCE = 100  # rounds that fail on end: of 300 on digits and random data, 97 were the most before one did not
ADDED = 0.2  # of the budget, in a round of search
# A round with half the cuts and steps of others takes two thirds of the time, and gains as much.
CUTS, STEPS = 2, 5
LEAST = 1e-7  # relative rise that is no rounding
INDEPENDENT = 1e-12  # of the squared norms of unit vectors, above which a direction is more than rounding
# What a trial may lose, of the value, before it is searched further: a round of search raises it by half a point or so.
SLACK = 0.01


def explore(
    objective: Objective,
    S: Floats | None,
    point: Point,
    budget: NonzeroBudget,
    clock: Clock,
    *,
    rounds: int,
    rng: np.random.Generator,
) -> Point:
    """Improve a feasible point by luck: three rounds from columns made again, one with other entries, in turn.

    Without S only other entries are tried. It ends after `rounds`, or when many of them have failed on end. A round
    costs about what one of `pursue` does; the value never falls.
    """
    image, failures = None if S is None else S @ point.vectors, 0
    for number in range(rounds):
        if clock.expired or failures > PATIENCE or not objective.can_climb(point.mask):
            break
        if S is None or image is None or number % 4 == 3:
            share = ADDED * float(np.exp(rng.uniform(-1.0, 1.0)))
            trial: Point | None = pursue(
                objective, point, budget, clock, rounds=1, share=share, cuts=CUTS, iterations=STEPS, rng=rng
            )
        else:
            trial = _remake(objective, S, point, image, budget, clock, rng)
        failures += 1
        if trial is not None and trial.value > point.value + LEAST * objective.size(point.value):
            point, failures = trial, 0
            image = None if S is None else S @ point.vectors
    return point


def _remake(
    objective: Objective,
    S: Floats,
    point: Point,
    image: Floats,
    budget: NonzeroBudget,
    clock: Clock,
    rng: np.random.Generator,
) -> Point | None:
    """Return a feasible point with a column or two made again; None where it is far worse."""
    columns = _choose_columns(point.vectors, image, rng)
    V = _make_columns(S, point.vectors, image, columns, budget, rng)
    feasible = objective.restrict(V, V != 0)
    if feasible is None:
        return None
    trial = objective.climb(feasible, feasible != 0, STEPS)
    if trial.value < point.value - SLACK * objective.size(point.value) or not budget.admits(trial.mask):
        return None
    return pursue(objective, trial, budget, clock, rounds=1, share=ADDED, cuts=CUTS, iterations=STEPS)


def _choose_columns(V: Floats, image: Floats, rng: np.random.Generator) -> Integers:
    """Return a column at random, and perhaps others that have much to do with it."""
    p = V.shape[1]
    first, count = int(rng.integers(p)), int(rng.integers(1, min(MOST_COLUMNS, p) + 1))
    ties = np.abs(V[:, first].conj() @ image) * np.exp(rng.standard_normal(p))
    ties[first] = np.inf
    return np.argsort(-ties, kind="stable")[:count]


def _make_columns(
    S: Floats, V: Floats, image: Floats, columns: Integers, budget: NonzeroBudget, rng: np.random.Generator
) -> Floats:
    """Return vectors with these columns grown again, each from a row at random, outside the span of the others."""
    counts = np.count_nonzero(V, axis=0)
    spare = budget.total - int(counts.sum())
    V = V.copy()
    kept = np.delete(np.arange(V.shape[1]), columns)
    values, turn = np.linalg.eigh(V[:, kept].conj().T @ V[:, kept])
    factor = (turn / np.sqrt(np.maximum(values, INDEPENDENT)))[:, values > INDEPENDENT]  # free vectors may coincide
    Q, SQ = V[:, kept] @ factor, image[:, kept] @ factor
    for c in columns:
        count = min(int(counts[c]) + spare // len(columns), budget.per_column)
        inner = Q.conj().T @ SQ

        def multiply(x: Floats, support: Integers, Q: Floats = Q, SQ: Floats = SQ, inner: Floats = inner) -> Floats:
            x = x[support]
            inside = Q[support].conj().T @ x
            return np.asarray(
                (x.conj() @ S[support]).conj() - Q @ (SQ[support].conj().T @ x - inner @ inside) - SQ @ inside
            )

        left = (S.diagonal() - np.sum(Q.conj() * (2 * SQ - Q @ inner), axis=1)).real
        luck = rng.standard_normal(len(V)) * np.sqrt(np.maximum(left, 0.0))
        start = multiply(luck, np.arange(len(V)))
        x = ascend(multiply, start, count, POWER_STEPS) if start.any() else V[:, c]  # the others may have everything
        V[:, c] = x
        outside = x - Q @ (Q.conj().T @ x)
        norm = float(np.linalg.norm(outside))
        if norm > 1e-6:
            outside /= norm
            Q, SQ = np.column_stack([Q, outside]), np.column_stack([SQ, S @ outside])
    return V
