"""Annealing over disjoint supports: each row belongs to one column or to none."""

import math

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_kernel
from jacobeig._types import Floats, Integers

POWER_STEPS = 30  # at most: it ends once a step raises the value by less than 1e-6 of it
_TINY = 1e-300  # below it, a quotient is none


@bare_call
def find_leading_value(S: Floats, rows: Integers, count: int, x: Floats, y: Floats) -> float:
    """Improve the unit vector x (in place) towards the leading eigenvector of S on the rows; return its quotient."""
    value = 0.0
    for _ in range(POWER_STEPS):
        before, value, norm = value, 0.0, 0.0
        for a in range(count):
            total = 0.0
            for b in range(count):
                total += S[rows[a], rows[b]] * x[b]
            y[a] = total
            value += x[a] * total
            norm += total * total
        if norm <= 0.0:
            return value
        scale = 1.0 / math.sqrt(norm)
        for a in range(count):
            x[a] = y[a] * scale
        if value - before <= 1e-6 * value:
            break
    return value


@bare_call
def load_column(owner: Integers, X: Floats, c: int, rows: Integers, x: Floats) -> int:
    """Copy the rows that c owns and their values, normalised; return their number."""
    count, norm = 0, 0.0
    for r in range(len(owner)):
        if owner[r] == c:
            rows[count] = r
            x[count] = X[r]
            norm += X[r] * X[r]
            count += 1
    for a in range(count):
        x[a] = x[a] / math.sqrt(norm) if norm > 0 else 1.0 / math.sqrt(count)
    return count


@bare_call
def find_best_fit(
    S: Floats, owner: Integers, X: Floats, values: Floats, size: Integers, row: int, limit: int, luck: Floats,
    fit: Floats,
) -> int:  # fmt: skip
    """Return the column with room that the row adds most to, with some luck, or -1; `fit` is overwritten."""
    for c in range(len(values)):
        fit[c] = 0.0
    for r in range(len(owner)):
        if owner[r] >= 0 and r != row:
            fit[owner[r]] += S[row, r] * X[r]
    target, best = -1, 0.0
    for c in range(len(values)):
        score = (0.3 + luck[c]) * fit[c] * fit[c] / (values[c] if values[c] > _TINY else _TINY)
        if c != owner[row] and size[c] < limit and score > best:
            best, target = score, c
    return target


@bare_call
def find_weakest_row(owner: Integers, X: Floats, values: Floats, size: Integers, luck: Floats) -> int:
    """Return the owned row that its column misses least, with some luck, or -1; no column gives its last."""
    leaving, weakest = -1, np.inf
    for r in range(len(owner)):
        c = owner[r]
        if c >= 0 and size[c] > 1:
            # shifted by one, or the column that was lucky to get a row would be lucky to keep its own
            cost = X[r] * X[r] * values[c] * (0.3 + luck[(c + 1) % len(values)])
            if cost < weakest:
                weakest, leaving = cost, r
    return leaving


@bare_kernel
def anneal_owners(
    S: Floats, owner: Integers, X: Floats, values: Floats, size: Integers, limit: int, draws: Floats,
    temperatures: Floats, rows: Integers, x: Floats, y: Floats, fit: Floats,
) -> None:  # fmt: skip
    """Reassign rows to columns at random, in place, keeping what raises the sum of leading eigenvalues, or nearly.

    ``X[r]`` is the entry of row r in its owner's vector, ``values[c]`` the quotient of column c and ``size[c]`` its
    number of rows; S must be positive semidefinite. A step moves a row to the column that fits it best, with some luck
    (``draws`` are uniform numbers, one row a step); when it was free, another column gives its weakest row up, so that
    the count of owned rows never rises. No column is emptied and none gets more than `limit` rows. A step costs
    n + k^2 for columns of k rows. `rows` and `x` (2, n), `y` (n,) and `fit` (p,) are overwritten.
    """
    n = len(owner)
    for step in range(len(temperatures)):
        row = int(draws[step, 0] * n)
        source = owner[row]
        if source >= 0 and size[source] == 1:
            continue
        target = find_best_fit(S, owner, X, values, size, row, limit, draws[step, 2:], fit)
        leaving = row if source >= 0 else find_weakest_row(owner, X, values, size, draws[step, 2:])
        if target < 0 or leaving < 0:
            continue
        giver = owner[leaving]
        old_leaving, old_row = X[leaving], X[row]
        owner[leaving] = -1
        owner[row] = target
        X[row] = fit[target] / (values[target] if values[target] > _TINY else _TINY)
        gain = 0.0
        new_giver = 0.0
        count_giver = 0
        if giver != target:
            count_giver = load_column(owner, X, giver, rows[0], x[0])
            new_giver = find_leading_value(S, rows[0], count_giver, x[0], y)
            gain += new_giver - values[giver]
        count = load_column(owner, X, target, rows[1], x[1])
        new_target = find_leading_value(S, rows[1], count, x[1], y)
        gain += new_target - values[target]
        if gain > 0 or draws[step, 1] < math.exp(gain / temperatures[step]):
            if giver != target:
                size[giver] -= 1
                size[target] += 1
                values[giver] = new_giver
                for a in range(count_giver):
                    X[rows[0, a]] = x[0, a]
            values[target] = new_target
            for a in range(count):
                X[rows[1, a]] = x[1, a]
        else:
            X[row] = old_row
            owner[row] = source
            owner[leaving] = giver
            X[leaving] = old_leaving
