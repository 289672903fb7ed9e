"""Orthonormal matrices that vanish off a mask: tangent vectors, and Newton steps back to orthonormality."""

import numpy as np
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, cg

from jacobeig._kernels.masked import apply_adjoint, apply_derivative, fill_normal_matrix, gather_normal_matrix
from jacobeig._types import Floats, Mask

__all__ = ["MaskedStiefel", "restore"]

ROUNDING = 2e-15  # an orthonormality error that further Newton steps do not lower
FEASIBLE = 1e-13  # an orthonormality error good enough to keep
CROWDED = 0.25  # the density above which dense products beat loops over the masked entries
RIDGES = (1e-13, 1e-10, 1e-7)  # tried in turn, to keep the normal matrix definite where equations are dependent
LARGE = 2000  # equations: above, conjugate gradients replace the Cholesky factor


class MaskedStiefel:
    """The set {U : U^T U = I, U = 0 off the mask}, its masked entries packed column by column.

    Projections and Newton steps need the normal matrix of the equations U^T U = I; `move_to` factorises it at a
    point, and it serves near that point. Columns that share no row need no equation, so sparse masks are cheap.
    """

    def __init__(self, mask: Mask) -> None:
        self.mask = mask
        p = mask.shape[1]
        self.column, self.row = (index.astype(np.int64) for index in np.nonzero(mask.T))
        self._flat = self.row * p + self.column
        self._offsets = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
        self._entries = np.argsort(self.row, kind="stable")
        overlaps = mask.T.astype(np.float32) @ mask.astype(np.float32)
        first, second = np.nonzero(np.triu((overlaps > 0) | np.eye(p, dtype=np.bool_)))
        self.equation = np.full((p, p), -1)
        self.equation[first, second] = self.equation[second, first] = np.arange(len(first))
        self._upper, self._lower = first * p + second, second * p + first
        self._weight = np.where(first == second, 0.5, np.sqrt(0.5))
        self._identity = (first == second).astype(np.float64)
        self.crowded = bool(mask.mean() > CROWDED)

    def pack(self, U: Floats) -> Floats:
        """Return the masked entries of U."""
        return np.asarray(U.ravel()[self._flat])

    def unpack(self, u: Floats) -> Floats:
        """Return the n x p matrix whose masked entries are u."""
        U = np.zeros(self.mask.size)
        U[self._flat] = u
        return U.reshape(self.mask.shape)

    def symmetric(self, z: Floats) -> Floats:
        """Return the symmetric p x p matrix that is packed, one number an equation, as z."""
        Z = np.zeros(self.equation.size)
        Z[self._upper] = z * self._weight
        Z[self._lower] += z * self._weight
        return Z.reshape(self.equation.shape)

    def residual(self, u: Floats) -> Floats:
        """Return I - U^T U, packed."""
        return np.asarray(self._identity - self._derivative(u, u))

    def move_to(self, u: Floats) -> None:
        """Prepare the normal equations at u."""
        self.point = u
        if len(self._identity) > LARGE:
            return
        normal = self._normal_matrix(u)
        for ridge in RIDGES:
            normal.flat[:: len(normal) + 1] += ridge
            self._factor, failed = lapack.dpotrf(normal.T, lower=0, clean=0)
            if not failed:
                return
        raise np.linalg.LinAlgError("the orthonormality equations have no finite normal matrix")

    def multipliers(self, g: Floats) -> Floats:
        """Return the Lagrange multipliers, packed, that explain the gradient g best at the point."""
        return self._solve(self._derivative(self.point, g))

    def tangent(self, g: Floats) -> Floats:
        """Project g on the directions that keep U^T U = I to first order."""
        return g - self._adjoint(self.multipliers(g))

    def correction(self, residual: Floats) -> Floats:
        """Return the smallest change of the entries that removes the residual to first order."""
        return 0.5 * self._adjoint(self._solve(residual))

    def retract(self, u: Floats, steps: int = 8) -> tuple[Floats, bool]:
        """Return entries near u after Newton steps with the Jacobian at the point, and whether they are orthonormal."""
        error = np.inf
        for _ in range(steps):
            gap = self.residual(u)
            before, error = error, float(np.abs(gap).max())
            if error < FEASIBLE or not error < 0.5 * before:
                break
            u = u + self.correction(gap)
        return u, error < FEASIBLE

    def _solve(self, right: Floats) -> Floats:
        if len(right) <= LARGE:
            solution: Floats = lapack.dpotrs(self._factor, right, lower=0)[0]
            return solution
        size = len(right)
        normal = LinearOperator((size, size), matvec=lambda z: self._derivative(self.point, self._adjoint(z)))
        return np.asarray(cg(normal, right, rtol=1e-10, maxiter=200)[0])

    def _normal_matrix(self, u: Floats) -> Floats:
        normal = np.zeros((len(self._identity), len(self._identity)))
        if self.crowded:
            U = self.unpack(u)
            gather_normal_matrix((U.T * self.mask.T[:, None, :]) @ U, self.equation, normal)
        else:
            fill_normal_matrix(u, self._entries, self._offsets, self.column, self.equation, normal)
        return normal

    def _derivative(self, u: Floats, v: Floats) -> Floats:
        """Return sym(U^T V), packed."""
        if self.crowded:
            V = self.unpack(v)
            product = (V if u is v else self.unpack(u)).T @ V
            return np.asarray((product + product.T).ravel()[self._upper] * self._weight)
        out = np.zeros(len(self._identity))
        apply_derivative(u, v, self._entries, self._offsets, self.column, self.equation, out)
        return out

    def _adjoint(self, z: Floats) -> Floats:
        """Return the masked entries of U Z at the point, for the symmetric Z packed as z."""
        if self.crowded:
            return self.pack(self.unpack(self.point) @ self.symmetric(z))
        out = np.empty_like(self.point)
        apply_adjoint(self.point, z, self._entries, self._offsets, self.column, self.equation, out)
        return out


def restore(U: Floats, mask: Mask, steps: int = 40) -> Floats | None:
    """Return an orthonormal matrix on the mask near U, by Gauss-Newton steps; None if they lead to none."""
    space = MaskedStiefel(mask)
    u = space.pack(U)
    norms = np.sqrt(np.bincount(space.column, u * u, minlength=mask.shape[1]))
    if not norms.min() > 0:
        return None
    u, error = u / norms[space.column], np.inf
    for step in range(steps):
        gap = space.residual(u)
        before, error = error, float(np.abs(gap).max())
        # far from a solution the error may rise for a while; near it each step must pay
        stalled = error > 0.5 * before if error < FEASIBLE else step > 12 and error > 0.9 * before
        if error < ROUNDING or stalled:
            break
        space.move_to(u)
        change = space.correction(gap)
        u = u + change / max(1.0, 2 * float(np.abs(change).max()))
    return space.unpack(u) if error < FEASIBLE else None
