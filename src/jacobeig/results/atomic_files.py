"""Files that are replaced whole or not at all: written as hidden drafts, renamed at the end."""

import errno
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from jacobeig._types import PathLike

__all__ = ["open_draft", "replace_file", "replace_files", "require_writable"]

# A draft carries the number of its process, so that the next run can tell what a killed one left.
_DRAFT = re.compile(r"\.draft-(\d+)-[0-9a-f]{8}(\..*)?")
# Where the old files are during a swap: while they move away, while the new ones move in, and after it.
_STEPS = (".clearing", ".cleared", ".done")
# Where processes cannot be asked after, a draft this many seconds old is taken for a leftover.
_STALE = 86_400.0


@contextmanager
def open_draft(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a draft beside `path` that takes its place when the block ends, and goes away if it fails.

    It is on the disk, not only in the system's memory, before it takes the place: a crash leaves the old file or the
    new one, never half of it.
    """
    with replace_file(path) as draft, open(draft, "xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(_find_file(path).parent)


def require_writable(path: Path) -> None:
    """Raise unless a draft can be written beside `path`."""
    draft = _place_draft(_find_file(path))
    try:
        draft.touch()
    except OSError as error:
        error.filename = str(path)
        raise
    draft.unlink()


def _find_file(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads, links followed; raise if what is there must not be replaced by a file."""
    target = Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)
    if target.is_symlink():
        raise OSError(errno.ELOOP, "it is a link that leads back to itself", str(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "it is a device or a pipe", str(path))
    if target.exists() and not os.access(target, os.W_OK):  # which a rename would not ask about
        raise PermissionError(errno.EACCES, "you may not write to it", str(path))
    return target


def _sync_folder(folder: Path) -> None:
    """Have a rename written to the disk, where the system offers that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems refuse: the rename is atomic there too, only not on the disk yet
        pass
    finally:
        os.close(handle)


@contextmanager
def replace_file(path: PathLike) -> Iterator[Path]:
    """Give a name beside `path` to write to; it becomes `path` in one step at the end, or nothing is left of it.

    Where `path` is a link, the file that it leads to is replaced, and the link stays.
    """
    target = _find_file(path)
    for leftover in _list_leftovers(target.parent, f".{target.name}"):
        leftover.unlink(missing_ok=True)
    draft = _place_draft(target)
    try:
        yield draft
        if target.exists():
            shutil.copymode(target, draft)  # what others may not read stays so
        os.replace(draft, target)
    except BaseException as error:
        with suppress(OSError):  # there is none where none could be made
            draft.unlink()
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(draft)):
            error.filename = str(path)
        raise


@contextmanager
def replace_files(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Give an empty folder to write to; at the end its files move to `folder`, all of them or none.

    They must be among `names`; files of these names that were not written this time are removed, and all others in
    `folder` stay. A folder that was made for a run goes again if the run fails.
    """
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in _list_leftovers(folder):
        _undo_swap(leftover, folder, names)
        shutil.rmtree(leftover, ignore_errors=True)
    for name in names:
        _find_file(folder / name)
    draft = folder / _name_draft()
    try:
        draft.mkdir()
        yield draft
        _swap(draft, folder, names)
    except BaseException as error:
        _undo_swap(draft, folder, names)
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = _find_target(error.filename, draft, folder)
        raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if new and not any(folder.iterdir()):
            folder.rmdir()


def _place_draft(target: Path) -> Path:
    # mkstemp would make it unreadable to others; the ending stays, as writers go by it.
    return target.with_name(f"{_name_draft()}.{target.name}")


def _name_draft() -> str:
    return f".draft-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _list_leftovers(folder: Path, ending: str = "") -> list[Path]:
    """Return drafts, of one file or of a folder's files, whose process is gone."""
    if not folder.is_dir():
        return []
    found = [(_DRAFT.fullmatch(path.name), path) for path in folder.glob(".draft-*")]
    return [path for match, path in found if match and (match[2] or "") == ending and _is_left(path, int(match[1]))]


def _is_left(path: Path, process: int) -> bool:
    try:
        if os.name == "posix":  # elsewhere signal 0 is not harmless
            os.kill(process, 0)
            return False
        return time.time() - path.stat().st_mtime > _STALE
    except ProcessLookupError:
        return True
    except OSError:  # it is another user's, or was removed in between
        return False


def _swap(draft: Path, folder: Path, names: Sequence[str]) -> None:
    """Move the old files into the draft, then the new ones out of it; until it is done, `_undo_swap` can undo it."""
    written = [path.name for path in draft.iterdir()]
    clearing, cleared, done = (draft / step for step in _STEPS)
    clearing.mkdir()
    for name in names:
        if (folder / name).exists():
            os.replace(folder / name, clearing / name)
    os.replace(clearing, cleared)
    for name in written:
        os.replace(draft / name, folder / name)
    os.replace(cleared, done)


def _undo_swap(draft: Path, folder: Path, names: Sequence[str]) -> None:
    """Bring back the old files of a swap that was begun but not done."""
    clearing, cleared, _ = (draft / step for step in _STEPS)
    if cleared.is_dir():  # what is in their place now is new
        for name in names:
            (folder / name).unlink(missing_ok=True)
    for old in (clearing, cleared):
        for path in old.iterdir() if old.is_dir() else ():
            os.replace(path, folder / path.name)


def _find_target(filename: object, draft: Path, folder: Path) -> object:
    """Return the user's name of a file in the draft; any other name as it is."""
    path = Path(str(filename))
    return str(folder / path.relative_to(draft)) if path.is_relative_to(draft) else filename
