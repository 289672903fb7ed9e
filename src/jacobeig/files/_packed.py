"""Files that may be packed with gzip, bzip2 or xz, whatever their endings say."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from jacobeig.errors import FileFormatError

_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def name_source(file: Path | None) -> str:
    """Return what to call a file, or standard input, in a message."""
    return "standard input" if file is None else str(file)


@contextmanager
def open_unpacked(file: Path | None) -> Iterator[IO[bytes]]:
    """Open a file, or all of standard input, to read unpacked bytes from any place."""
    with io.BytesIO(sys.stdin.buffer.read()) if file is None else open(file, "rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        opener = next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)
        if opener is None:
            yield raw
            return
        try:
            with opener(raw, "rb") as unpacked:
                yield unpacked
        except (*_DAMAGED, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's fault; bz2's own have no number
                raise
            raise FileFormatError(f"{name_source(file)} is damaged: it cannot be unpacked ({error}).") from error
