"""`jacobeig info`: what is in a model file."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table
from rich.text import Text
from scipy import sparse

from jacobeig.cli import _options as options
from jacobeig.cli._models import KINDS, get_feature_names, load_model
from jacobeig.cli._naming import name_features
from jacobeig.cli._output import Session, in_options
from jacobeig.cli._reading import read
from jacobeig.cli._summary import components_table, describe_error, rank_loadings
from jacobeig.cli.eig import result_facts
from jacobeig.cli.graph import graph_facts
from jacobeig.cli.pca import model_facts

__all__ = ["EXAMPLES", "info"]

EXAMPLES = ("jacobeig info genes-pca/model.npz", "jacobeig info model.npz --json")


def info(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", readable=False, help="A model.npz that pca, eig or graph wrote, or `save`."),
    ],
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Show what a model file holds: its kind, its components, how it was made."""
    session = Session("info", quiet=quiet, as_json=as_json)
    kind, fitted = read(session, load_model, model)
    result = fitted if kind == "EigenResult" else fitted.decomposition_
    facts = {"JacobiPCA": model_facts, "GraphFourier": graph_facts, "EigenResult": result_facts}[kind](fitted)
    n = result.vectors.shape[0]
    parameters = (
        {} if kind == "EigenResult" else {k: v for k, v in fitted.get_params(deep=False).items() if k != "progress"}
    )
    vectors, called, columns = _components(kind, fitted, n, facts)
    what = {"GraphFourier": "nodes", "EigenResult": "rows"}.get(kind, "features")
    session.show(_description(kind, model, n, facts, result), "", components_table(columns, vectors, called, what=what))
    loadings = [_loadings(vectors, t, called) for t in range(vectors.shape[1])]
    session.finish({"model": model}, kind=kind, n_features=n, parameters=parameters, **facts, components=loadings)


def _description(kind: str, path: Path, n: int, facts: dict[str, Any], result: Any) -> Table:
    table = Table.grid(padding=(0, 2))
    lines = {
        "file": f"{path} ({path.stat().st_size / 1024:,.0f} KiB)",
        "kind": f"{kind}: {KINDS[kind]}",
        "size": f"{facts['n_components']:,} components of length {n:,}",
        "density": f"{facts['density']:.2%}",
        "orthonormal to": describe_error(facts["orthonormality_error"]),
        "rotations": f"{facts['n_rotations']:,}" if result.rotations is not None else "none, it was refined",
        "method": ", ".join(f"{name} {getattr(result.method, name)}" for name in ("which", "target", "pivot", "start")),
        "ended": f"{facts['solver_status']}: {in_options(facts['solver_advice'])}",
    }
    for name, value in lines.items():
        table.add_row(Text(name, style="bold"), Text(value))
    return table


def _components(kind: str, model: Any, n: int, facts: dict[str, Any]) -> tuple[Any, list[str], dict[str, list[str]]]:
    """Return the vectors of a model, what it calls their entries, and the columns that tell of each vector."""
    names = get_feature_names(kind, model)
    if kind == "JacobiPCA":
        ratio = facts["explained_variance_ratio"]
        columns = {
            "variance": [f"{share:.1%}" for share in ratio],
            "cumulative": [f"{share:.1%}" for share in np.cumsum(ratio)],
        }
        return sparse.csc_array(model.components_.T), name_features(names, n), columns
    if kind == "GraphFourier":
        columns = {"frequency": [f"{value:.4g}" for value in facts["frequencies"]]}
        return model.modes_, [str(node) for node in model.nodes_], columns
    columns = {"eigenvalue": [f"{value:.5g}" for value in facts["eigenvalues"]]}
    return model.vectors, name_features(names, n, "row"), columns


def _loadings(vectors: Any, t: int, names: list[str]) -> list[dict[str, Any]]:
    return [{"feature": names[i], "loading": loading} for i, loading in zip(*rank_loadings(vectors, t), strict=True)]
