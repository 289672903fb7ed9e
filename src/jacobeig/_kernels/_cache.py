"""Where compiled kernels are kept between processes: Numba's cache, made to survive what users do to it.

Numba's own keeps all signatures of a function in one numbered index, so two processes that compile different ones at
once may each write "number 1", and a damaged file or a full disk ends the run. Here every signature has a file of its
own, written aside and moved into place, with a checksum in front; whatever cannot be read is compiled again. Files are
named after all kernels' source, because a kernel has those that it calls compiled into it.
"""

import gc
import hashlib
import pickle
import uuid
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

__all__ = ["attach_cache", "spare_the_collector"]

_ADVICE = (
    "jacobeig cannot keep its compiled kernels ({reason}), so each process compiles them again, which takes seconds: "
    "set NUMBA_CACHE_DIR to a folder that can be written to."
)


def attach_cache(dispatcher: Any) -> Any:
    """Have the compiled forms of a kernel kept on disk, if any folder for them can be written to."""
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    except (OSError, RuntimeError) as error:  # "no locator available": neither the package nor a home is writable
        _advise("no folder for them can be written to" if isinstance(error, RuntimeError) else str(error))
    return dispatcher


@cache
def _advise_once() -> list[str]:
    return []


def _advise(reason: str) -> None:
    """Say once a process what to do, however many kernels cannot be kept."""
    if not _advise_once():
        _advise_once().append(reason)
        warnings.warn(_ADVICE.format(reason=reason), UserWarning, stacklevel=2)


@cache
def _hash_sources() -> bytes:
    """Return a digest of every kernel's source and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


class _KernelCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache of one function over files of our own."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Shelf(Path(self._cache_path), self._impl.filename_base)


class _Shelf:
    """One file for every key."""

    def __init__(self, folder: Path, base: str) -> None:
        self._folder, self._base = folder, base

    def _locate(self, key: Any) -> Path:
        digest = hashlib.sha256(_hash_sources() + repr(key).encode()).hexdigest()
        return self._folder / f"{self._base}.{digest[:32]}.jec"

    def load(self, key: Any) -> Any:
        """Return what was kept, None if nothing was or it is damaged."""
        try:
            content = self._locate(key).read_bytes()
        except OSError:
            return None
        checksum, data = content[:32], content[32:]
        return pickle.loads(data) if hashlib.sha256(data).digest() == checksum else None

    def save(self, key: Any, content: Any) -> None:
        """Keep something, whole or not at all; a disk that is full must not end the run."""
        data, path = dumps(content), self._locate(key)
        draft = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
        try:
            try:
                draft.write_bytes(hashlib.sha256(data).digest() + data)
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            _advise(str(error))

    def flush(self) -> None:
        """Forget everything about the function."""
        for path in self._folder.glob(f"{self._base}.*.jec"):
            path.unlink(missing_ok=True)


class _Collector(event.Listener):  # type: ignore[misc]
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
def spare_the_collector() -> None:
    """Pause garbage collection during compilation from now on: it took a sixth of it and found nothing."""
    event.register("numba:compile", _Collector())
