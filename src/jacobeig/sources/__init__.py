"""Row sources: one protocol for every kind of matrix that a user has."""

from jacobeig.sources._dense import DenseRows
from jacobeig.sources._gram import GramRows
from jacobeig.sources._operator import OperatorRows
from jacobeig.sources._protocol import RowSource, check_diagonal, check_rows
from jacobeig.sources._select import as_source
from jacobeig.sources._stream import CovarianceStream
from jacobeig.sources.dask import DaskRows
from jacobeig.sources.memory import require_memory
from jacobeig.sources.sparse import SparseRows

__all__ = [
    "CovarianceStream",
    "DaskRows",
    "DenseRows",
    "GramRows",
    "OperatorRows",
    "RowSource",
    "SparseRows",
    "as_source",
    "check_diagonal",
    "check_rows",
    "require_memory",
]
