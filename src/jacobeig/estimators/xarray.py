"""Sparse empirical orthogonal functions of fields in space and time, with their coordinates."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import name_type
from jacobeig._extras import import_extra
from jacobeig.errors import InvalidInputError, InvalidTypeError
from jacobeig.estimators.pca import JacobiPCA

__all__ = ["sparse_eof"]

LATITUDES = ("lat", "latitude", "nav_lat")


def sparse_eof(
    field: Any,
    dim: str = "time",
    *,
    n_modes: int = 10,
    max_cells: int | None = None,
    density: float | None = None,
    weights: Any = "area",
    scale: bool = False,
    refine: bool | str = True,
    random_state: Any = 0,
) -> Any:
    """Find sparse empirical orthogonal functions of a field: patterns of a few cells each, all orthonormal.

    Parameters
    ----------
    field : xarray.DataArray
        With `dim` and any spatial dimensions. Cells that are missing throughout (land) are left out; one that is
        missing at times only is refused. Dask arrays are computed in chunks.
    dim : str, default "time"
        The dimension along which the field varies.
    n_modes : int, default 10
        Number of patterns.
    max_cells : int, optional
        At most this many cells in each pattern.
    density : float, optional
        At most this share of all entries is not zero. Without both, see `jacobeig.JacobiPCA`.
    weights : {"area"}, DataArray or None, default "area"
        What anomalies are multiplied by: "area" is the root of the cosine of the latitude, if the field has one; None
        is 1. A DataArray has some of the spatial dimensions.
    scale : bool, default False
        Whether to divide each cell by its standard deviation.
    refine, random_state
        As for `jacobeig.JacobiPCA`; refined by default.

    Returns
    -------
    xarray.Dataset
        `components` (mode and space; of weighted anomalies, orthonormal, nan where cells are missing), `patterns` (the
        field's anomaly for one standard deviation of each mode), `scores` (`dim` and mode), `explained_variance`,
        `explained_variance_ratio` and `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> import jacobeig as je
    >>> values = np.random.default_rng(0).standard_normal((40, 4, 6))
    >>> field = xr.DataArray(values, dims=("time", "lat", "lon"), coords={"lat": [10.0, 20.0, 30.0, 40.0]})
    >>> modes = je.xarray.sparse_eof(field, n_modes=2, max_cells=5)
    >>> modes.components.dims, int((modes.components != 0).sum()) <= 10
    (('mode', 'lat', 'lon'), True)
    """
    xr = import_extra("xarray")
    if not isinstance(field, xr.DataArray):
        raise InvalidTypeError(f"field is {name_type(field)}; give an xarray.DataArray.")
    if dim not in field.dims or field.ndim < 2:
        raise InvalidInputError(
            f"field has the dimensions {field.dims}; give `dim`, one of them, and others for space."
        )
    space = tuple(name for name in field.dims if name != dim)
    cells = xr.ones_like(field.isel({dim: 0}, drop=True).transpose(*space), dtype=np.float64).compute()
    present = _find_present(field, dim, space)
    factors = (cells * _read_weights(xr, cells, weights)).transpose(*space).values.ravel()[present]
    samples = field.transpose(dim, *space).data.reshape(field.sizes[dim], -1)[:, present] * factors
    model = JacobiPCA(
        n_modes, max_nonzeros=max_cells, density=density, scale=scale, refine=refine, random_state=random_state
    ).fit(samples)
    patterns = model.components_ * np.sqrt(model.explained_variance_)[:, np.newaxis] * model.scale_ / factors
    variables = {
        "components": (("mode", *space), _place(model.components_, present, cells.shape)),
        "patterns": (("mode", *space), _place(patterns, present, cells.shape)),
        "scores": ((dim, "mode"), np.asarray(model.transform(samples))),
        "explained_variance": ("mode", model.explained_variance_),
        "explained_variance_ratio": ("mode", model.explained_variance_ratio_),
        "mean": (space, _place(model.mean_ / factors, present, cells.shape)),
    }
    return xr.Dataset(variables, coords={**field.coords, "mode": np.arange(1, model.n_components_ + 1)})


def _find_present(field: Any, dim: str, space: tuple[Any, ...]) -> NDArray[np.intp]:
    """Return the places of the cells that have values, or raise where one has only some."""
    gaps = field.isnull()
    every, some = (np.asarray(found.transpose(*space).values).ravel() for found in (gaps.all(dim), gaps.any(dim)))
    if (some & ~every).any():
        raise InvalidInputError(
            f"field has {int((some & ~every).sum())} cells that are missing for a part of {dim!r}; fill them, with "
            f"field.interpolate_na({dim!r}) for example, or leave these cells out."
        )
    return np.flatnonzero(~every)


def _read_weights(xr: Any, cells: Any, weights: Any) -> Any:
    """Return what the anomalies of each cell are multiplied by."""
    if isinstance(weights, str) and weights == "area":
        latitude = next((name for name in LATITUDES if name in cells.coords), None)
        # At the poles the cosine is zero, and could not be divided by again.
        return 1.0 if latitude is None else np.sqrt(np.maximum(np.cos(np.deg2rad(cells[latitude])), 1e-6))
    if weights is None:
        return 1.0
    if not isinstance(weights, xr.DataArray) or not set(weights.dims) <= set(cells.dims):
        raise InvalidInputError(
            f"weights are {weights!r}; give 'area', None, or a DataArray of dimensions among {cells.dims}."
        )
    if not bool((weights > 0).all()):
        raise InvalidInputError("weights hold numbers that are not above 0; make such cells missing instead.")
    return weights


def _place(values: NDArray[Any], present: NDArray[np.intp], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return values of the cells that are present on the whole field, nan elsewhere."""
    whole = np.full((*values.shape[:-1], int(np.prod(shape))), np.nan)
    whole[..., present] = values
    return whole.reshape(*values.shape[:-1], *shape)
