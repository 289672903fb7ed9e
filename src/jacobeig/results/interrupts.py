"""Long kernels cut into parts, between which Python can answer Ctrl-C; and the moments at which it must wait."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["cut_into_parts", "hold_interrupts"]

# Floating-point operations between two looks at the keyboard: a tenth of a second or so, even on a busy machine.
AT_ONCE = 1e8


def cut_into_parts(length: int, operations: float) -> Iterator[slice]:
    """Yield slices that cover range(length) in order, when each item costs that many operations."""
    size = max(1, int(AT_ONCE / max(operations, 1.0)))
    for begin in range(0, length, size):
        yield slice(begin, min(begin + size, length))


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until the block ends: for changes that belong together, and are made in no time.

    Whoever catches the interrupt afterwards finds a state that can be saved, gone on with, or returned.
    """
    before = signal.getsignal(signal.SIGINT)
    # Python delivers signals to the main thread alone; a handler that is not Python's cannot be called.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    held: list[tuple[Any, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            before(*held[-1])
