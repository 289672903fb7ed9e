"""The state of a kernel as named arrays, and back: nothing that a file holds reaches compiled code unchecked."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._kernels.index_lists import Sets, Store
from jacobeig._kernels.sparse_state import SparseState
from jacobeig._kernels.state import Count, Rows, Scalar
from jacobeig.errors import FileFormatError
from jacobeig.sources import require_memory

# What is written down of every rotation.
HISTORY = ("first", "second", "cosines", "sines", "shifts", "gains", "nonzeros")


def list_arrays(state: Any, left_out: Collection[str] = ()) -> dict[str, NDArray[Any]]:
    """Return the arrays of a state by name; those of a part within it are called part.name."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, part in zip(state._fields, state, strict=True):
        if hasattr(part, "_fields"):
            arrays |= {f"{name}.{inner}": array for inner, array in list_arrays(part).items()}
        elif name not in left_out:
            arrays[name] = part
    return arrays


def rebuild(state: Any, arrays: Mapping[str, NDArray[Any]], left_out: Collection[str] = ()) -> Any:
    """Return a state of the same kind with the arrays given, each of the type and the dimensions that it has here."""
    parts = {}
    for name, part in zip(state._fields, state, strict=True):
        if hasattr(part, "_fields"):
            inside = {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(name)}
            parts[name] = rebuild(part, inside)
        elif name not in left_out:
            require(name in arrays, f"it lacks {name}")
            same = arrays[name].dtype == part.dtype and arrays[name].ndim == part.ndim
            require(same, f"{name} is of another type")
            # kernels write to them, and they grow in place
            parts[name] = np.require(arrays[name], requirements=("C", "A", "W", "O", "E"))
    return state._replace(**parts)


def read_units(arrays: Mapping[str, NDArray[Any]]) -> tuple[float, float]:
    """Return the largest entry so far and the scale that a state was kept with."""
    units = arrays.get("units", np.zeros(0))
    require(units.shape == (2,) and units.dtype == np.float64 and bool((units > 0.0).all()), "it has no units")
    require(bool(np.isfinite(units).all()), "its units are not finite")
    return float(units[0]), float(units[1])


def check_dense_state(state: Rows, order: NDArray[np.int64]) -> None:
    """Raise unless every index of a dense state stays within its arrays."""
    n, p, capacity = len(order), len(state.active), len(state.rows)
    _check_shapes(state, counts=(len(Count),))
    step, touched = int(state.counts[Count.STEP]), int(state.counts[Count.TOUCHED])
    require(np.array_equal(state.order, order), "its coordinates are others")
    require(state.rows.shape[1] >= n and 0 <= touched <= capacity, "its rows do not fit")
    require(state.fill.shape in ((p, n), (p, 0)), "its rows do not fit")
    supports = (p + capacity, state.news.shape[1])
    _check_shapes(state, active=(p, n), owners=(capacity,), extremes=(2,), supports=supports)
    _check_shapes(state, **dict.fromkeys(("diagonal", "slots", "current", "sizes"), (n,)))
    _check_shapes(state, **dict.fromkeys(("weights", "adaptive", "best", "column", "stale"), (p,)))
    require(not (state.supports[:, -1] >> np.uint64((n - 1) % 64) >> np.uint64(1)).any(), "its supports reach too far")
    _check_range("owners", state.owners[:touched], p, n)
    _check_ranges(state, slots=(-1, touched), current=(0, step + 1), column=(-1, n), extremes=(-1, n))
    _check_history(state, step, n, n)


def check_sparse_state(state: SparseState, n: int) -> None:
    """Raise unless every index of a sparse state stays within its arrays."""
    p, capacity = len(state.weights), len(state.order)
    _check_shapes(state, counts=(len(Count),))
    step, seen = int(state.counts[Count.STEP]), int(state.counts[Count.SEEN])
    require(p <= seen <= min(capacity, n), "it has seen too many coordinates")
    _check_shapes(state, active=(p + 1, capacity), numbers=(n,))
    _check_shapes(state, **dict.fromkeys(("diagonal", "current", "sizes"), (capacity,)))
    _check_shapes(state, **dict.fromkeys(("weights", "adaptive", "best", "column", "stale"), (p,)))
    _check_range("order", state.order[:seen], 0, n)
    _check_ranges(state, numbers=(-1, seen), current=(-1, step + 1), column=(-1, seen))
    require(np.array_equal(state.numbers[state.order[:seen]], np.arange(seen)), "its numbers are not in order")
    for sets in (state.pattern, state.supports):
        _check_sets(sets, p + 1, capacity, seen)
    for store in (state.rows, state.members):
        _check_store(store, capacity, seen)
    require(len(state.values) == len(state.rows.items), "its rows do not fit")
    require(len(state.tournament.entries) == n, "its tournament does not fit")
    for nodes in (state.tournament.high, state.tournament.low):
        require(len(nodes) == 2 << max(n - 1, 0).bit_length(), "its tournament does not fit")
        _check_range("tournament", nodes, -1, n)
    _check_history(state, step, seen, n)


def _check_history(state: Rows | SparseState, step: int, known: int, n: int) -> None:
    """Raise unless every step rotated known coordinates, what is counted is a count, and weights follow as they can."""
    p = len(state.weights)
    _check_shapes(state, scalars=(len(Scalar),), **dict.fromkeys(HISTORY, (step,)))
    _check_ranges(state, first=(0, p), second=(0, known), nonzeros=(0, p * n + 1), adaptive=(-1, 2))
    for count, beyond in ((Count.NONZEROS, p * n + 1), (Count.IDLE, p * n + 1), (Count.CURSOR, 1 << 62)):
        _check_range("counts", state.counts[count : count + 1], 0, beyond)
    require(not np.isnan(state.scalars).any(), "its scalars are none")


def _check_sets(sets: Sets, count: int, capacity: int, seen: int) -> None:
    require(sets.members.shape == sets.inside.shape == (count, capacity), "its sets do not fit")
    require(sets.sizes.shape == (count,), "its sets do not fit")
    _check_range("sets", sets.sizes, 0, seen + 1)
    for members, inside, size in zip(sets.members, sets.inside, sets.sizes, strict=True):
        _check_range("sets", members[:size], 0, seen)
        named = np.zeros(capacity, np.bool_)
        named[members[:size]] = True
        require(np.array_equal(named, inside) and int(named.sum()) == size, "its sets contradict themselves")


def _check_store(store: Store, capacity: int, seen: int) -> None:
    used = int(store.used[0]) if store.used.shape == (1,) else -1
    require(0 <= used <= len(store.items), "its lists do not fit")
    require(store.begin.shape == store.length.shape == store.room.shape == (capacity,), "its lists do not fit")
    _check_range("lists", store.begin, 0, used + 1)
    _check_range("lists", store.length, 0, seen + 1)
    _check_range("lists", store.room, 0, used + 1)
    fits = (store.length <= store.room).all() and (store.begin + store.room <= used).all()
    require(bool(fits), "its lists do not fit")
    _check_range("lists", store.items[:used], 0, max(seen, 1))


def _check_shapes(state: Any, **shapes: tuple[int, ...]) -> None:
    for name, shape in shapes.items():
        have = getattr(state, name).shape
        require(have == shape, f"{name} has shape {have} and not {shape}")


def _check_ranges(state: Any, **ranges: tuple[int, int]) -> None:
    for name, (least, beyond) in ranges.items():
        _check_range(name, getattr(state, name), least, beyond)


def _check_range(name: str, values: NDArray[Any], least: int, beyond: int) -> None:
    low, high = values.min(initial=least), values.max(initial=least)
    require(bool(low >= least and high < max(beyond, least + 1)), f"{name} goes from {low} to {high}")


def require(holds: bool, fault: str) -> None:
    """Raise for a checkpoint whose state no run has."""
    if not holds:
        raise FileFormatError(
            f"holds no state of this run ({fault})",
            argument="checkpoint",
            advice="the file was damaged or changed: delete it to start again.",
        )


def require_rows(n_rows: int, width: int, itemsize: int) -> None:
    """Refuse to allocate more rows than fit."""
    require_memory(
        n_rows * width * itemsize,
        f"{n_rows} more rows of length {width}",
        ["set density or a smaller n_rotations so that fewer rows are touched", "pass the matrix as float32"],
    )
