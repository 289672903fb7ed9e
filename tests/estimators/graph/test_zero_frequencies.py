"""What is said of frequencies that are zero but for rounding."""

import networkx as nx

from jacobeig import GraphFourier
from jacobeig.estimators.figures import list_figures


def test_a_frequency_that_only_rounding_keeps_from_zero_is_shown_as_zero():
    graph = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(9))
    model = GraphFourier(2, density=1.0).fit(graph)
    model.frequencies_ = model.frequencies_ * 0.0 + [1e-32, 0.25]
    assert list_figures(model) == {"frequency": ["0", "0.25"]}
