"""Search for multipliers by splitting: a step is one or two eigendecompositions and projections row by row.

The relaxation that it solves, over the symmetric P (for U U^T), the W_ij >= 0 (for the sum over the columns c whose
support has j of U_ic^2) and t_j (for whether any column uses feature j)::

    maximise tr(S P)  subject to  P >= 0, tr P = p, P <= diag(t), t_j <= 1, t_j <= sum_i W_ij,
                                  P_ij^2 <= W_ij W_ji,  W_ij <= W_ii = P_ii,  sum_j W_ij <= k P_ii,  sum W <= K

Its dual is the bound of `_proof`. The alternating direction method of multipliers [1]_ keeps copies of P, W and t in
the sets whose projections are known: spectra, rows and columns on one side, pairs on the other. After each step, the
multipliers of the pairs are exactly what the bound asks of Z and B; the others are repaired.

References
----------
.. [1] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, "Distributed optimization and statistical learning via the
   alternating direction method of multipliers", Foundations and Trends in Machine Learning 3(1), 2011.
"""

from copy import copy
from typing import Self

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers
from jacobeig.refinement.certificates._projections import (
    Columns,
    project_columns,
    project_pairs,
    project_rows,
    project_semidefinite,
    project_spectrum,
    threshold_sum,
)

RELAXATION = 1.6  # of each step; 1.5 to 1.8 did alike on pitprops, digits and USPS, 1 took half as long again
BALANCE = 3.0  # between the residuals, beyond which the penalty is changed
CHANGE = 4.0  # of the penalty at most, at a time
SHARE = 0.5  # of the weight for each of two copies of P and of W, so that pairs project on a round cone
Copies = tuple[Floats, ...]  # of the variables, in one of the two blocks, or their multipliers


class Splitting:
    """The state of the search without t, for a matrix whose largest eigenvalue is about one in modulus.

    Its copies are P and W. There is no budget for all vectors together.
    """

    def __init__(self, S: Floats, budgets: Budgets) -> None:
        n = len(S)
        self.S, self.budgets = S, budgets
        self.penalty, self.primal, self.dual = 1.0, np.inf, np.inf
        start, zero = np.eye(n) * (budgets.n_components / n), np.zeros((n, n))
        self.agreed: Copies = (start, start)
        self.prices: Copies = (zero, zero)

    def move(self, budgets: Budgets) -> Self:
        """Return the same state, to go on with other budgets for as many vectors.

        The penalty that suited the old ones does not suit others: kept, it left up to 10% on random covariances.
        """
        moved = copy(self)
        moved.budgets = budgets
        moved.prices, moved.penalty = tuple(self.penalty * price for price in self.prices), 1.0
        return moved

    def step(self) -> None:
        """Project on the one side, then on the other; the differences add up to the multipliers."""
        before = self.agreed
        apart = self._project_apart(_mix(before, self.prices, 1.0, -1.0))
        wanted = _mix(_mix(apart, before, RELAXATION, 1.0 - RELAXATION), self.prices, 1.0, 1.0)
        self.agreed = self._agree(wanted)
        self.prices = _mix(wanted, self.agreed, 1.0, -1.0)
        self.primal, self.dual = _measure_distance(apart, self.agreed), _measure_distance(self.agreed, before)

    def _project_apart(self, wanted: Copies) -> Copies:
        """Project every copy by itself, at the matrix's and the multipliers' pull."""
        P = project_spectrum(wanted[0] + self.S / self.penalty, self.budgets.n_components)
        return P, project_rows(wanted[1], self.budgets.max_nonzeros)

    def _agree(self, wanted: Copies) -> Copies:
        """Return the nearest copies that agree with each other, and whose pairs fit together."""
        P, W = project_pairs(*wanted)
        diagonal = (wanted[0].diagonal() + wanted[1].diagonal()) / 2
        np.fill_diagonal(P, diagonal)
        np.fill_diagonal(W, diagonal)
        return P, W

    def multipliers(self) -> Multipliers:
        """Return what the state proves a bound with; nu, and what Q lacks, are left to `settle`."""
        P, W = (self.penalty * price for price in self.prices)
        return Multipliers(Z=P, B=np.maximum(-W, 0.0), nu=0.0, Q=None, s=np.zeros(len(P)))

    def value(self) -> float:
        """Return what the agreed P captures: near the relaxation's optimum once the residuals are small."""
        return float(np.sum(self.S * self.agreed[0]))

    def balance(self) -> None:
        """Change the penalty if one residual is much larger than the other."""
        ratio = self.primal / max(self.dual, np.finfo(float).tiny)
        if 1.0 / BALANCE <= ratio <= BALANCE:
            return
        factor = min(max(float(np.sqrt(ratio)), 1.0 / CHANGE), CHANGE)
        self.penalty *= factor
        self.prices = tuple(price / factor for price in self.prices)


class LinkedSplitting(Splitting):
    """The state of the search with t, which knows what features the vectors share; two eigendecompositions a step.

    It goes on from a search without t. Its copies are P, W for the rows, diag(t) - P, W for the columns, and t.
    """

    def __init__(self, plain: Splitting) -> None:
        super().__init__(plain.S, plain.budgets)
        (P, W), n = plain.agreed, len(plain.S)
        t = np.minimum(W.sum(axis=0), 1.0)
        self.penalty = plain.penalty
        self.agreed = (P, W, np.diag(t) - P, W, t)
        self.prices = (*(price / SHARE for price in plain.prices), np.zeros((n, n)), np.zeros((n, n)), np.zeros(n))
        self._columns = Columns(W, t, np.zeros(n), 0.0)

    def _project_apart(self, wanted: Copies) -> Copies:
        P = project_spectrum(wanted[0] + self.S / (self.penalty * SHARE), self.budgets.n_components)
        rows = project_rows(wanted[1], self.budgets.max_nonzeros)
        self._columns = project_columns(wanted[3], wanted[4], self.budgets.total_nonzeros)
        return P, rows, project_semidefinite(wanted[2]), self._columns.weights, self._columns.uses

    def _agree(self, wanted: Copies) -> Copies:
        P, rows, slack, columns, uses = wanted
        pair, W = project_pairs((P - slack) / 2, (rows + columns) / 2)
        # Least squares for the diagonal d of P and both W, and for t, where t - d is the diagonal of the slack.
        first = P.diagonal() + rows.diagonal() + columns.diagonal() - slack.diagonal()
        second = slack.diagonal() + uses
        diagonal, t = (2.0 * first + second) / 7.0, (4.0 * second + first) / 7.0
        np.fill_diagonal(pair, diagonal)
        np.fill_diagonal(W, diagonal)
        return pair, W, np.diag(t) - pair, W, t

    def multipliers(self) -> Multipliers:
        """Return what the state proves a bound with; nu, and what Q lacks, are left to `settle`."""
        scale = self.penalty * SHARE
        P, rows, slack, columns, _ = self.prices
        return Multipliers(
            Z=scale * (P - slack),
            B=np.maximum(-scale * (rows + columns), 0.0),
            nu=0.0,
            Q=project_semidefinite(scale * slack),
            s=scale * self._columns.prices,
            mu=scale * self._columns.price,
        )


class UnionSplitting(Splitting):
    """The state of the search for bases that need not be orthonormal: how few features any span can do with.

    The first part of the bound alone: the maximum of tr(S P) over 0 <= P <= diag(t), tr P <= p, t_j <= 1 and a sum of t
    of at most K. Its copies are P, diag(t) - P and t.
    """

    def __init__(self, S: Floats, budgets: Budgets) -> None:
        super().__init__(S, budgets)
        n = len(S)
        # P may lose trace to more coordinates, which cost nothing; then its trace is p in all.
        self._spare = budgets.n_components
        t = np.full(n, min(1.0, budgets.largest_union / n))
        start = self.agreed[0]
        self.agreed = (start, np.diag(t) - start, t)
        self.prices = (np.zeros((n, n)), np.zeros((n, n)), np.zeros(n))
        self._price = 0.0

    def _project_apart(self, wanted: Copies) -> Copies:
        P, slack, t = wanted
        n, p = len(P), self.budgets.n_components
        widened = np.zeros((n + self._spare, n + self._spare))
        widened[:n, :n] = P + self.S / self.penalty
        # The threshold of the price is at least that of the spare coordinates, which are zero: nu >= 0.
        shrunk = project_spectrum(widened, p)[:n, :n]
        self._price = max(threshold_sum(t, self.budgets.largest_union), 0.0)
        return shrunk, project_semidefinite(slack), np.clip(t - self._price, 0.0, 1.0)

    def _agree(self, wanted: Copies) -> Copies:
        P, slack, uses = wanted
        pair = (P - slack) / 2
        # Least squares for the diagonal d of P and for t, where t - d is the diagonal of the slack.
        first, second = P.diagonal() - slack.diagonal(), slack.diagonal() + uses
        diagonal, t = (2.0 * first + second) / 3.0, (2.0 * second + first) / 3.0
        np.fill_diagonal(pair, diagonal)
        return pair, np.diag(t) - pair, t

    def multipliers(self) -> Multipliers:
        """Return the cover Q and the price of a feature; Z and B are zero."""
        n, Q = len(self.S), project_semidefinite(self.penalty * self.prices[1])
        price, zero = self.penalty * self._price, np.zeros((n, n))
        mu = 0.0 if self.budgets.total_nonzeros is None else price
        return Multipliers(Z=zero, B=zero, nu=0.0, Q=Q, s=np.full(n, price), mu=mu)


def _mix(one: Copies, other: Copies, a: float, b: float) -> Copies:
    return tuple(a * mine + b * theirs for mine, theirs in zip(one, other, strict=True))


def _measure_distance(one: Copies, other: Copies) -> float:
    return float(np.sqrt(sum(np.sum((mine - theirs) ** 2) for mine, theirs in zip(one, other, strict=True))))
