"""The one place where compilation flags are set."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numba import config, njit

from jacobeig._kernels._cache import attach_cache, spare_the_collector

__all__ = ["bare_call", "bare_inline", "bare_kernel", "compile_wrapping", "inline", "kernel"]

P = ParamSpec("P")
R = TypeVar("R")

# Strict floating point, no GIL, division by zero as in NumPy.
_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# Without Numba's runtime no array is reference-counted, which took a third of the row kernel's time, with its dozens of
# arrays. Such code cannot allocate or return arrays, and does not compile if it tries.
_BARE: dict[str, Any] = {**_FLAGS, "_nrt": False}
# Helpers that only kernels call need no entries for Python and C, which took a quarter of the time that a first call
# compiles; and LLVM, left alone, does not inline those with many arguments.
_CALLED: dict[str, Any] = {**_BARE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_INLINED: dict[str, Any] = {**_CALLED, "forceinline": True}


def _compile(function: Callable[P, R], flags: dict[str, Any], *, cached: bool = False) -> Callable[P, R]:
    spare_the_collector()
    compiled = njit(**flags)(function)
    return cast(Callable[P, R], attach_cache(compiled) if cached and not config.DISABLE_JIT else compiled)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls; cached on disk."""
    return _compile(function, _FLAGS, cached=True)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only kernels call."""
    return _compile(function, _FLAGS)


def bare_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls and that only works on arrays it is given; cached on disk."""
    return _compile(function, _BARE, cached=True)


def bare_inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only bare kernels call, to become part of each of them."""
    return _compile(function, _INLINED)


def bare_call(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only bare kernels call, and whose work outweighs a call: quicker to compile."""
    return _compile(function, _CALLED)


def compile_wrapping(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `bare_inline` a helper whose unsigned integers wrap around, of which NumPy would warn uncompiled."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else bare_inline(function)
