"""The strongest bound that time allows: from the spectrum, by way of pairs, to features that vectors share."""

from collections.abc import Callable, Sequence

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement._clock import Clock
from jacobeig.refinement.certificates._multipliers import Budgets
from jacobeig.refinement.certificates._problem import MOST_SPLIT
from jacobeig.refinement.certificates._settle import Settled, settle, settle_spectrum, settle_union
from jacobeig.refinement.certificates._splitting import LinkedSplitting, Splitting, UnionSplitting

# Steps before features are linked: cheaper, and enough to start from. 20 to 100 did alike on USPS and digits.
PLAIN_STEPS = 40
LOOK = 20  # steps between two looks at the bound, which costs as much as one or two
BALANCING = 10  # steps between two looks at the residuals
LAST_STEPS = 5  # what the last look and the proof take, in steps
# At n = 256 (USPS, p = 20) 300 steps leave 0.05%, in 9 s; at n = 1,000 a step takes 0.6 s.
STEPS, STEPS_FROM = 1000, 100
# With fewer steps than this in all, features are not linked: at n = 1,000 (products of the pixels of digits, p = 10,
# k = 20) 60 steps without links came to 8.5%, 60 more with links to 9.3%.
LINKED_FROM = 200
WARM = 3  # how many times fewer steps a search takes that begins where that of a near budget ended
ACCURACY = 2e-5  # relative distance of the bound from the relaxation's value, at which the search ends
SETTLED = 2e-4  # residuals of a matrix of norm one at which that value can be trusted


def count_steps(n: int) -> int:
    """Return how many steps a quick search takes at most: fewer of those that are expensive."""
    return int(STEPS * min(1.0, STEPS_FROM / n))


def search_bound(
    S: Floats,
    budgets: Budgets,
    clock: Clock,
    *,
    steps: int | None = None,
    linked: bool = True,
    tell: Callable[[int], None] = lambda done: None,
) -> Settled:
    """Return the best bound found for a symmetric S, in S's own units; Ky Fan's at worst.

    Without `linked` a weaker relaxation is solved, for comparison.
    """
    best = settle_spectrum(S, budgets)
    size = float(np.abs(np.linalg.eigvalsh(S)).max())
    if size == 0.0 or _allows_everything(len(S), budgets):
        return best
    if len(S) > MOST_SPLIT and steps is None:
        return settle_union(S, budgets)
    state = _begin(S / size, budgets)
    found, _ = _iterate(state, clock, steps or count_steps(len(S)), linked, tell)
    return _choose(best, found, size)


def search_bounds(
    S: Floats, several: Sequence[Budgets], clock: Clock, tell: Callable[[int], None] = lambda done: None
) -> list[Settled]:
    """Return a bound for each of several budgets of all vectors together, of which each search begins where one ended.

    The multipliers of a larger budget also bound a smaller one, and are taken where they bound it better.
    """
    size = float(np.abs(np.linalg.eigvalsh(S)).max())
    state: Splitting | None = None
    found: list[Settled] = []
    for done, budgets in enumerate(several):
        best = settle_spectrum(S, budgets)
        if len(S) > MOST_SPLIT:
            best = settle_union(S, budgets)
        elif size > 0.0 and not _allows_everything(len(S), budgets):
            steps = count_steps(len(S)) if state is None else max(count_steps(len(S)) // WARM, LOOK)
            state = _begin(S / size, budgets) if state is None else state.move(budgets)
            share = None if clock.limit is None else (clock.limit - clock.seconds) / (len(several) - done)
            settled, state = _iterate(state, Clock(share), steps, True, lambda step: None)
            best = _choose(best, settled, size)
        found.append(best)
        tell(done + 1)
    for position in reversed(range(len(several) - 1)):
        ready = settle(S, several[position], found[position + 1].multipliers)
        found[position] = min(found[position], ready, key=lambda settled: settled.bound)
    return found


def _choose(best: Settled, found: Settled | None, size: float) -> Settled:
    """Return the better of two bounds, the second of which is of the matrix over its size."""
    if found is not None and found.bound * size < best.bound:
        return Settled(found.bound * size, found.multipliers.times(size))
    return best


def _allows_everything(n: int, budgets: Budgets) -> bool:
    if budgets.free:
        return budgets.largest_union >= n
    return budgets.max_nonzeros >= n and budgets.total_nonzeros is None


def _begin(S: Floats, budgets: Budgets) -> Splitting:
    return UnionSplitting(S, budgets) if budgets.free else Splitting(S, budgets)


def _iterate(
    state: Splitting, clock: Clock, steps: int, linked: bool, tell: Callable[[int], None]
) -> tuple[Settled | None, Splitting]:
    """Take steps until the bound is as good as the relaxation, or time is up; return the best bound, and the state."""
    best: Settled | None = None
    begun = 0.0
    # Without the columns of W a total budget is not seen.
    plain = 0 if state.budgets.total_nonzeros is not None else PLAIN_STEPS if steps >= LINKED_FROM else steps
    for step in range(1, steps + 1):
        if linked and step == plain + 1 and type(state) is Splitting:
            state = LinkedSplitting(state)
        state.step()
        begun = clock.seconds if step == 1 else begun  # the first step may have had something to compile
        late = clock.expired or (step > 1 and _is_late(clock, (clock.seconds - begun) / (step - 1)))
        if step % BALANCING == 0 and step <= 0.7 * steps:
            state.balance()
        if step % LOOK == 0 or step == steps or late:
            found = settle(state.S, state.budgets, state.multipliers())
            best = found if best is None or found.bound < best.bound else best
            tell(step)
            if late or (step > plain + LOOK and _is_done(state, best.bound)):
                break
    return best, state


def _is_late(clock: Clock, step: float) -> bool:
    """Whether a look at the bound, and its proof, would take what is left of the time, where a step takes `step`."""
    return clock.limit is not None and clock.seconds + LAST_STEPS * step > clock.limit


def _is_done(state: Splitting, bound: float) -> bool:
    """Whether the iterates have settled, and the bound is where they say that the optimum is."""
    return max(state.primal, state.dual) <= SETTLED and abs(bound - state.value()) <= ACCURACY * abs(bound)
