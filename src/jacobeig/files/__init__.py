"""Files in, arrays with names out: tables of data, symmetric matrices, graphs, coordinates.

Text (csv, tsv and their like, also compressed), npy, npz, parquet, mtx, mat, hdf5, graphml and gml are told apart by
their endings; ``-`` is text on standard input. What cannot be read is answered with a sentence that says where and what
to do.
"""

from jacobeig._arguments import is_sparse
from jacobeig.files._content import GraphContent, Table
from jacobeig.files._formats import ENDINGS, STANDARD_INPUT
from jacobeig.files._graph import read_coordinates, read_graph
from jacobeig.files._matrix import MatrixContent, read_matrix
from jacobeig.files._table import read_table

__all__ = [
    "ENDINGS",
    "STANDARD_INPUT",
    "GraphContent",
    "MatrixContent",
    "Table",
    "is_sparse",
    "read_coordinates",
    "read_graph",
    "read_matrix",
    "read_table",
]
