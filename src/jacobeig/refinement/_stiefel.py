"""Orthonormal matrices that vanish off a mask: tangent vectors, and Newton steps back to orthonormality.

Complex matrices are seen as vectors of real numbers, with the real part of the usual product as theirs.

References
----------
L. B. Rall, "Convergence of the Newton process to multiple solutions", Numerische Mathematik 9, 1966 (longer steps).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import lapack

from jacobeig._kernels.masked import (
    apply_adjoint,
    apply_derivative,
    fill_hermitian_matrices,
    fill_normal_matrix,
    gather_normal_matrix,
)
from jacobeig._types import Floats, Mask
from jacobeig.refinement._budget import LONG
from jacobeig.refinement._clock import NO_LIMIT, Clock

ROUNDING = 2e-15  # an orthonormality error that further Newton steps do not lower
FEASIBLE = 1e-13  # an orthonormality error good enough to keep
# The density above which dense products beat loops over the masked entries; on many rows they pass through memory again
# and again: with 100,000 rows and 10 or 20 columns of 30%, loops took a fifth of the time, and of 60% as long.
CROWDED, CROWDED_TALL = 0.25, 0.5
RIDGES = (1e-13, 1e-10, 1e-7)  # tried in turn, to keep the normal matrix definite where equations are dependent
# Equations above which conjugate gradients replace the Cholesky factor: with 2,500 a factor takes a fifth of a second,
# and on nearly dependent equations, as supports of a chain have, it does what conjugate gradients do not.
LARGE = 2500
# What conjugate gradients leave of a right-hand side. Newton steps repeat, so rough ones cost least in all: with 4,946
# equations a repair took 619 products at .1, 903 at .01, and 1e-10 did not end. Projections are made once.
ROUGH, FINE = 0.1, 1e-3
# Where equations depend on each other at the solution, Newton steps halve the distance to it, and the error falls to a
# quarter; steps of twice the length arrive. They are taken from an error of NEAR on, where it falls to a share between
# these, and where factors are large: with 2,349 equations a repair took 14 steps instead of 28, 1.5 s instead of 2.7.
COSTLY, NEAR, SLOW = 1000, 1e-5, (0.15, 0.9)
# Newton steps of a retraction, on few and on many rows. With 8, half of all steps of a climb on 100,000 nodes were
# given up shortly before they were orthonormal; with 12, frequencies of 32 modes summed to 41.6 instead of 54.1, in the
# same time. On 64 to 300 rows 12 captured from .2 points less to .6 more, .06 on average.
STEPS, LONG_STEPS = 8, 12
HOPELESS = 6  # Newton steps after which an error that is not much smaller will not fall: where it does, it is by then
CG_STEPS = 150  # of one solution: nearly dependent equations are left to later Newton steps
LEAST_DIAGONAL = 1e-3  # of the preconditioner, which is 1 where supports are full


class MaskedStiefel:
    """The set {U : U^H U = I, U = 0 off the mask}, its masked entries packed column by column.

    Projections and Newton steps need the normal matrix of the equations U^H U = I; `move_to` factorises it at a
    point, and it serves near that point. Columns that share no row need no equation, so sparse masks are cheap. Complex
    equations are linear over the reals alone, so their normal matrix has the real and imaginary parts side by side.
    """

    def __init__(self, mask: Mask, dtype: Any = np.float64) -> None:
        self.mask, self.dtype = mask, np.dtype(dtype)
        p = mask.shape[1]
        self.column, self.row = (index.astype(np.int64) for index in np.nonzero(mask.T))
        self.ends = np.concatenate([[0], np.cumsum(mask.sum(axis=0))])  # of the columns
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
        self.long = len(mask) > LONG
        self.crowded = bool(mask.mean() > (CROWDED_TALL if self.long else CROWDED))
        self.many = len(first) * self.dtype.itemsize > LARGE * 8

    def __len__(self) -> int:
        """Return the number of equations."""
        return len(self._identity)

    def pack(self, U: Floats) -> Floats:
        """Return the masked entries of U."""
        return np.asarray(U.ravel()[self._flat])

    def unpack(self, u: Floats) -> Floats:
        """Return the n x p matrix whose masked entries are u."""
        U = np.zeros(self.mask.size, self.dtype)
        U[self._flat] = u
        return U.reshape(self.mask.shape)

    def symmetric(self, z: Floats) -> Floats:
        """Return the symmetric (Hermitian) p x p matrix that is packed, one number an equation, as z."""
        Z = np.zeros(self.equation.size, self.dtype)
        Z[self._upper] = z * self._weight
        Z[self._lower] += (z * self._weight).conj()
        return Z.reshape(self.equation.shape)

    def residual(self, u: Floats) -> Floats:
        """Return I - U^H U, packed."""
        return np.asarray(self._identity - self._derivative(u, u))

    def move_to(self, u: Floats) -> None:
        """Prepare the normal equations at u."""
        self.point = u
        if self.many:
            self._scale = np.maximum(self._normal_diagonal(u), LEAST_DIAGONAL)
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
        return self._solve(self._derivative(self.point, g), FINE)

    def tangent(self, g: Floats) -> Floats:
        """Project g on the directions that keep U^H U = I to first order."""
        return g - self._adjoint(self.multipliers(g))

    def correction(self, residual: Floats, accuracy: float = FINE) -> Floats:
        """Return the smallest change of the entries that removes the residual to first order."""
        change = self._adjoint(self._solve(residual, accuracy))
        change *= 0.5
        return change

    def retract(self, u: Floats) -> tuple[Floats, bool]:
        """Return entries near u after Newton steps with the Jacobian at the point, and whether they are orthonormal.

        Errors fall by about the same factor from step to step, so where steps cost much it soon shows that they are too
        few.
        """
        error = np.inf
        for left in reversed(range(LONG_STEPS if self.long else STEPS)):
            gap = self.residual(u)
            before, error = error, float(np.abs(gap).max())
            if error < FEASIBLE or not error < 0.5 * before:
                break
            if self.long and error * (error / before) ** left > FEASIBLE:
                break
            change = self.correction(gap)
            change += u
            u = change
        return u, error < FEASIBLE

    def _solve(self, right: Floats, accuracy: float) -> Floats:
        if self.many:
            return _run_conjugate_gradients(
                lambda z: self._derivative(self.point, self._adjoint(z)), right, self._scale, accuracy
            )
        reals = right if self.dtype.kind == "f" else np.concatenate([right.real, right.imag])
        solution: Floats = lapack.dpotrs(self._factor, reals, lower=0)[0]
        return solution if self.dtype.kind == "f" else solution[: len(self)] + 1j * solution[len(self) :]

    def _normal_diagonal(self, u: Floats) -> Floats:
        """Return the diagonal of the normal matrix."""
        U = self.unpack(u)
        squares = (np.abs(U).T ** 2 @ self.mask).ravel()  # of column s, on the rows of column t
        return np.asarray((squares[self._upper] + squares[self._lower]) / 2)

    def _normal_matrix(self, u: Floats) -> Floats:
        if self.dtype.kind == "c":
            return self._hermitian_matrix(u)
        normal = np.zeros((len(self._identity), len(self._identity)))
        if self.crowded:
            U = self.unpack(u)
            gather_normal_matrix((U.T * self.mask.T[:, None, :]) @ U, self.equation, normal)
        else:
            fill_normal_matrix(u, self._entries, self._offsets, self.column, self.equation, normal)
        return normal

    def _hermitian_matrix(self, u: Floats) -> Floats:
        """Return the normal matrix of complex equations: of the real parts of their numbers, and of the imaginary."""
        A, C = np.zeros((2, len(self), len(self)), self.dtype)
        fill_hermitian_matrices(u, self._entries, self._offsets, self.column, self.equation, A, C)
        normal = np.block([[(A + C).real, (C - A).imag], [(A + C).imag, (A - C).real]])
        alone = len(self) + np.flatnonzero(self._identity)  # a column's product with itself has no imaginary part
        normal[alone, alone] = 1.0
        return normal

    def _derivative(self, u: Floats, v: Floats) -> Floats:
        """Return the Hermitian part of U^H V, packed."""
        if self.crowded:
            V = self.unpack(v)
            product = (V if u is v else self.unpack(u)).conj().T @ V
            return np.asarray((product + product.conj().T).ravel()[self._upper] * self._weight)
        out = np.zeros(len(self._identity), self.dtype)
        apply_derivative(u, v, self._entries, self._offsets, self.column, self.equation, out)
        return out

    def _adjoint(self, z: Floats) -> Floats:
        """Return the masked entries of U Z at the point, for the Hermitian Z packed as z."""
        return self.combine(self.point, z)

    def combine(self, u: Floats, z: Floats) -> Floats:
        """Return the masked entries of U Z, for the Hermitian Z packed as z."""
        if self.crowded:
            return self.pack(self.unpack(u) @ self.symmetric(z))
        out = np.empty_like(u)
        apply_adjoint(u, z, self._entries, self._offsets, self.column, self.equation, out)
        return out


def multiply_real(a: Floats, b: Floats) -> float:
    """Return the product of two packed vectors, as vectors of real numbers."""
    return float(np.vdot(a, b).real)


def _run_conjugate_gradients(
    apply: Callable[[Floats], Floats], right: Floats, scale: Floats, accuracy: float
) -> Floats:
    """Solve a semidefinite system as well as asked, or as well as a bounded number of steps can; scaled by `scale`."""
    x, residual, least = np.zeros_like(right), right, accuracy * float(np.linalg.norm(right))
    direction, size = right / scale, multiply_real(right, right / scale)
    for _ in range(CG_STEPS):
        image = apply(direction)
        curvature = multiply_real(direction, image)
        if not curvature > 0:
            break
        x = x + (size / curvature) * direction
        residual = residual - (size / curvature) * image
        if np.linalg.norm(residual) <= least:
            break
        scaled = residual / scale
        before, size = size, multiply_real(residual, scaled)
        direction = scaled + (size / before) * direction
    return x


def restore(U: Floats, mask: Mask, steps: int = 40, clock: Clock = NO_LIMIT) -> Floats | None:
    """Return an orthonormal matrix on the mask near U, by Gauss-Newton steps; None if they lead to none in time."""
    return restore_in(MaskedStiefel(mask, U.dtype), U, steps, clock)


def restore_in(space: MaskedStiefel, U: Floats, steps: int = 40, clock: Clock = NO_LIMIT) -> Floats | None:
    """Return an orthonormal matrix near U of a set that is known already; see `restore`."""
    u = space.pack(U)
    norms = np.sqrt(np.bincount(space.column, np.abs(u) ** 2, minlength=U.shape[1]))
    if not norms.min() > 0:
        return None
    u, errors = u / norms[space.column], [np.inf]
    for _ in range(steps):
        gap = space.residual(u)
        errors.append(float(np.abs(gap).max()))
        if errors[-1] < ROUNDING or (clock.expired and errors[-1] >= FEASIBLE) or _has_stalled(errors, space):
            break
        space.move_to(u)
        change = space.correction(gap, ROUGH)
        if _is_singular(errors, space):
            change *= 2.0
        u = u + change / max(1.0, 2 * float(np.abs(change).max()))
    return space.unpack(u) if errors[-1] < FEASIBLE else None


def _is_singular(errors: list[float], space: MaskedStiefel) -> bool:
    """Say whether errors fall as they do on the way to a solution at which equations depend on each other."""
    costly = len(space) > COSTLY and not space.many  # conjugate gradients leave errors of their own
    return costly and errors[-1] < NEAR and SLOW[0] < errors[-1] / errors[-2] < SLOW[1]


def _has_stalled(errors: list[float], space: MaskedStiefel) -> bool:
    """Say whether Newton steps lead nowhere; far from a solution the error may rise for a while."""
    step, error, before = len(errors) - 2, errors[-1], errors[-2]
    if error < FEASIBLE:  # near a solution each step must pay
        return error > 0.5 * before
    if space.many and step == HOPELESS:
        return error > 0.1 * errors[1]
    return step > 12 and error > 0.9 * before
