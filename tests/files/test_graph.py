"""Files read as a graph: edges, weights, coordinates."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite
from tables import write

from jacobeig.errors import InvalidInputError
from jacobeig.files import read_coordinates, read_graph

pytest.importorskip("pandas")


def test_edges_between_names_are_numbered_as_they_appear(tmp_path):
    for text in ("zoe,anna\nanna,ben\n", "from,to\nzoe,anna\nanna,ben\n", "# edges\nzoe anna\nanna ben\n"):
        graph = read_graph(write(tmp_path / "x.csv", text))
        assert graph.nodes.tolist() == ["zoe", "anna", "ben"]
        np.testing.assert_array_equal(graph.edges, [[0, 1, 1], [1, 2, 1]])


def test_edges_between_numbers_keep_the_numbers(tmp_path):
    graph = read_graph(write(tmp_path / "x.edges", "7 3 0.5\n3 1 2\n"))
    assert graph.nodes.tolist() == [1, 3, 7]
    np.testing.assert_array_equal(graph.edges, [[2, 1, 0.5], [1, 0, 2.0]])
    np.save(tmp_path / "x.npy", np.array([[7, 3], [3, 1], [1, 7]]))
    assert read_graph(tmp_path / "x.npy").nodes.tolist() == [1, 3, 7]


def test_a_square_matrix_is_a_graph_of_weights(tmp_path):
    named = read_graph(write(tmp_path / "x.csv", ",a,b\na,0,1\nb,1,0\n"))
    assert named.nodes.tolist() == ["a", "b"]
    assert named.edges is None
    np.testing.assert_array_equal(named.weights, [[0, 1], [1, 0]])
    mmwrite(tmp_path / "x.mtx", sparse.coo_array(([1.0], ([0], [3])), shape=(4, 4)))
    assert read_graph(tmp_path / "x.mtx").nodes.tolist() == [0, 1, 2, 3]
    assert read_graph(tmp_path / "x.mtx", symmetrize=True).weights[3, 0] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c,d\n1,2,3,4\n5,6,7,8\n", "4 columns of numbers and 2 rows; a list of edges has 2 or 3 columns"),
        ("anna,ben,x\nben,eve,y\n", "holds text"),
        ("anna,ben,1\nben,eve,\n", "row 2 has no value in column '3'"),
        ("1.5,2\n3,4\n5,6\n", "row 1 has 1.5 in column '1'; nodes are called by whole numbers"),
        ("from,to\nanna,ben\nben,\n", "row 2 has no node in column 'to'"),
    ],
)
def test_edges_that_are_none_are_refused(tmp_path, text, message):
    with pytest.raises(InvalidInputError, match=message):
        read_graph(write(tmp_path / "x.csv", text))


def test_coordinates_are_put_in_the_order_of_the_nodes(tmp_path):
    nodes = np.array([1, 3])
    named = read_coordinates(write(tmp_path / "x.csv", "node,x,y\n3,1,2\n1,5,6\n9,0,0\n"), nodes)
    np.testing.assert_array_equal(named, [[5, 6], [1, 2]])
    np.save(tmp_path / "x.npy", named)
    np.testing.assert_array_equal(read_coordinates(tmp_path / "x.npy", nodes), named)
    with pytest.raises(InvalidInputError, match="does not say where 1 nodes lie: '4'"):
        read_coordinates(tmp_path / "x.csv", np.array([1, 4]))
    with pytest.raises(InvalidInputError, match="2 rows, but the graph has 3 nodes"):
        read_coordinates(tmp_path / "x.npy", np.arange(3))
