"""
Who belongs together in Les Misérables
======================================

The characters of the novel, joined where they meet in a chapter. The smoothest patterns of the graph's normalised
Laplacian are its communities. Exact ones spread over all 77 people; sparse ones name a few each.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import jacobeig as je

novel = nx.les_miserables_graph()
groups = je.GraphFourier(8, laplacian="normalized", max_nonzeros=10).fit(novel)

# %%
# Eight groups of at most ten people: Fantine's friends, the students at the barricade, the bishop's house, the court at
# Arras, Thénardier's gang, the Gillenormands, the children of the street, the convent.

for mode in groups.modes_.T.toarray():
    people = np.argsort(-np.abs(mode))[:6]
    print(", ".join(f"{groups.nodes_[i]} {mode[i]:+.2f}" for i in people))

# %%
# Each on the graph, whose nodes lie where the lengths of its paths put them; small grey dots are exactly zero.

je.plotting.plot_graph_modes(groups)
plt.show()

# %%
# How smooth they are beside as many exact modes, and how many people these need.

exact, vectors = np.linalg.eigh(groups.laplacian_.toarray())
print(f"frequencies sum to {groups.frequencies_.sum():.3f}, those of exact modes to {exact[:8].sum():.3f}")
print(f"{groups.modes_.nnz} nonzeros, where exact modes have {np.count_nonzero(np.abs(vectors[:, :8]) > 1e-10)}")
