"""Call a bare kernel by its object code alone: loading Numba takes longer than most first solves.

The entry of a kernel, which `_build.py` makes, takes a row of words of eight bytes, one for each number and array of
the arguments, those within tuples included. The word of an array is the address of its object: as any extension built
for NumPy does, the entry reads where its entries are, how many, and how far apart from there.
"""

import ctypes
import struct
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import numpy as np

from jacobeig._kernels._cache import keep, look_up

if TYPE_CHECKING:
    from jacobeig._kernels._jit import BareKernel

ENTRY = "jacobeig_entry"
HEADER = object.__basicsize__  # bytes in front of what makes an object an array
# Kernels are compiled for this kind of processor wherever it will do: then what was compiled elsewhere, where the wheel
# was built or on another machine that shares the folder, serves here. AVX-512 made none of them faster (EPYC, Zen 4).
_COMMON = "x86-64-v3"
_COMMON_FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_CODES = {bool: "?", int: "q", float: "d", np.bool_: "?", np.int64: "q", np.uint64: "Q", np.float64: "d"}

Entry = Callable[[list[Any]], Any]
_look_at = attrgetter("dtype", "ndim", "flags.num")


def read_arguments(arguments: tuple[Any, ...], kinds: list[Any], words: list[Any]) -> None:
    """Add what the compiled form of a kernel may depend on to `kinds`, and what its entry is given to `words`."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            kinds.append(_look_at(argument))
            words.append(id(argument))
        elif isinstance(argument, tuple):
            kinds.append(type(argument))
            read_arguments(argument, kinds, words)
        else:
            kinds.append(type(argument))
            words.append(argument)


def describe(arguments: tuple[Any, ...]) -> str:
    """Say of what kind arguments are; a read-only array needs no other code than a writable one."""
    return ", ".join(map(_describe_one, arguments))


def _describe_one(argument: Any) -> str:
    if isinstance(argument, tuple):
        return f"{type(argument).__name__}({describe(argument)})"
    if not isinstance(argument, np.ndarray):
        return _find_codes(argument)
    flags = argument.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return f"{argument.dtype.str} {argument.ndim}{layout}{'' if flags.aligned else ' unaligned'}"


def prepare(kernel: "BareKernel", kind: str, arguments: tuple[Any, ...]) -> Entry | None:
    """Return what calls a kernel with arguments of this kind, from disk or compiled and kept there.

    None where object code will not do.
    """
    name, key = name_kernel(kernel.py_func), repr((kind, HEADER, llvm.get_process_triple(), choose_processor()))
    content = look_up(name, key)
    if content is None:
        from jacobeig._kernels._build import build_object

        content = build_object(kernel, arguments)
        if content is None:
            return None
        keep(name, key, content)
    return _load(content, "".join(map(_find_codes, arguments)))


def name_kernel(function: Callable[..., Any]) -> str:
    """Return what the files of a kernel begin with."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def _find_codes(argument: Any) -> str:
    """Return how the words of an argument are packed."""
    if isinstance(argument, tuple):
        return "".join(map(_find_codes, argument))
    return "q" if isinstance(argument, np.ndarray) else _CODES[type(argument)]


@cache
def choose_processor() -> tuple[str, str]:
    """Return the name and the features of the processor to compile for."""
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # not known of this kind of processor
        return llvm.get_host_cpu_name(), ""
    if all(features.get(name) for name in _COMMON_FEATURES):
        return _COMMON, ""
    return llvm.get_host_cpu_name(), features.flatten()


def _load(content: bytes, codes: str) -> Entry:
    """Put object code, which follows a line that says what it returns, into memory."""
    returned, _, code = content.partition(b"\n")
    results, words = (struct.Struct("=" + row.replace("?", "?7x")) for row in (returned.decode(), codes))
    engine = _make_engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)(engine.get_function_address(ENTRY))
    size = results.size

    def call(values: list[Any], _loaded: Any = engine) -> Any:
        returned = ctypes.create_string_buffer(size) if size else None
        if run(words.pack(*values), returned):
            raise RuntimeError("a kernel has failed")
        found = results.unpack(returned) if returned is not None else (None,)
        return found if len(found) > 1 else found[0]

    return call


def _make_engine() -> Any:
    """Return an engine for one kernel alone, so that no names meet."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def knows_arrays() -> bool:
    """Whether arrays lie in memory as the entries expect."""
    sample = np.zeros((2, 3), np.int32)[:, ::2]
    words = (ctypes.c_int64 * 4).from_address(id(sample) + HEADER)
    if words[0] != sample.__array_interface__["data"][0] or words[1] & 0xFFFFFFFF != sample.ndim:
        return False
    rows = [tuple((ctypes.c_int64 * 2).from_address(word)) for word in words[2:]]
    return rows == [sample.shape, sample.strides]
