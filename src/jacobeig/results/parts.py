"""Long kernels cut into parts, between which Python can answer Ctrl-C."""

from collections.abc import Iterator

__all__ = ["cut_into_parts"]

# Floating-point operations between two looks at the keyboard: a tenth of a second or so, even on a busy machine.
AT_ONCE = 1e8


def cut_into_parts(length: int, operations: float) -> Iterator[slice]:
    """Yield slices that cover range(length) in order, when each item costs that many operations."""
    size = max(1, int(AT_ONCE / max(operations, 1.0)))
    for begin in range(0, length, size):
        yield slice(begin, min(begin + size, length))
