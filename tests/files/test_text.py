"""Tables of text: separators, headers, names and encodings found out, and a sentence for what cannot be read."""

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest
from tables import VALUES, lines_of, write

from jacobeig.errors import FileFormatError, InvalidInputError
from jacobeig.files import _text, read_matrix, read_table

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", " ", "   "])
@pytest.mark.parametrize("header", [None, ["a", "b", "c"]])
def test_separators_and_headers_are_found_out(tmp_path, separator, header):
    table = read_table(write(tmp_path / "x.csv", lines_of(separator, header)))
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.features == (None if header is None else tuple(header))
    assert table.rows is None


def test_numbers_are_read_to_the_last_bit(tmp_path):
    values = np.random.default_rng(0).standard_normal((40, 7)) * 10.0 ** np.arange(-12, 16, 4)
    np.testing.assert_array_equal(read_table(write(tmp_path / "x.csv", lines_of(values=values))).values, values)


@pytest.mark.parametrize("corner", ["", "sample"])
def test_a_first_column_of_text_names_the_rows(tmp_path, corner):
    names = ["NA", "nan", "ben", "eve"]  # which must not be taken for missing values
    table = read_table(write(tmp_path / "x.csv", lines_of(",", [corner, "a", "b", "c"], names)))
    assert table.rows.tolist() == names
    assert table.features == ("a", "b", "c")


def test_a_header_without_a_name_for_the_row_names_is_as_r_writes_it(tmp_path):
    text = '"a" "b" "c"\n' + lines_of(" ", None, [f'"s{t}"' for t in range(4)])
    table = read_table(write(tmp_path / "x.txt", text))
    assert table.features == ("a", "b", "c")
    assert table.rows.tolist() == ["s0", "s1", "s2", "s3"]


def test_what_pandas_writes_by_default_comes_back(tmp_path):
    pd.DataFrame(VALUES).to_csv(tmp_path / "with_index.csv")
    pd.DataFrame(VALUES).to_csv(tmp_path / "without.csv", index=False)
    with_index, without = read_table(tmp_path / "with_index.csv"), read_table(tmp_path / "without.csv")
    np.testing.assert_array_equal(with_index.values, VALUES)
    np.testing.assert_array_equal(without.values, VALUES)
    assert with_index.features == without.features == ("0", "1", "2")
    assert with_index.rows.tolist() == ["0", "1", "2", "3"]


def test_a_header_can_be_asked_for_or_denied(tmp_path):
    path = write(tmp_path / "x.csv", "2001,2002\n1.5,2.5\n3.5,4.5\n")
    assert read_table(path).values.shape == (3, 2)
    years = read_table(path, header=True)
    assert years.features == ("2001", "2002")
    assert years.values.shape == (2, 2)
    with pytest.raises(InvalidInputError, match="'1' holds 'a' in row 1"):
        read_table(write(tmp_path / "y.csv", "a,b\n1,2\n3,4\n"), header=False)


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_packed_text_is_unpacked_whatever_its_ending_says(tmp_path, ending, pack):
    for name in (f"x.csv.{ending}", "x.csv"):
        (tmp_path / name).write_bytes(pack(lines_of().encode()))
        np.testing.assert_array_equal(read_table(tmp_path / name).values, VALUES)


def test_packed_text_that_was_cut_is_said_to_be_damaged(tmp_path):
    noise = np.random.default_rng(0).standard_normal((300, 3))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(lines_of(values=noise).encode())[:-40])
    with pytest.raises(FileFormatError, match=r"x\.csv\.gz is damaged: it cannot be unpacked"):
        read_table(tmp_path / "x.csv.gz")


def test_comments_and_blank_lines_before_the_table_are_skipped(tmp_path):
    text = "# made by hand\n\n% twice\n" + lines_of(",", ["C#1", "b", "c"])
    table = read_table(write(tmp_path / "x.csv", text))
    assert table.features == ("C#1", "b", "c")
    np.testing.assert_array_equal(table.values, VALUES)


def test_encodings_and_decimal_commas_are_found_out_and_told(tmp_path):
    bom = read_table(write(tmp_path / "bom.csv", lines_of(",", ["a", "b", "c"]), "utf-8-sig"))
    assert bom.features == ("a", "b", "c")
    latin = read_table(write(tmp_path / "latin.csv", lines_of(",", ["größe", "b", "c"]), "latin-1"))
    assert latin.features == ("größe", "b", "c")
    assert any("Latin-1" in note for note in latin.notes)
    wide = read_table(write(tmp_path / "wide.csv", lines_of(",", ["größe", "b", "c"]), "utf-16"))
    assert wide.features == ("größe", "b", "c")
    comma = read_table(write(tmp_path / "comma.csv", "a;b\n1,5;2,25\n3,0;4,5\n"))
    np.testing.assert_array_equal(comma.values, [[1.5, 2.25], [3.0, 4.5]])
    assert any("decimal commas" in note for note in comma.notes)


def test_line_ends_of_every_system_are_understood(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        table = read_table(write(tmp_path / "x.csv", lines_of(",", ["a", "b", "c"]).replace("\n", end)))
        np.testing.assert_array_equal(table.values, VALUES)


def test_a_separator_at_the_end_of_each_line_makes_no_column(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "a,b,\n1,2,\n3,4,\n"))
    assert table.features == ("a", "b")


def test_names_that_come_twice_are_numbered(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "g,g,g.2,\n1,2,3,4\n5,6,7,8\n"))
    assert len(set(table.features)) == 4
    assert table.features[0] == "g"
    assert "numbered: 'g'" in table.notes[0]


def test_text_needs_to_be_a_label_or_dropped(tmp_path):
    path = write(tmp_path / "x.csv", "length,kind,width\n1,red,2\n3,blue,4\n")
    with pytest.raises(
        InvalidInputError, match=r"'kind' holds text \('red' in row 1\): keep .* label='kind'.*drop='kind'"
    ):
        read_table(path)
    labelled, dropped = read_table(path, label="kind"), read_table(path, drop=["kind"])
    assert labelled.labels.tolist() == ["red", "blue"]
    assert labelled.features == dropped.features == ("length", "width")
    assert dropped.labels is None


def test_a_first_column_of_text_may_be_the_label(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "kind,a\nred,1\nblue,2\n"), label="kind")
    assert table.rows is None
    assert table.labels.tolist() == ["red", "blue"]


def test_a_stray_cell_is_named_with_its_row(tmp_path):
    path = write(tmp_path / "x.csv", "s,a,b\nanna,1,2\nben,3,oops\neve,5,6\n")
    with pytest.raises(InvalidInputError, match=r"'b' holds 'oops' in row 2 \('ben'\), which is not a number"):
        read_table(path)


def test_missing_values_are_named_with_row_and_column(tmp_path):
    path = write(tmp_path / "x.csv", "s,a,b\nanna,1,2\nben,3,\neve,NA,6\n")
    with pytest.raises(
        InvalidInputError, match=r"row 2 \('ben'\) has no value in column 'b' \(2 such values in 2 rows and 2 columns\)"
    ):
        read_table(path)
    with pytest.raises(InvalidInputError, match="row 1 has the value inf in column 2"):
        read_table(write(tmp_path / "y.csv", "1,inf\n3,4\n"))


def test_a_column_that_is_not_there_is_answered_with_one_that_is(tmp_path):
    path = write(tmp_path / "x.csv", "length,kind\n1,red\n2,blue\n")
    with pytest.raises(
        InvalidInputError, match=r"label is 'kinds', but there is no such column: did you mean 'kind'\?"
    ):
        read_table(path, label="kinds")
    with pytest.raises(InvalidInputError, match=r"drop is 'zzz'.*there are 'length', 'kind'"):
        read_table(path, drop=["zzz"])
    unnamed = write(tmp_path / "y.csv", "1,red\n2,blue\n")
    assert read_table(unnamed, label="2").labels.tolist() == ["red", "blue"]


def test_an_unnamed_column_that_counts_rows_is_taken_as_names_and_that_is_told(tmp_path):
    path = write(tmp_path / "x.csv", ",a,b\n0,5.5,1\n1,1,2.5\n")
    for content in (read_table(path), read_matrix(path)):
        assert content.values.shape == (2, 2)
        [note] = content.notes
        assert note.startswith("The first column has no name and only counts the rows")
    assert read_table(write(tmp_path / "y.csv", ",a,b\nanna,5.5,1\nben,1,2.5\n")).notes == ()


def test_only_names_that_are_alike_are_proposed(tmp_path):
    path = write(tmp_path / "x.csv", "petal width,alcohol\n1,2\n3,5\n")
    with pytest.raises(InvalidInputError, match=r"did you mean 'petal width'\?"):
        read_table(path, drop=["petal_width"])
    with pytest.raises(InvalidInputError, match=r"there are 'petal width', 'alcohol'"):
        read_table(path, drop=["colour"])


def test_a_column_that_counts_rows_is_pointed_out(tmp_path):
    table = read_table(write(tmp_path / "x.csv", "id,a\n1,5.5\n2,6.5\n3,1.5\n"))
    assert "only counts the rows: leave it out with drop='id'" in table.notes[0]


def test_rows_of_other_lengths_are_answered_with_the_line(tmp_path):
    with pytest.raises(FileFormatError, match="line 3 has 4 values, those before it 3"):
        read_table(write(tmp_path / "x.csv", "a,b,c\n1,2,3\n1,2,3,4\n"))
    with pytest.raises(FileFormatError, match="3 names in its header, but 2 values"):
        read_table(write(tmp_path / "y.csv", "a,b,c\n1,2\n3,4\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n  \n", "is empty"),
        (b"a,b,c\n", "header but no rows"),
        (bytes(range(256)) * 20, "is not text"),
        (b"just some words\nand more of them\n", "holds text|no column of numbers"),
        (b"word\nother\n", "no column of numbers"),
    ],
)
def test_text_that_is_no_table_is_refused(tmp_path, content, message):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises((FileFormatError, InvalidInputError), match=message):
        read_table(tmp_path / "x.csv")


def test_standard_input_is_text(monkeypatch):
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(lines_of(",", ["a", "b", "c"]).encode())))
    )
    table = read_table("-")
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.features == ("a", "b", "c")


def test_features_in_rows_are_transposed_with_their_names(tmp_path):
    path = write(tmp_path / "x.csv", lines_of(",", ["gene", "anna", "ben", "eve"], ["g1", "g2", "g3", "g4"]))
    table = read_table(path, transpose=True)
    np.testing.assert_array_equal(table.values, VALUES.T)
    assert table.features == ("g1", "g2", "g3", "g4")
    assert table.rows.tolist() == ["anna", "ben", "eve"]
    with pytest.raises(InvalidInputError, match="leave one of the two out"):
        read_table(path, transpose=True, label="ben")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["$1", "$3", "$2"], "names of the rows."),
        (["1,000", "2,500", "800"], "names of the rows."),
        (["12 %", "3 %", "4 %"], "names of the rows."),
        (["red", "red", "blue"], "some come twice: label='kind' makes them labels."),
        (["ann", "ben", "eve"], None),
    ],
)
def test_a_first_column_that_may_be_no_names_is_told(tmp_path, cells, told):
    lines = [f'"{cell}",{t * t},{7 - t}' for t, cell in enumerate(cells)]
    notes = read_table(write(tmp_path / "x.csv", "\n".join(["kind,a,b", *lines]))).notes
    assert [str(note).endswith(told or "") for note in notes] == ([] if told is None else [True])


def test_an_interrupt_while_a_table_is_parsed_is_no_fault_of_the_file(tmp_path, monkeypatch):
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "1.5,2.5\n" * 200_000)
    usual, calls = _text._TextOnly.readinto, []

    def interrupt(self, buffer):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return usual(self, buffer)

    monkeypatch.setattr(_text._TextOnly, "readinto", interrupt)
    with pytest.raises(KeyboardInterrupt):
        read_table(path)
