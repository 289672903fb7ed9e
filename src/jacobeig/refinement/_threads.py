"""Threads of BLAS: one, where more would wait for each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits

_blas_limit = Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread: on many small products threads wait for each other, and their number alters bits.

    The limit belongs to the process. While another thread holds it, it is left alone: two that overlap would put back
    each other's limit.
    """
    if not _blas_limit.acquire(blocking=False):
        yield
        return
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        _blas_limit.release()
