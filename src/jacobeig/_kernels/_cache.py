"""Where compiled kernels are kept between processes: files that survive what users do to them.

Every kernel has a file for each kind of arguments, written aside and moved into place, with a checksum in front;
whatever cannot be read is compiled again. Files are named after all kernels' source, because a kernel has those that it
calls compiled into it, and after the processor. A wheel brings files of its own (`hatch_build.py`), so that nobody
waits for a compiler. Nothing here loads Numba.
"""

import hashlib
import os
import sys
import uuid
import warnings
from functools import cache
from pathlib import Path

SHIPPED = Path(__file__).parent / "compiled"  # what was compiled when the wheel was built

_ADVICE = (
    "jacobeig cannot keep its compiled kernels ({reason}), so each process compiles them again, which takes seconds: "
    "set NUMBA_CACHE_DIR to a folder that can be written to."
)


def list_folders() -> list[Path]:
    """Return where kernels may be kept, the first choice first: where the user says, beside the package, at home."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named) / "jacobeig"]
    beside, home = Path(__file__).parent / "__pycache__", os.path.expanduser("~")
    if sys.platform == "win32":
        user = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        user = f"{home}/Library/Caches"
    else:
        user = os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache"
    return [beside, Path(user) / "jacobeig"] if Path(user).is_absolute() else [beside]


def look_up(name: str, key: str) -> bytes | None:
    """Return what was kept of a kernel, None if nothing was or it is damaged."""
    for folder in (SHIPPED, *list_folders()):
        try:
            content = (folder / _name_file(name, key)).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(content[32:]).digest() == content[:32]:
            return content[32:]
    return None


def keep(name: str, key: str, data: bytes) -> None:
    """Keep something, whole or not at all; a disk that is full must not end the run."""
    reason = ""
    for folder in list_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write_whole(folder / _name_file(name, key), hashlib.sha256(data).digest() + data)
        except OSError as error:
            reason = str(error)
        else:
            return
    _advise(reason)


def _write_whole(path: Path, content: bytes) -> None:
    draft = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _name_file(name: str, key: str) -> str:
    digest = hashlib.sha256(_hash_sources() + repr((key, _list_settings())).encode()).hexdigest()
    return f"{name}.{digest[:32]}.jec"


@cache
def _hash_sources() -> bytes:
    """Return a digest of every kernel's source."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


@cache
def _list_settings() -> list[tuple[str, str]]:
    """Return what Numba was told in the environment, which may change what it compiles."""
    unrelated = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
    return sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in unrelated)


@cache
def _advise_once() -> list[str]:
    return []


def _advise(reason: str) -> None:
    """Say once a process what to do, however many kernels cannot be kept."""
    if not _advise_once():
        _advise_once().append(reason)
        warnings.warn(_ADVICE.format(reason=reason), UserWarning, stacklevel=2)
