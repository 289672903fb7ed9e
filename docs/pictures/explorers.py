"""The pages that the documentation links to: digits as images, the characters of a novel on their graph."""

from pathlib import Path

import networkx as nx
from sklearn.datasets import load_digits

import jacobeig as je


def write_explorers(folder: Path) -> None:
    """Write both pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    X, digits = load_digits(return_X_y=True)
    pca = je.JacobiPCA(10).fit(X)
    je.report(pca, folder / "digits.html", data=X, labels=digits, shape=(8, 8), title="Handwritten digits")

    groups = je.GraphFourier(8, laplacian="normalized", max_nonzeros=10).fit(nx.les_miserables_graph())
    je.report(groups, folder / "novel.html", title="Who belongs together in Les Misérables")
