"""Where the nodes of a graph are drawn."""

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from jacobeig.estimators.graph.placing import place_nodes

GRAPHS = {
    "grid": nx.grid_2d_graph(8, 9),
    "cycle": nx.cycle_graph(20),
    "tree": nx.balanced_tree(2, 5),
    "people": nx.les_miserables_graph(),
}


def place(graph):
    return place_nodes(np.array(nx.convert_node_labels_to_integers(graph).edges, dtype=int).reshape(-1, 2), len(graph))


@pytest.mark.parametrize("name", GRAPHS)
def test_paths_are_about_as_long_as_in_the_graph(name):
    places = place(GRAPHS[name])
    drawn = squareform(pdist(places))
    lengths = nx.floyd_warshall_numpy(GRAPHS[name], weight=None)
    apart = lengths > 0
    assert np.corrcoef(drawn[apart], lengths[apart])[0, 1] > 0.75
    assert drawn[apart].min() > 0.05  # no node hides another
    np.testing.assert_array_equal(places, place(GRAPHS[name]))


@pytest.mark.parametrize("graph", [nx.empty_graph(1), nx.empty_graph(3), nx.path_graph(2), nx.complete_graph(5)])
def test_graphs_of_few_nodes_or_no_edges_have_places(graph):
    places = place(graph)
    assert places.shape == (len(graph), 2)
    assert np.isfinite(places).all()


def test_parts_that_are_not_connected_lie_apart():
    places = place(nx.disjoint_union(nx.cycle_graph(10), nx.cycle_graph(10)))
    drawn = squareform(pdist(places))
    assert drawn[:10, 10:].min() > 1.0
