"""When to stop: at the time limit, or when the caller has seen enough."""

import time

from jacobeig.results.progress import Callback, Progress, asks_to_stop

__all__ = ["Clock"]


class Clock:
    """Time since the start, the limit in seconds, and the caller's callback, which can stop the work."""

    def __init__(self, limit: float | None = None, callback: Callback | None = None) -> None:
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

    def tell(self, stage: str, value: float, nonzeros: int) -> None:
        """Report the end of a stage to the caller, less the offset that a shift of the matrix has put on the value."""
        self.best = max(self.best, value - self.offset)
        if self.callback is None:
            return
        progress = Progress(stage=stage, captured=self.best, nonzeros=nonzeros, seconds=self.seconds)
        self.stopped = asks_to_stop(self.callback(progress)) or self.stopped
