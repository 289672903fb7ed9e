"""The published figures, the data they are for, and what ours come to on them."""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import jacobeig as je

HERE = Path(__file__).parent
# In the copy of the pitprops correlations that comes with msPCA, these entries of the last row differ.
MSPCA_ENTRIES = {7: -0.172, 8: -0.175, 9: -0.545, 10: 0.054, 11: 0.220}


@dataclass(frozen=True)
class Figure:
    """A published figure: `share` is of the trace, `variance` is not divided by anything."""

    data: str
    n_components: int
    max_nonzeros: int | None
    total_nonzeros: int | None
    quantity: str
    published: str
    kind: str
    source: str

    @property
    def rounding(self) -> float:
        """Half a unit of its last digit."""
        return 0.5 * 10.0 ** -len(self.published.partition(".")[2])

    @property
    def name(self) -> str:
        budget = f"{self.max_nonzeros} each" if self.max_nonzeros else f"{self.total_nonzeros} in all"
        return f"{self.data}, {self.n_components} x {budget}"


@dataclass(frozen=True)
class Ours:
    """What our vectors come to, how orthonormal they are, and what no others can exceed (nan where that is unknown)."""

    value: float
    bound: float
    error: float
    nonzeros: int
    largest: int


def read_figures():
    with open(HERE / "figures.csv", newline="", encoding="utf-8") as file:
        return [_read_row(row) for row in csv.DictReader(file)]


def _read_row(row):
    counts = {name: int(row[name]) if row[name] else None for name in ("max_nonzeros", "total_nonzeros")}
    return Figure(**{**row, "n_components": int(row["n_components"]), **counts})


def load_matrix(name):
    """The matrix that a figure is for; None where its data are not at hand."""
    if name.startswith("pitprops"):
        S = np.loadtxt(HERE.parent / "data" / "pitprops.csv", delimiter=",")
        for i, entry in MSPCA_ENTRIES.items() if name.endswith("msPCA") else ():
            S[i, 12] = S[12, i] = entry
        return S
    X = _load_table(name)
    return None if X is None else np.corrcoef(X, rowvar=False)


def _load_table(name):
    if name == "mtcars":
        return np.loadtxt(HERE / "mtcars.csv", delimiter=",", skiprows=1)
    if name == "wine":
        from sklearn.datasets import load_wine

        return load_wine().data
    # What cannot be shipped: an npz file with X (samples x features) in the folder that JACOBEIG_DATA names.
    path = Path(os.environ.get("JACOBEIG_DATA", ".")) / f"{name}.npz"
    if not path.exists():
        return None
    with np.load(path) as file:
        return file["X"].astype(float)


def measure(figure, S, *, orthonormal=True, time_limit=30.0):
    """Our best vectors for the budget of a figure, in the figure's own units."""
    n, p = len(S), figure.n_components
    density = None if figure.total_nonzeros is None else figure.total_nonzeros / (n * p)
    budget = {"max_nonzeros": figure.max_nonzeros, "density": density}
    run = je.sparse_eigsh(S, p, **budget, refine="best")
    if not orthonormal:
        run = je.refine(S, run, **budget, orthonormal=False, effort="best")
    certificate = je.certify(S, run, **budget, effort="best", time_limit=time_limit)
    U = certificate.vectors
    unit = np.trace(S) if figure.quantity == "share" else 1.0
    return Ours(
        value=certificate.captured / unit,
        bound=certificate.bound / unit,
        error=je.metrics.orthonormality_error(U),
        nonzeros=U.nnz,
        largest=int(np.diff(U.indptr).max()),
    )
