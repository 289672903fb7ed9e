"""Set up before Numba is imported: a kernel cache that follows the kernels' source."""

import hashlib
import os
import tempfile
from pathlib import Path


def _kernel_cache() -> Path:
    """Numba's cache does not notice changes in the files that a kernel's file imports: hash them all."""
    sources = sorted((Path(__file__).parents[1] / "src" / "jacobeig" / "_kernels").glob("*.py"))
    flags = {
        name: value for name, value in os.environ.items() if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    }
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + repr(sorted(flags.items())).encode())
    return Path(tempfile.gettempdir()) / f"jacobeig-kernels-{digest.hexdigest()[:16]}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(_kernel_cache()))
