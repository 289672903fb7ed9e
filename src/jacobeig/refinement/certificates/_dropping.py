"""Features that no optimal vectors use: proved by what a nonzero costs, and what a feature can bring at most.

Let multipliers prove a bound for p orthonormal vectors with at most k nonzeros each and K in all, as in `_proof`, and
let U use feature j: r is row j of U, w = r^T r <= 1, and U' is U with that row zero. Then::

    tr(U^T S U) = tr(U'^T S U') + 2 r^T U'^T S_j + w S_jj

The first term is bounded as in `_proof`, where U' has one nonzero less (so mu is saved), trace p - w in place of p (so
w nu is), does not use j (so (Q_jj - s_j)_+ is), and its columns' squared norms 1 - r_c^2 weigh the maximum M of the
rows; what s then lacks is at most r_c^2 times the k largest (s_i - mu)_+. The second is at most 2 sqrt(w) sigma_j, with
sigma_j^2 the sum of the K - 1 largest S_ji^2. So no vectors that use j exceed::

    bound - mu - (Q_jj - s_j)_+ + max over 0 <= w <= 1 of { 2 sqrt(w) sigma_j - w (nu + M - s_1 - ... - s_k - S_jj) }
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from jacobeig._types import Floats, Indices
from jacobeig.refinement.certificates._multipliers import Budgets, Multipliers, require_numbers
from jacobeig.refinement.certificates._proof import UNIT, read_parts
from jacobeig.refinement.certificates._settle import settle
from jacobeig.sources.units import power_of_two_scale

QUANTILES, SHARES = (0.0, 0.2, 0.5), (1.0, 0.85, 0.6)  # of what nonzeros are worth, at which their price is tried


@dataclass(frozen=True, kw_only=True, eq=False)
class Dropping:
    """The features that are kept, and the budgets and multipliers that prove the others useless."""

    kept: Indices
    budgets: Budgets
    multipliers: Multipliers

    def times(self, factor: float) -> "Dropping":
        """Return the same of the matrix times a positive factor."""
        return replace(self, multipliers=self.multipliers.times(factor))

    def prove(self, S: Floats) -> float:
        """Return what no vectors that use a feature that is not kept exceed."""
        users = prove_users(S, self.budgets, self.multipliers)
        return float(np.delete(users, self.kept).max(initial=-np.inf))

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the facts and the arrays that a file must hold of it."""
        given = self.multipliers
        arrays = {"kept": self.kept.astype(np.int64), "Z": given.Z, "B": given.B, "s": given.s}
        arrays |= {} if given.Q is None else {"Q": given.Q}
        return {"nu": given.nu, "mu": given.mu, "budgets": vars(self.budgets)}, arrays

    @classmethod
    def from_parts(cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]], n: int) -> Self:
        """Rebuild it for a matrix of order n, or raise where its parts do not fit together."""
        require_shapes(arrays, {"Z": (n, n), "B": (n, n), "Q": (n, n), "s": (n,)})
        kept = arrays["kept"]
        if kept.dtype != np.int64 or kept.ndim != 1 or (np.diff(kept) <= 0).any() or not 0 <= kept[0] <= kept[-1] < n:
            raise ValueError("the kept features are none of the matrix")
        require_numbers(facts, "nu", "mu")
        parts = {name: arrays[name] for name in ("Z", "B", "s")}
        multipliers = Multipliers(**parts, Q=arrays.get("Q"), nu=facts["nu"], mu=facts["mu"])
        return cls(kept=kept, budgets=Budgets.from_facts(facts["budgets"], n), multipliers=multipliers)


def require_shapes(arrays: dict[str, NDArray[Any]], shapes: dict[str, tuple[int, ...]]) -> None:
    """Raise unless the arrays that are there are finite numbers of these shapes."""
    present = {name: arrays[name] for name in shapes if name in arrays}
    sound = {
        n: a.shape == shapes[n] and a.dtype == np.float64 and bool(np.isfinite(a).all()) for n, a in present.items()
    }
    wrong = [name for name, right in sound.items() if not right]
    if wrong:
        raise ValueError(f"{', '.join(wrong)} do not fit together")


def prove_users(S: Floats, budgets: Budgets, given: Multipliers) -> Floats:
    """Return for each feature a number that no vectors within the budgets that use it exceed, in exact arithmetic."""
    largest = float(np.abs(S).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(len(S))
    down = power_of_two_scale(largest)
    S, parts = S * down, read_parts(S * down, budgets, given.times(down))
    n, p, total = len(S), budgets.n_components, budgets.largest_union
    spread = np.maximum(parts.cover - parts.s, 0.0)
    squares = np.sort(np.where(np.eye(n, dtype=np.bool_), 0.0, S**2), axis=1)[:, ::-1][:, : total - 1].sum(axis=1)
    reach = np.sqrt(squares) * (1.0 + 4.0 * n * UNIT)
    prices = float(np.sort(np.maximum(parts.s - parts.mu, 0.0))[::-1][: budgets.max_nonzeros].sum())
    cost = parts.nu + parts.row - prices - S.diagonal()
    bound = p * (parts.nu + parts.row) + (spread.sum() - spread) + (total - 1) * parts.mu + _find_gain(reach, cost)
    size = p * (abs(parts.nu) + abs(parts.row)) + spread.sum() + total * parts.mu + prices + 2.0 * reach + 1.0
    return np.asarray((bound + 64.0 * (n + p) * UNIT * size) / down)


def _find_gain(reach: Floats, cost: Floats) -> Floats:
    """Return the largest 2 sqrt(w) reach - w cost over 0 <= w <= 1."""
    inside = (cost > 0.0) & (reach < cost)
    return np.where(inside, reach**2 / np.where(inside, cost, 1.0), 2.0 * reach - cost)


def drop_features(S: Floats, budgets: Budgets, found: Multipliers, U: Floats, captured: float) -> Dropping | None:
    """Return which features may help to capture more than U does, if these are not all, from a bound's multipliers.

    They are settled again with a price for each nonzero, which a budget for each vector does not need.
    """
    if budgets.free or budgets.max_nonzeros < 2:
        return None
    priced = replace(budgets, total_nonzeros=budgets.largest_union)
    worth = np.maximum(found.B + found.s, 0.0)
    np.fill_diagonal(worth, 0.0)
    chosen = np.sort(worth, axis=1)[:, max(len(S) - budgets.max_nonzeros + 1, 0)][U.any(axis=1)]
    best: Dropping | None = None
    for price in {share * float(np.quantile(chosen, q)) for q in QUANTILES for share in SHARES} | {found.mu}:
        multipliers = settle(S, priced, replace(found, mu=price)).multipliers
        kept = np.flatnonzero(prove_users(S, priced, multipliers) >= captured)
        if len(kept) < (len(S) if best is None else len(best.kept)) and not np.delete(U, kept, axis=0).any():
            best = Dropping(kept=kept, budgets=priced, multipliers=multipliers)
    return best
