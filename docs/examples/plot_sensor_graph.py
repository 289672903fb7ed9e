"""
A noisy field on a graph of sensors
===================================

Sensors measure a smooth field with noise. Sparse modes of the graph's Laplacian each cover a neighbourhood; what the
field has outside of the smooth ones is mostly noise.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from jacobeig import GraphFourier

# %%
# Two hundred sensors, joined where they are near; near ones weigh more.

graph = nx.random_geometric_graph(200, 0.14, seed=2)
place = np.array([graph.nodes[node]["pos"] for node in graph])
for a, b in graph.edges:
    graph.edges[a, b]["weight"] = float(np.exp(-((np.linalg.norm(place[a] - place[b]) / 0.1) ** 2)))
field = np.sin(3 * place[:, 0]) + np.cos(4 * place[:, 1])
measured = field + 0.5 * np.random.default_rng(0).standard_normal(200)

# %%
# Forty modes, a quarter of their entries not zero. The strength of denoising is found by cross-validation.

fourier = GraphFourier(40, density=0.25).fit(graph)
denoised = fourier.denoise(measured)
print(f"mean squared error {np.mean((measured - field) ** 2):.3f} before, {np.mean((denoised - field) ** 2):.3f} after")

# %%
# The field, what was measured, what is left of it, and one mode.

panels = {
    "field": field,
    "measured": measured,
    "denoised": denoised,
    "a mode": fourier.modes_[:, [5]].toarray().ravel(),
}
fig, axes = plt.subplots(2, 2, figsize=(8, 7.6), layout="constrained")
for ax, (title, values) in zip(axes.flat, panels.items(), strict=True):
    limit = np.abs(values).max()
    nx.draw_networkx_edges(graph, dict(enumerate(place)), ax=ax, edge_color="0.85", width=0.8)
    ax.scatter(*place.T, c=values, cmap="RdBu_r", vmin=-limit, vmax=limit, s=32, edgecolors="0.6", lw=0.4, zorder=2)
    ax.set_title(title)
    ax.set_axis_off()
plt.show()
