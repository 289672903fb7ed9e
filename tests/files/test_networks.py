"""Graphs as networkx and Matrix Market collections write them."""

import gzip

import numpy as np
import pytest

nx = pytest.importorskip("networkx")
pytest.importorskip("pandas")

from jacobeig.errors import FileFormatError, InvalidInputError  # noqa: E402  # after the check for the extra
from jacobeig.files import read_graph, read_table  # noqa: E402  # after the check for the extra


def write_edgelist(graph, path):
    nx.write_edgelist(graph, path)


def write_comma_edgelist(graph, path):
    nx.write_edgelist(graph, path, delimiter=",")


WRITERS = {
    "x.edgelist": write_edgelist,
    "comma.edgelist": write_comma_edgelist,
    "weights.edges": nx.write_weighted_edgelist,
    "x.graphml": nx.write_graphml_xml,
    "x.gml": nx.write_gml,
}


def as_dictionary(content):
    """Return the weight of each edge by the names of its ends, the smaller first."""
    ends = content.nodes[content.edges[:, :2].astype(int)]
    return {tuple(sorted(map(str, pair))): weight for pair, weight in zip(ends, content.edges[:, 2], strict=True)}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("kind", ["names", "numbers"])
def test_what_networkx_writes_comes_back(tmp_path, name, kind):
    graph = nx.les_miserables_graph()
    if kind == "numbers":
        graph = nx.convert_node_labels_to_integers(graph)
    elif "edge" in name:  # blanks separate there
        graph = nx.relabel_nodes(graph, {node: node.replace(" ", "_") for node in graph})
    WRITERS[name](graph, tmp_path / name)
    content = read_graph(tmp_path / name)
    expected = {tuple(sorted(map(str, (u, v)))): weight for u, v, weight in graph.edges(data="weight")}
    assert as_dictionary(content) == expected
    assert content.nodes.dtype.kind == ("U" if kind == "names" else "i")


def test_edges_without_a_weight_in_their_dictionary_weigh_1(tmp_path):
    (tmp_path / "x.edgelist").write_text("# of nothing\n1 2 {}\n2 3 {'weight': 0.5, 'colour': 'a {b}'}\n")
    np.testing.assert_array_equal(read_graph(tmp_path / "x.edgelist").edges, [[0, 1, 1], [1, 2, 0.5]])


@pytest.mark.parametrize("bad", ["{'weight': 'much'}", "{weight: 1}", "{'weight': __import__('os')}", "{" * 5000 + "}"])
def test_a_dictionary_without_a_number_is_answered_with_its_line(tmp_path, bad):
    (tmp_path / "x.edgelist").write_text(f"1 2 {{'weight': 1}}\n2 3 {bad}\n")
    with pytest.raises(FileFormatError, match="edge in line 2 whose dictionary holds no weight that is a number"):
        read_graph(tmp_path / "x.edgelist")


def test_nodes_without_edges_are_kept_where_the_file_lists_them(tmp_path):
    graph = nx.Graph([("a", "b")])
    graph.add_node("alone")
    nx.write_graphml_xml(graph, tmp_path / "x.graphml")
    assert read_graph(tmp_path / "x.graphml").nodes.tolist() == ["a", "b", "alone"]


def test_labels_name_the_nodes_where_they_are_all_different(tmp_path):
    graph = nx.Graph([("n0", "n1"), ("n1", "n2")])
    for labels, expected in ((["A", "B", "C"], ["A", "B", "C"]), (["A", "A", "C"], ["n0", "n1", "n2"])):
        nx.set_node_attributes(graph, dict(zip(graph, labels, strict=True)), "label")
        nx.write_graphml_xml(graph, tmp_path / "x.graphml")
        assert read_graph(tmp_path / "x.graphml").nodes.tolist() == expected


def test_gml_without_labels_and_packed_graphml_are_read(tmp_path):
    (tmp_path / "x.gml").write_text("graph [ node [ id 5 ] node [ id 7 ] edge [ source 5 target 7 ] ]")
    assert read_graph(tmp_path / "x.gml").nodes.tolist() == [5, 7]
    nx.write_graphml_xml(nx.path_graph(3), tmp_path / "x.graphml")
    (tmp_path / "x.graphml.gz").write_bytes(gzip.compress((tmp_path / "x.graphml").read_bytes()))
    assert read_graph(tmp_path / "x.graphml.gz").nodes.tolist() == [0, 1, 2]


def test_directions_are_told(tmp_path):
    nx.write_gml(nx.DiGraph([(0, 1), (1, 2)]), tmp_path / "x.gml")
    assert read_graph(tmp_path / "x.gml").notes == ("The file's edges have directions.",)


def test_weights_that_are_not_finite_are_refused(tmp_path):
    nx.write_gml(nx.Graph([(0, 1, {"weight": float("nan")})]), tmp_path / "x.gml")
    with pytest.raises(InvalidInputError, match="has no value in column 'weight'"):
        read_graph(tmp_path / "x.gml")


def test_a_graph_is_no_table_and_rubbish_no_graph(tmp_path):
    nx.write_gml(nx.path_graph(3), tmp_path / "x.gml")
    with pytest.raises(FileFormatError, match="holds a graph, not a table"):
        read_table(tmp_path / "x.gml")
    for name, kind in (("y.gml", "a GML file"), ("y.graphml", "a GraphML file")):
        (tmp_path / name).write_text("<rubbish")
        with pytest.raises(FileFormatError, match=f"is not {kind}, or it is damaged"):
            read_graph(tmp_path / name)
    (tmp_path / "z.gml").write_text('graph [ node [ id 5 label "a" ] ]')
    with pytest.raises(FileFormatError, match="has no edges"):
        read_graph(tmp_path / "z.gml")


def test_symmetric_patterns_of_matrix_market_are_graphs(tmp_path):
    banner = "%%MatrixMarket matrix coordinate pattern symmetric\n% a path\n\n3 3 2\n2 1\n3 2\n"
    (tmp_path / "x.mtx").write_text(banner)
    weights = read_graph(tmp_path / "x.mtx").weights.toarray()
    np.testing.assert_array_equal(weights, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("delimiter", [" ", ";", "\t", ", "])
def test_nodes_that_are_tuples_come_back_as_names(tmp_path, delimiter):
    nx.write_edgelist(nx.grid_2d_graph(3, 4), tmp_path / "x.edgelist", delimiter=delimiter)
    content = read_graph(tmp_path / "x.edgelist")
    assert sorted(content.nodes) == sorted(f"({x}, {y})" for x in range(3) for y in range(4))
    assert len(content.edges) == 17


def test_numbers_that_pandas_puts_above_names_are_no_edge(tmp_path):
    (tmp_path / "names.csv").write_text("0,1\nanna,ben\nben,eve\n")
    (tmp_path / "numbers.csv").write_text("0,1\n1,2\n2,3\n")
    assert read_graph(tmp_path / "names.csv").nodes.tolist() == ["anna", "ben", "eve"]
    assert read_graph(tmp_path / "numbers.csv").nodes.tolist() == [0, 1, 2, 3]
