"""A sparse basis, what it captures, and exactly what one entry more or less would do to that."""

from dataclasses import dataclass

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement._quadratic import Matrix, multiply
from jacobeig.refinement.support import keep_total

LARGEST = 1e100  # change of an entry of a unit vector


@dataclass(frozen=True, kw_only=True, eq=False)
class Basis:
    """Unit columns V, their image S V, the inverse of V^T V, and the captured variance.

    `scaled` is V in the units of the data, where entries of different columns can be compared, and `direction` the
    ascent direction there.
    """

    V: Floats
    image: Floats
    inverse: Floats
    captured: float
    scaled: Floats
    direction: Floats

    @property
    def dual(self) -> Floats:
        """What turns V into the unit directions q_c that each column alone spans, and images of V into theirs."""
        return np.asarray(self.inverse / np.sqrt(np.maximum(self.inverse.diagonal(), 1e-300)))

    @property
    def quotients(self) -> Floats:
        """Rayleigh quotients of those directions."""
        return np.asarray(np.sum((self.V @ self.dual) * (self.image @ self.dual), axis=0))

    def step(self, length: float, nonzeros: int) -> Floats:
        """Move along the direction and cut to the budget."""
        return keep_total(self.scaled + length * self.direction, nonzeros)


@dataclass(frozen=True, kw_only=True, eq=False)
class EntryMoves:
    """For each entry: the best rise from changing it alone, the change that gives it, and the loss from zeroing it."""

    gain: Floats
    change: Floats
    loss: Floats


def measure(S: Matrix, V: Floats) -> Basis:
    """Normalise the columns and compute all that an ascent step needs; one product with S."""
    V = V / np.linalg.norm(V, axis=0)
    return make_basis(V, multiply(S, V.astype(S.dtype, copy=False)).astype(V.dtype, copy=False))


def make_basis(V: Floats, image: Floats) -> Basis:
    """Compute all that an ascent step needs of unit columns V and their image; rows where V is zero may be left out."""
    # Two columns may share one single entry; the pseudo-inverse then counts it once.
    inverse = np.asarray(np.linalg.pinv(V.T @ V, rcond=1e-10, hermitian=True), dtype=np.float64)
    inner = V.T @ image
    codes = inverse @ inner @ inverse  # Z^T Z for the best Z in X ~ Z V^T
    size = np.sqrt(np.maximum(codes.diagonal(), max(1e-12 * codes.max(), 1e-300)))
    direction = (image @ inverse - V @ codes) / size
    captured = float(np.sum(inverse * inner))
    return Basis(V=V, image=image, inverse=inverse, captured=captured, scaled=V * size, direction=direction)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Plane:
    """What the moves of all entries share."""

    length: Floats  # of the part of each column outside the span of the others, inverse
    inner: Floats  # V^T S V
    outer: Floats  # V^T S q
    quotients: Floats  # of the directions q


def entry_moves(diagonal: Floats, basis: Basis) -> EntryMoves:
    """Exact gains and losses of all entries, one at a time; `diagonal` is that of S.

    Changing entry (i, c) turns one direction of the span, the part q_c of column c that is orthogonal to the other
    columns, within the plane of q_c and the part of e_i outside the span. So the best change is an eigenvector of a
    2 x 2 matrix [[a, b], [b, d]], and every change has a Rayleigh quotient there. O(n p^2) for all entries together.
    """
    return _move_entries(diagonal, basis, _find_plane(basis), slice(None))


def entry_losses(diagonal: Floats, basis: Basis, rows: int) -> Floats:
    """Return what `entry_moves` loses, that many rows at a time: all at once take some twenty arrays like V."""
    plane, losses = _find_plane(basis), np.empty_like(basis.V)
    for begin in range(0, len(losses), rows):
        part = slice(begin, begin + rows)
        losses[part] = _move_entries(diagonal[part], basis, plane, part).loss
    return losses


def _find_plane(basis: Basis) -> _Plane:
    V, inverse = basis.V, basis.inverse
    length = np.sqrt(np.maximum(inverse.diagonal(), 1e-300))
    image = basis.image @ inverse / length
    quotients = np.sum((V @ inverse / length) * image, axis=0)
    return _Plane(length=length, inner=V.T @ basis.image, outer=V.T @ image, quotients=quotients)


def _move_entries(diagonal: Floats, basis: Basis, plane: _Plane, part: slice) -> EntryMoves:
    V, length, a = basis.V[part], plane.length, plane.quotients
    dual = V @ basis.inverse
    q, image = dual / length, basis.image[part] @ basis.inverse / length
    inside = np.sum(dual * V, axis=1)  # diagonal of the projector P
    outside = np.sqrt(np.maximum(1.0 - inside, 1e-12))[:, None]
    variance = diagonal - 2 * np.sum(dual * basis.image[part], axis=1) + np.sum((dual @ plane.inner) * dual, axis=1)
    b = (image - dual @ plane.outer) / outside
    d = variance[:, None] / outside**2
    half = (a - d) / 2
    root = np.sqrt(half**2 + b**2)
    gain = np.where(half > 0, b**2 / np.maximum(root + np.abs(half), 1e-300), root - half)
    slope = b / np.maximum(a + gain - d, 1e-300)
    pole = outside - slope * q
    # Where nothing but the entry should be left, the slope has no bound; the squares of changes must have one.
    change = np.clip(slope / (length * np.where(np.abs(pole) > 1e-12, pole, np.inf)), -LARGEST, LARGEST)
    along, across = 1 - V * length * q, -V * length * outside
    norm = np.maximum(along**2 + across**2, 1e-300)
    loss = a - (along**2 * a + 2 * along * across * b + across**2 * d) / norm
    return EntryMoves(gain=gain, change=change, loss=loss)
