"""Set up before Numba is imported: a cache that follows the kernels' source; and how long Hypothesis searches."""

import hashlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings


def _kernel_cache() -> Path:
    """Numba's cache does not notice changes in the files that a kernel's file imports: hash them all."""
    sources = sorted((Path(__file__).parents[1] / "src" / "jacobeig" / "_kernels").glob("*.py"))
    flags = {
        name: value for name, value in os.environ.items() if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    }
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + repr(sorted(flags.items())).encode())
    return Path(tempfile.gettempdir()) / f"jacobeig-kernels-{digest.hexdigest()[:16]}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(_kernel_cache()))

settings.register_profile("default", deadline=None, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes without compiled kernels, where there are none."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "1":
        left_out = [item for item in items if item.get_closest_marker("compiled")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
