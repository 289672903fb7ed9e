"""Long lines: headers are read whole, whatever their length."""

import csv

import numpy as np
import pytest

pytest.importorskip("pandas")

from jacobeig.files import read_table  # after the check for the extra


def write_wide(path, columns, *, quote="", separator=","):
    names = [f"gene{t:06d}" for t in range(columns)]
    values = np.arange(3 * columns, dtype=np.float64).reshape(3, columns) % 97
    lines = [["cell", *names], *([f"c{t}", *map(str, row)] for t, row in enumerate(values))]
    text = "\n".join(separator.join([f"{quote}{line[0]}{quote}", *line[1:]]) for line in lines)
    path.write_text(text + "\n")
    return tuple(names), values


@pytest.mark.parametrize(("quote", "separator"), [("", ","), ('"', ","), ("", "\t"), ('"', " ")])
def test_a_table_of_20000_columns_keeps_every_name(tmp_path, quote, separator):
    names, values = write_wide(tmp_path / "x.csv", 20_000, quote=quote, separator=separator)
    table = read_table(tmp_path / "x.csv")
    assert table.features == names
    assert table.rows.tolist() == ["c0", "c1", "c2"]
    np.testing.assert_array_equal(table.values, values)


@pytest.mark.slow
def test_a_table_of_200000_columns_keeps_every_name(tmp_path):
    names, values = write_wide(tmp_path / "x.csv", 200_000)
    table = read_table(tmp_path / "x.csv")
    assert table.features == names
    np.testing.assert_array_equal(table.values, values)


def test_the_limit_of_csv_is_left_as_it_was(tmp_path):
    before = csv.field_size_limit()
    write_wide(tmp_path / "x.csv", 20_000, quote='"')
    read_table(tmp_path / "x.csv")
    assert csv.field_size_limit() == before


def test_a_long_cell_is_no_obstacle(tmp_path):
    (tmp_path / "x.csv").write_text(f'a,b\n"{"x" * 200_000}",1\nshort,2\n')
    table = read_table(tmp_path / "x.csv")
    assert len(table.rows[0]) == 200_000
    np.testing.assert_array_equal(table.values, [[1], [2]])


def test_comments_longer_than_the_first_block_are_skipped(tmp_path):
    (tmp_path / "x.csv").write_text(f"# {'x' * 300_000}\n" + "a,b\n1,2\n3,4\n")
    table = read_table(tmp_path / "x.csv")
    assert table.features == ("a", "b")
