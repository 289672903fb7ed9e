"""The one place where compilation flags are set. Numba is loaded when something has to be compiled, and not before."""

import os
from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from jacobeig._kernels._native import Entry, describe, knows_arrays, prepare, read_arguments

P = ParamSpec("P")
R = TypeVar("R")

COMPILES = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
# Index checks raise errors, which only Numba's own way of calling a kernel brings to Python.
OBJECTS = os.environ.get("NUMBA_BOUNDSCHECK", "0") in ("", "0")
# Without Numba's runtime no array is reference-counted, which took a third of the row kernel's time, with its dozens of
# arrays. Such code cannot allocate or return arrays, and does not compile if it tries. Nor has it entries for Python
# and C, which took a quarter of the time that a first call compiles: `_build.py` makes one that is shorter.
_NO_ENTRIES: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# Strict floating point, no GIL, division by zero as in NumPy.
_BARE: dict[str, Any] = {"nogil": True, "error_model": "numpy", **_NO_ENTRIES, "_nrt": False}
# LLVM, left alone, does not inline helpers with many arguments.
_INLINED: dict[str, Any] = {**_BARE, "forceinline": True}


class Helper:
    """A function that only kernels call; compiled with the first kernel that does."""

    def __init__(self, function: Callable[..., Any], flags: dict[str, Any]) -> None:
        self.py_func, self.flags = function, flags
        self.__doc__ = function.__doc__

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the function, for kernels that call it."""
        from jacobeig._kernels._build import dispatch

        return dispatch(self, self.flags, kept=False)

    @cached_property
    def called(self) -> Any:
        """What Numba makes of the function, for Python to call."""
        from jacobeig._kernels._build import dispatch

        return dispatch(self, {key: self.flags[key] for key in self.flags if key not in _NO_ENTRIES}, kept=True)


class BareKernel(Helper):
    """A function that Python calls and that only works on arrays it is given: its object code is all that it needs."""

    def __init__(self, function: Callable[..., Any], flags: dict[str, Any]) -> None:
        super().__init__(function, flags)
        self.loaded: dict[str, Entry | None] = {}  # by kind of arguments
        self._known: dict[tuple[Any, ...], Entry | None] = {}  # by more than matters, but found quickly
        self._lock = Lock()

    def __call__(self, *arguments: Any) -> Any:
        kinds: list[Any] = []
        words: list[Any] = []
        read_arguments(arguments, kinds, words)
        key = tuple(kinds)
        entry = self._known[key] if key in self._known else self._find_entry(key, arguments)
        return self.called(*arguments) if entry is None else entry(words)

    def _find_entry(self, key: tuple[Any, ...], arguments: tuple[Any, ...]) -> Entry | None:
        kind = describe(arguments)
        with self._lock:
            if kind not in self.loaded:
                self.loaded[kind] = prepare(self, kind, arguments) if OBJECTS and knows_arrays() else None
        return self._known.setdefault(key, self.loaded[kind])


def _wrap(kind: type[Helper], function: Callable[P, R], flags: dict[str, Any]) -> Callable[P, R]:
    return cast(Callable[P, R], kind(function, flags)) if COMPILES else function


def bare_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls and that only works on arrays it is given; kept on disk."""
    return _wrap(BareKernel, function, _BARE)


def bare_inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only bare kernels call, to become part of each of them."""
    return _wrap(Helper, function, _INLINED)


def bare_call(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that only bare kernels call, and whose work outweighs a call: quicker to compile."""
    return _wrap(Helper, function, _BARE)


def compile_wrapping(function: Callable[P, R]) -> Callable[P, R]:
    """Compile like `bare_inline` a helper whose unsigned integers wrap around, of which NumPy would warn uncompiled."""
    return bare_inline(function) if COMPILES else np.errstate(over="ignore")(function)
