"""A sparse basis under one global budget of nonzeros, chosen to capture as much variance as it can.

With S = X^T X, the captured variance of a basis V is what its best approximation Z V^T explains of X. Each step looks
at that least squares problem through S alone: Z follows V in closed form, and V takes a gradient step and is then cut
to the largest entries *of the whole matrix*, so that columns compete for nonzeros. The budget falls to its target over
the first steps; single entries are exchanged where that is exactly known to pay; and the budget is raised and lowered
again, which frees entries that an early cut fixed.
"""

import numpy as np

from jacobeig._types import Floats, Indices, Mask
from jacobeig.refinement._basis import Basis, entry_moves, measure
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement.support import keep_total

SETTLED = 1e-7  # relative rise of a step below which the ascent is slow
PATIENCE = 5  # slow steps, or failed cycles, before giving up
FEW_STEPS = 60  # of an ascent on a support that may still change
CYCLES = 30  # at most: failures or time end them sooner
LOOSE_STEP = 0.7  # below 1 because columns overlap; 0.3 to 0.7 differ by half a point at most, more is erratic


class _Countdown:
    """Counts the iterations that are left."""

    def __init__(self, n_iterations: int, clock: Clock) -> None:
        self._left, self._clock = n_iterations, clock

    def ticks(self) -> bool:
        """Take one iteration, if there is one left, and time for it."""
        self._left -= 1
        return self._left >= 0 and not self._clock.expired


def alternate(
    S: Floats, start: Floats, nonzeros: int, n_iterations: int = 300, ramp: int = 30, clock: Clock = NO_LIMIT
) -> Floats:
    """Sparse, not orthonormal columns that capture much variance, at most `nonzeros` entries in all.

    S is positive semidefinite. The start has no zero column; their order and scale do not matter. Each of the
    `n_iterations` is one product of S with p vectors; results still improve slowly up to some 3000. The budget falls
    geometrically from n p over the first `ramp` steps; with 0 the start is cut at once, and one within the budget
    is never made worse. Then it is raised and lowered again and again, which is kept where it captures more.
    """
    n, p = start.shape
    nonzeros = min(nonzeros, n * p)
    countdown = _Countdown(n_iterations, clock)
    basis = measure(S, start if ramp else keep_total(start, nonzeros))
    basis = _lower(S, basis, nonzeros, n * p, ramp, countdown)
    basis = _ascend(S, basis, nonzeros, countdown, n_steps=FEW_STEPS)
    basis = _exchange(S, basis, nonzeros, countdown)
    basis = _cycle(S, basis, nonzeros, countdown)
    return _ascend(S, basis, nonzeros, countdown).V


def _lower(S: Floats, basis: Basis, nonzeros: int, first: int, ramp: int, clock: _Countdown) -> Basis:
    """Let the budget fall geometrically from `first` to `nonzeros`, one fixed step each, up or down."""
    for t in range(1, ramp + 1):
        budget = max(nonzeros, int(nonzeros * (first / nonzeros) ** (1 - t / ramp)))
        in_time = clock.ticks()
        basis = measure(S, basis.step(LOOSE_STEP, budget if in_time else nonzeros))
        if not in_time:
            break
    return basis


def _ascend(S: Floats, basis: Basis, nonzeros: int, clock: _Countdown, n_steps: int | None = None) -> Basis:
    """Climb at a fixed budget, the step length found by halving; never descends."""
    length, slow = 1.0, 0
    while slow < PATIENCE and length > 1e-3 and n_steps != 0 and clock.ticks():
        n_steps = None if n_steps is None else n_steps - 1
        trial = measure(S, basis.step(length, nonzeros))
        if trial.captured > basis.captured:
            slow = slow + 1 if trial.captured < basis.captured * (1 + SETTLED) else 0
            basis, length = trial, 1.5 * length
        else:
            length /= 2
    return basis


def _exchange(S: Floats, basis: Basis, nonzeros: int, clock: _Countdown) -> Basis:
    """Swap the entries that are worth least for those that would be worth most, and climb, while that pays."""
    diagonal = S.diagonal()
    for _ in range(50):
        trial = _swap(S, basis, diagonal, clock)
        if trial is None:
            break
        trial = _ascend(S, trial, nonzeros, clock, n_steps=8)
        settled = trial.captured <= basis.captured * (1 + SETTLED)
        basis = trial
        if settled:
            break
    return basis


def _swap(S: Floats, basis: Basis, diagonal: Floats, clock: _Countdown) -> Basis | None:
    """Swap as many entries at once as raises the captured variance; None when not even one does."""
    moves = entry_moves(diagonal, basis)
    entering, leaving = _pair_profitable(moves.gain, moves.loss, basis.V != 0)
    count = entering.size
    while count and clock.ticks():
        # Gains and losses hold for one entry at a time: fewer swaps interfere less.
        V = basis.V.copy()
        V.flat[leaving[:count]] = 0.0
        V.flat[entering[:count]] = moves.change.flat[entering[:count]]
        trial = measure(S, V)
        if trial.captured > basis.captured:
            return trial
        count //= 4 if count > 4 else 2
    return None


def _pair_profitable(gain: Floats, loss: Floats, inside: Mask) -> tuple[Indices, Indices]:
    """Flat positions to fill and to clear, paired best with best, while the pair pays; no column loses all."""
    loss = np.where(inside, loss, np.inf)
    loss[np.where(inside, loss, -np.inf).argmax(axis=0), np.arange(loss.shape[1])] = np.inf
    count = min(int(inside.sum()), inside.size - int(inside.sum()))
    entering = np.argsort(-np.where(inside, -np.inf, gain), axis=None, kind="stable")[:count]
    leaving = np.argsort(loss, axis=None, kind="stable")[:count]
    pays = int(np.sum(gain.flat[entering] > loss.flat[leaving]))
    return entering[:pays], leaving[:pays]


def _cycle(S: Floats, basis: Basis, nonzeros: int, clock: _Countdown) -> Basis:
    """Raise the budget, climb, lower it, climb; a failure halves the excess that the next cycle tries."""
    excess, failures = 1.0, 0
    for _ in range(CYCLES):
        raised = min(int(nonzeros * (1 + excess)), basis.V.size)
        if failures == PATIENCE or raised == nonzeros or not clock.ticks():
            break
        trial = _ascend(S, basis, raised, clock, n_steps=5)
        trial = _lower(S, trial, nonzeros, raised, 8, clock)
        trial = _ascend(S, trial, nonzeros, clock, n_steps=FEW_STEPS)
        trial = _exchange(S, trial, nonzeros, clock)
        if trial.captured > basis.captured * (1 + 10 * SETTLED):
            basis, failures = trial, 0
        else:
            excess, failures = excess / 2, failures + 1
    return basis
