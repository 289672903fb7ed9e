"""Prove vectors optimal, or find better ones: cases by supports, each bounded by a cover, until none is left."""

from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np

from jacobeig._types import Floats, Indices, Mask
from jacobeig.errors import InvalidInputError
from jacobeig.refinement._clock import Clock
from jacobeig.refinement._joint import joint
from jacobeig.refinement.certificates._covers import Cover, cover_case, improve_cover, take_blocks
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.refinement.certificates._settle import Settled

MOST_SUPPORTS = 200_000  # that are listed: a second for five nonzeros
MOST_CASES = 1_000_000  # that are held at once; with more, the bound to prove is raised
GAP = 0.9e-4  # at which vectors count as proved; a little less than promised, as the proof rounds up
RAISE = 0.7  # of the way from the bound at the root to the target that is left, when there are too many cases
STARTS = 3  # of the search for better vectors on the supports of a case that its cover does not rule out


class Branched(NamedTuple):
    """The bound that the covers prove, the prices of the first, and the best vectors known."""

    bound: float
    covers: Floats
    s: Floats
    vectors: Floats
    captured: float


class _Cases(NamedTuple):
    """Choices of supports: their indices, the features they use, and the best bound so far."""

    indices: Indices
    unions: Mask
    bounds: Floats

    def above(self, target: float) -> "_Cases":
        kept = self.bounds > target
        return _Cases(self.indices[kept], self.unions[kept], self.bounds[kept])


def can_branch(n: int, budgets: Budgets) -> bool:
    """Whether all supports can be listed, and one size is enough."""
    small = comb(n, budgets.max_nonzeros) <= MOST_SUPPORTS
    return small and budgets.total_nonzeros is None and not budgets.free and budgets.max_nonzeros < n


def prove_supports(S: Floats, budgets: Budgets, root: Settled, U: Floats, clock: Clock) -> Branched:
    """Return the best bound and vectors found by cases, from the relaxation's bound and vectors U."""
    n, p = len(S), budgets.n_components
    supports = list_supports(n, budgets.max_nonzeros)
    start = np.zeros((n, n)) if root.multipliers.Q is None else root.multipliers.Q
    first = improve_cover(S, p, supports, start, root.multipliers.s, clock)
    captured = float(np.sum(U * (S @ U)))
    target, supports, cases = _list_cases(S, p, supports, first, captured + GAP * abs(captured))
    return _rule_out(S, supports, cases, first, target, U, clock)


def list_supports(n: int, k: int) -> Indices:
    """Return all supports of k features, (comb(n, k), k)."""
    return np.fromiter(chain.from_iterable(combinations(range(n), k)), dtype=np.intp).reshape(-1, k)


def _list_cases(S: Floats, p: int, supports: Indices, first: Cover, target: float) -> tuple[float, Indices, _Cases]:
    """Return the cases that may capture more than the target, which is raised if these are too many."""
    worth = np.linalg.eigvalsh(take_blocks(S - first.Q, supports))[:, -1] + first.s[supports].sum(axis=1)
    order = np.argsort(-worth)
    fixed = float(np.maximum(first.Q.diagonal() - first.s, 0.0).sum())
    while (indices := _combine(worth[order], p, target - fixed)) is None:
        target = first.bound - RAISE * (first.bound - target)
    supports = supports[order[: int(indices.max(initial=-1)) + 1]]
    used = np.zeros((len(supports), len(S)), dtype=np.bool_)
    if len(supports):
        np.put_along_axis(used, supports, True, axis=1)
    return target, supports, _Cases(indices, np.asarray(used[indices].any(axis=1)), np.full(len(indices), first.bound))


def _combine(worth: Floats, p: int, least: float) -> Indices | None:
    """Return all p indices in rising order whose worths, which descend, add up to enough; None if they are too many."""
    cases, sums = np.zeros((1, 0), dtype=np.intp), np.zeros(1)
    for chosen in range(p):
        first = cases[:, -1] if chosen else np.zeros(1, dtype=np.intp)
        counts = np.searchsorted(-worth, -(least - sums) / (p - chosen), side="right") - first
        counts = np.maximum(counts, 0)
        if counts.sum() > MOST_CASES:
            return None
        rows = np.repeat(np.arange(len(cases)), counts)
        following = first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        cases, sums = np.column_stack([cases[rows], following]), sums[rows] + worth[following]
    return np.asarray(cases)


def _rule_out(
    S: Floats, supports: Indices, cases: _Cases, first: Cover, target: float, U: Floats, clock: Clock
) -> Branched:
    """Cover the case with the largest bound, and all that its cover rules out too, until none is above the target."""
    covers, kept, captured, stuck = [first.Q, np.zeros_like(S)], U, float(np.sum(U * (S @ U))), -np.inf
    for Q in covers:
        cases = _apply(S, supports, cases, Q).above(target)
    while len(cases.indices) and not clock.expired:
        worst = int(np.argmax(cases.bounds))
        case = supports[cases.indices[worst]]
        found = cover_case(S, case)
        covers.append(found.Q)
        if found.bound > target:
            U, value = _climb(S, case)
            if value > captured:
                kept, captured = U, value
                target = max(target, captured + GAP * abs(captured))
            stuck = max(stuck, found.bound) if found.bound > target else stuck
            cases.bounds[worst] = -np.inf  # it is done with, whatever its bound
        cases = _apply(S, supports, cases, found.Q).above(target)
    bound = max(target, stuck, float(cases.bounds.max(initial=-np.inf)))
    return Branched(bound, np.array(covers), first.s, kept, captured)


def _apply(S: Floats, supports: Indices, cases: _Cases, Q: Floats) -> _Cases:
    """Return the cases with the bounds that a cover gives, where these are better."""
    worth = np.linalg.eigvalsh(take_blocks(S - Q, supports))[:, -1]
    bounds = worth[cases.indices].sum(axis=1) + cases.unions @ Q.diagonal()
    return cases._replace(bounds=np.minimum(cases.bounds, bounds))


def _climb(S: Floats, case: Indices) -> tuple[Floats, float]:
    """Return the best vectors found on the supports of a case, and what they capture."""
    n, p = len(S), len(case)
    mask = np.zeros((n, p), dtype=np.bool_)
    mask[case.T, np.arange(p)] = True
    start, rng = np.zeros((n, p)), np.random.default_rng(0)
    start[case.T, np.arange(p)] = np.linalg.eigh(take_blocks(S, case))[1][:, :, -1].T
    best, value = start, -np.inf
    for trial in range(STARTS):
        try:
            point = joint(S, mask, start if trial == 0 else mask * rng.standard_normal((n, p)))
        except InvalidInputError:  # no orthonormal vectors fit the supports
            break
        best, value = (point.vectors, point.value) if point.value > value else (best, value)
    return best, value
