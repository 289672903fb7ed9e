"""Build wheels that bring their compiled kernels along, so that nobody who installs one waits for a compiler.

Called by hatchling. Kernels are compiled as `jacobeig warmup` does, in `build/kernels`, from where the next build takes
what has not changed. Where that fails, or JACOBEIG_COMPILE=0, the wheel is plain Python and compiles on first use; a
release, and whoever tests one, sets JACOBEIG_COMPILE=1, so that a failure ends the build.
"""

import hashlib
import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DTYPES = ("float64", "float32", "complex128")


class KernelHook(BuildHookInterface):  # type: ignore[misc]  # hatchling need not be there where types are checked
    """Adds object code to a wheel and names the platform that it is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless the package stays where it is."""
        wish = os.environ.get("JACOBEIG_COMPILE")
        if self.target_name != "wheel" or version == "editable" or wish == "0":
            return
        try:
            files = compile_kernels(Path(self.root))
        except (OSError, subprocess.CalledProcessError) as error:
            if wish == "1":
                raise
            self.app.display_warning(f"No kernels are shipped, as they could not be compiled: {error}")
            return
        build_data["force_include"] |= {str(path): f"jacobeig/_kernels/compiled/{path.name}" for path in files}
        build_data |= {"pure_python": False, "tag": f"py3-none-{name_platform()}"}


def compile_kernels(root: Path) -> list[Path]:
    """Return files of object code, of the kernels as they are now."""
    sources = sorted((root / "src/jacobeig/_kernels").glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    folder = root / "build/kernels" / digest[:16]
    paths = os.pathsep.join(filter(None, [str(root / "src"), os.environ.get("PYTHONPATH")]))
    # What Numba is told to do otherwise makes other code.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder)}
    code = f"from jacobeig.compiling import warmup; warmup({DTYPES})"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    # What Numba keeps for itself is of use to the same Numba alone.
    return [path for path in sorted(folder.rglob("*.jec")) if ".numba." not in path.name]


def name_platform() -> str:
    """Return the platform that object code is for; it needs no more of a C library than its functions of numbers."""
    name = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"many{name.replace('linux', 'linux_2_17')}" if platform.libc_ver()[0] == "glibc" else name
