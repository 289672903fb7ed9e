"""Whole numbers of any size: nodes stay apart, features become numbers."""

import numpy as np
import pytest
from tables import write

pytest.importorskip("pandas")

from jacobeig.errors import InvalidInputError  # after the check for the extra
from jacobeig.files import read_coordinates, read_graph, read_table  # likewise


@pytest.mark.parametrize("large", [2**53, 2**63, 2**64, 10**40])
def test_nodes_that_floats_cannot_tell_apart_stay_apart(tmp_path, large):
    graph = read_graph(write(tmp_path / "x.edges", f"{large} {large + 1}\n{large + 1} {large + 2}\n7 {large}\n"))
    ids = [large, large + 1, large + 2, 7]
    assert {int(node) for node in graph.nodes} == set(ids)
    ends = graph.nodes[graph.edges[:, :2].astype(int)]
    assert [[int(node) for node in edge] for edge in ends] == [ids[:2], ids[1:3], [7, large]]


def test_negative_and_unsigned_nodes_in_one_list_stay_what_they_are(tmp_path):
    graph = read_graph(write(tmp_path / "x.edges", f"-1 {2**64 - 1}\n{2**64 - 1} 3\n"))
    assert [int(node) for node in graph.nodes] == [-1, 2**64 - 1, 3]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_arrays_of_edges_keep_their_integers(tmp_path, dtype):
    most = int(np.iinfo(dtype).max)
    np.save(tmp_path / "x.npy", np.array([[most, most - 1], [most - 1, most - 2], [1, 2], [2, 3]], dtype=dtype))
    assert [int(node) for node in read_graph(tmp_path / "x.npy").nodes] == [1, 2, 3, most - 2, most - 1, most]


def test_nodes_written_as_floats_are_refused_where_they_would_fall_together(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[2.0**53, 1.0], [2.0**53 + 2, 2.0], [1.0, 2.0], [3.0, 2.0]]))
    with pytest.raises(InvalidInputError, match=r"row 2 has 9\.0072e\+15 in column '1', too large .* to be exact"):
        read_graph(tmp_path / "x.npy")


def test_places_of_nodes_with_large_numbers_are_found(tmp_path):
    nodes = np.array([2**53, 2**53 + 1])
    places = read_coordinates(write(tmp_path / "x.csv", f"node,x,y\n{2**53 + 1},1,2\n{2**53},3,4\n"), nodes)
    np.testing.assert_array_equal(places, [[3, 4], [1, 2]])


@pytest.mark.parametrize("large", [2**63, 2**64, 10**30, -(10**30)])
def test_features_may_hold_integers_of_any_size(tmp_path, large):
    table = read_table(write(tmp_path / "x.csv", f"a,b\n1,{large}\n2,-3\n5,4\n"))
    np.testing.assert_array_equal(table.values, [[1, float(large)], [2, -3], [5, 4]])


@pytest.mark.parametrize("digits", [400, 5000])
def test_integers_that_no_float_can_hold_are_answered_with_their_place(tmp_path, digits):
    with pytest.raises(InvalidInputError, match=r"^.*(row 1|'9{40}').*$") as caught:
        read_table(write(tmp_path / "x.csv", f"a,b\n1,{'9' * digits}\n2,-3\n5,4\n"))
    assert len(str(caught.value)) < 300


def test_a_missing_value_among_large_integers_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match="row 2 has no value in column 'b'"):
        read_table(write(tmp_path / "x.csv", f"a,b\n1,{2**64 - 1}\n2,\n5,-4\n"))


@pytest.mark.parametrize("cell", ["<1.0", "n.d.", "1.2.3"])
def test_a_stray_cell_in_the_first_column_is_named_as_in_any_other(tmp_path, cell):
    path = write(tmp_path / "x.csv", f"a,b\n1.5,2\n{cell},3\n3.5,4\n")
    with pytest.raises(InvalidInputError, match=rf"column 'a' holds '{cell}' in row 2, .* drop='a', or .* label='a'"):
        read_table(path)
    assert read_table(path, label="a").labels.tolist() == ["1.5", cell, "3.5"]


def test_a_first_column_of_mixed_names_needs_no_name_of_its_own(tmp_path):
    table = read_table(write(tmp_path / "x.csv", ",b\n101,2\n102,3\n103b,4\n"))
    assert table.rows.tolist() == ["101", "102", "103b"]


def test_names_among_which_are_numbers_are_told(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "id,b\nanna,2\nben,3\n7,4\n"))
    assert table.rows.tolist() == ["anna", "ben", "7"]
    assert table.notes == ("The first column, 'id', holds text, so it was taken as the names of the rows.",)
