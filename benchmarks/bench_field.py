"""Sparse patterns of a field in space and time: `je.xarray.sparse_eof` beside SparsePCA of xeofs, at as many cells.

    python benchmarks/bench_field.py

The field is that of docs/examples/plot_field.py: four swings between distant regions, noise, and land without values.
xeofs has a penalty in place of a budget, so it runs first, at several penalties, and ours get the cells that it left.
Captured variance is by projection on the patterns' span, of anomalies weighted by area. CPU seconds.
"""

import importlib
import importlib.metadata
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import jacobeig as je

PENALTIES = (1e-4, 3e-4, 1e-3, 3e-3)
EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "plot_field.py"


def make_field() -> Any:
    """Return the field of the example, whose first part makes it."""
    names: dict[str, Any] = {}
    exec(EXAMPLE.read_text(encoding="utf-8").split("# %%")[0], names)
    field = names["field"]
    return field.assign_coords(time=np.arange(field.sizes["time"]))  # which xeofs asks for


def weigh(field: Any) -> Any:
    """Return anomalies times the root of the area."""
    return (field - field.mean("time")) * np.sqrt(np.cos(np.deg2rad(field.lat)))


def capture(field: Any, patterns: Any) -> tuple[float, int, float]:
    """Return the share of the weighted variance on the span of patterns (mode, lat, lon), their cells, their error."""
    weighted = weigh(field).stack(cell=("lat", "lon")).dropna("cell")
    Y = weighted.transpose("time", "cell").to_numpy()
    V = patterns.stack(cell=("lat", "lon")).sel(cell=weighted.cell).transpose("cell", "mode").to_numpy()
    V = V[:, np.any(V != 0.0, axis=0)]
    V = V / np.linalg.norm(V, axis=0)
    span = np.linalg.qr(V)[0]
    share = float(np.sum((Y @ span) ** 2) / np.sum(Y**2))
    return share, int(np.count_nonzero(V)), float(np.abs(V.T @ V - np.eye(V.shape[1])).max())


def run_xeofs(field: Any, penalty: float) -> Any:
    xeofs = importlib.import_module("xeofs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = xeofs.single.SparsePCA(n_modes=4, alpha=penalty, random_state=0)
        return model.fit(weigh(field), dim="time").components().fillna(0.0)


def run_ours(field: Any, **budget: Any) -> Any:
    return je.xarray.sparse_eof(field, n_modes=4, **budget).components.fillna(0.0)


def tell(name: str, field: Any, run: Callable[[], Any]) -> int:
    start = time.process_time()
    patterns = run()
    seconds = time.process_time() - start
    share, cells, error = capture(field, patterns)
    print(
        f"{name:28} {cells:6,} cells  {share:6.1%} captured  orthonormal to {error:.0e}  {seconds:5.1f} s", flush=True
    )
    return cells


def main() -> None:
    field = make_field()
    try:
        version = importlib.metadata.version("xeofs")
    except importlib.metadata.PackageNotFoundError:
        print("xeofs is not installed: pip install xeofs")
        version = None
    run_ours(field, density=0.01)  # compiled before anything is timed
    for penalty in () if version is None else PENALTIES:
        cells = tell(f"xeofs {version}, alpha={penalty:g}", field, partial(run_xeofs, field, penalty))
        share = cells / (4 * int(field.isel(time=0).notnull().sum()))
        tell("ours, as many", field, partial(run_ours, field, density=share))
    tell("ours, 80 cells each", field, partial(run_ours, field, max_cells=80))


if __name__ == "__main__":
    main()
