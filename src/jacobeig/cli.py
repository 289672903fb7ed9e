"""The command line: parse, load, call, print; no mathematics."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from jacobeig import __version__, metrics, plotting
from jacobeig.errors import JacobeigError, MissingExtraError
from jacobeig.improve import refine
from jacobeig.result import EigenResult
from jacobeig.solve import sparse_eigsh

__all__ = ["app"]

app = typer.Typer(
    help="A few sparse, exactly orthonormal, approximate eigenvectors of symmetric and Hermitian matrices.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
console, errors = Console(), Console(stderr=True)

DEMO_DENSITIES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"jacobeig {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A few sparse, exactly orthonormal, approximate eigenvectors of symmetric and Hermitian matrices."""


@app.command()
def demo(
    output: Annotated[Path, typer.Option(help="Where to write the picture (png, svg or pdf).")] = Path(
        "jacobeig-demo.png"
    ),
    components: Annotated[int, typer.Option(min=1, max=50, help="Number of components.")] = 10,
) -> None:
    """Sparse PCA of scikit-learn's handwritten digits: accuracy against sparsity, as a table and a picture."""
    try:
        covariance = _digits_covariance()
        exact = metrics.extreme_eigenvalues(covariance, components)
        results = [sparse_eigsh(covariance, components, density=density) for density in DEMO_DENSITIES]
        refined = [refine(covariance, result) for result in results]
        _print_tradeoff(results, refined, float(exact.sum()))
        plotting.save_demo(results, refined, covariance, exact, (8, 8), output)
    except (JacobeigError, OSError) as error:
        errors.print(f"[bold red]{error}[/]", highlight=False)
        raise typer.Exit(1) from error
    console.print(
        f"Picture written to [bold]{output}[/]. Next: [bold]import jacobeig as je[/], then je.sparse_eigsh(S, p)."
    )


def _digits_covariance() -> Any:
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "pca") from error
    X = load_digits().data
    X = X - X.mean(axis=0)
    return X.T @ X / (len(X) - 1)


def _print_tradeoff(results: list[EigenResult], refined: list[EigenResult], total: float) -> None:
    n, p = results[0].vectors.shape
    table = Table(title=f"{p} sparse components of 1,797 digits of {n} pixels", caption="100% is full PCA, all dense.")
    for heading in ("density", "nonzeros each", "rotations", "accuracy", "refined", "orthonormal to"):
        table.add_column(heading, justify="right")
    for result, better in zip(results, refined, strict=True):
        table.add_row(
            f"{result.density:.1%}",
            f"{result.vectors.nnz / p:.1f}",
            f"{result.n_rotations:,}",
            f"{result.eigenvalues.sum() / total:.1%}",
            f"{better.eigenvalues.sum() / total:.1%}",
            f"{max(metrics.orthonormality_error(found.vectors) for found in (result, better)):.0e}",
        )
    console.print(table)
