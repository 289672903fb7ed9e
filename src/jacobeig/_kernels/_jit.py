"""The one place where compilation flags are set."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numpy as np
from numba import config, njit

__all__ = ["inline", "kernel", "wrapping"]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel: cached on disk, without the GIL, strict floating point, division by zero as in NumPy."""
    return cast(Callable[P, R], njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function))


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a few-line helper that only other kernels call; LLVM inlines it."""
    return cast(Callable[P, R], njit(nogil=True, error_model="numpy", _nrt=False)(function))


def wrapping(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `inline` a helper whose unsigned integers wrap around, of which NumPy would warn uncompiled."""
    return cast(Callable[P, R], np.errstate(over="ignore")(function)) if config.DISABLE_JIT else inline(function)
