"""Compile kernels with Numba: to object code, or as Numba does by itself where object code will not do."""

import gc
import importlib
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial, reduce
from typing import Any

import numba
from llvmlite import ir
from numba import njit, typeof
from numba.core import codegen, event
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.extending import typeof_impl
from numba.np.numpy_support import as_dtype

from jacobeig._kernels._cache import keep, look_up
from jacobeig._kernels._jit import BareKernel, Helper
from jacobeig._kernels._native import ENTRY, HEADER, choose_processor, name_kernel

types: Any = importlib.import_module("numba.core.types")  # what it has, type checkers do not see
_WORD = ir.IntType(64)
_ROW = _WORD.as_pointer()


@typeof_impl.register(Helper)  # type: ignore[untyped-decorator]  # Numba has no types
def _type_helper(helper: Helper, context: Any) -> Any:
    """To Numba, one of our functions that a kernel calls is what Numba makes of it."""
    return types.Dispatcher(helper.dispatcher)


def dispatch(helper: Helper, flags: dict[str, Any], *, kept: bool) -> Any:
    """Return Numba's form of a function; `kept` if Python is to call it, through Numba."""
    _spare_the_collector()
    dispatcher = njit(**flags)(helper.py_func)
    if kept:
        with suppress(OSError, RuntimeError):  # Numba finds no folder of its own; `_cache.py` will say so if need be
            dispatcher._cache = _KernelCache(helper.py_func)
    return dispatcher


class _Library(codegen.AOTCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """Code on its way into the object code of a kernel.

    To Numba every helper is a program, which it optimises and loads before it does the same to whatever calls it. Here
    a helper is only linked, and all is optimised once, in the kernel.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # nothing is loaded

    def emit_native_object(self) -> bytes:
        self.finalize()
        for function in self._final_module.functions:
            if not function.is_declaration and function.name != ENTRY:
                function.linkage = "internal"
                if not any(b"alwaysinline" in attributes for attributes in function.attributes):
                    function.add_function_attribute("noinline")
        # Vectorising what is no loop took a sixth of the time here and made no kernel quicker.
        passes = self._codegen._module_pass_manager(slp_vectorize=False)
        manager, *builder = passes if isinstance(passes, tuple) else (passes,)  # older ones have no builder
        manager.run(self._final_module, *builder)
        self._final_module.verify()
        return bytes(self._codegen._tm.emit_object(self._final_module))


class _Codegen(codegen.JITCPUCodegen):  # type: ignore[misc]  # Numba has no types
    """As where Numba runs what it compiles, which is not done here, but for many processors."""

    _library_class = _Library

    def _get_host_cpu_name(self) -> str:
        return choose_processor()[0]

    def _get_host_cpu_features(self) -> str:
        return choose_processor()[1]

    def _add_module(self, module: Any) -> None:
        pass

    def set_env(self, env_name: str, env: Any) -> None:
        pass


_make_codegen = cache(partial(_Codegen, "jacobeig"))


@contextmanager
def _without_loading() -> Iterator[None]:
    """Have Numba make libraries of ours; whatever it compiles meanwhile can be linked into others later."""
    context = cpu_target.target_context
    with global_compiler_lock:
        usual, context._internal_codegen = context._internal_codegen, _make_codegen()
        try:
            yield
        finally:
            context._internal_codegen = usual


def build_object(kernel: BareKernel, arguments: tuple[Any, ...]) -> bytes | None:
    """Return a line that says what a kernel returns, and its object code; None if this Numba is not as expected."""
    try:
        with _without_loading():
            signature = tuple(map(_type_argument, arguments))
            # Not that of `kernel.dispatcher`, which other kernels may call: what is emitted is no longer linked.
            dispatcher = dispatch(kernel, kernel.flags, kept=False)
            dispatcher.compile(signature)
            compiled = dispatcher.overloads[signature]
            compiled.library.add_ir_module(_make_entry(compiled))
            code = compiled.library.emit_native_object()
        return f"{_list_results(compiled.signature.return_type)}\n".encode() + code
    except Exception:
        # What is used here of Numba may change any day, but not how its users call a kernel, which is what remains to
        # do. Whatever is wrong with a kernel is said there once more.
        return None


def _type_argument(argument: Any) -> Any:
    """Return Numba's type of an argument; that of a writable array where it is read-only."""
    if isinstance(argument, tuple):
        parts = tuple(map(_type_argument, argument))
        return types.NamedTuple(parts, type(argument)) if hasattr(argument, "_fields") else types.Tuple(parts)
    kind = typeof(argument)
    return kind.copy(readonly=False) if isinstance(kind, types.Array) else kind


_RESULTS = {types.none: "", types.int64: "q", types.uint64: "Q", types.float64: "d", types.boolean: "?"}


def _list_results(kind: Any) -> str:
    """Return how the words that a kernel returns are packed."""
    if isinstance(kind, types.BaseTuple):
        return "".join(map(_list_results, kind))
    return _RESULTS[kind.dtype if isinstance(kind, types.EnumMember) else kind]


def _make_entry(compiled: Any) -> Any:
    """Return code that reads the arguments of a kernel from words, calls it, and writes what it returns."""
    context, signature = compiled.target_context, compiled.signature
    module = context.create_module(ENTRY)
    callee_type = context.call_conv.get_function_type(signature.return_type, signature.args)
    callee = ir.Function(module, callee_type, compiled.fndesc.llvm_func_name)
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [_ROW, _ROW]), ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block())
    words: list[Any] = []
    for number, kind in enumerate(_list_leaves(signature.args)):
        words += _read_leaf(builder, kind, builder.load(builder.gep(entry.args[0], [_WORD(number)])))
    result, problem = (builder.alloca(argument.pointee) for argument in callee_type.args[:2])
    values = [_shape(builder, word, kind) for word, kind in zip(words, callee_type.args[2:], strict=True)]
    outcome = builder.call(callee, [result, problem, *values])
    _write_results(builder, builder.load(result), len(_list_results(signature.return_type)), entry.args[1])
    builder.ret(outcome)
    return module


def _list_leaves(kinds: Any) -> Iterator[Any]:
    """Yield the types of numbers and arrays, those within tuples included."""
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield from _list_leaves(kind)
        else:
            yield kind


def _read_leaf(builder: Any, kind: Any, word: Any) -> list[Any]:
    """Return the words into which Numba takes an argument apart."""
    if not isinstance(kind, types.Array):
        return [word]
    fields = builder.inttoptr(builder.add(word, _WORD(HEADER)), _ROW)
    data, shape, strides = (builder.load(builder.gep(fields, [_WORD(place)])) for place in (0, 2, 3))
    lengths, steps = (
        [builder.load(builder.gep(builder.inttoptr(row, _ROW), [_WORD(axis)])) for axis in range(kind.ndim)]
        for row in (shape, strides)
    )
    size = reduce(builder.mul, lengths, _WORD(1))
    # neither a record of who refers to the array nor its owner, which bare code does not ask for
    return [_WORD(0), _WORD(0), size, _WORD(as_dtype(kind.dtype).itemsize), data, *lengths, *steps]


def _shape(builder: Any, word: Any, kind: Any) -> Any:
    """Turn a word into the type of an argument."""
    if isinstance(kind, ir.PointerType):
        return builder.inttoptr(word, kind)
    if isinstance(kind, ir.IntType):
        return builder.trunc(word, kind) if kind.width < 64 else word
    return builder.bitcast(word, kind)


def _write_results(builder: Any, value: Any, count: int, row: Any) -> None:
    """Write a value, or the parts of a tuple, to words."""
    parts = [value] if count == 1 else [builder.extract_value(value, place) for place in range(count)]
    for place, part in enumerate(parts):
        builder.store(part, builder.bitcast(builder.gep(row, [_WORD(place)]), part.type.as_pointer()))


class _KernelCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache of one function over files of our own.

    Its own keeps all signatures of a function in one numbered index, so two processes that compile different ones at
    once may each write "number 1", and a damaged file or a full disk ends the run.
    """

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Shelf(f"{name_kernel(function)}.numba")


class _Shelf:
    """What Numba expects of a cache's files."""

    def __init__(self, name: str) -> None:
        self._name = name

    def load(self, key: Any) -> Any:
        """Return what was kept, None if nothing was or it is damaged."""
        content = look_up(self._name, _name_version(key))
        return None if content is None else pickle.loads(content)

    def save(self, key: Any, content: Any) -> None:
        """Keep something."""
        keep(self._name, _name_version(key), dumps(content))

    def flush(self) -> None:
        """Forget nothing: a file whose kernel has changed is never looked up again."""


def _name_version(key: Any) -> str:
    """Return a key of what only the same Numba and Python can read, of which Numba's own says nothing."""
    return repr((numba.__version__, sys.version_info[:2], key))


class _Collector(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Pauses Python's garbage collection while Numba compiles."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._was_on:
            gc.enable()


@cache
def _spare_the_collector() -> None:
    """Pause garbage collection during compilation from now on: it took a sixth of it and found nothing."""
    event.register("numba:compile", _Collector())
