"""A sparse basis under one global budget of nonzeros, chosen to capture as much variance as it can.

With S = X^T X, the captured variance of a basis V is what is left of X after its best approximation Z V^T. Both steps
here look at that least squares problem through S alone: Z follows V in closed form, and V takes a gradient step and is
then cut to the largest entries *of the whole matrix*, so that columns compete for nonzeros. The budget falls to its
target over the first steps; later it is raised and lowered again, which frees entries that an early cut fixed.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from jacobeig._masks._spectrum import psd_shift
from jacobeig._masks._support import keep_total
from jacobeig._masks._types import Array

__all__ = ["alternate"]

SETTLED = 1e-7  # relative rise of a step below which the ascent is slow
PATIENCE = 5  # slow steps, or failed cycles, before giving up
LOOSE_STEP = 0.7  # below 1 because columns overlap; measured best, flat from 0.5 to 0.8


@dataclass(frozen=True, kw_only=True, eq=False)
class _Basis:
    """Unit columns V, the captured variance, and V scaled to data units with the ascent direction there."""

    V: Array
    captured: float
    scaled: Array
    direction: Array

    def step(self, length: float, nonzeros: int) -> Array:
        """Move along the direction and cut to the budget."""
        return keep_total(self.scaled + length * self.direction, nonzeros)


class _Clock:
    """Counts the iterations and the seconds that are left."""

    def __init__(self, n_iterations: int, time_limit: float | None) -> None:
        self._left = n_iterations
        self._end = np.inf if time_limit is None else perf_counter() + time_limit

    def ticks(self) -> bool:
        """Take one iteration, if there is one left."""
        self._left -= 1
        return self._left >= 0 and perf_counter() < self._end


def alternate(
    S: Array,
    start: Array,
    nonzeros: int,
    n_iterations: int = 300,
    ramp: int = 30,
    n_cycles: int = 6,
    time_limit: float | None = None,
) -> Array:
    """Sparse, not orthonormal columns that capture much variance, at most `nonzeros` entries in all.

    Parameters
    ----------
    S : (n, n) array
        Symmetric; an indefinite one is shifted, which changes no maximiser.
    start : (n, p) array
        Columns to begin with, dense or sparse; their order and scale do not matter.
    nonzeros : int
        Entries in the whole result, at least p.
    n_iterations : int
        Steps in all, each one product of S with p vectors.
    ramp : int
        Steps over which the budget falls geometrically from n p. With 0 the start is cut to its largest entries at
        once, and a start that keeps to the budget is never made worse.
    n_cycles : int
        How often the budget is raised and lowered again. Each is kept only if it captures more.
    time_limit : float, optional
        Seconds after which the best so far is returned.

    Returns
    -------
    (n, p) array
        Unit columns, each with at least one nonzero.
    """
    n, p = start.shape
    shift = psd_shift(S)
    S = S + shift * np.eye(n) if shift > 0 else S
    clock = _Clock(n_iterations, time_limit)
    basis = _measure(S, start if ramp else keep_total(start, nonzeros))
    basis = _lower(S, basis, nonzeros, n * p, ramp, clock)
    basis = _ascend(S, basis, nonzeros, clock)
    return _cycle(S, basis, nonzeros, n_cycles, clock).V


def _measure(S: Array, V: Array) -> _Basis:
    V = V / np.linalg.norm(V, axis=0)
    SV = S @ V
    # Two columns may share one single entry; the pseudo-inverse then counts it once.
    inverse = np.linalg.pinv(V.T @ V, rcond=1e-10, hermitian=True)
    inner = V.T @ SV
    codes = inverse @ inner @ inverse  # Z^T Z for the best Z
    size = np.sqrt(np.maximum(codes.diagonal(), max(1e-12 * codes.max(), 1e-300)))
    direction = (SV @ inverse - V @ codes) / size
    return _Basis(V=V, captured=float(np.sum(inverse * inner)), scaled=V * size, direction=direction)


def _lower(S: Array, basis: _Basis, nonzeros: int, first: int, ramp: int, clock: _Clock) -> _Basis:
    """Let the budget fall geometrically from `first` to `nonzeros`, one fixed step each, up or down."""
    for t in range(1, ramp + 1):
        budget = max(nonzeros, int(nonzeros * (first / nonzeros) ** (1 - t / ramp)))
        in_time = clock.ticks()
        basis = _measure(S, basis.step(LOOSE_STEP, budget if in_time else nonzeros))
        if not in_time:
            break
    return basis


def _ascend(S: Array, basis: _Basis, nonzeros: int, clock: _Clock, n_steps: int | None = None) -> _Basis:
    """Climb at a fixed budget, the step length found by halving; never descends."""
    length, slow = 1.0, 0
    while slow < PATIENCE and n_steps != 0 and clock.ticks():
        trial = _measure(S, basis.step(length, nonzeros))
        if trial.captured > basis.captured:
            slow = slow + 1 if trial.captured < basis.captured * (1 + SETTLED) else 0
            basis, length = trial, 1.5 * length
        else:
            length /= 2
            if length < 1e-3:
                break
        n_steps = None if n_steps is None else n_steps - 1
    return basis


def _cycle(S: Array, basis: _Basis, nonzeros: int, n_cycles: int, clock: _Clock) -> _Basis:
    """Raise the budget, climb, lower it, climb; a failure halves the excess that the next cycle tries."""
    excess, failures = 1.0, 0
    for _ in range(n_cycles):
        raised = min(int(nonzeros * (1 + excess)), basis.V.size)
        if failures == PATIENCE or raised == nonzeros:
            break
        trial = _ascend(S, basis, raised, clock, n_steps=5)
        trial = _lower(S, trial, nonzeros, raised, 8, clock)
        trial = _ascend(S, trial, nonzeros, clock, n_steps=60)
        if trial.captured > basis.captured * (1 + 10 * SETTLED):
            basis, failures = trial, 0
        else:
            excess, failures = excess / 2, failures + 1
    return basis
