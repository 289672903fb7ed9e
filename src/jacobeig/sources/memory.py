"""Refuse an allocation that would not fit, before it is made."""

import os
from collections.abc import Sequence

from jacobeig.errors import TooLargeError

__all__ = ["available_memory", "require_memory"]


# Allocations up to this size are not worth asking the system about.
SMALL = 1 << 26


def available_memory() -> int | None:
    """Return how many bytes can be allocated without swapping, or None where the system does not say.

    Linux's estimate counts caches that can be given back; elsewhere it is the free, or else all, memory.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            sizes = dict(line.split(":", 1) for line in lines)
        return 1024 * int(sizes["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError, IndexError):
        return _memory_by_sysconf()


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
        ways = "; or ".join(remedies)
        raise TooLargeError(f"{what} would take {_gigabytes(n_bytes)}, but {_gigabytes(available)} are free: {ways}.")


def _memory_by_sysconf() -> int | None:
    """Return the free pages, or all pages where the system does not count the free ones; None without sysconf."""
    names = getattr(os, "sysconf_names", {})
    pages = next((name for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES") if name in names), None)
    return None if pages is None else os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.3g} GB"
