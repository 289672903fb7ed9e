"""The one place where compilation flags are set."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numba import config, njit

__all__ = ["bare_inline", "bare_kernel", "compile_wrapping", "inline", "kernel"]

P = ParamSpec("P")
R = TypeVar("R")

# Strict floating point, no GIL, division by zero as in NumPy.
_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# Without Numba's runtime no array is reference-counted, which took a third of the row kernel's time, with its dozens of
# arrays. Such code cannot allocate or return arrays, and does not compile if it tries.
_BARE: dict[str, Any] = {**_FLAGS, "_nrt": False}
# Helpers that only kernels call need no entries for Python and C, which took a quarter of the time that a first call
# compiles; and LLVM, left alone, does not inline those with many arguments.
_HELPER: dict[str, Any] = {**_BARE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls; cached on disk."""
    return cast(Callable[P, R], njit(cache=True, **_FLAGS)(function))


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only kernels call."""
    return cast(Callable[P, R], njit(**_FLAGS)(function))


def bare_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls and that only works on arrays it is given; cached on disk."""
    return cast(Callable[P, R], njit(cache=True, **_BARE)(function))


def bare_inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only bare kernels call."""
    return cast(Callable[P, R], njit(**_HELPER)(function))


def compile_wrapping(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `bare_inline` a helper whose unsigned integers wrap around, of which NumPy would warn uncompiled."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else bare_inline(function)
