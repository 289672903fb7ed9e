"""`jacobeig warmup`: everything compiled ahead of time."""

from typing import Annotated

import typer

import jacobeig as je
from jacobeig.cli import _options as options
from jacobeig.cli._wording import plural

__all__ = ["EXAMPLES", "warmup"]

EXAMPLES = ("jacobeig warmup", "NUMBA_CACHE_DIR=/opt/kernels jacobeig warmup --dtype float64")


def warmup(
    saying: options.Saying,
    dtype: Annotated[
        list[str] | None,
        typer.Option(metavar="DTYPE", help="A dtype of the matrices to come, several times if need be; by default "
        "float64 and float32. There are also complex128 and complex64."),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How many compile at once; by default one for each processor."),
    ] = None,
) -> None:  # fmt: skip
    """Compile everything now, so that no later command or program has to wait.

    Kernels are kept beside the package, or in your cache folder, or where NUMBA_CACHE_DIR says.
    """
    session = saying.start("warmup")
    dtypes = dtype or ["float64", "float32"]
    n_tasks = je.warmup(dtypes, n_processes=processes, progress=session.progress)
    session.show(f"Ready for {', '.join(dtypes)}: {plural(n_tasks, 'task')} compiled or found.")
    session.finish(dtypes=dtypes, n_tasks=n_tasks)
