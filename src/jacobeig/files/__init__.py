r"""Files in, arrays with names out: tables of data, symmetric matrices, graphs, coordinates.

Text (csv, tsv and their like, also compressed), npy, npz, parquet, mtx, mat, hdf5, graphml and gml are told apart by
their endings; ``-`` is text on standard input. What cannot be read is answered with a sentence that says where and what
to do.

Examples
--------
>>> import pathlib, tempfile
>>> from jacobeig.files import read_table
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "flowers.csv"
...     _ = path.write_text("length,width,species\n5.1,3.5,setosa\n4.9,3.0,setosa\n")
...     table = read_table(path, label="species")
>>> table.values
array([[5.1, 3.5],
       [4.9, 3. ]])
>>> table.features, table.labels.tolist()
(('length', 'width'), ['setosa', 'setosa'])
"""

from jacobeig._arguments import is_sparse
from jacobeig.files._formats import ENDINGS, STANDARD_INPUT
from jacobeig.files._graph import GraphContent, read_coordinates, read_graph
from jacobeig.files._matrix import MatrixContent, read_matrix
from jacobeig.files._table import Table, read_table

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
