"""`jacobeig demo`: what sparsity costs, on handwritten digits."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import jacobeig as je
from jacobeig._extras import import_extra
from jacobeig.cli import _options as options
from jacobeig.cli._summary import tabulate
from jacobeig.errors import InvalidInputError

__all__ = ["EXAMPLES", "demo"]

EXAMPLES = ("jacobeig demo", "jacobeig demo --components 20 --output demo.svg")
PICTURES = (".png", ".svg", ".pdf")
DENSITIES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def demo(
    saying: options.Saying,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the picture (png, svg or pdf).")
    ] = Path("jacobeig-demo.png"),
    components: Annotated[
        int, typer.Option("--components", "-p", min=1, max=50, metavar="N", help="Number of components.")
    ] = 10,
) -> None:
    """Sparse PCA of scikit-learn's handwritten digits: accuracy against sparsity, as a table and a picture."""
    from jacobeig.results.atomic_files import replace_file, require_writable

    session = saying.start("demo")
    if output.suffix not in PICTURES:
        known = f"{', '.join(PICTURES[:-1])} or {PICTURES[-1]}"
        raise InvalidInputError(f"--output is {output}; give a name that ends in {known}.")
    require_writable(output)
    with session.show_waiting("solving (the first run compiles, which takes some seconds)"):
        X = import_extra("sklearn.datasets").load_digits().data
        X = X - X.mean(axis=0)
        covariance = X.T @ X / (len(X) - 1)
        exact = je.metrics.extreme_eigenvalues(covariance, components)
        results = [je.sparse_eigsh(covariance, components, density=density) for density in DENSITIES]
        refined = [je.refine(covariance, result) for result in results]
    rows = _measure_tradeoff(results, refined, float(exact.sum()))
    session.show_headline(f"{components} sparse components of 1,797 digits of {len(covariance)} pixels")
    session.show(_show_rows(rows, components))
    with session.show_waiting("drawing"), replace_file(output) as draft:
        je.plotting.save_demo(results, refined, covariance, exact, (8, 8), draft)
    session.show(f"100% is full PCA, all dense. Picture written to [bold]{escape(str(output))}[/].")
    session.show_steps({"jacobeig pca your_data.csv": "samples in rows, features in columns"})
    session.finish({"picture": output}, rows=rows)


def _measure_tradeoff(
    results: list["je.EigenResult"], refined: list["je.EigenResult"], total: float
) -> list[dict[str, Any]]:
    return [
        {
            "density": result.density,
            "nonzeros": result.vectors.nnz,
            "n_rotations": result.n_rotations,
            "accuracy": float(result.eigenvalues.sum()) / total,
            "refined_accuracy": float(better.eigenvalues.sum()) / total,
            "orthonormality_error": max(je.metrics.orthonormality_error(found.vectors) for found in (result, better)),
        }
        for result, better in zip(results, refined, strict=True)
    ]


def _show_rows(rows: list[dict[str, Any]], p: int) -> Any:
    return tabulate(
        ("density", "nonzeros each", "rotations", "accuracy", "refined", "orthonormal to"),
        [
            (
                f"{row['density']:.1%}",
                f"{row['nonzeros'] / p:.1f}",
                f"{row['n_rotations']:,}",
                f"{row['accuracy']:.1%}",
                f"{row['refined_accuracy']:.1%}",
                f"{row['orthonormality_error']:.0e}",
            )
            for row in rows
        ],
        left=0,
    )
