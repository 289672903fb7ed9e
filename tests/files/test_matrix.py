"""Files read as a square matrix."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat
from tables import VALUES, write

from jacobeig.errors import InvalidInputError
from jacobeig.files import read_matrix

pytest.importorskip("pandas")


def test_a_matrix_has_the_names_of_its_columns_or_rows(tmp_path):
    text = ",a,b\na,1,0.5\nb,0.5,2\n"
    for variant in (text, "a,b\n1,0.5\n0.5,2\n", "a,1,0.5\nb,0.5,2\n"):
        matrix = read_matrix(write(tmp_path / "x.csv", variant))
        assert matrix.names == ("a", "b")
        np.testing.assert_array_equal(matrix.values, [[1.0, 0.5], [0.5, 2.0]])
    with pytest.raises(InvalidInputError, match="row 1 is called 'b', but column 1 'a'"):
        read_matrix(write(tmp_path / "x.csv", ",a,b\nb,1,0.5\na,0.5,2\n"))


def test_a_matrix_is_square(tmp_path):
    np.save(tmp_path / "x.npy", VALUES)
    with pytest.raises(InvalidInputError, match=r"4 rows and 3 columns.*for a table of data use JacobiPCA"):
        read_matrix(tmp_path / "x.npy")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_matrix_can_be_made_symmetric(tmp_path, kind):
    values = kind(np.array([[1.0, 2.0], [0.0, 3.0 + 1j]]))
    savemat(tmp_path / "x.mat", {"S": values})
    mean = read_matrix(tmp_path / "x.mat", symmetrize=True).values
    mean = mean.toarray() if sparse.issparse(mean) else mean
    np.testing.assert_array_equal(mean, [[1.0, 1.0], [1.0, 3.0]])
