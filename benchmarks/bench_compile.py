"""Where the processor seconds of a cold start go, as a Markdown table: imports, then each kernel by what compiles it.

    python benchmarks/bench_compile.py

Runs in one process with an empty kernel cache of its own, so what one kernel has had compiled the next need not: a
function that both call, Numba's registries. A kernel's lines are those of its LLVM code before it is optimised.
"""

import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

PASSES = {"nopython_type_inference": "types", "native_lowering": "lowering"}
COLUMNS = ("types", "lowering", "other passes", "optimising", "machine code")


class Clock:
    """Processor seconds by what they were spent on, those of whatever runs inside not counted again."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inside: list[float] = []

    def begin(self) -> float:
        """Return the time at which something begins."""
        self._inside.append(0.0)
        return time.process_time()

    def end(self, label: str, begun: float) -> None:
        """Add what was spent since then."""
        spent = time.process_time() - begun
        self.seconds[label] += spent - self._inside.pop()
        if self._inside:
            self._inside[-1] += spent

    def watch(self, owner: Any, name: str, label: str) -> None:
        """Have the calls of a method timed."""
        usual = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            begun = self.begin()
            try:
                return usual(*arguments, **options)
            finally:
                self.end(label, begun)

        setattr(owner, name, timed)


def time_imports() -> dict[str, float]:
    """Load, one after the other, what a first solve loads."""
    times = {"Python": time.process_time()}

    def load(label: str, action: Callable[[], Any]) -> None:
        begun = time.process_time()
        action()
        times[label] = time.process_time() - begun

    load("NumPy", lambda: __import__("numpy.random"))
    load("jacobeig and SciPy", lambda: __import__("jacobeig").sparse_eigsh)
    load("Numba", lambda: __import__("jacobeig._kernels._build"))

    def refresh() -> None:
        from numba.core.registry import cpu_target

        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()

    load("Numba's registries", refresh)
    return times


def watch_compilation(clock: Clock) -> dict[str, list[Any]]:
    """Return what will be found out about each kernel: functions, lines, seconds by column."""
    from llvmlite.binding.targets import TargetMachine
    from numba.core import event

    from jacobeig._kernels import _build, _jit

    kernels: dict[str, list[Any]] = {}
    begun: list[float] = []
    functions: list[str] = []
    lines: list[int] = []

    class Passes(event.Listener):  # type: ignore[misc]  # Numba has no types
        def on_start(self, event: Any) -> None:
            begun.append(clock.begin())

        def on_end(self, event: Any) -> None:
            label = PASSES.get(event.data["name"].partition(" ")[0], "other passes")
            functions.extend([label] if label == "lowering" else [])
            clock.end(label, begun.pop())

    event.register("numba:run_pass", Passes())
    library, jit = cast(Any, _build._Library), cast(Any, _jit)
    usual_finish, usual_prepare = library.finalize, jit.prepare

    def finish(made: Any) -> None:
        usual_finish(made)
        lines.append(len(str(made._final_module).splitlines()))

    def prepare(kernel: Any, *arguments: Any) -> Any:
        for record in (clock.seconds, functions, lines):
            record.clear()
        start = clock.begin()
        entry = usual_prepare(kernel, *arguments)
        clock.end("other passes", start)
        row = [len(functions), lines[-1], *(clock.seconds[column] for column in COLUMNS), sum(clock.seconds.values())]
        kernels[kernel.py_func.__name__] = row
        return entry

    library.finalize, jit.prepare = finish, prepare
    clock.watch(library, "add_ir_module", "lowering")
    clock.watch(TargetMachine, "emit_object", "machine code")
    clock.watch(library, "emit_native_object", "optimising")
    return kernels


def solve() -> None:
    """Solve what needs the kernels that users meet first."""
    import numpy as np
    from scipy import sparse

    import jacobeig as je

    A = np.random.default_rng(0).standard_normal((300, 320))
    S = A @ A.T
    je.refine(S, je.sparse_eigsh(S, 10, density=0.1))
    je.sparse_eigsh(S, 10)
    je.sparse_eigsh(sparse.eye_array(5000, format="csr"), 5, n_rotations=9)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        times = time_imports()
        kernels = watch_compilation(Clock())
        solve()
    print("| loaded | seconds |\n| --- | --- |")
    for name, spent in times.items():
        print(f"| {name} | {spent:.2f} |")
    print(f"\n| kernel | functions | lines | {' | '.join(COLUMNS)} | in all |\n|{' --- |' * 9}")
    for name, (functions, lines, *seconds) in sorted(kernels.items(), key=lambda item: -item[1][-1]):
        print(f"| `{name}` | {functions} | {lines:,} | {' | '.join(f'{part:.2f}' for part in seconds)} |")


if __name__ == "__main__":
    main()
