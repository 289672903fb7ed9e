"""The first part of the bound alone, for bases that need not be orthonormal: how few features any span can do with.

It solves the maximum of tr(S P) over 0 <= P <= diag(t), tr P <= p, t_j <= 1 and a sum of t of at most K, by the same
splitting as `_splitting`, with copies of P, of diag(t) - P and of t.
"""

import numpy as np

from jacobeig._types import Floats
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers
from jacobeig.refinement.certificates._projections import project_semidefinite, project_spectrum, threshold_sum
from jacobeig.refinement.certificates._splitting import Copies, Splitting


class UnionSplitting(Splitting):
    """The state of the search, for a matrix whose largest eigenvalue is about one in modulus."""

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
