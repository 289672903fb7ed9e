"""What a bound stands on: its budgets, and the multipliers that prove it."""

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from jacobeig._types import Floats


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """How many vectors, how many nonzeros each may have (n for any number), and how many all of them (None for any).

    With ``free=True`` the vectors need not be orthonormal, and what their span captures is bounded.
    """

    n_components: int
    max_nonzeros: int
    total_nonzeros: int | None = None
    free: bool = False

    @classmethod
    def from_facts(cls, facts: dict[str, Any], n: int) -> Self:
        """Rebuild them from what a file holds of them, or raise where no vectors of length n have such budgets."""
        budgets = cls(**facts)
        total = budgets.n_components if budgets.total_nonzeros is None else budgets.total_nonzeros
        counts = budgets.n_components, budgets.max_nonzeros, total
        sound = all(type(count) is int and count >= 1 for count in counts) and isinstance(budgets.free, bool)
        if not sound or budgets.n_components > n:
            raise ValueError("its budgets are none of such vectors")
        return budgets

    @property
    def largest_union(self) -> int:
        """How many features the vectors can use together."""
        each = self.n_components * self.max_nonzeros
        return each if self.total_nonzeros is None else min(each, self.total_nonzeros)


@dataclass(frozen=True, kw_only=True, eq=False)
class Multipliers:
    """Z, B and nu of the bound, the cover Q, the prices s of the features, and the price mu of a nonzero.

    Without a Q, the positive part of ``S - Z - nu I`` stands for it.
    """

    Z: Floats
    B: Floats
    nu: float
    Q: Floats | None
    s: Floats
    mu: float = 0.0

    @classmethod
    def trivial(cls, n: int, nu: float) -> Self:
        """Return those that prove the sum of the largest eigenvalues, if nu is the last of these."""
        return cls(Z=no_pairs(n), B=no_pairs(n), nu=nu, Q=None, s=np.zeros(n))

    def times(self, factor: float) -> Self:
        """Return those of the matrix times a positive factor."""
        return replace(
            self,
            Z=self.Z * factor if self.Z.strides[0] else self.Z,
            B=self.B * factor if self.B.strides[0] else self.B,
            nu=self.nu * factor,
            Q=None if self.Q is None else self.Q * factor,
            s=self.s * factor,
            mu=self.mu * factor,
        )


def no_pairs(n: int) -> Floats:
    """Return n x n zeros that take no memory, and cannot be written to."""
    return np.broadcast_to(np.zeros(()), (n, n))


def require_numbers(facts: dict[str, Any], *names: str) -> None:
    """Raise unless these facts of a file are finite numbers."""
    wrong = [name for name in names if type(facts[name]) not in (int, float) or not math.isfinite(facts[name])]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: not a finite number")
