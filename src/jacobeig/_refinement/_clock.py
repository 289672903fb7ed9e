"""When to stop: at the time limit, or when the caller has seen enough."""

import time
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Clock", "Progress"]


class Progress(NamedTuple):
    """What a callback is told: the stage that has just ended, the best value so far, and the seconds spent."""

    stage: str
    captured_variance: float
    seconds: float


class Clock:
    """Time since the start, the limit, and the caller's callback.

    Parameters
    ----------
    limit : float, optional
        Seconds.
    callback : callable, optional
        Called with a `Progress`; returning True stops the work.
    """

    def __init__(self, limit: float | None = None, callback: Callable[[Progress], bool | None] | None = None) -> None:
        self.limit, self.callback = limit, callback
        self.out_of_time = self.stopped = False
        self.best = -float("inf")
        self.offset = 0.0
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def expired(self) -> bool:
        """Whether to stop; once True it stays so."""
        if self.limit is not None and self.seconds > self.limit:
            self.out_of_time = True
        return self.out_of_time or self.stopped

    def tell(self, stage: str, value: float) -> None:
        """Report the end of a stage to the caller, less the offset that a shift of the matrix has put on the value."""
        self.best = max(self.best, value - self.offset)
        if self.callback is not None and self.callback(Progress(stage, self.best, self.seconds)):
            self.stopped = True
