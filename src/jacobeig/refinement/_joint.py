"""All columns at once on a mask: L-BFGS over the masked orthonormal matrices, which it never leaves.

References
----------
D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical Programming 45,
1989.

P.-A. Absil, R. Mahony and R. Sepulchre, "Optimization algorithms on matrix manifolds", Princeton, 2008.
"""

from collections import deque
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from jacobeig._arguments import is_sparse
from jacobeig._kernels.masked import drop_lone_overlaps, drop_new_overlaps
from jacobeig._types import Floats, Integers, Mask
from jacobeig.errors import InvalidInputError
from jacobeig.refinement._budget import LONG, MANY
from jacobeig.refinement._clock import NO_LIMIT, Clock
from jacobeig.refinement._columnwise import columnwise
from jacobeig.refinement._masked_product import MaskedProduct
from jacobeig.refinement._penalty import relax
from jacobeig.refinement._pursuit import Point
from jacobeig.refinement._quadratic import Matrix, Quadratic
from jacobeig.refinement._stiefel import FEASIBLE, MaskedStiefel, multiply_real, restore_in

MEMORY = 10  # pairs that L-BFGS remembers
SUFFICIENT = 1e-4  # of the rise that the slope promises, for a step to be taken
SHORTER = 0.4  # what is left of a step that failed
CLIMBED = 1000  # equations up to which a climb is affordable
LONGER = 2.0  # times the last step that succeeded: where the set bends much, long steps fail again and again


def joint(S: Matrix, mask: Mask, U0: Floats, *, iterations: int = 500, tol: float = 1e-8) -> Point:
    """Raise tr(U^T S U) over all masked entries at once, with U^T U = I to rounding.

    Where U0 is not orthonormal on the mask, it is made so first, by penalties and Gauss-Newton steps; where these fail,
    unit vectors on the mask are taken, improved column by column. Never worse than an orthonormal U0. A mask whose
    columns cannot be given a row each holds no orthonormal matrix and raises InvalidInputError.
    """
    form = Quadratic.make_plain(S, mask.shape[1])
    start = Orthonormal(form, penalties=tuple(0.3 * 2.0 ** np.arange(9))).enter(U0, mask)
    if start is None:
        start = columnwise(form, _make_unit_vectors(mask), mask=mask).vectors
    return climb(form, MaskedStiefel(mask), start, iterations=iterations, tol=tol)


def _make_unit_vectors(mask: Mask) -> Floats:
    """Give each column a row of its own within the mask: possible whenever any orthonormal matrix fits."""
    rows = maximum_bipartite_matching(csr_array(mask), perm_type="row")
    if (rows < 0).any():
        raise InvalidInputError("mask: no orthonormal matrix fits it, as its columns cannot get a row each; widen it.")
    U = np.zeros(mask.shape)
    U[rows, np.arange(mask.shape[1])] = 1.0
    return U


class Orthonormal:
    """Raise a quadratic form over orthonormal U: the problem as the search over masks sees it."""

    def __init__(
        self, form: Quadratic, penalties: tuple[float, ...] = (1.0, 4.0, 16.0, 64.0), clock: Clock = NO_LIMIT
    ) -> None:
        self.form, self.penalties, self.clock = form, penalties, clock
        self._space: MaskedStiefel | None = None

    def size(self, value: float) -> float:
        """Return what a rise of the value is compared with."""
        return self.form.size(value)

    def enter(self, V: Floats, mask: Mask) -> Floats | None:
        """Return orthonormal vectors on the mask that capture what V does as far as they can; V itself if it is so."""
        V = V * mask
        if not V.any(axis=0).all():
            return None
        if np.abs(V.conj().T @ V - np.eye(V.shape[1])).max() < FEASIBLE:
            return V
        relaxed = relax(self.form, mask, V, penalties=self.penalties, clock=self.clock)
        found = [self.restrict(start, mask) for start in ([relaxed] if V.shape[1] > MANY else [V, relaxed])]
        return max((U for U in found if U is not None), key=self.form.measure, default=None)

    def climb(self, V: Floats, mask: Mask, iterations: int) -> Point:
        """Raise the form on the mask."""
        return climb(self.form, self._open_space(mask), V, iterations=iterations, clock=self.clock)

    def can_climb(self, mask: Mask) -> bool:
        """Say whether there are few enough equations to climb."""
        return len(self._open_space(mask)) <= CLIMBED

    def score(self, V: Floats, mask: Mask) -> Floats:
        """Rate entries by a quadratic model of the Lagrangian along each alone."""
        space = self._open_space(mask)
        space.move_to(space.pack(V))
        image = self.form.multiply(V)
        multipliers = space.symmetric(space.multipliers(space.pack(image)))
        curvature = _bend(multipliers.diagonal().real, self.form.diagonal())
        loss = np.abs(V) ** 2 * curvature
        slope = image - V @ multipliers
        gain = np.where(
            slope == 0.0, -np.inf, np.abs(slope) ** 2 / curvature
        )  # far from a support in a graph nothing pulls
        # an entry beside those of columns that it would meet nowhere else can only take their place
        return np.asarray(np.where(mask, loss, gain - loss @ (space.equation < 0)))

    def price(self, V: Floats, mask: Mask) -> Floats:
        """Return what `score` gives inside the mask; of a long or sparse matrix only its blocks are read for that."""
        if not is_sparse(self.form.S) and len(V) <= LONG:
            return np.where(mask, self.score(V, mask), -np.inf)
        space = self._open_space(mask)
        u = space.pack(V)
        space.move_to(u)
        multipliers = space.multipliers(MaskedProduct(self.form, space)(u))
        quotients = space.symmetric(multipliers).diagonal().real
        diagonal = self.form.S.diagonal().real[space.row] * self.form.weights[space.column]
        curvature = _bend(quotients, diagonal + self.form.shifts[space.column], space.column)
        prices = np.full(mask.shape, -np.inf)
        prices[space.row, space.column] = np.abs(u) ** 2 * curvature
        return prices

    def separate(self, mask: Mask, wide: Mask, scores: Floats) -> Mask:
        """Return a wider mask without overlaps of new entries whose equations are flat: a climb could take no step."""
        wide = np.ascontiguousarray(wide)
        drop_new_overlaps(np.ascontiguousarray(mask), wide, np.ascontiguousarray(scores))
        return wide

    def restrict(self, V: Floats, mask: Mask) -> Floats | None:
        """Prune to the mask and repair orthonormality; entries that cannot stay under it go too."""
        mask = mask.copy()
        drop_lone_overlaps(np.ascontiguousarray(V), mask)
        return restore_in(self._open_space(mask), V, clock=self.clock)

    def _open_space(self, mask: Mask) -> MaskedStiefel:
        """Return the set of a mask; a search asks for the same one several times on end."""
        if self._space is None or not np.array_equal(self._space.mask, mask):
            self._space = MaskedStiefel(mask, np.result_type(self.form.S.dtype, np.float64))
        return self._space


def _bend(quotients: Floats, diagonal: Floats, column: Integers | slice = slice(None)) -> Floats:
    """Return how much the Lagrangian bends down along single entries.

    Along one alone it may bend upwards, which orthogonality to the other columns forbids.
    """
    size = np.abs(quotients)
    least = 0.3 * size + 1e-3 * size.max()
    return np.asarray(np.maximum(quotients[column] - diagonal, least[column]))


class _Pair(NamedTuple):
    """A step and the change of gradient along it, for L-BFGS."""

    step: Floats
    bend: Floats
    product: float


def climb(
    form: Quadratic,
    space: MaskedStiefel,
    U: Floats,
    *,
    iterations: int = 100,
    tol: float = 1e-6,
    clock: Clock = NO_LIMIT,
) -> Point:
    """Raise the form over the orthonormal matrices on a mask, from an orthonormal U on it; never worse than U.

    Each step costs a product of S with U and a factorisation of size p^2 / 2, less on sparse masks; the climb ends
    when a step raises the value by less than `tol` of it, or time is up. With very many equations nothing is done: what
    `relax` gives is near the best already (p = 100, 4,946 equations: 20 steps raised .8804 to .8818 in 20 s).
    """
    if len(space) > CLIMBED:
        return Point(U, form.measure(U))
    product = MaskedProduct(form, space)
    u = space.pack(U)
    su = product(u)
    value = multiply_real(u, su)
    pairs: deque[_Pair] = deque(maxlen=MEMORY)
    scale = 0.5 / max(form.largest_diagonal(), abs(value) / U.shape[1], 1e-300)
    space.move_to(u)
    gradient = space.tangent(su)
    longest = 1.0
    for _ in range(iterations):
        if clock.expired:
            break
        direction = space.tangent(_quasi_newton(gradient, pairs, scale))
        if multiply_real(gradient, direction) <= 0:
            direction = scale * gradient
            pairs.clear()
        direction *= min(1.0, longest / max(float(np.linalg.norm(direction)), 1e-300))
        least = tol * form.size(value)
        found = _line_search(
            space, product, u, value, direction, slope=2 * multiply_real(gradient, direction), least=least
        )
        if found is None:
            break
        new, su, new_value = found
        longest = LONGER * float(np.linalg.norm(new - u))
        space.move_to(new)
        new_gradient = space.tangent(su)
        _remember(pairs, new - u, gradient - new_gradient)
        rise = new_value - value
        u, value, gradient = new, new_value, new_gradient
        if rise < tol * form.size(value):
            break
    return Point(space.unpack(u), value)


def _line_search(
    space: MaskedStiefel,
    product: MaskedProduct,
    u: Floats,
    value: float,
    direction: Floats,
    *,
    slope: float,
    least: float,
) -> tuple[Floats, Floats, float] | None:
    """Shorten the step until the trace rises enough; return the entries, the product with S, and the trace.

    None when the slope promises less than the least rise that is worth a step.
    """
    t = 1.0
    while t * slope >= least and t > 1e-5:
        trial, feasible = space.retract(u + t * direction)
        if feasible:
            su = product(trial)
            reached = multiply_real(trial, su)
            if reached >= value + SUFFICIENT * t * slope:
                return trial, su, reached
        t *= SHORTER
    return None


def _quasi_newton(gradient: Floats, pairs: deque[_Pair], scale: float) -> Floats:
    """Multiply the gradient by the L-BFGS estimate of the inverse Hessian (two loops)."""
    direction = gradient.copy()
    weights = []
    for pair in reversed(pairs):
        weights.append(multiply_real(pair.step, direction) / pair.product)
        direction -= weights[-1] * pair.bend
    direction *= pairs[-1].product / multiply_real(pairs[-1].bend, pairs[-1].bend) if pairs else scale
    for pair, weight in zip(pairs, reversed(weights), strict=True):
        direction += (weight - multiply_real(pair.bend, direction) / pair.product) * pair.step
    return direction


def _remember(pairs: deque[_Pair], step: Floats, bend: Floats) -> None:
    """Keep a pair when it tells of positive curvature."""
    product = multiply_real(step, bend)
    if product > 1e-10 * np.sqrt(multiply_real(step, step) * multiply_real(bend, bend)):
        pairs.append(_Pair(step, bend, product))
