"""Stages of a search: each is done once, also when the run is stopped in between and goes on from its checkpoint."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from jacobeig.errors import FileFormatError
from jacobeig.refinement._clock import Clock

Outcome = TypeVar("Outcome")


def recall_stage(
    clock: Clock,
    rng: np.random.Generator,
    name: str,
    make: Callable[[], Outcome],
    write: Callable[[Outcome], Mapping[str, Any]],
    read: Callable[[Mapping[str, NDArray[Any]]], Outcome],
) -> Outcome:
    """Return what a stage leads to: as noted, with the generator as it was afterwards, or by doing it.

    What was cut short by the clock is not noted: with more time the stage is done again.
    """
    noted = clock.checkpoint.find(name)
    if noted is not None:
        _restore_generator(rng, noted)
        return read(noted)
    with clock.checkpoint.scope(name):
        found = make()
    if not clock.expired:
        state = json.dumps(rng.bit_generator.state, default=np.ndarray.tolist)
        arrays = {key: np.asarray(value) for key, value in write(found).items()}
        clock.checkpoint.note(name, arrays | {"generator": np.array(state)})
    return found


def recall_arrays(clock: Clock, name: str, make: Callable[[], NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return numbers that take long to compute, as noted or by computing them."""
    noted = clock.checkpoint.find(name)
    if noted is not None:
        return require(noted, "values", (None,))
    values = make()
    clock.checkpoint.note(name, {"values": values})
    return values


def require(
    noted: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...], kinds: str = "fc"
) -> NDArray[Any]:
    """Return a part of a note that is an array of finite numbers, or raise; None stands for any length."""
    part = noted.get(name)
    if part is None or part.dtype.kind not in kinds or part.ndim != len(shape) or not np.isfinite(part).all():
        raise_not_a_stage(f"{name} is missing or of another kind")
    if any(wanted is not None and size != wanted for size, wanted in zip(part.shape, shape, strict=True)):
        raise_not_a_stage(f"{name} has shape {part.shape}")
    return part


def _restore_generator(rng: np.random.Generator, noted: Mapping[str, NDArray[Any]]) -> None:
    try:
        rng.bit_generator.state = json.loads(str(noted["generator"]))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise_not_a_stage(f"its random state is damaged: {error}")


def raise_not_a_stage(fault: str) -> NoReturn:
    """Raise for a checkpoint whose notes do not fit the search."""
    raise FileFormatError(
        f"holds no stage of this search ({fault})",
        argument="checkpoint",
        advice="the file was damaged or changed: delete it to start again.",
    )
