"""Sparse patterns of fields, with their coordinates."""

import sys

import numpy as np
import pytest

import jacobeig as je
from jacobeig.errors import InvalidInputError, InvalidTypeError, MissingExtraError

xr = pytest.importorskip("xarray")
LAT, LON = np.linspace(-60.0, 60.0, 5), np.arange(6.0)


@pytest.fixture
def field():
    rng = np.random.default_rng(0)
    values = np.einsum("tm,mij->tij", rng.standard_normal((50, 3)), rng.standard_normal((3, 5, 6)))
    values += 0.1 * rng.standard_normal(values.shape)
    values[:, 0, :2] = np.nan  # land
    return xr.DataArray(values, dims=("time", "lat", "lon"), coords={"lat": LAT, "lon": LON, "time": np.arange(50)})


def test_components_have_coordinates_and_leave_land_missing(field):
    modes = je.xarray.sparse_eof(field, n_modes=2, max_cells=6)
    assert modes.components.dims == ("mode", "lat", "lon")
    assert np.isnan(modes.components.values[:, 0, :2]).all()
    assert int((modes.components.fillna(0.0) != 0).sum(("lat", "lon")).max()) <= 6
    flat = np.nan_to_num(modes.components.values.reshape(2, -1))
    np.testing.assert_allclose(flat @ flat.T, np.eye(2), atol=1e-12)
    np.testing.assert_array_equal(modes.lat, LAT)
    np.testing.assert_array_equal(modes.time, field.time)


def test_they_are_those_of_the_weighted_anomalies(field):
    modes = je.xarray.sparse_eof(field, n_modes=2, max_cells=6)
    weighted = (field * np.sqrt(np.cos(np.deg2rad(field.lat)))).values.reshape(50, -1)
    X = weighted[:, ~np.isnan(weighted[0])]
    model = je.JacobiPCA(2, max_nonzeros=6, refine=True, random_state=0).fit(X)
    np.testing.assert_allclose(modes.scores, model.transform(X), atol=1e-10)
    np.testing.assert_allclose(modes.explained_variance, model.explained_variance_)


@pytest.mark.parametrize("scale", [False, True])
def test_full_patterns_times_scores_give_the_field_back(field, scale):
    modes = je.xarray.sparse_eof(field, n_modes=28, density=1.0, refine=False, scale=scale)
    standard = modes.scores / np.sqrt(modes.explained_variance)
    back = (standard * modes.patterns).sum("mode", skipna=False) + modes["mean"]
    np.testing.assert_allclose(back.transpose(*field.dims), field, atol=1e-9)


def test_the_order_of_dimensions_and_chunks_do_not_matter(field):
    pytest.importorskip("dask")
    wanted = je.xarray.sparse_eof(field, n_modes=2, max_cells=6)
    turned = je.xarray.sparse_eof(field.transpose("lat", "time", "lon"), n_modes=2, max_cells=6)
    chunked = je.xarray.sparse_eof(field.chunk({"time": 20}), n_modes=2, max_cells=6)
    for other in (turned, chunked):
        np.testing.assert_allclose(other.components, wanted.components, atol=1e-8)


def test_weights_are_chosen(field):
    plain = je.xarray.sparse_eof(field, n_modes=2, max_cells=6, weights=None)
    ones = je.xarray.sparse_eof(field, n_modes=2, max_cells=6, weights=xr.ones_like(field.lat))
    np.testing.assert_array_equal(plain.components, ones.components)
    without = je.xarray.sparse_eof(field.drop_vars("lat"), n_modes=2, max_cells=6)
    np.testing.assert_array_equal(plain.components, without.components)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": "month"}, "field has the dimensions"),
        ({"weights": "volume"}, "weights are 'volume'"),
        ({"weights": xr.DataArray([1.0, 2.0], dims="depth")}, "dimensions among"),
        ({"weights": xr.DataArray(-LAT, dims="lat")}, "not above 0"),
    ],
)
def test_mistakes_are_named(field, options, message):
    with pytest.raises(InvalidInputError, match=message):
        je.xarray.sparse_eof(field, **options)


def test_cells_that_come_and_go_are_counted(field):
    field[3, 2, 2] = np.nan
    with pytest.raises(InvalidInputError, match="1 cells that are missing for a part of 'time'"):
        je.xarray.sparse_eof(field)


def test_other_arrays_and_a_missing_library_are_named(field, monkeypatch):
    with pytest.raises(InvalidTypeError, match="field is an ndarray"):
        je.xarray.sparse_eof(field.values)
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(MissingExtraError, match=r"jacobeig\[xarray\]"):
        je.xarray.sparse_eof(field)
