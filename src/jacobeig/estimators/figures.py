"""What fitted models say of each of their vectors: for notebooks and for the command line."""

from typing import Any

import numpy as np
from scipy import sparse

from jacobeig.results.pictures import rank_loadings, tabulate_html

__all__ = ["list_figures", "tabulate_model"]

SHOWN, LEADING = 20, 5  # vectors in a table, and entries named of each


def list_figures(model: Any) -> dict[str, list[str]]:
    """Return the figures of each vector of a fitted `JacobiPCA` or `GraphFourier`, as text."""
    if hasattr(model, "frequencies_"):
        return {"frequency": [f"{value:.4g}" for value in _round_to_zero(model)]}
    ratio = model.explained_variance_ratio_
    return {
        "variance": [f"{share:.1%}" for share in ratio],
        "cumulative": [f"{share:.1%}" for share in np.cumsum(ratio)],
    }


def _round_to_zero(model: Any) -> Any:
    """Return the frequencies, zero where they are rounding beside the graph's largest entry, or the largest of them."""
    laplacian, frequencies = getattr(model, "laplacian_", None), model.frequencies_
    largest = np.abs(frequencies).max() if laplacian is None else abs(laplacian).max()
    return np.where(np.abs(frequencies) <= np.finfo(frequencies.dtype).eps * largest, 0.0, frequencies)


def tabulate_model(model: Any) -> str:
    """Return a table of the vectors of a fitted model for notebooks: figures, nonzeros, and the largest entries."""
    on_graph = hasattr(model, "modes_")
    vectors = sparse.csc_array(model.modes_ if on_graph else model.components_.T)
    n, p = vectors.shape
    names = getattr(model, "nodes_", getattr(model, "feature_names_in_", None))
    word = "node" if on_graph else "feature"
    columns = {"mode" if on_graph else "component": [str(t + 1) for t in range(p)], **list_figures(model)}
    columns["nonzeros"] = [f"{count:,}" for count in np.diff(vectors.indptr)]
    columns[f"leading {word}s"] = [
        ", ".join(f"{word} {i}" if names is None else str(names[i]) for i in rank_loadings(vectors, t)[0][:LEADING])
        + (", ..." if vectors.indptr[t + 1] - vectors.indptr[t] > LEADING else "")
        for t in range(p)
    ]
    caption = f"{p} vectors of length {n}, {model.decomposition_.density:.1%} of the entries not zero"
    if not on_graph:
        caption += f"; together they explain {model.total_explained_variance_ratio_:.1%} of the variance"
    more = "" if p <= SHOWN else f" The first {SHOWN} are listed."
    return tabulate_html(f"{caption}.{more}", {name: cells[:SHOWN] for name, cells in columns.items()})
