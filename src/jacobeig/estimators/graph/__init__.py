"""Graph Fourier transforms with sparse modes, as a scikit-learn estimator."""

from jacobeig.errors import MissingExtraError

try:
    import sklearn as _sklearn  # noqa: F401  # only to see that it is there
except ImportError as error:
    raise MissingExtraError("scikit-learn", "graph") from error

from jacobeig.estimators.graph._fourier import GraphFourier
from jacobeig.estimators.graph.laplacian import laplacian_of
from jacobeig.estimators.graph.libraries import Graph

__all__ = ["Graph", "GraphFourier", "laplacian_of"]
