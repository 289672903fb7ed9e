"""What a reader is asked for, and what it returns."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jacobeig._arguments import is_sparse
from jacobeig._docs import share_docs
from jacobeig._extras import import_extra

share_reading = share_docs(
    path="""
path : path-like
    The file; "-" is text on standard input.
""",
    content="""
key : str, optional
    Which array of a file with several; in HDF5 files its path.
header : bool, optional
    Whether the first line of a text has the names of the columns; by default that is found out.
""",
    symmetrize="""
symmetrize : bool, default False
    Take the mean of a matrix and its (conjugate) transpose.
""",
    notes="""
notes : tuple of str
    What the user should know of how the file was understood.
""",
)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is asked of a file: an array by name, whether there is a header, a column of labels."""

    key: str | None = None
    header: bool | None = None
    label: str | None = None


@share_reading
@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Samples by features.

    Attributes
    ----------
    values : ndarray or csr_array (samples, features)
        As `read_table` returns them, finite real numbers.
    features : tuple of str or None
        The names of the columns.
    rows : ndarray of str (samples,) or None
        The names of the samples.
    labels : ndarray of str (samples,) or None
        What the label column says of each sample.
    label_name : str or None
        What that column is called.
    %(notes)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.files import Table
    >>> Table(values=np.eye(2), features=("length", "width")).named().columns.tolist()
    ['length', 'width']
    """

    values: Any
    features: tuple[str, ...] | None = None
    rows: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    label_name: str | None = None
    notes: tuple[str, ...] = field(default=())

    def named(self) -> Any:
        """Return the values as estimators take them, not copied: as a data frame if the features have names."""
        if self.features is None or is_sparse(self.values):
            return self.values
        return import_extra("pandas").DataFrame(self.values, columns=list(self.features), copy=False)

    def named_labels(self) -> Any:
        """Return the labels, as a series where their column has a name; None where there are no labels."""
        if self.labels is None or self.label_name is None:
            return self.labels
        return import_extra("pandas").Series(self.labels, name=self.label_name)


@share_reading
@dataclass(frozen=True, kw_only=True, eq=False)
class GraphContent:
    """Edges or weights, and nodes.

    Attributes
    ----------
    nodes : ndarray (n,)
        What the file calls the nodes: whole numbers or strings.
    edges : ndarray (m, 3) or None
        From, to (positions in `nodes`) and weight of each edge, if the file lists edges.
    weights : ndarray or csr_array (n, n) or None
        The weight of the edge from row to column, if the file holds a matrix.
    %(notes)s

    Examples
    --------
    >>> import numpy as np
    >>> from jacobeig.files import GraphContent
    >>> GraphContent(nodes=np.array(["Ada", "Bob"]), edges=np.array([[0.0, 1.0, 2.5]])).nodes.tolist()
    ['Ada', 'Bob']
    """

    nodes: NDArray[Any]
    edges: NDArray[np.float64] | None = None
    weights: Any = None
    notes: tuple[str, ...] = field(default=())
