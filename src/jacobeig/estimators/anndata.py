"""Sparse principal components of single cells, written where scanpy looks for them.

Nothing here imports anndata: an object with `X`, `layers`, `var`, `obsm`, `varm` and `uns` is enough.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import check_boolean
from jacobeig.errors import InvalidInputError
from jacobeig.estimators.pca import JacobiPCA

__all__ = ["sparse_pca"]

# What scanpy's own tools read: neighbors, pca_loadings, pca_variance_ratio and the rest.
SCANPY = {"obsm": "X_pca", "varm": "PCs", "uns": "pca"}


def sparse_pca(
    adata: Any,
    n_comps: int = 10,
    *,
    max_genes: int | None = None,
    density: float | None = None,
    layer: str | None = None,
    mask_var: Any = "auto",
    scale: bool = False,
    refine: bool | str = True,
    random_state: Any = 0,
    key_added: str = "jacobipca",
    copy: bool = False,
) -> Any:
    """Find sparse principal components of the cells of an AnnData object: each of a few genes, all orthonormal.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns; usually normalised and on a log scale. Sparse expressions stay sparse.
    n_comps : int, default 10
        Number of components.
    max_genes : int, optional
        At most this many genes in each component.
    density : float, optional
        At most this share of all loadings is not zero. Without both, see `jacobeig.JacobiPCA`.
    layer : str, optional
        The layer to take in place of `X`.
    mask_var : str or array_like of bool, default "auto"
        Which genes to use: a column of `var`, or a mask; None for all. "auto" is "highly_variable" if there is such a
        column, as in scanpy.
    scale : bool, default False
        Whether to divide each gene by its standard deviation.
    refine, random_state
        As for `jacobeig.JacobiPCA`; refined by default.
    key_added : str, default "jacobipca"
        The scores go to ``obsm["X_" + key_added]``, the loadings to ``varm[key_added]``, variances and parameters to
        ``uns[key_added]``. With "pca" they go where `scanpy.pp.pca` writes, and all its tools and plots use them.
    copy : bool, default False
        Whether to return a copy with the results, and leave `adata` as it is.

    Returns
    -------
    AnnData or None
        The copy, if asked for.

    Examples
    --------
    >>> import anndata  # doctest: +SKIP
    >>> import jacobeig as je
    >>> cells = anndata.read_h5ad("cells.h5ad")  # doctest: +SKIP
    >>> je.anndata.sparse_pca(cells, 10, max_genes=30)  # doctest: +SKIP
    >>> cells.obsm["X_jacobipca"].shape  # doctest: +SKIP
    (2700, 10)
    """
    adata = adata.copy() if check_boolean("copy", copy) else adata
    chosen, mask = _read_mask(adata, mask_var)
    X = _read_expressions(adata, layer)
    model = JacobiPCA(
        n_comps, max_nonzeros=max_genes, density=density, scale=scale, refine=refine, random_state=random_state
    )
    scores = model.fit_transform(X if mask.all() else X[:, np.flatnonzero(mask)])
    loadings = np.zeros((len(mask), model.n_components_), model.components_.dtype)
    loadings[mask] = model.components_.T
    keys = SCANPY if key_added == "pca" else {"obsm": f"X_{key_added}", "varm": key_added, "uns": key_added}
    adata.obsm[keys["obsm"]], adata.varm[keys["varm"]] = scores, loadings
    adata.uns[keys["uns"]] = {
        "params": {"max_genes": max_genes, "density": density, "layer": layer, "mask_var": chosen, "scale": scale},
        "variance": model.explained_variance_,
        "variance_ratio": model.explained_variance_ratio_,
    }
    return adata if copy else None


def _read_expressions(adata: Any, layer: str | None) -> Any:
    """Return the expressions of all genes, in memory."""
    if layer is not None and layer not in adata.layers:
        raise InvalidInputError(f"layer is {layer!r}; the layers are {', '.join(map(repr, adata.layers)) or 'none'}.")
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise InvalidInputError("adata has no X; give a layer.")
    if hasattr(X, "to_memory"):  # a sparse matrix in a file
        return X.to_memory()
    return X if hasattr(X, "astype") else X[:]


def _read_mask(adata: Any, mask_var: Any) -> tuple[str | None, NDArray[np.bool_]]:
    """Return the name of the column that chooses genes, if there is one, and which are chosen."""
    if isinstance(mask_var, str) and mask_var == "auto":
        mask_var = "highly_variable" if "highly_variable" in adata.var else None
    if mask_var is None:
        return None, np.ones(adata.n_vars, dtype=np.bool_)
    name = mask_var if isinstance(mask_var, str) else None
    if name is not None and name not in adata.var:
        raise InvalidInputError(f"mask_var is {name!r}; adata.var has no such column.")
    mask = np.asarray(adata.var[name] if name is not None else mask_var)
    if mask.shape != (adata.n_vars,) or mask.dtype != np.bool_ or mask.sum() < 2:
        raise InvalidInputError(
            f"mask_var has shape {mask.shape} and dtype {mask.dtype}; give a bool for each of the {adata.n_vars} "
            "genes, with at least two of them true."
        )
    return name, mask
