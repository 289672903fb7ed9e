"""`jacobeig info`: what is in a model file."""

from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text

from jacobeig.cli import _options as options
from jacobeig.cli._files import KINDS, load_model, read
from jacobeig.cli._summary import describe_error, tabulate_components
from jacobeig.cli._views import View, view_model

__all__ = ["EXAMPLES", "info"]

EXAMPLES = ("jacobeig info genes-pca/model.npz", "jacobeig info model.npz --json")


def info(
    model: Annotated[Path, options.take_file("MODEL", "A model.npz that pca, eig or graph wrote, or `save`.")],
    saying: options.Saying,
) -> None:
    """Show what a model file holds: its kind, its components, how it was made."""
    session = saying.start("info")
    fitted = read(session, load_model, model)
    view = view_model(fitted)
    session.show(_describe(view, model), "", tabulate_components(view))
    session.finish(
        {"model": model}, kind=view.kind, n_features=view.vectors.shape[0], parameters=_list_parameters(fitted),
        **view.facts, components=[_list_loadings(view, t) for t in range(view.vectors.shape[1])],
    )  # fmt: skip


def _describe(view: View, path: Path) -> Table:
    table = Table.grid(padding=(0, 2))
    facts, method = view.facts, view.result.method
    choices = ("which", "target", "pivot", "start") if method.is_of_chain else ("which", "target", "refined_from")
    lines = {
        "file": f"{path} ({path.stat().st_size / 1024:,.0f} KiB)",
        "kind": f"{view.kind}: {KINDS[view.kind]}",
        "size": f"{facts['n_components']:,} components of length {view.vectors.shape[0]:,}",
        "density": f"{facts['density']:.2%}",
        "orthonormal to": describe_error(facts["orthonormality_error"]),
        "rotations": f"{facts['n_rotations']:,}" if view.result.rotations is not None else "none, it was refined",
        "method": ", ".join(f"{name} {getattr(method, name)}" for name in choices),
        "ended": f"{facts['solver_status']}: {facts['solver_advice']}",
    }
    for name, value in lines.items():
        table.add_row(Text(name, style="bold"), Text(value))
    return table


def _list_parameters(model: Any) -> dict[str, Any]:
    parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    return {name: value for name, value in parameters.items() if name not in ("progress", "checkpoint")}


def _list_loadings(view: View, t: int) -> list[dict[str, Any]]:
    from jacobeig.results.pictures import rank_loadings

    ranked = zip(*rank_loadings(view.vectors, t), strict=True)
    return [{"feature": view.names[i], "loading": loading} for i, loading in ranked]
