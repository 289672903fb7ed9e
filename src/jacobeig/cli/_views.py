"""Models as commands show them, whichever kind they are of."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import jacobeig as je
from jacobeig.cli._wording import in_options


@dataclass(frozen=True, kw_only=True)
class View:
    """A model's vectors, what their entries are called (each a `feature`), and figures of each vector and of all."""

    model: Any
    kind: str
    result: "je.EigenResult"
    vectors: Any
    feature: str
    names: list[str]
    columns: dict[str, list[str]]
    facts: dict[str, Any]
    chosen: Any = None  # the share of refits that choose each feature for each vector (p, n), if there were any


def view_model(model: Any, names: Iterable[object] | None = None) -> View:
    """Return what there is to show of a model; names that it does not know itself can be given."""
    kind = type(model).__name__
    look = {"JacobiPCA": _view_pca, "GraphFourier": _view_graph}.get(kind, _view_result)
    result, vectors, feature, columns, facts = look(model)
    known = getattr(model, "nodes_", getattr(model, "feature_names_in_", names))
    word, n = "column" if feature == "feature" else feature, vectors.shape[0]
    return View(
        model=model,
        kind=kind,
        result=result,
        vectors=vectors,
        feature=feature,
        names=[f"{word} {t + 1}" for t in range(n)] if known is None else [str(name) for name in known],
        columns=columns,
        facts=_measure(result) | facts,
    )


def add_stability(view: View, stability: Any) -> View:
    """Return a view that also says how often features are chosen again."""
    again = [float(row[own].mean()) for row, own in zip(stability.frequencies, stability.chosen, strict=True)]
    return replace(
        view,
        columns=view.columns | {"stable": [f"{share:.0%}" for share in again]},
        facts=view.facts | {"chosen_again": again, "n_refits": len(stability.similarities)},
        chosen=stability.frequencies,
    )


def count_nonzeros(vectors: Any) -> Any:
    """Return how many entries each vector has."""
    return vectors.indptr[1:] - vectors.indptr[:-1]


def _measure(result: "je.EigenResult") -> dict[str, Any]:
    return {
        "n_components": result.vectors.shape[1],
        "density": result.density,
        "nonzeros": count_nonzeros(result.vectors),
        "orthonormality_error": je.metrics.orthonormality_error(result.vectors),
        "n_rotations": result.n_rotations,
        "solver_status": result.status.name.lower(),
        "solver_advice": in_options(result.status.advice),
    }


def _view_pca(model: Any) -> tuple[Any, ...]:
    ratio = model.explained_variance_ratio_
    facts = {
        "explained_variance": model.explained_variance_,
        "explained_variance_ratio": ratio,
        "total_explained_variance_ratio": model.total_explained_variance_ratio_,
    }
    from scipy.sparse import csc_array

    from jacobeig.estimators.figures import list_figures

    return model.decomposition_, csc_array(model.components_.T), "feature", list_figures(model), facts


def _view_graph(model: Any) -> tuple[Any, ...]:
    from jacobeig.estimators.figures import list_figures

    return model.decomposition_, model.modes_, "node", list_figures(model), {"frequencies": model.frequencies_}


def _view_result(result: "je.EigenResult") -> tuple[Any, ...]:
    columns = {"eigenvalue": [f"{value:.5g}" for value in result.eigenvalues]}
    captured = float(result.eigenvalues.sum(dtype="float64"))
    facts = {"eigenvalues": result.eigenvalues, "captured": captured, "which": result.method.which}
    return result, result.vectors, "row", columns, facts
