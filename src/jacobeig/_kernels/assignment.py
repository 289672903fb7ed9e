"""Features to components, each component with a capacity, at the largest total weight."""

import numpy as np

from jacobeig._kernels._jit import bare_call, bare_kernel
from jacobeig._types import Floats, Indices


def assign(weights: Floats, capacities: Indices) -> Indices:
    """Component of each feature (row of `weights`), every component exactly full; the optimum, to rounding.

    The capacities add up to the number of features; the last column is zero and stands for "no component". At first
    as many features as there are places go each to its best component, which is optimal for the loads that result;
    then what is too much moves along cheapest chains of reassignments. There are only as many nodes as components, so
    this costs far less than a matching with a copy of a component per place: O(excess (p^3 + n p)) at worst, about a
    millisecond at n = 1000, p = 20.
    """
    n, p = weights.shape
    owner = np.full(n, p - 1, np.intp)
    first = np.argsort(-weights.max(axis=1), kind="stable")[: n - capacities[p - 1]]
    owner[first] = weights[first, : p - 1].argmax(axis=1)
    slack = 1e-13 * float(weights.max())  # rounding must not make a cycle of moves look like a gain
    _move_excess(
        weights, capacities, owner, np.bincount(owner, minlength=p), np.empty((p, p)), np.empty((p, p), np.intp),
        np.empty(p), np.empty(p, np.intp), slack,
    )  # fmt: skip
    return owner


@bare_kernel
def _move_excess(
    weights: Floats, capacities: Indices, owner: Indices, load: Indices, cost: Floats, mover: Indices,
    distance: Floats, previous: Indices, slack: float,
) -> None:  # fmt: skip
    """Move features along cheapest chains until no component holds too many; `owner` is changed, the rest is scratch.

    `load` counts the features of each component.
    """
    for a in range(weights.shape[1]):
        _price_moves(weights, owner, a, cost, mover)
    while True:
        target = _find_cheapest_chain(cost, load, capacities, distance, previous, slack)
        if target < 0:
            return
        node = target
        load[node] += 1
        while previous[node] >= 0:
            owner[mover[previous[node], node]] = node
            node = previous[node]
        load[node] -= 1
        node = target
        while node >= 0:
            _price_moves(weights, owner, node, cost, mover)
            node = previous[node]


@bare_call
def _price_moves(weights: Floats, owner: Indices, a: int, cost: Floats, mover: Indices) -> None:
    """For each other component, the feature of component a that loses least by moving there, and its loss."""
    n, p = weights.shape
    for b in range(p):
        cost[a, b] = np.inf
        mover[a, b] = -1
    for i in range(n):
        if owner[i] == a:
            for b in range(p):
                loss = weights[i, a] - weights[i, b]
                if b != a and loss < cost[a, b]:
                    cost[a, b] = loss
                    mover[a, b] = i


@bare_call
def _find_cheapest_chain(
    cost: Floats, load: Indices, capacities: Indices, distance: Floats, previous: Indices, slack: float
) -> int:
    """Bellman-Ford from every overfull component at once; the nearest component with room, or -1 when all fit."""
    p = load.shape[0]
    for a in range(p):
        distance[a] = 0.0 if load[a] > capacities[a] else np.inf
        previous[a] = -1
    changed = True
    while changed:
        changed = False
        for a in range(p):
            for b in range(p):
                reach = distance[a] + cost[a, b]
                if reach + slack < distance[b]:
                    distance[b] = reach
                    previous[b] = a
                    changed = True
    target = -1
    for a in range(p):
        if load[a] < capacities[a] and (target < 0 or distance[a] < distance[target]):
            target = a
    return target
