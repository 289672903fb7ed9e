"""The pages that the documentation links to: digits as images, sensors on their graph."""

from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.datasets import load_digits

import jacobeig as je


def write_explorers(folder: Path) -> None:
    """Write both pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    X, digits = load_digits(return_X_y=True)
    pca = je.JacobiPCA(10).fit(X)
    je.report(pca, folder / "digits.html", data=X, labels=digits, shape=(8, 8), title="Handwritten digits")

    graph = nx.random_geometric_graph(200, 0.14, seed=2)
    places = np.array([graph.nodes[node]["pos"] for node in graph])
    fourier = je.GraphFourier(12, n_rotations=600).fit(graph)
    je.report(fourier, folder / "sensors.html", coordinates=places, title="A graph of sensors")
