"""Refuse an allocation that would not fit, before it is made."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from jacobeig.errors import TooLargeError

__all__ = ["available_memory", "require_memory"]


# Allocations up to this size are not worth asking the system about.
SMALL = 1 << 26
PROCESS, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")
_UNLIMITED = 1 << 62  # the older interface has no word for it
# The files of a control group, in both versions of the kernel's interface: limit, use, and in which line of
# memory.stat the caches are that can be given back.
_LIMITS = {
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    "": ("memory.max", "memory.current", "inactive_file"),
}


def available_memory() -> int | None:
    """Return how many bytes can be allocated without swapping, or None where the system does not say.

    Linux's estimate counts caches that can be given back; where the limits of the process (`ulimit`) or of its
    container (cgroup) leave less, that counts. Elsewhere it is the free, or else all, memory.
    """
    known = [size for size in (_find_free_memory(), *_find_process_limits(), *_find_group_limits()) if size is not None]
    return max(0, min(known)) if known else None


def _find_free_memory() -> int | None:
    """Return what the system as a whole has to spare."""
    try:
        sizes = _read_lines(PROCESS / "meminfo", ":")
        return 1024 * int(sizes["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError, IndexError):
        return _count_pages()


def _find_process_limits() -> Iterator[int]:
    """Give what `ulimit -v` and `ulimit -d` leave of the address space."""
    with suppress(ImportError, OSError, KeyError, ValueError, IndexError):
        import resource  # not everywhere

        used = _read_lines(PROCESS / "self" / "status", ":")
        for kind, line in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
            limit = resource.getrlimit(kind)[0]
            if limit != resource.RLIM_INFINITY:
                yield limit - 1024 * int(used[line].split()[0])


def _find_group_limits() -> Iterator[int]:
    """Give what is left to the control groups that the process is in, and to those around them."""
    with suppress(OSError, ValueError):
        for line in (PROCESS / "self" / "cgroup").read_text(encoding="utf-8").splitlines():
            _, kinds, place = line.split(":", 2)
            if "memory" in kinds.split(",") or not kinds:
                kind = "memory" if kinds else ""
                inside = Path(place.lstrip("/"))
                for group in (inside, *inside.parents):  # in a container, the path may be that of its host
                    yield from _find_group_limit(GROUPS / kind / group, *_LIMITS[kind])


def _find_group_limit(folder: Path, limit: str, usage: str, caches: str) -> Iterator[int]:
    with suppress(OSError, ValueError):
        most = (folder / limit).read_text(encoding="ascii").strip()
        if most != "max" and int(most) < _UNLIMITED:
            used = int((folder / usage).read_text(encoding="ascii"))
            spare = 0
            with suppress(OSError, KeyError, ValueError):
                spare = int(_read_lines(folder / "memory.stat", " ")[caches])
            yield int(most) - used + spare


def _read_lines(path: Path, separator: str) -> dict[str, str]:
    """Return the lines of a file of the system by their first words."""
    with open(path, encoding="ascii", errors="replace") as lines:
        return dict(line.split(separator, 1) for line in lines if separator in line)


def require_memory(n_bytes: int, what: str, remedies: Sequence[str]) -> None:
    """Raise unless `n_bytes` can be allocated.

    Parameters
    ----------
    n_bytes : int
        The size of the allocation.
    what : str
        What it is for, as the subject of a sentence.
    remedies : sequence of str
        The ways out, as imperative clauses.

    Raises
    ------
    TooLargeError
        With the size needed, the size available and the remedies.

    Examples
    --------
    >>> from jacobeig.sources import require_memory
    >>> require_memory(8_000, "1,000 rows", ["lower n_components", "use float32"])
    """
    if n_bytes <= SMALL:
        return
    available = available_memory()
    if available is not None and n_bytes > available:
        needed, free, ways = f"{n_bytes / 1e9:.3g} GB", f"{available / 1e9:.3g} GB", "; or ".join(remedies)
        raise TooLargeError(f"{what} would take {needed}, but {free} are free: {ways}.")


def _count_pages() -> int | None:
    """Return the free pages, or all pages where the system does not count the free ones; None without sysconf."""
    names = getattr(os, "sysconf_names", {})
    pages = next((name for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES") if name in names), None)
    return None if pages is None else os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
