"""When to stop: at the time limit, or when the caller has seen enough; and what there is by then."""

import time
from typing import NamedTuple

import numpy as np

from jacobeig._types import Floats, Integers
from jacobeig.results.checkpoints import Checkpoint
from jacobeig.results.progress import Callback, Progress, asks_to_stop


class BestVectors(NamedTuple):
    """Vectors on a set of rows (all, if that is None), and the start that led to them."""

    rows: Integers | None
    vectors: Floats
    start: str


class Clock:
    """Time since the start, the limit in seconds, and the caller's callback, which can stop the work.

    What is finished is noted in the `checkpoint`.
    """

    def __init__(
        self, limit: float | None = None, callback: Callback | None = None, checkpoint: Checkpoint | None = None
    ) -> None:
        self.limit, self.callback = limit, callback
        self.checkpoint = Checkpoint() if checkpoint is None else checkpoint
        self.out_of_time = self.stopped = False
        self.best = -float("inf")
        self.offset = 0.0
        self.rows: Integers | None = None  # of the matrix that is searched now
        self.found: BestVectors | None = None
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @property
    def expired(self) -> bool:
        """Whether to stop; once True it stays so."""
        if self.limit is not None and self.seconds > self.limit:
            self.out_of_time = True
        return self.out_of_time or self.stopped

    def start_apart(self) -> "Clock":
        """Return a clock with the time that is left, for work of which the caller is told when all of it is done."""
        return Clock(None if self.limit is None else max(0.0, self.limit - self.seconds))

    def tell(self, stage: str, vectors: Floats, value: float) -> None:
        """Report the end of a stage to the caller, less the offset that a shift of the matrix has put on the value."""
        if value - self.offset > self.best:
            self.best, self.found = value - self.offset, BestVectors(self.rows, vectors, stage)
        if self.callback is None:
            return
        nonzeros = int(np.count_nonzero(vectors))
        progress = Progress(stage=stage, captured=self.best, nonzeros=nonzeros, seconds=self.seconds)
        self.stopped = asks_to_stop(self.callback(progress)) or self.stopped


NO_LIMIT = Clock()
